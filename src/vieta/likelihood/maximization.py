r"""The M-step: where to go with parameters and scale, given who belongs to whom.

Gaussian, Laplace and Student-t noise are Gaussian scale mixtures: each coordinate of the whitened noise u is normal with a
precision of its own, whose conditional mean is :math:`w(u) = s(u)/u` with s the score (1 for Gaussian noise,
:math:`\sqrt2/|u|` for Laplace, :math:`(\nu+1)/(\nu-2+u^2)` for Student's t). With that precision as part of the missing data,
the M-step is weighted least squares, and it never lowers the likelihood:

.. math:: \theta_l \leftarrow \theta_l + H_l^{-1} g_l, \qquad
    g_l = \sum_k \Psi' \sum_i P_{il}\, s(r_{il}), \qquad
    H_l = \sum_k \sum_i P_{il}\, \Psi' C^{-1/2} \mathrm{diag}\,w(u_{il})\, C^{-1/2} \Psi,

which for Gaussian noise is the least squares fit of the mean readings. g is also the gradient of the likelihood
(Fisher's identity). The scale is multiplied by :math:`\bigl(\sum P\,r's(r) - \sum_l g_l' H_l^{-1} g_l\bigr)/(N L p)`.

For any other density w is :math:`s(u)^2`, so that H estimates the information of labeled sets, and the logarithm of the scale
moves by :math:`2 \sum P (u s - 1) / \sum P (u s - 1)^2`: a scoring step. It leads uphill, but may go too far; `climb` halves
it until the likelihood does not fall (generalised EM).
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Generic, Protocol, TypeVar

import numpy as np

from vieta.arrays import Floats
from vieta.errors import NotIdentifiableError
from vieta.laws.linear import apply
from vieta.laws.noise import Scaled
from vieta.laws.scaled import whitening
from vieta.likelihood.model import to_parameters
from vieta.sets import Data
from vieta.sums import Sums

NEAREST = 1e-9  # standard deviations: Laplace noise nearer to zero than this has the precision of this
ITERATIONS = 500
TOLERANCE = 1e-8  # squared length of the last step, in standard errors of labeled data
STUCK = 1e-2  # the same where no step climbs any more: the density has a kink, or the likelihood is rounded
HALVINGS = 20
ROUNDING = 1e-12  # of a likelihood


class Likely(Protocol):
    """Something with a likelihood."""

    @property
    def likelihood(self) -> float:
        """Its logarithm."""
        ...


class Expected(Likely, Protocol):
    """The outcome of an E-step, as far as going on from it needs it."""

    @property
    def law(self) -> Scaled:
        """The noise law with its variance."""
        ...

    @property
    def sums(self) -> "NormalSums":
        """What the M-step needs."""
        ...


Place = TypeVar("Place", bound=Likely)
Found = TypeVar("Found", bound=Expected)


@dataclass(frozen=True, slots=True, eq=False)
class NormalSums(Sums):
    """What the M-step needs of the sets; sums of blocks add.

    Attributes
    ----------
    normal : (L, D, D)
        H.
    gradient : (L, D)
        g.
    squares : float
        Sum of P r's(r).
    spread : float
        Sum of P (u s - 1)², coordinate by coordinate.
    count : int
        N L p.
    """

    normal: Floats
    gradient: Floats
    squares: float
    spread: float
    count: int


def gather(data: Data, residuals: Floats, marginals: Floats, law: Scaled) -> NormalSums:
    """Sums over sets with residuals (N, L, L, p) and association probabilities (N, L, L)."""
    N, L, p = data.sets.shape
    W, _ = whitening(np.asarray(law.variance), L, p)
    u = apply(W, residuals)
    u = np.where(np.abs(u) < NEAREST, NEAREST, u)
    score = law.unit_score(u)
    pulls = marginals[..., None] * score
    mixture = law.mixture_precision(u)
    precision = pulls * score if mixture is None else marginals[..., None] * mixture
    return NormalSums(
        _normal(data, W, precision.sum(axis=1)),
        to_parameters(data, apply(W, pulls.sum(axis=1))).sum(axis=0),
        float((pulls * u).sum()),
        float((marginals[..., None] * (u * score - 1.0) ** 2).sum()),
        N * L * p,
    )


def _normal(data: Data, W: Floats, precision: Floats) -> Floats:
    """(L, D, D) sum of Psi' W diag(precision) W Psi, for precisions (N, L, p)."""
    if data.inputs.ndim == 1:
        weights = np.einsum("n,nlp->lp", data.inputs**2, precision)
        return np.asarray(np.einsum("pd,lp,pe->lde", W, weights, W))
    rows = np.einsum("qp,npd->nqd", W, data.inputs)
    return np.asarray(np.einsum("nqd,nlq,nqe->lde", rows, precision, rows, optimize=True))


def is_mixture(law: Scaled) -> bool:
    """Whether a law is a Gaussian scale mixture, for which the M-step is weighted least squares."""
    return law.mixture_precision(np.ones(1)) is not None


def ascent(sums: NormalSums, law: Scaled, scale_known: bool, floor: float) -> tuple[Floats, float]:
    """The step (L D,), or (L D + 1,) with the log scale last, and its squared length in standard errors of labeled data.

    The scale does not fall below `floor` times the present one, and what is cut off does not count for the length.
    """
    step = _solved(sums)
    length = float((sums.gradient * step).sum())
    if scale_known:
        return step.ravel(), length
    if is_mixture(law):
        log_scale, information = np.log(max((sums.squares - length) / sums.count, floor)), 0.5 * sums.count
    else:
        log_scale, information = 2.0 * (sums.squares - sums.count) / sums.spread, 0.25 * sums.spread
    log_scale = max(log_scale, np.log(floor))
    return np.append(step, log_scale).astype(np.float64), length + information * log_scale**2


def _solved(sums: NormalSums) -> Floats:
    """(L, D) H⁻¹g."""
    try:
        return np.asarray(np.linalg.solve(sums.normal, sums.gradient[..., None])[..., 0], dtype=np.float64)
    except np.linalg.LinAlgError:
        raise NotIdentifiableError(
            "inputs-not-identifying",
            "the inputs do not identify the parameters: they are zero, or confined to a subspace. Vary the inputs in every coordinate.",
        ) from None


@dataclass(frozen=True, slots=True, eq=False)
class Ascent(Generic[Found]):
    """Where EM ended, the logarithms of the likelihood on the way, whether it converged, or halted on a slope."""

    end: Found
    log_likelihood: Floats
    converged: bool
    halted: bool


def ascend(
    now: Found, scale_known: bool, smallest: float, plan: Callable[[Found], tuple[Callable[[Floats], Found], bool]]
) -> Ascent[Found]:
    """EM from an E-step on; no variance falls below `smallest`.

    `plan` gives, for an E-step, the function from a step to the E-step after it, and whether what is no part of the step has
    converged.
    """
    history = [now.likelihood]
    for _ in range(ITERATIONS):
        step, length = ascent(now.sums, now.law, scale_known, smallest / np.trace(np.atleast_2d(now.law.variance)))
        expect, converged = plan(now)
        if length < TOLERANCE and converged:
            return Ascent(now, np.array(history), True, False)
        after = climb(expect, step, now.likelihood)
        if after is None:
            near = length < STUCK and converged
            return Ascent(now, np.array(history), near, not near)
        now = after
        history.append(now.likelihood)
    return Ascent(now, np.array(history), False, False)


def climb(look: Callable[[Floats], Place], step: Floats, now: float) -> Place | None:
    """The place after the largest halving of a step that raises the likelihood `now`; None if none is found.

    A whole step may lower it by as much as it is rounded.
    """
    least = now - ROUNDING * abs(now)
    for halving in range(HALVINGS):
        found = look(0.5**halving * step)
        if found.likelihood > least:
            return found
        least = now
    return None
