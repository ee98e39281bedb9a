"""Who is who in sets that are dask arrays: dask arrays again, a chunk for each chunk of sets, made where the sets are."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from vieta.adaptive.reading_associations import Extent, ReadingAssociations
from vieta.arrays import Floats
from vieta.engines.dask_arrays import in_same_chunks, rows_of_chunks, sum_of_chunks
from vieta.errors import InputError
from vieta.sums import numbered

if TYPE_CHECKING:
    from vieta.estimators.estimate import Estimate


@dataclass(frozen=True, slots=True, eq=False)
class ChunkedAssociations:
    """Probabilities for each of M places of a set; NaN where a place has no reading.

    Nothing is computed until it is asked for, by ``compute()`` of an array, of several together (`dask.compute`), or of this. They can be
    written as other arrays of dask are, chunk by chunk.

    Attributes
    ----------
    systems : dask array (N, M, L)
        Of each system, in the order of the estimate.
    clutter : dask array (N, M)
        Of being false.
    missed : dask array (N, L)
        That a system has no reading in a set.
    best : dask array (N, M)
        The system of each reading in the likeliest assignment of its set, -1 for a false one, and where there is no reading.
    """

    systems: Any
    clutter: Any
    missed: Any
    best: Any

    def __len__(self) -> int:
        return len(self.missed)

    def compute(self) -> ReadingAssociations:
        """All of them here, as those of arrays in memory are."""
        from dask import compute

        systems, clutter, missed, best = compute(self.systems, self.clutter, self.missed, self.best)
        there = ~np.isnan(clutter)
        offsets = np.concatenate([[0], np.cumsum(there.sum(axis=1))]).astype(np.int64)
        return ReadingAssociations(systems[there], clutter[there], missed, best[there], offsets)


def chunked_associations(estimate: "Estimate", sets: Any, inputs: Any, offset: Any) -> ChunkedAssociations:
    """The associations of sets (N, M) or (N, M, p), inputs and known numbers, of which some are dask arrays."""
    parts, sizes = in_same_chunks(sets, inputs, offset)
    L, M = len(estimate.theta), parts[0].shape[1]
    _require_shape(estimate, parts)
    of = _Rows(estimate)
    needed = estimate.answers is None and estimate.readings is None
    extent = sum_of_chunks(parts, sizes, of.extent) if needed else None
    rows = rows_of_chunks(parts, sizes, of.rows, M * L + M + L + M, extent)
    cuts = np.cumsum([M * L, M, L])
    systems, clutter, missed, best = (rows[:, a:b] for a, b in zip([0, *cuts], [*cuts, None], strict=True))
    return ChunkedAssociations(systems.reshape(len(rows), M, L), clutter, missed, best.astype(np.int64))


def _require_shape(estimate: "Estimate", parts: list[Any]) -> None:
    """Refuse shapes that do not fit before anything is computed: on one set of zeros."""
    ones = [np.zeros((1, *one.shape[1:]), one.dtype) if hasattr(one, "chunks") else one for one in parts]
    estimate.data_of(*ones)


@contextmanager
def _among_all(before: int) -> Iterator[None]:
    """Give a set that is refused its number among all sets."""
    try:
        yield
    except InputError as error:
        raise numbered(error, before) from None


@dataclass(frozen=True, slots=True, eq=False)
class _Rows:
    """What is made of a chunk, where it is."""

    estimate: "Estimate"

    def extent(self, sets: Any, inputs: Any, offset: Any, before: int) -> Extent:
        """What the model must know of all sets."""
        with _among_all(before):
            return Extent.of(self.estimate.data_of(sets, inputs, offset))

    def rows(self, sets: Any, inputs: Any, offset: Any, before: int, extent: Extent | None) -> Floats:
        """(n, M L + M + L + M) the probabilities, and the best assignment."""
        with _among_all(before):
            found = self.estimate.associations_in(self.estimate.data_of(sets, inputs, offset), extent)
        n, M = np.shape(sets)[:2]
        there = ~np.isnan(np.asarray(sets, dtype=np.float64).reshape(n, M, -1)).all(axis=2)
        systems, clutter, best = (
            np.full((n, M, found.systems.shape[1]), np.nan),
            np.full((n, M), np.nan),
            np.full((n, M), -1.0),
        )
        systems[there], clutter[there], best[there] = found.systems, found.clutter, found.best
        return np.column_stack([systems.reshape(n, -1), clutter, found.missed, best])
