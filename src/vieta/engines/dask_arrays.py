"""Arrays of dask: chunks of sets, with their inputs, as blocks to pass over; and arrays of what is made of them."""

from collections.abc import Callable, Sequence
from functools import reduce
from itertools import accumulate
from operator import add
from typing import Any

import numpy as np

from vieta.engines.dask_runner import Refusal, passes_of, refusing
from vieta.errors import InputError
from vieta.sets import Data, as_data, with_known
from vieta.sums import Passes


def is_dask(array: object) -> bool:
    """Whether it is a dask array; dask is not imported to find out."""
    return type(array).__module__.startswith("dask.") and hasattr(array, "chunks")


def fetched_at(array: Any, index: Any) -> Any:
    """Some entries of an array, here; of one of dask only these are fetched. None has none."""
    if array is None or (not is_dask(array) and np.ndim(array) == 0):
        return array
    return array[index].compute() if is_dask(array) else np.asarray(array)[index]


def dask_passes(sets: Any, inputs: Any, offset: Any = None) -> Passes:
    """Passes over sets, inputs and known numbers of which some are dask arrays, in the chunks of the first of them."""
    parts, sizes = in_same_chunks(sets, inputs, offset)
    return passes_of(_like(parts), _blocks(parts, len(sizes)), sizes)


def in_same_chunks(sets: Any, inputs: Any, offset: Any) -> tuple[list[Any], tuple[int, ...]]:
    """Sets, inputs and known numbers, of which some are dask arrays, in the chunks of the first of them; and how many sets each has."""
    import dask.array as da

    first = next(one for one in (sets, inputs, offset) if is_dask(one))
    for name, one in (("sets", sets), ("inputs", inputs), ("offset", offset)):
        if is_dask(one):
            _require_chunks(name, one)
    sizes = first.chunks[0]
    parts = [_in_chunks(da, name, one, sizes) for name, one in (("sets", sets), ("inputs", inputs), ("offset", offset))]
    return parts, tuple(map(int, sizes))


def rows_of_chunks(parts: Sequence[Any], sizes: Sequence[int], on: Callable[..., Any], width: int, about: Any) -> Any:
    """A dask array (N, width), of which nothing is computed yet: rows that `on` makes of sets, inputs and known numbers of a chunk.

    `on` is called with these, with the number of sets before the chunk, and with `about`, which is the same for all, and may be delayed.
    """
    import dask.array as da
    from dask import delayed

    make, starts = delayed(on, pure=False), accumulate(sizes, initial=0)
    made = [make(*chunk, at, about) for chunk, at in zip(_chunks(parts, len(sizes)), starts, strict=False)]
    return da.concatenate([da.from_delayed(one, (n, width), float) for one, n in zip(made, sizes, strict=True) if n])


def sum_of_chunks(parts: Sequence[Any], sizes: Sequence[int], on: Callable[..., Any]) -> Any:
    """The delayed sum of what `on` makes of sets, inputs and known numbers of each chunk, and of the number of sets before it."""
    from dask import delayed

    make, found = delayed(on, pure=False), zip(_chunks(parts, len(sizes)), accumulate(sizes, initial=0), sizes)
    return delayed(_total, pure=False)([make(*chunk, at) for chunk, at, n in found if n])


def _total(found: Sequence[Any]) -> Any:
    return reduce(add, found)


def _require_chunks(name: str, array: Any) -> None:
    """Refuse chunks of sizes that are not known, and those that cut sets apart."""
    if any(np.isnan(size) for sizes in array.chunks for size in sizes):
        raise InputError(
            "chunks-unknown",
            "the sizes of the chunks of `{name}` are not known. Call {name}.compute_chunk_sizes() before.",
            name=name,
        )
    across = [axis for axis, sizes in enumerate(array.chunks[1:], 1) if len(sizes) > 1]
    if across:
        raise InputError(
            "chunks-across-sets",
            "`{name}` is cut into chunks along axis {axis}, which cuts sets apart: chunks {chunks} of shape {shape}. Cut it along the sets "
            "only: {name}.rechunk({{{axis}: -1}}).",
            name=name,
            axis=across[0],
            chunks=tuple(map(len, array.chunks)),
            shape=array.shape,
        )


def _in_chunks(da: Any, name: str, array: Any, sizes: Sequence[int]) -> Any:
    """An array in chunks of these sizes along the sets; None and single numbers as they are."""
    if array is None or (not is_dask(array) and np.ndim(array) == 0):
        return array
    found: Any = array if is_dask(array) else np.asarray(array)
    if len(found) != sum(sizes):
        raise InputError(
            "chunks-count",
            "`{name}` has {given:,} entries, and there are {n_sets:,} sets.",
            name=name,
            given=len(found),
            n_sets=sum(sizes),
        )
    if not is_dask(found):
        return da.from_array(found, chunks=(tuple(sizes), *found.shape[1:]))
    return found if found.chunks[0] == tuple(sizes) else found.rechunk({0: tuple(sizes)})


def _like(parts: Sequence[Any]) -> Data:
    """No sets, of the shape of all; shapes and types are checked here."""
    ones = [np.zeros((1, *one.shape[1:]), one.dtype) if is_dask(one) else one for one in parts]
    return _block(*ones).part(0, 0)


def _block(sets: Any, inputs: Any, offset: Any) -> Data:
    return with_known(as_data(sets, inputs), offset)


def _given(*parts: Any) -> Data | Refusal:
    return refusing(_block, *parts)


def _blocks(parts: Sequence[Any], count: int) -> list[Any]:
    """A delayed block for each chunk."""
    from dask import delayed

    make = delayed(_given, pure=False)
    return [make(*chunk) for chunk in _chunks(parts, count)]


def _chunks(parts: Sequence[Any], count: int) -> list[tuple[Any, ...]]:
    """The delayed chunks of arrays that are cut alike; what is no array of dask is in each of them."""

    def of(array: Any) -> list[Any]:
        return list(array.to_delayed().ravel()) if is_dask(array) else [array] * count

    return list(zip(*map(of, parts), strict=True))
