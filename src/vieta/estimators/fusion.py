"""`vieta.merge`: filters that ran side by side on streams of the same systems, made into one."""

from collections.abc import Iterable
from typing import Any

import numpy as np

from vieta.errors import InputError
from vieta.estimators.filter import SymmetricFilter
from vieta.estimators.guard import computing

LEVEL = 1e-4  # of the test by which filters contradict each other


def merge(filters: Iterable[SymmetricFilter], *, level: float = LEVEL) -> SymmetricFilter:
    """One filter from several that ran on different streams of the same systems: as if it had absorbed the sets of all.

    Rows are matched, and the information of the filters adds. What was measured in one stream must not be in another too, and the noise of
    one must not depend on that of another. The filters stay as they are; notes are left behind.

    Parameters
    ----------
    filters : iterable of SymmetricFilter
        With the same method, options and shapes. Those that have seen no sets yet change nothing.
    level : float
        Filters that contradict each other are refused, by a chi-square test. This is the probability that it refuses filters of the same
        systems.

    Examples
    --------
    >>> import vieta
    >>> records = vieta.simulate("example-1", n=10000, seed=1)
    >>> north, south = (vieta.SymmetricFilter(n_systems=3) for _ in range(2))
    >>> north = north.partial_fit(records.sets[:5000], records.inputs[:5000])
    >>> south = south.partial_fit(records.sets[5000:], records.inputs[5000:])
    >>> both = vieta.merge([north, south])
    >>> both.n_sets, both.estimate().theta.round(2).ravel()
    (10000, array([-2.,  5.,  8.]))
    """
    given = list(filters)
    if not 0.0 < level < 1.0:
        raise InputError(
            "merge-level", "{option.level:{value}} must lie between 0 and 1, for example 1e-4.", value=level
        )
    for i, one in enumerate(given, 1):
        if not isinstance(one, SymmetricFilter):
            raise InputError(
                "merge-kind", "filter {place} is of type {kind}, not a filter.", place=i, kind=type(one).__name__
            )
    if not given:
        raise InputError("merge-nothing", "there are no filters to merge. At least one is needed.")
    for i, one in enumerate(given[1:], 2):
        _require_alike(given[0], one, i)
    return _merged(given, level)


def _merged(given: list[SymmetricFilter], level: float) -> SymmetricFilter:
    new = given[0].clone()
    now = [one._now() for one in given]
    known = [(engine, like) for engine, _, like in now if engine is not None and like is not None]
    if not known:
        return new
    engine, like = known[0]
    _require_shapes([None if like is None else (like.reading_dim, like.inputs.shape[1:]) for _, _, like in now])
    states = [engine.init() if state is None else state for _, state, _ in now]
    with computing(new._method()):
        new._advanced(engine, engine.merged(states, level), like)
    new._names = next((one.names for one in given if one.names), ())
    return new


def _require_alike(first: SymmetricFilter, other: SymmetricFilter, place: int) -> None:
    """Refuse a filter that was made in another way than the first."""
    one, two = _made(first), _made(other)
    for name in dict.fromkeys((*one, *two)):
        if not _same(one.get(name), two.get(name)):
            raise InputError(
                "merge-options",
                "filters that are merged must be made in the same way: {option} is {given!r} in filter {place}, and {needed!r} in filter 1.",
                option=name,
                given=two.get(name),
                needed=one.get(name),
                place=place,
            )
    if first.names and other.names and first.names != other.names:
        raise InputError(
            "merge-names",
            "filter {place} has the parameters {given}, and filter 1 has {needed}.",
            place=place,
            given=", ".join(other.names),
            needed=", ".join(first.names),
        )


def _made(one: SymmetricFilter) -> dict[str, Any]:
    return {**one.get_params(), "method": one.method_name}


def _same(one: Any, two: Any) -> bool:
    if isinstance(one, str) or one is None or isinstance(two, str) or two is None:
        return bool(one is two or one == two)
    try:
        return bool(np.array_equal(np.asarray(one), np.asarray(two)))
    except (TypeError, ValueError):
        return bool(one == two)


def _require_shapes(shapes: list[tuple[Any, ...] | None]) -> None:
    """Refuse filters that have absorbed sets of different shapes."""
    first = next(i for i, shape in enumerate(shapes) if shape is not None)
    for i, shape in enumerate(shapes):
        if shape is not None and shape != shapes[first]:
            raise InputError(
                "merge-shapes",
                "filter {place} has readings of {given[0]} number(s) and inputs {given[1]}; filter {other} has {needed[0]} and {needed[1]}.",
                place=i + 1,
                given=shape,
                other=first + 1,
                needed=shapes[first],
            )
