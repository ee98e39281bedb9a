"""Sets of systems that share a shock."""

import numpy as np

LAWS = {
    "gaussian": lambda rng, shape: rng.standard_normal(shape),
    "student-4": lambda rng, shape: rng.standard_t(4, shape) / np.sqrt(2.0),
    "skewed": lambda rng, shape: rng.standard_exponential(shape) - 1.0,
}


def draw(theta, sd, correlation, n, seed, law="gaussian", inputs=None, shuffle=True):
    """Sets (n, L), inputs (n, D), and the noise (n, L) in the order of the systems."""
    rng = np.random.default_rng(seed)
    theta = np.asarray(theta, dtype=float)
    L, D = theta.shape
    rows = rng.standard_normal((n, D)) if inputs is None else inputs(rng, n)
    sd = np.broadcast_to(np.asarray(sd, dtype=float), L)
    g = np.mean(sd**2) * correlation / (1.0 - correlation)
    noise = sd * LAWS[law](rng, (n, L)) + np.sqrt(g) * rng.standard_normal((n, 1))
    sets = rows @ theta.T + noise
    return (rng.permuted(sets, axis=1) if shuffle else sets), rows, noise


def labeled(theta, rows, noise):
    """(L, D) least squares of each system on its own."""
    return theta + np.linalg.lstsq(rows, noise, rcond=None)[0].T
