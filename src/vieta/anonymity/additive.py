r"""Which of two laws of noise hides more: is one the other with independent noise added?

When :math:`\bar v = v + w` with w independent of v and of mean zero, whoever sees :math:`y = m + v` can make
:math:`\bar y = m + \bar v` by adding w. So v dominates v̄ in Blackwell's order whatever the means are, with a kernel that
keeps means (and for all shifts of a law together, dominance is nothing but such an addition: Boll 1955). Then the best guess
errs more often under v̄, and the analyst's covariances are larger: what Theorem 5 of the paper is about.

In characteristic functions, :math:`\bar\varphi/\varphi` must be one, that is, positive definite. For Gaussian noise this is
the order of covariances; a law whose every larger copy is such a sum is called self-decomposable, which Gaussian, Laplace,
Student's t and Gamma laws are. In general a numerical test can refute, and not prove.
"""

from dataclasses import dataclass

import numpy as np

from vieta.arrays import Complexes, Floats
from vieta.errors import InputError
from vieta.laws.noise import Gaussian, Scaled
from vieta.laws.setting import NoiseLike, as_given_law

ROUNDING = 1e-9
GRID = 48  # points of the test of positive definiteness, at each of several spacings
SMALLEST = 1e-9  # of the characteristic function that is divided by: its rounding is then 1e-7 of it
NEGATIVE = 1e-5  # an eigenvalue below minus this is no rounding


@dataclass(frozen=True, slots=True)
class NoiseOrder:
    """Whether one law of noise is another with independent noise added: yes, no, or None if it is not known."""

    holds: bool | None
    reason: str


def noise_dominates(less: NoiseLike, more: NoiseLike) -> NoiseOrder:
    """Decide whether noise of law `more` is noise of law `less` with independent noise added.

    Parameters
    ----------
    less, more
        Variances (numbers, matrices, or one per system) of Gaussian noise, or laws from `vieta.laws.noise`.

    Examples
    --------
    >>> noise_dominates(1.0, 2.0).holds, noise_dominates(2.0, 1.0).holds
    (True, False)
    >>> from vieta.laws.noise import Laplace
    >>> noise_dominates(Laplace(1.0), 9.0)
    NoiseOrder(holds=False, reason='only Gaussian parts add up to Gaussian noise (Cramér), and the smaller one is not')
    """
    law, louder = as_given_law(less), as_given_law(more)
    C, C_louder = _covariances(law, louder)
    if not np.any(C):
        return NoiseOrder(True, "there is no noise to begin with")
    return _by_theorem(law, louder, C, C_louder) or _by_characteristic(law, louder, C, C_louder)


def _by_theorem(law: Scaled, louder: Scaled, C: Floats, C_louder: Floats) -> NoiseOrder | None:
    """What is known without computing, if anything."""
    gaussian = isinstance(louder, Gaussian)
    same = law.scaled(1.0) == louder.scaled(1.0)
    if np.linalg.eigvalsh(C_louder - C).min() < -ROUNDING * abs(C).max():
        return NoiseOrder(False, "added independent noise raises every variance, and one of them is lower")
    if gaussian and same:
        return NoiseOrder(True, "Gaussian noise whose covariance is at least as large is a sum")
    if gaussian:
        return NoiseOrder(False, "only Gaussian parts add up to Gaussian noise (Cramér), and the smaller one is not")
    if same and np.allclose(C, C_louder, rtol=ROUNDING):
        return NoiseOrder(True, "the two laws are the same")
    if same and law.self_decomposable and _by_coordinate(C, C_louder):
        return NoiseOrder(True, f"a larger copy of {type(law).__name__} noise is a sum: the law is self-decomposable")
    return None


def _by_characteristic(law: Scaled, louder: Scaled, C: Floats, C_louder: Floats) -> NoiseOrder:
    """Look for a coordinate whose ratio of characteristic functions is not positive definite."""
    if not _diagonal(C) or not _diagonal(C_louder):
        return NoiseOrder(None, "the coordinates of this noise are mixed, for which there is no test here")
    pairs = np.unique(np.sqrt(np.stack([_diagonals(C), _diagonals(C_louder)], axis=1)), axis=0)
    for small, large in pairs[pairs[:, 1] > 0.0]:
        for h in np.geomspace(0.05, 1.5, 16):
            t = h * np.arange(GRID)
            bottom, top = law.characteristic(small / large * t), louder.characteristic(t)
            if bottom is None or top is None:
                return NoiseOrder(None, "this law's characteristic function is not known")
            usable = np.cumprod(abs(bottom) > SMALLEST).sum()
            if _least_eigenvalue(top[:usable] / bottom[:usable]) < -NEGATIVE:
                return NoiseOrder(False, "the ratio of the characteristic functions is not positive definite")
    return NoiseOrder(None, "a numerical test found nothing against it, which is no proof")


def _least_eigenvalue(ratio: Complexes) -> float:
    """Of the Hermitian matrix with entries ratio(t_i - t_j)."""
    from scipy.linalg import toeplitz

    return float(np.linalg.eigvalsh(toeplitz(ratio)).min())


def _covariances(law: Scaled, louder: Scaled) -> tuple[Floats, Floats]:
    """Both covariances as (L, p, p), L and p as the larger of the two has them."""
    variances = [np.asarray(one.variance) for one in (law, louder)]
    L = max(len(v) if v.ndim in {1, 3} else 1 for v in variances)
    p = max(v.shape[-1] if v.ndim >= 2 else 1 for v in variances)
    found = []
    for v in variances:
        matrices = v if v.ndim >= 2 else v[..., None, None] * np.eye(p)
        if matrices.shape[-1] != p or (matrices.ndim == 3 and len(matrices) != L):
            raise InputError(
                "laws-do-not-fit",
                "the two laws have variances of shapes {one} and {other}, which do not fit the same systems. Give both as numbers, or "
                "as matrices of one size.",
                one=variances[0].shape, other=variances[1].shape,
            )  # fmt: skip
        found.append(np.array(np.broadcast_to(matrices, (L, p, p))))
    return found[0], found[1]


def _by_coordinate(C: Floats, C_louder: Floats) -> bool:
    """Whether one covariance colours as the other does, but for a factor a coordinate."""
    if _diagonal(C) and _diagonal(C_louder):
        return True
    scale = np.trace(C_louder, axis1=1, axis2=2) / np.trace(C, axis1=1, axis2=2)
    return np.allclose(C_louder, scale[:, None, None] * C, rtol=ROUNDING, atol=ROUNDING * abs(C_louder).max())


def _diagonal(C: Floats) -> bool:
    return not np.any(C[:, ~np.eye(C.shape[1], dtype=bool)])


def _diagonals(C: Floats) -> Floats:
    return np.diagonal(C, axis1=1, axis2=2).ravel()
