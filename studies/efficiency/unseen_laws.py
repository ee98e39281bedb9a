"""Laws of noise of variance one that sieves were not made on.

One constant was set on them: the level at which a contrast with the law-free estimate counts (`vieta.adaptive.complete_solution`).
"""

import numpy as np

from vieta.arrays import Floats
from vieta.laws import noise

BUMP = 0.9  # places of two bumps, on either side of zero
SPREAD = 0.5  # deviation of the logarithm
RARE, WIDE = 0.05, 5.0  # share and deviation of what contaminates


def triangular(u: Floats) -> Floats:
    """The logarithm of 1 - |u|, up to a constant; its reach is the root of six."""
    with np.errstate(divide="ignore"):
        return np.asarray(np.log(np.maximum(1.0 - abs(u) / np.sqrt(6.0), 0.0)) - 0.5 * np.log(6.0))


def logistic(u: Floats) -> Floats:
    """The logistic law."""
    x = np.pi / np.sqrt(3.0) * abs(u)
    return np.asarray(-x - 2.0 * np.log1p(np.exp(-x)) + np.log(np.pi / np.sqrt(3.0)))


def two_bumps(u: Floats) -> Floats:
    """Two normals of equal weight."""
    variance = 1.0 - BUMP**2
    parts = [-0.5 * (u - at) ** 2 / variance for at in (-BUMP, BUMP)]
    return np.asarray(np.logaddexp(*parts) - np.log(2.0) - 0.5 * np.log(2.0 * np.pi * variance))


def log_normal(u: Floats) -> Floats:
    """A lognormal number without its mean, which is one."""
    sd = np.sqrt(np.expm1(SPREAD**2))
    x = np.maximum(1.0 + sd * u, 1e-300)
    t = (np.log(x) + 0.5 * SPREAD**2) / SPREAD
    value = -0.5 * t * t - np.log(x * SPREAD * np.sqrt(2.0 * np.pi)) + np.log(sd)
    return np.where(1.0 + sd * u > 0.0, value, -np.inf)


def contaminated(u: Floats) -> Floats:
    """A normal, and now and then a wide one."""
    sd = 1.0 / np.sqrt(1.0 - RARE + RARE * WIDE**2)
    shares, sds = np.log([1.0 - RARE, RARE]), sd * np.array([1.0, WIDE])
    parts = [a - 0.5 * (u / s) ** 2 - 0.5 * np.log(2.0 * np.pi) - np.log(s) for a, s in zip(shares, sds)]
    return np.asarray(np.logaddexp(*parts))


def laws() -> dict[str, noise.Scaled]:
    """Each law, of variance one."""
    densities = {
        "triangular": triangular,
        "logistic": logistic,
        "two bumps": two_bumps,
        "lognormal": log_normal,
        "contaminated": contaminated,
    }
    found: dict[str, noise.Scaled] = {name: noise.Density(density, 1.0) for name, density in densities.items()}
    return {"uniform": noise.Uniform(1.0), "Student t (4)": noise.StudentT(1.0, df=4.0), **found}
