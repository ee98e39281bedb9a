"""Files as batches of sets: each file whole and in the order of time, or piece by piece in bounded memory."""

import os
from collections import Counter
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from typing import Literal, NamedTuple

import numpy as np

from vieta.files.assemble import Batch, as_batch
from vieta.files.bad_file import WRONG_COUNT, BadFileError
from vieta.files.blocks import Wanted, blocks
from vieta.files.head import Head, head
from vieta.files.layout import Layout, Wishes, recognise
from vieta.files.rows import Rows, as_rows, join, keys, tidy
from vieta.files.source import Source, sources
from vieta.files.text_pieces import Progress
from vieta.sets import Data, as_data
from vieta.sums import Passes, in_memory

NOTHING = Wishes()
LARGE = 0.25  # of the memory
PACKED = 4  # how much larger a zipped file is in memory


def _quiet(_: int) -> None:
    pass


class Block(NamedTuple):
    """Sets, and how many were left out, by reason."""

    data: Data
    dropped: Counter[str]


@dataclass(frozen=True, slots=True)
class Reader:
    """Files of one layout; a set does not reach over the end of a file.

    Attributes
    ----------
    sources : list of Source
    layout : Layout
    wanted : Wanted
        The columns to read.
    strict : bool
        Refuse bad sets, rather than leaving them out and counting them.
    stream : bool
        Read in pieces; the rows of a set must then stand together, and the sets be in the order of time.
    """

    sources: list[Source]
    layout: Layout
    wanted: Wanted
    strict: bool
    stream: bool
    dropped: Counter[str] = field(default_factory=Counter)

    @property
    def size(self) -> int:
        """Bytes on disk."""
        return sum(source.size for source in self.sources)

    def batches(self, progress: Progress = _quiet) -> Iterator[Batch]:
        """The sets, as many readings in each as in the first; at least one set must be left in all."""
        dropped, left = Counter[str](), 0
        for batch in self._every(progress):
            dropped.update(batch.dropped)
            left += len(batch.sets)
            yield batch
        if not left:
            reasons = ", ".join(f"{count:,} left out for {reason}" for reason, count in dropped.items())
            raise BadFileError(
                f"no usable set is left{': ' * bool(reasons)}{reasons}. Check --set, --value and --systems."
            )

    def all(self, progress: Progress = _quiet) -> Block:
        """All sets at once."""
        batch = self._all(progress)
        self.dropped.clear()
        self.dropped.update(batch.dropped)
        return Block(as_data(batch.sets, batch.inputs), batch.dropped)

    def passes(self, progress: Progress = _quiet) -> Passes:
        """The sets, to be gone through again and again."""
        if not self.stream:
            return in_memory(self.all(progress).data)
        first = next(batch for batch in self.batches() if len(batch.sets))
        like = as_data(first.sets[:1], None if first.inputs is None else first.inputs[:1]).part(0, 0)

        def read() -> Iterator[Data]:
            self.dropped.clear()
            for batch in self.batches(progress):
                self.dropped.update(batch.dropped)
                if len(batch.sets):
                    yield as_data(batch.sets, batch.inputs)

        return Passes(like, read)

    def place(self, index: int) -> str:
        """Where a set is."""
        return f"set {index}"

    def _all(self, progress: Progress = _quiet) -> Batch:
        batches = list(self.batches(progress))
        if len(batches) == 1:
            return batches[0]
        inputs = [batch.inputs for batch in batches if batch.inputs is not None]
        return Batch(
            np.concatenate([batch.sets for batch in batches]),
            np.concatenate(inputs) if inputs else None,
            sum((batch.dropped for batch in batches), Counter()),
        )

    def _every(self, progress: Progress) -> Iterator[Batch]:
        L = self.layout.n_systems
        for source in self.sources:
            found: Iterable[Batch] = [] if self.stream else self._in_order(source, L, progress)
            read = self._pieces if self.stream else self._whole
            for batch in found or self._shaped(read(source, progress), L):
                L = int(batch.sets.shape[1])
                yield batch

    def _shaped(self, read: Iterable[tuple[Rows, Counter[str]]], n_systems: int | None) -> Iterator[Batch]:
        left_out = Counter[str]()
        for rows, lost in read:
            left_out.update(lost)
            if len(rows):
                batch = as_batch(rows, self.layout, n_systems, strict=self.strict)
                batch.dropped.update(left_out)
                left_out.clear()
                n_systems = int(batch.sets.shape[1])
                yield batch

    def _in_order(self, source: Source, n_systems: int | None, progress: Progress) -> Iterable[Batch]:
        """The sets of a file without fault and in the order of time, shaped as they are read; none of any other.

        The order of names that are text is known only when all of them are.
        """
        if self.wanted.id is not None and self.wanted.id_type == "text":
            return []
        read, told, found = list[int](), 0, list[Batch]()
        try:
            for batch in replace(self, strict=True)._shaped(self._pieces(source, read.append), n_systems):
                found.append(batch)
                before, told = told, sum(read)  # which another thread may be adding to
                progress(told - before)
        except BadFileError:
            found = []
        if not found or any(batch.dropped for batch in found):
            progress(-told)
            return []
        return found

    def _rows(self, source: Source, progress: Progress) -> Iterator[tuple[Rows, Counter[str]]]:
        for block in blocks(source, self.wanted, strict=self.strict, progress=progress):
            rows, lost = tidy(as_rows(source, block), self.layout, strict=self.strict)
            yield rows, lost + Counter({WRONG_COUNT: block.misfits})

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
            joined = join([*kept, rows])
            end = _end_of_sets(joined, self.layout) if len(joined) else 0
            kept = [joined.part(end, len(joined))]
            yield joined.part(0, end), lost
        if kept:
            yield kept[0], Counter()


def _end_of_sets(rows: Rows, layout: Layout) -> int:
    """Where the last set begins; the rows must be in the order of time."""
    key = keys(rows, layout)
    back = key[1:] < key[:-1]
    if back.any():
        at = int(back.argmax()) + 1
        raise BadFileError(
            f"{rows.place(at)} goes back in time: a file is read in pieces only if its rows are sorted by {layout.set!r}. "
            "Sort it, or read it whole (--no-stream)."
        )
    other = np.flatnonzero(key != key[-1])
    return int(other[-1]) + 1 if len(other) else 0


@contextmanager
def reader(
    paths: Iterable[str],
    wishes: Wishes = NOTHING,
    *,
    on_bad_set: Literal["error", "drop"] = "error",
    stream: bool | None = None,
    delimiter: str | None = None,
) -> Iterator[Reader]:
    """A reader of the files at `paths` ("-" for standard input), by default in pieces if they are large."""
    with sources(paths, delimiter) as found:
        heads = [head(source) for source in found]
        layout = recognise(heads[0], wishes)
        wanted = _wanted(heads, layout)
        in_pieces = stream if stream is not None else _are_large(found)
        yield Reader(found, layout, wanted, on_bad_set == "error", in_pieces)


def _wanted(heads: list[Head], layout: Layout) -> Wanted:
    columns = (*layout.values, *layout.inputs)
    members = layout.values if layout.kind == "wide" else ()
    for other in heads[1:]:
        for name in (*columns, *([layout.set] if layout.set is not None else [])):
            if name not in other.columns:
                raise BadFileError(
                    f"{other.name} has no column {name!r}, as {heads[0].name} has. Give files of one layout."
                )
    if layout.set is None:
        return Wanted(columns, None, "text", members)
    kinds = {h.id_type(layout.set) for h in heads}
    return Wanted(columns, layout.set, kinds.pop() if len(kinds) == 1 else "text", members)


def _are_large(found: list[Source]) -> bool:
    """Whether the rows would fill a good part of the memory of this machine."""
    memory = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    size = sum(source.size * (PACKED if source.zipped or source.kind == "parquet" else 1) for source in found)
    return size > LARGE * memory
