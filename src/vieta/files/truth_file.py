"""The true parameters, in a file that a simulation wrote."""

import json
from pathlib import Path
from typing import NamedTuple

import numpy as np

from vieta.arrays import Floats
from vieta.errors import BadFileError
from vieta.files.source import opened, read_bounded

LARGEST = 256 << 20  # bytes of true parameters, unpacked


class Truth(NamedTuple):
    """The parameters `theta` (L, D), the last ones if they `moved`, and the file that holds them."""

    theta: Floats
    moved: bool
    file: str


def read_truth(path: Path) -> Truth:
    """The true parameters in a file that `vieta.files.writer.encoded_truth` made."""
    import polars as pl

    with opened(path, str(path)) as (file, _):
        content = read_bounded(file, LARGEST, str(path))
    try:
        first, theta = _of_json(content) if content.lstrip().startswith(b"{") else _of_table(content)
        if theta.ndim != 2 or theta.size == 0 or not np.isfinite(theta).all():
            raise ValueError
    except (ValueError, TypeError, KeyError, RecursionError, pl.exceptions.PolarsError):
        raise BadFileError(
            "no-truth",
            "{file} holds no true parameters, as {call.simulate} knows them: JSON with the parameters as theta, one row a system, or a "
            "table with the columns system, theta1, theta2, .. is needed.",
            file=str(path),
        ) from None
    return Truth(theta, not np.array_equal(first, theta), str(path))


def _of_json(content: bytes) -> tuple[Floats, Floats]:
    """The first parameters and the last."""
    truth = json.loads(content)
    first, last = truth["theta"], truth.get("theta_last", truth["theta"])
    return np.array(first, dtype=np.float64), np.array(last, dtype=np.float64)


def _of_table(content: bytes) -> tuple[Floats, Floats]:
    """The first row of each system, and the last."""
    import polars as pl

    systems = pl.read_csv(content, infer_schema_length=None).group_by("system")
    first, last = (
        found.sort("system").select(pl.col("^theta[0-9]+$").cast(pl.Float64)).to_numpy()
        for found in (systems.first(), systems.last())
    )
    return first, last
