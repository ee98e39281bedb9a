"""All runs of a method on a row of the efficiency study, and the row of the table."""

from dataclasses import dataclass, replace

import numpy as np

from studies.efficiency.rows import Row
from vieta.arrays import Floats

COVERED = ("efficient", "efficient, online", "adaptive", "adaptive, online")
LEARNS, LAW_FREE = "adaptive", "efficient"  # in batch: the first is to be no worse than the second
WORSE = 1.05  # ratio of the two that is still allowed, beyond its error
ERRORS = 2.0  # standard errors by which a figure of the learning method may miss
WRONG_BASIN = 100.0  # times the labeled mean squared error
COLUMNS = (
    "scenario",
    *("LMS", "least squares", "efficient", "efficient, online", "adaptive", "adaptive, online"),
    *("adaptive / efficient", "bound", "coverage", "wrong basins"),
)
HEADER = f"| {' | '.join(COLUMNS)} |\n{'|---' * len(COLUMNS)}|"


@dataclass(frozen=True)
class Outcome:
    """One method on one row: squared errors of all runs, and whether intervals covered and warnings were given."""

    squared: Floats  # (runs,), mean over the parameters
    labeled: Floats  # (runs,)
    covered: Floats  # (runs,) share of the parameters
    warned: Floats  # (runs,)
    same: int = 0  # runs that share their parameters

    @property
    def ratio(self) -> float:
        """Of means; where parameters differ, the median over them."""
        if self.same:
            return float(np.median(self._each))
        return float(self.squared.mean() / self.labeled.mean())

    @property
    def _each(self) -> Floats:
        """(groups,) the ratio of means for each of the parameters."""
        starts = np.arange(0, len(self.squared), self.same)
        return np.asarray(np.add.reduceat(self.squared, starts) / np.add.reduceat(self.labeled, starts))

    @property
    def standard_error(self) -> float:
        """Of the ratio of means, to first order; of a median, from the median absolute deviation."""
        if self.same:
            each = self._each
            return float(1.25 * 1.48 * np.median(abs(each - np.median(each))) / np.sqrt(len(each)))
        spread = self.squared / self.squared.mean() - self.labeled / self.labeled.mean()
        return float(self.ratio * spread.std(ddof=1) / np.sqrt(len(spread)))

    def over(self, other: "Outcome") -> tuple[float, float]:
        """The error of this method over that of another on the same data, and its standard error."""
        return (paired := replace(self, labeled=other.squared)).ratio, paired.standard_error

    @property
    def coverage_error(self) -> float:
        """Standard error of the mean of what is covered."""
        return float(self.covered.std(ddof=1) / np.sqrt(len(self.covered)))

    @property
    def failures(self) -> int:
        """Runs that ended in a wrong basin."""
        return int((self.squared > WRONG_BASIN * self.labeled.mean()).sum())

    @property
    def unflagged(self) -> int:
        """Wrong basins that no warning spoke of."""
        return int(((self.squared > WRONG_BASIN * self.labeled.mean()) & (self.warned == 0.0)).sum())


def line(row: Row, found: dict[str, Outcome], least: float | None) -> str:
    """A row of the table."""
    ratios = [f"{o.ratio:.2f} ± {o.standard_error:.2f}" if o.ratio < 100 else f"{o.ratio:.2g}" for o in found.values()]
    times, error = found[LEARNS].over(found[LAW_FREE])
    limit = "" if least is None else f"{least:.2f}"
    coverage = ", ".join(f"{100 * found[name].covered.mean():.1f}" for name in COVERED) + " %"
    failures = sum(found[name].failures for name in COVERED)
    flagged = failures - sum(found[name].unflagged for name in COVERED)
    basins = f"{failures}" + (f" ({flagged} flagged)" if failures else "")
    return (
        f"| {row.name} (n={row.n:,}) | "
        + " | ".join([*ratios, f"{times:.2f} ± {error:.2f}", limit, coverage, basins])
        + " |"
    )


def reached(row: Row, found: dict[str, Outcome]) -> bool:
    """Ratios, coverage where the ratio is below 1.5, no wrong basin without a word; and that learning the law does no harm."""
    batch, online = (found[name] for name in COVERED[:2])
    covered = all(o.ratio >= 1.5 or 0.93 <= o.covered.mean() <= 0.97 for o in (batch, online))
    silent = sum(found[name].unflagged for name in COVERED)
    return bool(
        batch.ratio <= row.batch and online.ratio <= row.online and covered and not silent and _does_no_harm(found)
    )


def _does_no_harm(found: dict[str, Outcome]) -> bool:
    """Whether learning the law makes errors no larger than the law-free method, and covers as much, beyond chance."""
    times, error = found[LEARNS].over(found[LAW_FREE])
    short = 0.93 - float(found[LEARNS].covered.mean())
    return times <= WORSE + ERRORS * error and short <= ERRORS * found[LEARNS].coverage_error
