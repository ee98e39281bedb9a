"""Sets of vectors of systems that share a shock."""

from dataclasses import dataclass

import numpy as np

from tests.weighted.shocks import LAWS

THETA = np.array([[-1.0, 4.0], [0.0, 0.0], [3.0, 1.0]])
OWN = np.array([[0.5, 0.1], [0.1, 0.4]])
SHOCK = np.array([[0.6, -0.2], [-0.2, 0.3]])  # not of the shape of the own noise


@dataclass
class Made:
    sets: np.ndarray  # (n, L, p)
    inputs: np.ndarray | None
    means: np.ndarray  # (n, L, p)
    labeled: np.ndarray  # (L, D) least squares with labels
    own: np.ndarray  # (p, p)
    shock: np.ndarray  # (p, p)


def matrices(rng, n, kind, p):
    if kind == "identity":
        return None, np.broadcast_to(np.eye(p), (n, p, p))
    if kind == "scalars":
        psi = rng.standard_normal(n)
        return psi, psi[:, None, None] * np.eye(p)
    psi = rng.standard_normal((n, p, p))
    return psi, psi


def draw(correlation, n, seed, inputs="identity", theta=THETA, law="gaussian", own=OWN, shock=SHOCK):
    rng = np.random.default_rng(seed)
    (L, D), p = theta.shape, len(own)
    given, psi = matrices(rng, n, inputs, p)
    shock = shock * correlation / (1.0 - correlation)
    noise = LAWS[law](rng, (n, L, p)) @ np.linalg.cholesky(own).T
    if correlation:
        noise = noise + rng.standard_normal((n, 1, p)) @ np.linalg.cholesky(shock).T
    means = np.einsum("npd,ld->nlp", psi, theta)
    readings = means + noise
    rows = psi.reshape(-1, D)
    labeled = np.array([np.linalg.lstsq(rows, readings[:, l].ravel(), rcond=None)[0] for l in range(L)])
    order = np.argsort(rng.random((n, L)), axis=1)
    return Made(np.take_along_axis(readings, order[:, :, None], axis=1), given, means, labeled, own, shock)
