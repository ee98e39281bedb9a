"""All runs of a method on a row, and the line of the table."""

from dataclasses import dataclass
from typing import Any

import numpy as np

from studies.peers.methods import METHODS, Method
from vieta.arrays import Floats

HEADER = "| method | MSE / labeled | runs with a lost system | coverage | µs a set | told |\n" + "|---" * 6 + "|"
OURS, REFERENCE = "vieta", "labeled"


@dataclass(frozen=True, eq=False)
class Outcome:
    """Squared errors (runs,) of a method and with labels, coverage (runs,) or None, time (runs,) and lost systems (runs,)."""

    squared: Floats
    labeled: Floats
    covered: Floats | None
    time: Floats
    lost: Floats

    @classmethod
    def of(cls, runs: list[dict[str, Any]], name: str) -> "Outcome":
        own = [run[name] for run in runs]
        covered = None if own[0]["covered"] is None else np.array([one["covered"] for one in own])
        squared, time, lost = (np.array([float(one[key]) for one in own]) for key in ("squared", "time", "lost"))
        return cls(squared, np.array([run[REFERENCE]["squared"] for run in runs]), covered, time, lost)

    @property
    def ratio(self) -> float:
        """Of means."""
        return float(self.squared.mean() / self.labeled.mean())

    @property
    def stderr(self) -> float:
        """Of the ratio of means, to first order."""
        return self.ratio * _error(self.squared / self.squared.mean() - self.labeled / self.labeled.mean())

    def is_better_than(self, other: "Outcome") -> bool:
        """By more than twice the standard error of the difference."""
        difference = other.squared - self.squared
        return bool(difference.mean() > 2.0 * _error(difference))


def _error(values: Floats) -> float:
    """Of a mean."""
    return float(values.std(ddof=1) / np.sqrt(len(values))) if len(values) > 1 else float("nan")


def overview(rows: dict[str, list[dict[str, Any]]]) -> str:
    """A line for each row: the ratio of each method without labels, and the time of a set."""
    methods = [method.name for method in METHODS if not method.has_labels]
    lines = [f"| MSE / labeled; µs a set | {' | '.join(methods)} |", "|---" * (len(methods) + 1) + "|"]
    for name, runs in rows.items():
        found = [Outcome.of(runs, one) if one in runs[0] else None for one in methods]
        cells = ["" if one is None else f"{one.ratio:.3g}; {np.median(one.time):,.0f}" for one in found]
        lines.append(f"| {name} | {' | '.join(cells)} |")
    return "\n".join(lines)


def line(method: Method, found: Outcome) -> str:
    """Of the table."""
    small = found.ratio < 100
    ratio = f"{found.ratio:.2f} ± {found.stderr:.2f}" if small else f"{found.ratio:.2g} ± {found.stderr:.1g}"
    covered = "" if found.covered is None else f"{found.covered.mean():.0%}"
    cells = (method.name, ratio, f"{found.lost.mean():.0%}", covered, f"{np.median(found.time):,.0f}", method.told)
    return "| " + " | ".join(cells) + " |"


def table(runs: list[dict[str, Any]]) -> str:
    """Of one row."""
    outcomes = ((method, Outcome.of(runs, method.name)) for method in METHODS if method.name in runs[0])
    return "\n".join([HEADER, *(line(method, found) for method, found in outcomes)])


def faults(runs: list[dict[str, Any]]) -> list[str]:
    """Where a method without labels is ahead of ours, in error or in time."""
    ours, found = Outcome.of(runs, OURS), []
    for method in METHODS:
        if method.has_labels or method.name.startswith(OURS) or method.name not in runs[0]:
            continue
        other = Outcome.of(runs, method.name)
        if other.is_better_than(ours):
            found.append(f"{method.name} has {other.ratio:.2f} of the labeled error, ours {ours.ratio:.2f}")
        if np.median(other.time) < np.median(ours.time):
            found.append(f"{method.name} takes {np.median(other.time):,.0f} µs a set, ours {np.median(ours.time):,.0f}")
    return found
