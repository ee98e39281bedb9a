"""Files as sets: each file whole and in the order of time, or block by block in bounded memory."""

import os
from collections import Counter
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field, replace

import numpy as np

from vieta.arrays import Integers
from vieta.errors import BadFileError, IncompleteSetsError
from vieta.files.account import Steps, accounts
from vieta.files.assemble import Block, OnBadSet, as_block, names_of_all
from vieta.files.columns import Head, head
from vieta.files.formats import sources
from vieta.files.layout import Layout, Wishes
from vieta.files.reasons import INCOMPLETE, UNCLOSED, WRONG_COUNT, counted
from vieta.files.recognition import recognise
from vieta.files.rows import Rows, Wanted, join, keys, tidy
from vieta.files.source import Progress, Source
from vieta.files.straddle import together
from vieta.files.survey import prepared, surveyed
from vieta.findings import Finding
from vieta.sets import Data, joined
from vieta.sums import Passes, in_memory

NOTHING = Wishes()
LARGE = 0.25  # of the memory
AS_THEY_ARE = "Such sets are taken as they are by {call.fit} if {option.systems} says how many systems there are, or auto, to count them."
PACKED = 4  # how much larger a zipped file is in memory


def _quiet(_: int) -> None:
    pass


@dataclass(frozen=True, slots=True)
class Reader:
    """Files of one layout; a set may begin at the end of one and end at the beginning of the next.

    Attributes
    ----------
    sources : list of Source
    layout : Layout
    wanted : Wanted
        The columns to read.
    on_bad_set : "error" or "drop"
        Refuse bad sets, or leave them out and count them.
    stream : bool
        Read in blocks; the rows of a set must then stand together, and the sets be in the order of time.
    dropped : Counter
        Sets left out by the first pass that reached the end of the files, by code.
    sizes : Counter
        How many sets of that pass had how many readings, those that were left out too.
    counted : bool
        Whether L was counted, and not given.
    any_size : bool
        Whether all sets may have another size than L.
    advice : str
        What to do about sets of different sizes, where L was not given; a template.
    """

    sources: list[Source]
    layout: Layout
    wanted: Wanted
    on_bad_set: OnBadSet
    stream: bool
    dropped: Counter[str] = field(default_factory=Counter)
    sizes: Counter[int] = field(default_factory=Counter)
    counted: bool = True
    any_size: bool = False
    advice: str = AS_THEY_ARE
    _n_sets: list[int] = field(default_factory=list, repr=False)  # of the first pass, once it is known
    _steps: list[Steps] = field(default_factory=list, repr=False)  # in time, of that pass

    @property
    def size(self) -> int:
        """Bytes on disk."""
        return sum(source.size for source in self.sources)

    @property
    def delimiter(self) -> str | None:
        """Of the files that have one, if it is the same for all of them."""
        used = {source.delimiter for source in self.sources if source.delimiter is not None}
        return used.pop() if len(used) == 1 else None

    def blocks(self, progress: Progress = _quiet) -> Iterator[Block]:
        """The sets, in the order of time; at least one set must be left in all, and every pass must find the same number."""
        dropped, sizes, n_sets, steps = Counter[str](), Counter[int](), 0, Steps()
        for block in self._blocks(progress):
            if self.layout.counts_times and self.layout.time is not None and not self._n_sets:
                steps.add(block.read[:, self.layout.reads.index(self.layout.time)], block.number)
            dropped.update(block.dropped)
            sizes.update(block.sizes)
            n_sets += len(block.data)
            yield block
        if not n_sets:
            raise _nothing_left(dropped)
        if not self._n_sets:
            self._n_sets.append(n_sets)
            self.dropped.update(dropped)
            self.sizes.update(sizes)
            self._steps.append(steps)
        if n_sets != self._n_sets[0]:
            raise BadFileError(
                "file-changed",
                "the files changed while they were read: they had {before:,} sets, and now {now:,}. Read them again.",
                before=self._n_sets[0],
                now=n_sets,
            )

    def all(self, progress: Progress = _quiet) -> Block:
        """All sets, in memory."""
        found = list(self.blocks(progress))
        data = found[0].data if len(found) == 1 else joined([block.data for block in found])
        return Block(data, sum((block.dropped for block in found), Counter()), self.place)

    def passes(self, progress: Progress = _quiet) -> Passes:
        """The sets for estimators that go through them several times: read anew for each pass, or read once and kept."""
        if not self.stream:
            return in_memory(self.all(progress).data)
        like = next(block.data for block in self.blocks() if len(block.data)).part(0, 0)
        return Passes(like, lambda: self._data(progress))

    def of_one(self, number: int, size: int | None = None) -> "Reader":
        """A reader of one of the files alone, to be read elsewhere; `size` is L, where it was counted in another."""
        layout = self.layout if size is None or self.layout.n_systems else replace(self.layout, n_systems=size)
        return Reader(
            [self.sources[number]], layout, self.wanted, self.on_bad_set, False, any_size=self.any_size or bool(number)
        )

    def part(self) -> Block:
        """All sets in memory, without the places that they were read from; there may be none."""
        found = [block for block in self._blocks(_quiet) if len(block.data) or block.dropped]
        dropped = sum((block.dropped for block in found), Counter[str]())
        some = [block.data for block in found if len(block.data)] or [block.data for block in found[:1]]
        if not some:
            raise BadFileError("file-without-sets", "{file} holds no set.", file=self.sources[0].name)
        sizes = sum((block.sizes for block in found), Counter[int]())
        ends = [block.edges for block in found if block.edges is not None]
        edges = (ends[0][0], ends[-1][1]) if ends else None
        data = some[0] if len(some) == 1 else joined(some)
        return Block(data, dropped, sizes=sizes, edges=edges, some_names=names_of_all(found))

    def note(self, n_sets: int, dropped: Counter[str], sizes: Counter[int]) -> None:
        """Keep what a first pass elsewhere has found."""
        if not n_sets:
            raise _nothing_left(dropped)
        self._n_sets.append(n_sets)
        self.dropped.update(dropped)
        self.sizes.update(sizes)

    @property
    def n_sets(self) -> int:
        """How many sets the first pass found."""
        return self._n_sets[0]

    def picked(self, wanted: Integers) -> Block:
        """The sets of these numbers, in ascending order, among those that are not left out; they are read again."""
        parts, before = list[Block](), 0
        for block in self._blocks(_quiet):
            first, last = np.searchsorted(wanted, [before, before + len(block.data)])
            at = wanted[first:last] - before
            parts.append(Block(block.data.at(at), read=block.read[at], number=block.number[at]))
            before += len(block.data)
        read, number = (np.concatenate(some) for some in zip(*((part.read, part.number) for part in parts)))
        return Block(joined([part.data for part in parts]), read=read, number=number)

    def findings(self, size: int) -> tuple[Finding, ...]:
        """What is to be known about sets that were left out, where those of `size` readings were used; after a first pass."""
        steps = tuple(one for found in self._steps for one in found.findings())
        return (*accounts(self.dropped, self.sizes, size, counted=self.counted), *steps)

    def place(self, k: int) -> str:
        """Where set k, of those that are not left out, stands: "line 7 of x.csv: set 3". The files are read again."""
        before = 0
        for block in self._blocks(_quiet, located=True):
            if k < before + len(block.data):
                return block.place(k - before)
            before += len(block.data)
        raise IndexError(k)

    def named(self) -> Iterator[Block]:
        """The sets once more, in blocks that know the names of their sets."""
        yield from self._blocks(_quiet, located=True)

    def explain(self, error: IncompleteSetsError, *, advised: bool = True) -> BadFileError:
        """The refusal of sets of different sizes by a method, with the place of the first of them and what to do; `advised` to say how many."""
        facts = error.facts
        doubled = facts["given"] > facts["needed"] and facts["given"] % facts["needed"] == 0
        hint = " (two sets may share this name)" if doubled and self.layout.set is not None else ""
        counted = "" if self.layout.n_systems or not advised else f" {self.advice}"
        return BadFileError(
            error.code,
            f"{{place}} has {{given}} reading(s) where {{needed}} were expected{hint}; {{count:,}} of the {{n_sets:,}} sets read have "
            f"another size.{counted} {INCOMPLETE}",
            place=self.place(facts["index"]),
            **{name: facts[name] for name in ("index", "given", "needed", "count", "n_sets")},
        )

    def _data(self, progress: Progress) -> Iterator[Data]:
        return (block.data for block in self.blocks(progress) if len(block.data))

    def _blocks(self, progress: Progress, *, located: bool = False) -> Iterator[Block]:
        """Blocks of sets of one size, where bad sets are left out, and of any where they are refused."""
        found = self._of_each_file(progress, located=located)
        if len(self.sources) == 1 or self.on_bad_set == "drop":
            return (block for _, block in found)
        return together(found, self.layout)

    def _of_each_file(self, progress: Progress, *, located: bool) -> Iterator[tuple[int, Block]]:
        """The blocks of each file, with its number."""
        size, is_first, before = self.layout.n_systems, True, 0
        for i, source in enumerate(self.sources):
            found: Iterable[Block] = [] if self.stream else self._in_order(source, size, progress, located, before)
            read = self._pieces if self.stream else self._whole
            for block in found or self._assembled(read(source, progress), size, before):
                if is_first and len(block.data) > 1 and not self.any_size:
                    _require_size(block, size)
                    is_first = False
                size = size or block.data.n_systems
                before += block.sizes.total()
                yield i, block

    def _assembled(self, read: Iterable[tuple[Rows, Counter[str]]], size: int | None, before: int) -> Iterator[Block]:
        """Blocks of sets, after so many sets `before` them."""
        left_out = Counter[str]()
        for rows, lost in read:
            left_out.update(lost)
            if lost and self.layout.counts_sets:
                raise _uncounted(lost)
            if len(rows):
                block = as_block(rows, self.layout, size, self.on_bad_set, before)
                block.dropped.update(left_out)
                left_out.clear()
                size = size or block.data.n_systems
                before += block.sizes.total()
                yield block

    def _in_order(
        self, source: Source, size: int | None, progress: Progress, located: bool, before: int
    ) -> Iterable[Block]:
        """The sets of a file without fault and in the order of time, shaped as they are read; none of any other.

        The order of names that are text is known only when all of them are. Rows are not kept in memory, except those of the first
        block, unless sets are to be located.
        """
        if (
            self.wanted.id is not None
            and self.wanted.id_type == "text"
            and self.wanted.id not in dict(self.layout.forms)
        ):
            return []
        read, reported, found = list[int](), 0, list[Block]()
        try:
            strictly = replace(self, on_bad_set="error")
            for block in strictly._assembled(strictly._pieces(source, read.append), size, before):
                found.append(block if located or not found else replace(block, place=str, names=list))
                if block.dropped or (not block.data.is_complete and self.on_bad_set == "drop"):
                    found.clear()
                    break
                before, reported = reported, sum(read)  # which another thread may be adding to
                progress(reported - before)
        except BadFileError:
            found.clear()
        if not found:
            progress(-reported)
        return found

    def _rows(self, source: Source, progress: Progress) -> Iterator[tuple[Rows, Counter[str]]]:
        strict = self.on_bad_set == "error"
        for found in source.rows(self.wanted, strict=strict, progress=progress):
            rows, lost = tidy(prepared(found, self.layout, strict=strict), self.layout, strict=strict)
            yield rows, lost + Counter({WRONG_COUNT: found.misfits, UNCLOSED: found.unclosed})

    def _whole(self, source: Source, progress: Progress) -> Iterator[tuple[Rows, Counter[str]]]:
        parts, lost = [], Counter[str]()
        for rows, count in self._rows(source, progress):
            parts.append(rows)
            lost.update(count)
        yield join(parts), lost

    def _pieces(self, source: Source, progress: Progress) -> Iterator[tuple[Rows, Counter[str]]]:
        """Whole sets; what may be the beginning of one is kept for the next piece."""
        kept: list[Rows] = []
        for rows, lost in self._rows(source, progress):
            rest = join([*kept, rows])
            end = _end_of_sets(rest, self.layout) if len(rest) else 0
            kept = [rest.part(end, len(rest))]
            yield rest.part(0, end), lost
        if kept:
            yield kept[0], Counter()


def _require_size(block: Block, size: int | None) -> None:
    """Refuse sets that all have another size than the one that was given: nothing in them says that readings were missed or are false."""
    data = block.data
    if size is None or data.is_complete or (data.sizes != data.sizes[0]).any() or data.sizes[0] == size:
        return
    raise BadFileError(
        "no-set-of-size",
        "{place} has {given} reading(s) where {needed} were expected, and none of the {n_sets:,} sets has so many. Correct "
        "{option.systems}, {option.set} or {option.value}; where some readings of every set are missed or false, give {option.misses:True} or "
        "{option.clutter:True}.",
        place=block.place(0),
        given=int(data.sizes[0]),
        needed=size,
        n_sets=len(data),
    )


def _nothing_left(dropped: Counter[str]) -> BadFileError:
    return BadFileError(
        "no-usable-set",
        "no usable set is left{reasons}. Check {option.set}, {option.value} and {option.systems}.",
        reasons=f": {counted(dropped)}" if dropped else "",
        dropped=dict(dropped),
    )


def _uncounted(lost: Counter[str]) -> BadFileError:
    """The error for sets whose order matters and of which some cannot be counted."""
    return BadFileError(
        "sets-uncounted",
        "an input depends on the order of the sets, and some cannot be counted ({lost}). Repair the data, or name a column that tells the "
        "time with {option.time}.",
        lost=counted(lost),
    )


def _end_of_sets(rows: Rows, layout: Layout) -> int:
    """Where the last set begins; the rows must be in the order of time."""
    key = keys(rows, layout)
    back = key[1:] < key[:-1]
    if back.any():
        raise BadFileError(
            "not-sorted",
            "{place} goes back in time: a file is read in pieces only if its rows are sorted by {column!r}. Sort it, or read it whole "
            "({option.stream:False}).",
            place=rows.place(int(back.argmax()) + 1),
            column=layout.set,
        )
    other = np.flatnonzero(key != key[-1])
    return int(other[-1]) + 1 if len(other) else 0


@contextmanager
def reader(
    paths: Iterable[str],
    wishes: Wishes = NOTHING,
    *,
    on_bad_set: OnBadSet = "error",
    stream: bool | None = None,
    delimiter: str | None = None,
    any_size: bool = False,
) -> Iterator[Reader]:
    """A reader of the files at `paths` ("-" for standard input), by default in blocks if they are large."""
    with sources(paths, delimiter) as found:
        in_blocks = stream if stream is not None else _are_large(found)
        yield reader_of(found, wishes, on_bad_set=on_bad_set, stream=in_blocks, any_size=any_size)


def reader_of(
    found: list[Source],
    wishes: Wishes = NOTHING,
    *,
    on_bad_set: OnBadSet = "error",
    stream: bool = False,
    any_size: bool = False,
    advice: str = AS_THEY_ARE,
    heads: list[Head] | None = None,
) -> Reader:
    """A reader of these sources, of one layout, which is that of the first; their `heads` are read unless they are known."""
    heads = [head(source) for source in found] if heads is None else heads
    layout = recognise(heads[0], wishes)
    wanted = _wanted(heads, layout)
    layout = surveyed(found, layout, wanted, strict=on_bad_set == "error")
    is_counted = layout.kind == "long" and wishes.systems is None
    return Reader(found, layout, wanted, on_bad_set, stream, counted=is_counted, any_size=any_size, advice=advice)


def _wanted(heads: list[Head], layout: Layout) -> Wanted:
    texts = tuple(dict.fromkeys([*dict(layout.forms), *layout.categories]))
    time = () if layout.time is None else (layout.time,)
    columns = tuple(dict.fromkeys([*layout.values, *(n for n in (*layout.inputs, *time) if n not in texts)]))
    members = layout.values if layout.kind == "wide" else ()
    for other in heads[1:]:
        for name in (*columns, *texts, *([layout.set] if layout.set is not None else [])):
            if name not in other.columns:
                raise BadFileError(
                    "other-columns",
                    "{file} has no column {column!r}, as {first} has. Give files of one layout.",
                    file=other.name,
                    column=name,
                    first=heads[0].name,
                )
    if layout.set is None:
        return Wanted(columns, None, "text", members, texts)
    if layout.set in dict(layout.forms):
        return Wanted(columns, layout.set, "text", members, texts)
    kinds = {h.id_type(layout.set) for h in heads}
    return Wanted(columns, layout.set, kinds.pop() if len(kinds) == 1 else "text", members, texts)


def _are_large(found: list[Source]) -> bool:
    """Whether the rows would fill a good part of the memory of this machine."""
    memory = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    size = sum(source.size * (PACKED if source.zipped or not source.is_text else 1) for source in found)
    return size > LARGE * memory
