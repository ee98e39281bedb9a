"""`vieta.fit`: all the sets at once."""

from dataclasses import replace
from typing import Any

from numpy.typing import ArrayLike

from vieta.answers import families
from vieta.answers.family import Family
from vieta.answers.number_findings import of_numbers
from vieta.engines.blas_threads import one_blas_thread
from vieta.engines.dask_arrays import dask_passes, is_dask
from vieta.errors import IncompleteSetsError, InputError
from vieta.estimators.estimate import Estimate
from vieta.estimators.guard import checked_solution, computing
from vieta.frames import column_names, frame_kind
from vieta.method import registry
from vieta.method.base import Method
from vieta.options import Options, positive_integer
from vieta.pairing import require_pairing
from vieta.set_requirements import as_incomplete, has_absent, require_complete, require_finite, require_size
from vieta.sets import Data, as_data, in_canonical_order, less_known, with_known
from vieta.sums import Passes, in_memory, on_threads


def fit(
    sets: ArrayLike,
    inputs: ArrayLike | None = None,
    *,
    n_systems: int | None = None,
    method: str | None = None,
    family: str = "number",
    offset: ArrayLike | None = None,
    threads: int | None = None,
    **options: Any,
) -> Estimate:
    """Estimate the parameters of L systems from unlabeled sets.

    Parameters
    ----------
    sets : (N, L), (N, L, p), or a list of arrays of different lengths
        One row a set; order along the second axis carries no meaning. Missing readings are NaN, or left out of a list. Dask arrays, in chunks
        along the sets, are worked on where they are.
    inputs : None, (N,), (N, D) or (N, p, D)
        Psi(k): the identity, a scalar, a regressor row (with one number a reading), or a matrix. The columns of a data frame (pandas,
        polars) name the parameters. Where both have an index, as in pandas, it must be the same.
    n_systems : int, optional
        L; checked against complete sets. In incomplete ones readings above L are false, and below L some were missed.
    method : str, optional
        See `vieta.methods()`. If absent, "adaptive" for incomplete sets, and for complete ones where learning the law of their noise takes
        little time (200 to 20,000 sets, fewer of many systems) and no option is given; else "efficient".
    family : str
        What readings are: "number" for measurements, or answers: "binary" (0 or 1), "ordinal" (levels 1 to M), "count", "rounded". Answers
        have a method of their own, with options such as `link`.
    offset : (N,), optional
        A known number a set that is added to every system's predictor: an item's easiness, the logarithm of an exposure.
    threads : int, optional
        How many threads share the work; the result does not depend on their number, to the last bit. One, and all sets in one piece, if
        absent, which may differ by rounding.
    **options
        Those of the method or of the family: ``vieta methods`` lists them.

    Examples
    --------
    >>> import vieta
    >>> records = vieta.simulate("example-1", n=2000, seed=1)
    >>> vieta.fit(records.sets, records.inputs).theta.round(2).ravel()
    array([-2.,  5.,  8.])
    """
    count = None if n_systems is None else positive_integer(n_systems, "n_systems")
    threads = None if threads is None else positive_integer(threads, "threads")
    if is_dask(sets) or is_dask(inputs):
        return _fitted_elsewhere(dask_passes(sets, inputs, offset), count, method, {**options, "family": family})
    data = as_data(sets, inputs)
    answers, options = families.of_options({**options, "family": family}, method)
    chosen = answers or registry.get(_method_for(data, options) if method is None else method)
    settings = registry.options(chosen, options)
    data = data if chosen.takes_incomplete else as_data(sets, inputs, count)
    data = with_known(data, offset)
    data = data if answers is not None else less_known(data)
    if chosen.takes_incomplete:
        data = as_incomplete(data, count, counted=chosen.counts_systems)
    else:
        require_complete(data, chosen.name)
        require_finite(data)
    data = in_canonical_order(data) if chosen.wants_ascending(settings) else data
    names = column_names(inputs)
    estimate = _fitted(on_threads(in_memory(data), threads), chosen, settings, named=_is_named(method, options))
    kind = frame_kind(inputs) or frame_kind(sets)
    return replace(estimate, names=names if len(names) == data.dim else (), frame_kind=kind)


def _fitted_elsewhere(passes: Passes, n_systems: int | None, method: str | None, options: dict[str, Any]) -> Estimate:
    """The estimate from sets that are not here, of arrays: what `fit` does to sets is done to each block where it is."""
    answers, options = families.of_options(options, method)
    named = _is_named(method, options)
    if answers is None and method is None:
        absent = passes.total(lambda block, _: int(has_absent(block)))
        method = registry.default(incomplete=bool(absent), options=options)
    chosen = answers or registry.get(str(method))
    settings = registry.options(chosen, options)
    if answers is None:
        passes = passes.changed(less_known(passes.like), less_known)
    ascending = chosen.wants_ascending(settings)
    if chosen.takes_incomplete:
        passes = _as_they_are(passes, chosen, ascending=ascending, n_systems=n_systems).kept()
    else:
        require_size(passes.like, n_systems)
        passes = _complete(passes, chosen.name, ascending=ascending).kept()
    return _fitted(passes, chosen, settings, named=named)  # blocks as they were given are no longer held


def _method_for(data: Data, options: dict[str, Any]) -> str:
    """The name of the method that is used when none is named: another one for sets that are incomplete, or said to be."""
    return registry.default(incomplete=has_absent(data), options=options)


def fit_passes(
    passes: Passes, *, method: str | None = None, options: dict[str, Any] | None = None, complete: bool = False
) -> Estimate:
    """The same from sets that are read again for each pass: in memory, or in files that need not fit into it.

    Whether all sets of a file are complete is known when they have been read; a method that needs it is tried first. If they must be
    `complete`, no other is tried.
    """
    answers, options = families.of_options(options or {}, method)
    if answers is None and method is None:
        return _fit_by_default(passes, options, complete=complete)
    return _fit_by(passes, answers or registry.get(str(method)), options, named=True)


def _fit_by(passes: Passes, chosen: Method, options: dict[str, Any], *, named: bool) -> Estimate:
    settings = registry.options(chosen, options)
    ascending = chosen.wants_ascending(settings)
    if chosen.takes_incomplete:
        return _fitted(_as_they_are(passes, chosen, ascending=ascending).kept(), chosen, settings)
    complete = _complete(passes, chosen.name, ascending=ascending).kept()
    if not passes.like.is_complete:
        complete.head(1)  # refuses the set that is incomplete, by its place
    return _fitted(complete, chosen, settings, named=named)


def _fit_by_default(passes: Passes, options: dict[str, Any], *, complete: bool) -> Estimate:
    of_complete, other = (registry.get(registry.default(incomplete=one, options=options)) for one in (False, True))
    if not complete and not passes.like.is_complete:
        return _fit_by(passes, other, options, named=False)
    try:
        return _fit_by(passes, of_complete, options, named=_is_named(None, options))
    except IncompleteSetsError:
        if complete or of_complete is other:
            raise
        return _fit_by(passes, other, options, named=False)


def left_open(passes: Passes) -> Passes:
    """The same sets, whose number of systems is for the method to find."""
    return passes.changed(_opened(passes.like), _opened)


def _opened(block: Data) -> Data:
    readings, offsets = block.flat
    return Data(readings, block.inputs, block.dim, offsets)


def _as_they_are(passes: Passes, method: Method, *, ascending: bool, n_systems: int | None = None) -> Passes:
    """Passes for a method that takes incomplete sets."""
    L, counted = n_systems or passes.like.n_systems, method.counts_systems

    def taken(block: Data) -> Data:
        found = as_incomplete(block, L, counted=counted)
        return in_canonical_order(found) if ascending else found

    return passes.changed(as_incomplete(passes.like, L, counted=counted), taken)


def _complete(passes: Passes, method: str, *, ascending: bool) -> Passes:
    """Passes for a method that needs complete sets."""
    like = passes.like

    def checked(block: Data) -> Data:
        require_complete(block, method)
        _require_like(block, like)
        require_finite(block)
        return in_canonical_order(block) if ascending else block

    return passes.changed(like, checked)


def _require_like(block: Data, like: Data) -> None:
    """Refuse a block whose sets have another shape than those before it."""
    if block.readings.shape[1:] != like.readings.shape[1:] or block.inputs.shape[1:] != like.inputs.shape[1:]:
        raise InputError(
            "block-shape",
            "sets[{index}] and those after it have another shape than the first sets: readings {given} where {needed} were expected.",
            index=0,
            given=block.readings.shape[1:],
            needed=like.readings.shape[1:],
        )


def _is_named(method: str | None, options: dict[str, Any]) -> bool:
    """Whether the method was chosen by its name, or by its options: it is then used as it is."""
    return method is not None or bool(options)


def _fitted(passes: Passes, method: Method, options: Options, *, named: bool = True) -> Estimate:
    """The estimate; where no method was named, by another one if it suits complete sets better than the default."""
    like = passes.like
    with one_blas_thread():
        require_pairing(passes)
        if method.default and not named:
            method = registry.for_complete(passes)
            options = method.Options()
        with computing(method):
            solution = method.fit(passes, options)
            if not isinstance(method, Family):
                solution = replace(solution, findings=(*solution.findings, *of_numbers(passes, solution)))
    n_systems = like.n_systems or len(solution.theta)  # none was given, and the method has counted them
    return Estimate.of(checked_solution(solution, method, n_systems, like.dim), method.name)
