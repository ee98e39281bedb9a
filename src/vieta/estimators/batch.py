"""`vieta.fit`: all the sets at once."""

from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from vieta.coefficients import coefficient_sums
from vieta.coefficients.choice import choose_design
from vieta.estimators import weighted_engine
from vieta.estimators.build import build, from_solution
from vieta.estimators.estimate import Estimate
from vieta.estimators.filter import SymmetricFilter
from vieta.estimators.names import METHODS, require_method
from vieta.likelihood.assumed import assume
from vieta.likelihood.conclusion import em_solution, one_step_solution
from vieta.options import as_cap, as_start, require_belongs
from vieta.sets import Data, as_data, require_finite
from vieta.sums import in_memory
from vieta.weighted.tracker import Settings


def fit(
    sets: ArrayLike,
    inputs: ArrayLike | None = None,
    *,
    n_systems: int | None = None,
    method: str = "efficient",
    transform: str = "auto",
    **options: Any,
) -> Estimate:
    """Estimate the parameters of L systems from unlabeled sets.

    Parameters
    ----------
    sets : (N, L) or (N, L, p)
        One row a set; order along the second axis carries no meaning.
    inputs : None, (N,), (N, D) or (N, p, D)
        Psi(k): the identity, a scalar, a regressor row (with one number a reading), or a matrix.
    n_systems : int, optional
        L; checked against the sets if given.
    method : str
        See `vieta.methods()`.
    transform : str
        "auto", or the symmetric transform to use: "elementary", "convolution", "polarized", "tensor", "planar".
    **options
        Those of the method: see `SymmetricFilter`. Of "one-step" and "em": law= and noise_var=, as there; of "em": start=.

    Examples
    --------
    >>> import vieta
    >>> records = vieta.simulate("example-1", n=2000, seed=1)
    >>> vieta.fit(records.sets, records.inputs).theta.round(2).ravel()
    array([-2.,  5.,  8.])
    """
    require_method(method, tuple(METHODS))
    if method == "efficient":
        return _weighted(as_data(sets, inputs, n_systems), transform, **options)
    if method in ("one-step", "em"):
        require_belongs(method, {*options, *(["transform"] if transform != "auto" else [])})
        data = as_data(sets, inputs, n_systems)
        require_finite(data)
        return _likelihood(data, method, **options)
    if method != "least-squares":
        data = as_data(sets, inputs, n_systems)
        stream = SymmetricFilter(data.n_systems, data.dim, method=method, transform=transform, **options)
        return stream.partial_fit(sets, inputs).estimate()
    if options:
        raise TypeError(f"method 'least-squares' has no options; {', '.join(options)} came.")
    data = as_data(sets, inputs, n_systems)
    require_finite(data)
    design = choose_design(transform, data)
    with np.errstate(over="ignore", invalid="ignore"):
        solution = coefficient_sums.fit(design, data.sets, data.inputs)
    return build(
        design,
        solution.coefficients,
        solution.noise,
        lambda _: solution.covariance,
        method=method,
        n_sets=len(data.sets),
    )


def _likelihood(data: Data, method: str, *, start: ArrayLike | None = None, **options: Any) -> Estimate:
    passes, noise = in_memory(data), assume(**options)
    if method == "one-step":
        return from_solution(one_step_solution(passes, noise, law_free="efficient"), method)
    first = as_start(start, data.n_systems, data.dim)
    return from_solution(em_solution(passes, noise, first, law_free="efficient", one_step="one-step"), method)


def _weighted(data: Data, transform: str, *, robust: bool = False, **others: Any) -> Estimate:
    unknown = [*others, *(["transform"] if transform != "auto" else [])]
    if unknown:
        raise ValueError(f"method 'efficient' in batch takes robust= only; {', '.join(unknown)} came.")
    require_finite(data)
    return weighted_engine.fit(data, Settings(cap=as_cap(robust)))
