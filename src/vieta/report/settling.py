"""How an estimate settled: the same method after some of the sets, after more of them, and so on to the last."""

from dataclasses import dataclass
from typing import Any

import numpy as np

from vieta.arrays import Floats, Integers
from vieta.errors import VietaError
from vieta.estimators import SymmetricFilter
from vieta.estimators.batch import fit_passes
from vieta.method import registry
from vieta.sets import Data, padded
from vieta.sums import in_memory

POINTS = 400  # of a filter's path
BEGINNINGS = 8  # of the sets, that are fitted on their own
FEWEST = 10  # sets in the shortest of them


@dataclass(frozen=True, slots=True, eq=False)
class Settling:
    """The estimate along the sets.

    Attributes
    ----------
    index : (n,)
        After so many sets.
    theta : (n, L, D)
    began : int
        Sets after which the filter began, 0 if from the first. Up to there, what the method makes of all sets so far.
    """

    index: Integers
    theta: Floats
    began: int


def settling(data: Data, method: str, options: dict[str, Any]) -> Settling | None:
    """The path of a method's filter; before it starts, or if the method has none, fits of the first sets. None if neither is there."""
    index, theta = _filtered(data, method, options) if registry.get(method).has_engine else _nothing(data)
    began = int(index[0]) if len(index) else len(data) + 1
    first = _beginnings(data, began, method, options) if began > FEWEST else []
    if len(first) + len(index) < 2:
        return None
    counts = np.array([n for n, _ in first], dtype=np.int64)
    rows = [rows for _, rows in first]
    return Settling(np.concatenate([counts, index]), np.array([*rows, *theta]), began if first else 0)


def _nothing(data: Data) -> tuple[Integers, Floats]:
    return np.zeros(0, dtype=np.int64), np.zeros((0, data.n_systems, data.dim))


def _filtered(data: Data, method: str, options: dict[str, Any]) -> tuple[Integers, Floats]:
    """After how many sets, and the parameters of the filter there, from where it has any."""
    try:
        running = SymmetricFilter(data.n_systems, data.dim, method=method, **options)
        path = running.trace(padded(data), data.inputs, every=-(-len(data) // POINTS))
    except (VietaError, ValueError, ArithmeticError):
        return _nothing(data)
    known = np.isfinite(path.theta).all(axis=(1, 2))
    return path.index[known], path.theta[known]


def _beginnings(data: Data, before: int, method: str, options: dict[str, Any]) -> list[tuple[int, Floats]]:
    """After how many sets, and the estimate from them: beginnings of the sets, each longer than the one before by a factor.

    A factor, so that all of them together cost but a few times as much as the longest.
    """
    last = min(before - 1, len(data))
    found = []
    for n in np.unique(np.geomspace(min(FEWEST, last), last, BEGINNINGS).round().astype(np.int64)) if last > 0 else []:
        try:
            estimate = fit_passes(in_memory(data.part(0, int(n))), method=method, options=options)
        except (VietaError, ValueError, ArithmeticError):  # too few sets for any estimate
            continue
        found.append((int(n), estimate.theta))
    return found
