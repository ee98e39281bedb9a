"""The weighted estimator the slow way, in the coefficients; and sets to try it on."""

import numpy as np

from vieta.symmetric import canonical_order, elementary, polarized


def coefficients(L, p, u=None):
    """The transform whose coefficients carry the same as what a kernel sees."""
    return (elementary(L) if p == 1 else polarized(L, p, np.asarray(u)[None])).readings


def twin(y, m, noise, u=None):
    """Score J'V⁻¹r (L p,), information J'V⁻¹J and r'V⁻¹r of one set (L, p), in coefficients, scaled but not clever."""
    algebra = coefficients(*m.shape, u)
    r = algebra.transform(y) - algebra.transform(m)
    J = algebra.jacobian(m).reshape(algebra.size, m.size)
    V = algebra.covariance(m, noise)
    scale = np.sqrt(np.diag(V))
    r, J, V = r / scale, J / scale[:, None], V / np.outer(scale, scale)
    return J.T @ np.linalg.solve(V, r), J.T @ np.linalg.solve(V, J), float(r @ np.linalg.solve(V, r))


def covariance(rng, p, size=1.0):
    """A noise covariance (p, p) with correlations."""
    root = rng.normal(size=(p, p)) + np.eye(p)
    return size * (root @ root.T + 0.2 * np.eye(p))


def spread_means(rng, L, p):
    """Means (L, p), neither close nor in order."""
    return rng.permutation(np.arange(L) * 1.5)[:, None] + rng.normal(size=(L, p)) - 0.75 * (L - 1)


def close(got, expected, tolerance):
    """Equal, relative to the largest entry."""
    return np.max(np.abs(np.asarray(got) - expected)) <= tolerance * np.max(np.abs(expected))


def set_error(theta, truth):
    """Sum of squared errors, rows matched in canonical order."""
    return float(((theta[canonical_order(theta)] - truth[canonical_order(truth)]) ** 2).sum())
