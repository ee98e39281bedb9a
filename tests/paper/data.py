"""Small labeled data of every kind of input, for all baselines."""

import numpy as np

KINDS = {  # name: (p, D, shape of the inputs behind N, or None)
    "none": (1, 1, None),
    "none, vectors": (3, 3, None),
    "scalar": (1, 1, ()),
    "scalar, vectors": (2, 2, ()),
    "rows": (1, 3, (3,)),
    "square": (2, 2, (2, 2)),
    "wide": (2, 3, (2, 3)),
    "tall": (3, 2, (3, 2)),
}


def labeled(kind, n=40, n_systems=3, noise=0.1, seed=0):
    """Readings in system order, inputs, parameters."""
    p, D, shape = KINDS[kind]
    rng = np.random.default_rng(seed)
    theta = rng.normal(size=(n_systems, D))
    inputs = None if shape is None else rng.normal(size=(n, *shape))
    clean = np.einsum("npd,ld->nlp", matrices(inputs, n, p, D), theta)
    readings = clean + noise * rng.normal(size=clean.shape)
    return (readings[:, :, 0] if p == 1 else readings), inputs, theta


def matrices(inputs, n, p, D):
    """Psi (n, p, D), the slow and obvious way."""
    if inputs is None:
        return np.broadcast_to(np.eye(D), (n, D, D))
    if inputs.ndim == 1:
        return np.array([c * np.eye(D) for c in inputs])
    return inputs.reshape(n, p, D)


def shuffle(readings, seed=1):
    """The same sets with the order lost."""
    return np.random.default_rng(seed).permuted(readings, axis=1) if readings.ndim == 2 else _rows(readings, seed)


def _rows(readings, seed):
    order = np.argsort(np.random.default_rng(seed).random(readings.shape[:2]), axis=1)
    return np.take_along_axis(readings, order[:, :, None], axis=1)


def verdicts(report):
    """Those of a report's rows."""
    return [row.verdict for row in report.rows]
