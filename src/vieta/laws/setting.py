"""The boundary: parameters, noise and inputs as a caller gives them, in the one form that the predictions take."""

from typing import TypeAlias

import numpy as np
from numpy.typing import ArrayLike

from vieta.arrays import Floats
from vieta.checks import as_count, as_theta
from vieta.errors import CoincidentSystemsError, InputError
from vieta.laws.inputs import DRAWS, Inputs
from vieta.laws.noise import Scaled, as_law
from vieta.laws.points import Points, as_sample
from vieta.laws.scaled import require_fits

NoiseLike: TypeAlias = ArrayLike | Scaled
InputsLike: TypeAlias = ArrayLike | Inputs | None

SAME = 1e-9  # relative distance below which two systems are one


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
            "systems-coincide",
            "rows {first} and {second} of `theta` coincide, {one} and {other}. The asymptotic variance of such a pair is infinite: to "
            "first order a set does not change when two equal systems part, so their difference is known to the order n^(-1/4) "
            "only, and not n^(-1/2). Leave one of them out, or part them.",
            first=i, second=j, one=array[i].tolist(), other=array[j].tolist(),
        )  # fmt: skip


def as_seed(seed: object) -> int:
    """The seed of a simulation: an integer that is not negative."""
    return as_count(seed, "seed", least=0)


def as_given_law(noise: NoiseLike | None) -> Scaled:
    """A law of noise, from a variance or a law; none is not taken for zero."""
    if noise is None:
        raise InputError(
            "noise-missing",
            "`noise` must be a variance or a law from vieta.laws.noise, got None. Give the variance of one reading's noise: a fit "
            "has it as `noise_var`.",
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
        raise InputError(
            "noise-not-shared",
            "the noise must be the same for all systems here: the weighted estimator has one noise covariance for all, online and "
            "for vectors. Use least_squares_covariance, which takes a noise for each, or their mean for a first idea.",
        )
    require_noise(each)
    shared: Floats = each[0]
    return shared


def require_noise(covariances: Floats) -> None:
    """Raise if some reading has no noise in some direction; covariances (L, p, p)."""
    values = np.linalg.eigvalsh(covariances)
    if np.any(values <= 1e-12 * values.max(axis=-1, keepdims=True)):
        raise InputError(
            "noise-not-positive",
            "the noise must be positive in every direction, got least variance {lowest:g}. Without noise one set tells the "
            "parameters exactly, and there is no error to predict.",
            lowest=float(values.min()),
        )


def as_points(inputs: InputsLike, dim: int) -> Points:
    """Points of a law of inputs, or a sample (n,), (n, D) or (n, p, D) with equal weights; None is Psi = I.

    Laws of numbers become quadrature points; other laws are averaged over a fixed sample.
    """
    if isinstance(inputs, Inputs):
        return inputs.points(dim)
    draw = getattr(inputs, "draw", None)  # a law of the user's own
    return as_sample(draw(np.random.default_rng(0), DRAWS, dim) if callable(draw) else inputs, dim)
