"""Sets that reach from one file into the next: put together where the halves meet, refused where they do not; never two half sets.

Names may begin anew in every file, so that a name alone does not tell. The last set of a file and the first of the next are one set if they
have one name and together at most as many readings as a set usually has. If both have as many as usual, they are two. Else they are refused.
Halves that do not meet are found by samples of the names (`Sample`), those with the smallest hashes, which are the same ones in every file:
if names are in two files, and always of parts that would fit together, they are refused.
"""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, NamedTuple

import numpy as np

from vieta.arrays import Floats
from vieta.errors import BadFileError
from vieta.files.assemble import Block, Edge, Names
from vieta.files.layout import Layout
from vieta.sets import Data, common_size

KEPT = 8000  # names that are kept to be compared with those of files to come
ADVICE = "Give every set a name of its own, and keep the readings of a set in one file, or at the end of one and the beginning of the next."


def usual_size(sizes: Mapping[int, int], given: int | None = None) -> int:
    """L as given, or by how many sets had which size.

    >>> usual_size(Counter({3: 90, 2: 10, 7: 1}))
    3
    """
    if given:
        return given
    size, count = (np.array(one) for one in zip(*sorted(sizes.items())))
    return common_size(np.repeat(size, np.ceil(1000 * count / count.sum()).astype(int)))


def is_one_set(last: Edge, first: Edge, usual: int) -> bool:
    """Whether the last set of a file goes on in the first of the next; refused if it cannot be told."""
    a, b = len(last.readings), len(first.readings)
    if last.name != first.name or a == b == usual:
        return False
    facts: dict[str, Any] = {"place": last.place, "after": first.place, "before": a, "more": b, "needed": usual}
    if a + b > usual:
        raise BadFileError(
            "straddling-set",
            "{place} has {before} reading(s), and the next file goes on with {after}, of {more}: where a set has {needed}, these are neither "
            "two sets nor one. " + ADVICE,
            **facts,
        )
    if not np.array_equal(last.inputs, first.inputs):
        raise BadFileError(
            "straddling-inputs",
            "{place} goes on in the next file ({after}), with another input. All readings of a set must have the same inputs.",
            **facts,
        )
    return True


def longer(edge: Edge, more: Edge) -> Edge:
    """Both parts of a set, as one."""
    return edge._replace(readings=np.concatenate([edge.readings, more.readings]))


def lengthened(data: Data, readings: Floats | None) -> Data:
    """The sets with more readings in the last one; complete if they are so now.

    >>> from vieta.sets import as_data
    >>> lengthened(as_data([[1.0, 2.0], [3.0]], None), np.array([[4.0]])).sets[:, :, 0]
    array([[1., 2.],
           [3., 4.]])
    """
    if readings is None or not len(readings):
        return data
    own, offsets = data.flat
    offsets = offsets.copy()
    offsets[-1] += len(readings)
    return regular(replace(data, readings=np.concatenate([own, readings]), offsets=offsets))


def regular(data: Data) -> Data:
    """Sets that have all L readings as a dense array; others as they are."""
    sizes = data.sizes
    if data.is_complete or not len(data) or (sizes != (data.size or sizes[0])).any() or not sizes[0]:
        return data
    dense = data.readings.reshape(len(data), int(sizes[0]), data.reading_dim)
    return replace(data, readings=dense, offsets=None, size=0)


class Join(NamedTuple):
    """What becomes of the sets of a file: whether the first belongs to a file before, and readings that the last has in files after it."""

    without_first: bool = False
    readings: Floats | None = None

    def of(self, data: Data) -> Data:
        """The sets of the file so changed."""
        rest = regular(data.part(1, len(data))) if self.without_first else data
        return rest if self.readings is None else lengthened(rest, self.readings)


class Ends(NamedTuple):
    """What must be known about a file to put sets together: how many sets it has, of which sizes, its first and last set, and some names."""

    n_sets: int
    sizes: Counter[int]
    edges: tuple[Edge, Edge] | None
    names: Names | None


def ends_of(block: Block) -> Ends:
    """Those of a block."""
    return Ends(len(block.data), block.sizes, block.edges, block.some_names)


@dataclass(slots=True)
class Sample:
    """Sets of incomplete files by the hashes of their names: sizes and files, of those with the smallest hashes."""

    kept: dict[int, tuple[int, int]] = field(default_factory=dict)
    fits: int = 0
    misfits: int = 0

    def add(self, file: int, names: Names | None, usual: int, joint: int | None) -> None:
        """Compare the sets of a file, but for that at the `joint`, with those of other files; refuse sets that seem to lie in two of them."""
        if names is None:
            return
        for key, size in zip(names.hashes.tolist(), names.sizes.tolist(), strict=True):
            before = self.kept.get(key)
            if before is not None and before[1] != file and key != joint:
                self.fits += size + before[0] <= usual
                self.misfits += size + before[0] > usual
            self.kept[key] = (size, file)
        if len(self.kept) > 2 * KEPT:
            self.kept = dict(sorted(self.kept.items())[:KEPT])
        if self.fits and not self.misfits:
            raise BadFileError(
                "scattered-sets",
                "sets of {file} have names that sets of a file before have too, and both are in part: they seem to lie in two files, at places "
                "that do not follow each other. " + ADVICE,
                file=names.file,
            )


@dataclass(slots=True)
class Seam:
    """Goes along files and says which begin with the rest of a set: how many sets had which size so far, and names that were met."""

    layout: Layout
    sizes: Counter[int] = field(default_factory=Counter)
    sample: Sample = field(default_factory=Sample)

    def meets(self, file: int, last: Edge | None, here: Ends) -> bool:
        """Whether the set that is `last` of the files before goes on in the first set here."""
        self.sizes.update(here.sizes)
        if not here.n_sets or here.edges is None:
            return False
        usual, first = usual_size(self.sizes, self.layout.n_systems), here.edges[0]
        found = last is not None and is_one_set(last, first, usual)
        self.sample.add(file, here.names, usual, first.key if found else None)
        if found and self.layout.counts_sets:
            raise BadFileError(
                "straddling-counted",
                "{place} goes on in the next file, and an input depends on the order of the sets. Name a column that tells the time with "
                "{option.time}, or put the files together.",
                place=first.place,
            )
        return found


def joins(files: Sequence[Ends], layout: Layout) -> list[Join]:
    """What becomes of the sets of each file, where all files were read, each on its own."""
    found, seam = [Join() for _ in files], Seam(layout)
    last: Edge | None = None
    owner = 0
    for i, one in enumerate(files):
        meets = seam.meets(i, last, one)
        if meets and last is not None and one.edges is not None:
            last = longer(last, one.edges[0])
            before, more = found[owner].readings, one.edges[0].readings
            found[i] = Join(without_first=True)
            found[owner] = found[owner]._replace(readings=more if before is None else np.concatenate([before, more]))
        if one.n_sets > meets:
            last, owner = (None if one.edges is None else one.edges[1]), i
    return found


def sizes_of(files: Sequence[Ends], changes: Sequence[Join]) -> Counter[int]:
    """How many sets have how many readings, once halves are put together."""
    sizes = Counter[int]()
    for one, change in zip(files, changes, strict=True):
        sizes.update(one.sizes)
        if one.edges is not None and change.without_first:
            sizes.subtract([len(one.edges[0].readings)])
        if one.edges is not None and change.readings is not None:
            own = len(one.edges[1].readings)
            sizes.subtract([own])
            sizes.update([own + len(change.readings)])
    return +sizes


def together(found: Iterable[tuple[int, Block]], layout: Layout) -> Iterator[Block]:
    """The blocks of all files, each with the number of its file, in order; halves of sets that meet are put together."""
    seam, held, file = Seam(layout), list[Block](), 0
    for i, block in found:
        last = held[0].edges[1] if held and held[0].edges and file != i else None
        if seam.meets(i, last, ends_of(block)) and block.edges is not None:
            held[0], rest = _grown(held[0], block.edges[0]), _rest(block)
        else:
            rest = block
        file = i
        if held and not len(rest.data):
            held[0].dropped.update(rest.dropped)
            continue
        yield from held
        held = [rest]
    yield from held


def _grown(block: Block, joint: Edge) -> Block:
    """A block whose last set goes on in another file."""
    if block.edges is None:
        return block
    last, sizes = longer(block.edges[1], joint), block.sizes.copy()
    sizes.subtract([len(block.edges[1].readings)])
    sizes.update([len(last.readings)])
    data = lengthened(block.data, joint.readings)
    return replace(block, data=data, sizes=+sizes, edges=(block.edges[0], last))


def _rest(block: Block) -> Block:
    """A block without its first set."""
    rest, size = block.data.part(1, len(block.data)), int(block.data.sizes[0])
    return replace(
        block,
        data=regular(rest),
        place=lambda k: block.place(k + 1),
        sizes=block.sizes - Counter({size: 1}),
        read=block.read[1:],
        number=block.number[1:],
        names=lambda: block.names()[1:],
    )
