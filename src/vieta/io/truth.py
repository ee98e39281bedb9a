"""The truth beside an estimate, and rows of parameters beside those that they belong to."""

import json
from pathlib import Path

import numpy as np

from vieta.io.errors import BadFileError
from vieta.io.sources import opened
from vieta.symmetric.arrays import Floats


def read_truth(path: Path) -> Floats:
    """The parameters (L, D) in a file that `vieta simulate --keep-truth` wrote; the last ones if they moved."""
    import polars as pl

    with opened(path, str(path)) as (file, _):
        content = file.read()
    try:
        theta = _of_json(content) if content.lstrip().startswith(b"{") else _of_table(content)
        if theta.ndim != 2 or theta.size == 0 or not np.isfinite(theta).all():
            raise ValueError
    except (ValueError, TypeError, KeyError, RecursionError, pl.exceptions.PolarsError):
        raise BadFileError(
            f"{path} is not what vieta simulate --keep-truth writes: JSON with the parameters as theta, one row a system, or a "
            "table with the columns system, theta1, theta2, .."
        ) from None
    return theta


def _of_json(content: bytes) -> Floats:
    truth = json.loads(content)
    return np.array(truth.get("theta_last", truth["theta"]), dtype=np.float64)


def _of_table(content: bytes) -> Floats:
    """The last row of each system."""
    import polars as pl

    last = pl.read_csv(content, infer_schema_length=None).group_by("system").last().sort("system")
    return last.select(pl.col("^theta[0-9]+$").cast(pl.Float64)).to_numpy()


def beside(rows: Floats, theta: Floats) -> Floats:
    """Rows (L, D) in the order in which they come nearest to those of `theta` (L, D), in all.

    Each coordinate counts by how far the systems spread in it, so that units do not matter.

    >>> beside(np.array([[1.0, 9.0], [1.1, 2.0], [5.0, 5.0]]), np.array([[1.0, 2.0], [1.1, 9.0], [5.0, 5.0]]))
    array([[1.1, 2. ], [1. , 9. ], [5. , 5. ]])
    """
    from scipy.optimize import linear_sum_assignment

    spread = np.ptp(theta, axis=0)
    unit = np.where(spread > 0.0, spread, 1.0)
    cost = (((rows[None, :] - theta[:, None]) / unit) ** 2).sum(axis=2)
    return np.asarray(rows[linear_sum_assignment(cost)[1]])
