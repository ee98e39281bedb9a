"""Mean squared error over that of labeled least squares on the same data, by method, with coverage and failures."""

from collections.abc import Callable, Iterable
from concurrent.futures import Executor
from dataclasses import dataclass
from typing import Any

import numpy as np

import vieta
from studies.rows import Row
from vieta.arrays import Floats
from vieta.paper.baselines import labeled_least_squares
from vieta.scenarios import Records
from vieta.symmetric import canonical_order

Estimator = Callable[[Records], vieta.Estimate]


def online(method: str) -> Estimator:
    """A filter from a cold start over the whole stream."""

    def run(records: Records) -> vieta.Estimate:
        L, D = records.truth.shape
        return vieta.SymmetricFilter(L, D, method=method).partial_fit(records.sets, records.inputs).estimate()

    return run


METHODS: dict[str, Estimator] = {
    "lms": online("lms"),
    "least-squares": lambda records: vieta.fit(records.sets, records.inputs, method="least-squares"),
    "efficient": lambda records: vieta.fit(records.sets, records.inputs),
    "efficient, online": online("efficient"),
}
COVERED = ("efficient", "efficient, online")
WRONG_BASIN = 100.0  # times the labeled mean squared error


@dataclass(frozen=True)
class Outcome:
    """One method on one row: squared errors of all runs, and whether intervals covered and warnings were given."""

    squared: Floats  # (runs,), mean over the parameters
    labeled: Floats  # (runs,)
    covered: Floats  # (runs,) share of the parameters
    warned: Floats  # (runs,)

    @property
    def ratio(self) -> float:
        return float(self.squared.mean() / self.labeled.mean())

    @property
    def standard_error(self) -> float:
        """Of the ratio of means, to first order."""
        spread = self.squared / self.squared.mean() - self.labeled / self.labeled.mean()
        return float(self.ratio * spread.std(ddof=1) / np.sqrt(len(spread)))

    @property
    def failures(self) -> int:
        """Runs that ended in a wrong basin."""
        return int((self.squared > WRONG_BASIN * self.labeled.mean()).sum())

    @property
    def unflagged(self) -> int:
        """Wrong basins that no warning spoke of."""
        return int(((self.squared > WRONG_BASIN * self.labeled.mean()) & (self.warned == 0.0)).sum())


def one_run(row: Row, seed: int, names: tuple[str, ...]) -> list[tuple[float, float, float, float]]:
    """Squared error, labeled squared error, coverage and warning of each method on the data of one seed."""
    records = row.draw(seed)
    oracle = labeled_least_squares(records.readings, records.inputs).theta
    labeled = float(np.mean((oracle[canonical_order(oracle)] - records.truth) ** 2))
    results = []
    for name in names:
        try:
            estimate = METHODS[name](records)
        except (ArithmeticError, ValueError):
            results.append((np.inf, labeled, 0.0, 1.0))
            continue
        low_high = estimate.conf_int(0.95)
        covered = np.mean((low_high[..., 0] <= records.truth) & (records.truth <= low_high[..., 1]))
        squared = float(np.mean((estimate.theta - records.truth) ** 2))
        results.append((squared, labeled, float(covered), float(len(estimate.warnings) > 0)))
    return results


def study(row: Row, runs: int, pool: Executor, names: Iterable[str] = METHODS) -> dict[str, Outcome]:
    """All methods on all runs of a row."""
    chosen = tuple(names)
    table = np.array(list(pool.map(_task, [(row.name, seed, chosen) for seed in range(runs)])))
    return {name: Outcome(*table[:, i].T) for i, name in enumerate(chosen)}


def _task(arguments: tuple[str, int, tuple[str, ...]]) -> Any:
    from studies.rows import ROWS

    name, seed, names = arguments
    return one_run(next(row for row in ROWS if row.name == name), seed, names)
