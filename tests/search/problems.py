"""Sets with structure in their inputs, for the tests of the search."""

import numpy as np

from vieta.search.problem import problem


def design(kind, n, rng):
    t = np.linspace(0.0, 1.0, n)
    angle = 2.0 * np.pi * np.arange(n) / 50.0
    columns = {
        "normal": [rng.normal(size=n)],
        "curve": [t, t**2],
        "season": [np.cos(angle), np.sin(angle)],
        "levels": [rng.integers(0, 5, size=n)],
    }
    return np.stack([np.ones(n), *columns[kind]], axis=1)


def draw(kind, L, sd, n, seed):
    """Sets (n, L, 1), inputs (n, 1, D) and the parameters (L, D), whose values spread as much under every input coordinate."""
    rng = np.random.default_rng(seed)
    rows = design(kind, n, rng)
    root = np.linalg.qr(rows, mode="r") / np.sqrt(n)
    theta = rng.normal(size=(L, rows.shape[1])) @ np.linalg.inv(root).T
    sets = rng.permuted(rows @ theta.T + sd * rng.normal(size=(n, L)), axis=1)
    return sets[:, :, None], rows[:, None, :], theta


def planar(L, sd, n, seed):
    """The same for vectors in the plane under matrices."""
    rng = np.random.default_rng(seed)
    psi, theta = rng.normal(size=(n, 2, 3)), rng.normal(size=(L, 3))
    sets = np.einsum("npd,ld->nlp", psi, theta) + sd * rng.normal(size=(n, L, 2))
    order = np.argsort(rng.random((n, L)), axis=1)
    return np.take_along_axis(sets, order[:, :, None], axis=1), psi, theta


def given(sets, psi, sd):
    return problem(sets, psi, sd**2 * np.eye(sets.shape[2]))
