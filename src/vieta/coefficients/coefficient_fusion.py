r"""Filters of recursive least squares on different streams of the same systems, made into one.

Coefficients are symmetric in the systems, so nothing is matched. With :math:`H_i = P_i^{-1}`, for each degree on its own,

.. math:: H = \sum_i H_i - (k - 1) \rho I, \qquad
    \lambda = H^{-1} \Bigl(\sum_i H_i \lambda_i - (k - 1) \rho \lambda_0\Bigr) ,

which is what one filter over all sets would have, the regularization :math:`\rho` and the start :math:`\lambda_0` being counted once (if they
were given; otherwise they are too small to count). The noise is that of all innovations, those at the starts of the filters too.

Filters of the same systems differ by their errors only: with the covariances :math:`C_i` of their coefficients and :math:`\hat\lambda` of all,
:math:`\sum_i (\lambda_i - \hat\lambda)'C_i^{-1}(\lambda_i - \hat\lambda)` is a chi-square with (k - 1) M degrees of freedom, and beyond its
quantile they are refused.
"""

from collections.abc import Sequence

import numpy as np

from vieta.arrays import Floats
from vieta.coefficients import input_statistics, rls_recursion
from vieta.coefficients.coefficient_filter import RECENT, Settings, State
from vieta.coefficients.design import Design
from vieta.errors import InputError


def fused(design: Design, settings: Settings, states: Sequence[State]) -> State:
    """One state from those of several filters, none of which is empty."""
    if not settings.least_squares or settings.forgetting != 1.0:
        raise InputError(
            "merge-forgetting",
            "filters that forget, by a memory or a step, know of times that are not the same, and cannot be merged. Run one filter over all "
            "streams.",
        )
    recursions = [one.filter for one in states if isinstance(one.filter, rls_recursion.State)]
    return State(
        count=sum(one.count for one in states),
        filter=_recursion(design, settings, recursions),
        step=states[0].step,
        inputs=input_statistics.merged([one.inputs for one in states]),
        power=np.sum([one.power for one in states], axis=0),
        recent_sets=np.concatenate([one.recent_sets for one in states])[-RECENT:],
        recent_inputs=np.concatenate([one.recent_inputs for one in states])[-RECENT:],
    )


def _recursion(design: Design, settings: Settings, states: Sequence[rls_recursion.State]) -> rls_recursion.State:
    rho = settings.regularization or 0.0
    start, again = design.split(settings.start), len(states) - 1
    split = [design.split(one.coefficients) for one in states]
    coefficients, dispersion = [], []
    for d, origin in enumerate(start):
        information = [np.linalg.inv(one.dispersion[d]) for one in states]
        H = np.sum(information, axis=0) - again * rho * np.eye(len(origin))
        total = sum(h @ lam[d] for h, lam in zip(information, split, strict=True)) - again * rho * origin
        dispersion.append(np.linalg.inv(H))
        coefficients.append(np.linalg.solve(H, total).ravel())
    return rls_recursion.State(np.concatenate(coefficients), tuple(dispersion))


def by_sets_alone(design: Design, settings: Settings, state: State) -> Floats:
    r"""(M,) the coefficients of a filter without the pull of its start: :math:`(H - \rho I)^{-1}(H\lambda - \rho\lambda_0)`."""
    rho, recursion = settings.regularization, state.filter
    if rho is None or not isinstance(recursion, rls_recursion.State):
        return recursion.coefficients
    parts = zip(design.split(recursion.coefficients), design.split(settings.start), recursion.dispersion, strict=True)
    found = []
    for lam, origin, P in parts:
        H = np.linalg.inv(P)
        found.append(np.linalg.solve(H - rho * np.eye(len(H)), H @ lam - rho * origin).ravel())
    return np.concatenate(found)


def require_agreement(coefficients: Sequence[Floats], covariances: Sequence[Floats], level: float) -> None:
    """Refuse filters whose coefficients (M,) differ by more than their covariances (M, M) allow."""
    from scipy.special import chdtri

    inverses = [np.linalg.pinv(C, hermitian=True) for C in covariances]
    total = sum(W @ lam for W, lam in zip(inverses, coefficients, strict=True))
    mean = np.linalg.pinv(np.sum(inverses, axis=0), hermitian=True) @ total
    misfit = sum(float((lam - mean) @ W @ (lam - mean)) for W, lam in zip(inverses, coefficients, strict=True))
    freedom = (len(coefficients) - 1) * len(mean)
    limit = float(chdtri(freedom, level)) if freedom else np.inf
    if misfit > limit:
        raise InputError(
            "merge-contradiction",
            "the filters contradict each other: their distances are a chi-square of {statistic:.4g} with {freedom} degrees of freedom, and "
            "filters of the same systems stay below {limit:.4g} but for {level:g} of the times. Are they of the same systems, in the same "
            "units?",
            statistic=misfit,
            freedom=freedom,
            limit=limit,
            level=level,
        )
