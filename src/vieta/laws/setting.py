"""The boundary: parameters, noise and inputs as a caller gives them, in the one form that the predictions take."""

from dataclasses import dataclass
from typing import TypeAlias

import numpy as np
from numpy.typing import ArrayLike

from vieta.arrays import Floats
from vieta.checks import as_count, as_floats, as_theta
from vieta.laws import inputs as laws
from vieta.laws.inputs import Inputs
from vieta.laws.noise import Scaled, as_law
from vieta.laws.scaled import require_fits

NoiseLike: TypeAlias = ArrayLike | Scaled
InputsLike: TypeAlias = ArrayLike | Inputs | None

DRAWS = 20_000  # inputs over which a law of rows or matrices is averaged
SAME = 1e-9  # relative distance below which two systems are one


class CoincidentSystemsError(ValueError):
    """Two systems have the same parameters, and the variance of their estimates is infinite."""


@dataclass(frozen=True, slots=True, eq=False)
class Points:
    """A law of inputs as points and weights, for averages over it.

    Attributes
    ----------
    psi : (n,) or (n, p, D)
        Numbers, for Psi = psi I, or matrices.
    weights : (n,)
        Of sum one.
    """

    psi: Floats
    weights: Floats

    def reading_dim(self, dim: int) -> int:
        """p, the length of a reading of parameters of length D = dim."""
        return dim if self.psi.ndim == 1 else int(self.psi.shape[1])

    def matrices(self, dim: int) -> Floats:
        """The inputs as matrices (n, p, D)."""
        return self.psi if self.psi.ndim == 3 else self.psi[:, None, None] * np.eye(dim)


def as_parameters(theta: ArrayLike) -> Floats:
    """Parameters (L, D), of which no two rows coincide."""
    array = as_theta(theta)
    require_different(array, np.zeros((len(array), 1, 1)))
    return array.copy()  # writable, as the kernels are compiled for


def require_different(array: Floats, covariances: Floats) -> None:
    """Refuse two systems that coincide in their parameters (L, D) and in their noise (L, p, p)."""
    distance = np.linalg.norm(array[:, None] - array[None, :], axis=-1)
    alike = (covariances[:, None] == covariances[None, :]).all(axis=(2, 3))
    close = np.argwhere(np.triu((distance <= SAME * np.abs(array).max()) & alike, k=1))
    if len(close):
        i, j = int(close[0][0]), int(close[0][1])
        raise CoincidentSystemsError(
            f"rows {i} and {j} of `theta` coincide, {array[i].tolist()} and {array[j].tolist()}. The asymptotic variance "
            "of such a pair is infinite: to first order a set does not change when two equal systems part, so their "
            "difference is known to the order n^(-1/4) only, and not n^(-1/2). Leave one of them out, or part them."
        )


def as_seed(seed: object) -> int:
    """The seed of a simulation: an integer that is not negative."""
    return as_count(seed, "seed", least=0)


def as_given_law(noise: NoiseLike | None) -> Scaled:
    """A law of noise, from a variance or a law; none is not taken for zero."""
    if noise is None:
        raise ValueError(
            "`noise` must be a variance or a law from vieta.laws.noise, got None. Give the variance of one reading's "
            "noise: a fit has it as `noise_var`."
        )
    return as_law(noise)


def as_noise(noise: NoiseLike, n_systems: int, reading_dim: int) -> Floats:
    """Noise covariance of each system, (L, p, p), from a variance or a law."""
    variance = np.asarray(as_given_law(noise).variance)
    L, p = n_systems, reading_dim
    require_fits(variance, L, p)
    matrices = variance if variance.ndim > 1 else variance[..., None, None] * np.eye(p)
    return np.array(np.broadcast_to(matrices, (L, p, p)), order="C")


def as_shared_noise(noise: NoiseLike, n_systems: int, reading_dim: int) -> Floats:
    """One positive definite noise covariance for all systems, (p, p)."""
    each = as_noise(noise, n_systems, reading_dim)
    if not np.allclose(each, each[0], rtol=1e-12, atol=0.0):
        raise ValueError(
            "the noise must be the same for all systems here: the weighted estimator has one noise covariance for all, "
            "online and for vectors. Use least_squares_covariance, which takes a noise for each, or their mean for a first "
            "idea."
        )
    require_noise(each)
    shared: Floats = each[0]
    return shared


def require_noise(covariances: Floats) -> None:
    """Raise if some reading has no noise in some direction; covariances (L, p, p)."""
    values = np.linalg.eigvalsh(covariances)
    if np.any(values <= 1e-12 * values.max(axis=-1, keepdims=True)):
        raise ValueError(
            f"the noise must be positive in every direction, got least variance {values.min():g}. Without noise one set "
            "tells the parameters exactly, and there is no error to predict."
        )


def as_points(inputs: InputsLike, dim: int) -> Points:
    """Points of a law of inputs, or a sample (n,), (n, D) or (n, p, D) with equal weights; None is Psi = I.

    Laws of numbers become quadrature points; other laws are averaged over a fixed sample.
    """
    if inputs is None:
        return as_points(laws.Identity(), dim)
    if isinstance(inputs, laws.Line):
        raise ValueError(
            "the inputs of Line grow with time, and there is no average over them. Give those of the times at hand as an "
            "array, [[1, t], ..]."
        )
    if isinstance(inputs, laws.Given):
        return as_points(inputs.array, dim)
    if hasattr(inputs, "draw"):
        return _numbers(inputs) or as_points(inputs.draw(np.random.default_rng(0), DRAWS, dim), dim)
    psi = _as_inputs(as_floats(inputs, "inputs"), dim)
    return Points(psi, np.full(len(psi), 1.0 / len(psi)))


def _numbers(law: object) -> Points | None:
    """Points of a law of numbers."""
    points = None
    match law:
        case laws.Identity():
            points = Points(np.ones(1), np.ones(1))
        case laws.Constant(value):
            points = Points(np.array([value]), np.ones(1))
        case laws.Sign():
            points = Points(np.array([-1.0, 1.0]), np.full(2, 0.5))
        case laws.Gaussian(mean, variance):
            points = _normal(mean, np.sqrt(variance))
        case laws.Uniform(low, high):
            points = _interval(low, high)
    return points


def _as_inputs(psi: Floats, dim: int) -> Floats:
    if psi.ndim == 2:
        psi = psi[:, None, :]
    if psi.ndim not in {1, 3} or psi.size == 0 or (psi.ndim == 3 and psi.shape[2] != dim):
        raise ValueError(
            f"`inputs` must be a law from vieta.laws.inputs or a sample of shape (n,), (n, {dim}) or (n, p, {dim}), "
            f"got {psi.shape}."
        )
    return np.array(psi[:, 0, 0] if psi.shape[1:] == (1, 1) else psi)


def _normal(mean: float, deviation: float) -> Points:
    """The trapezium rule, which for the normal density is exact to rounding: moments up to the fortieth, too."""
    z = np.arange(-512, 513) / 32.0
    weights = np.exp(-0.5 * z**2)
    return Points(mean + deviation * z, weights / weights.sum())


def _interval(low: float, high: float) -> Points:
    """Gauss-Legendre quadrature of 16 points on each of 32 pieces."""
    x, w = np.polynomial.legendre.leggauss(16)
    edges = np.linspace(low, high, 33)
    half = 0.5 * np.diff(edges)[:, None]
    return Points((edges[:-1, None] + half * (1.0 + x)).ravel(), np.tile(w, 32) / 64.0)
