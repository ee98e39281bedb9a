"""All runs of a method on a row, and the line of the table."""

from dataclasses import dataclass
from typing import Any

import numpy as np

from studies.peers.methods import METHODS, Method
from vieta.arrays import Floats

HEADER = (
    "| method | MSE / labeled | runs with a lost system | coverage | µs a set | each further set | told |\n"
    + "|---" * 7
    + "|"
)
OURS, TOLD, REFERENCE = "vieta", "vieta, normal noise", "labeled"


@dataclass(frozen=True, eq=False)
class Outcome:
    """Of a method, over runs: squared errors, also with labels, coverage or None, time, lost systems, and time for a further set or None."""

    squared: Floats
    labeled: Floats
    covered: Floats | None
    time: Floats
    lost: Floats
    further: Floats | None

    @classmethod
    def of(cls, runs: list[dict[str, Any]], name: str) -> "Outcome":
        own = [run[name] for run in runs]
        covered = None if own[0]["covered"] is None else np.array([one["covered"] for one in own])
        squared, time, lost = (np.array([float(one[key]) for one in own]) for key in ("squared", "time", "lost"))
        further = None if own[0]["further"] is None else np.array([one["further"] for one in own])
        return cls(squared, np.array([run[REFERENCE]["squared"] for run in runs]), covered, time, lost, further)

    @property
    def each_further(self) -> float:
        """Median time of a further set; of methods that work set by set, that of a set."""
        return float(np.median(self.time if self.further is None else self.further))

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
        cells = ["" if one is None else f"{one.ratio:.3g}; {np.median(one.time):,.0f}{_further(one)}" for one in found]
        lines.append(f"| {name} | {' | '.join(cells)} |")
    return "\n".join(lines)


def _further(found: Outcome) -> str:
    return "" if found.further is None else f" ({_number(found.each_further)})"


def _number(value: float) -> str:
    return f"{value:,.0f}" if value >= 100.0 else f"{value:.3g}"


def line(method: Method, found: Outcome) -> str:
    """Of the table."""
    small = found.ratio < 100
    ratio = f"{found.ratio:.2f} ± {found.stderr:.2f}" if small else f"{found.ratio:.2g} ± {found.stderr:.1g}"
    covered = "" if found.covered is None else f"{found.covered.mean():.0%}"
    times = f"{np.median(found.time):,.0f}", "" if found.further is None else _number(found.each_further)
    cells = (method.name, ratio, f"{found.lost.mean():.0%}", covered, *times, method.told)
    return "| " + " | ".join(cells) + " |"


def table(runs: list[dict[str, Any]]) -> str:
    """Of one row."""
    outcomes = ((method, Outcome.of(runs, method.name)) for method in METHODS if method.name in runs[0])
    return "\n".join([HEADER, *(line(method, found) for method, found in outcomes)])


def smaller_errors(runs: list[dict[str, Any]]) -> list[str]:
    """Methods without labels that have a smaller error than ours; than that which is told the law of the noise too, where there is one."""
    ours, told = Outcome.of(runs, OURS), Outcome.of(runs, TOLD) if TOLD in runs[0] else None
    found = []
    for name, other in _others(runs):
        if other.is_better_than(ours):
            also = "" if told is None else f", and {told.ratio:.2f} if it is told the law of the noise"
            found.append(f"{name} has {other.ratio:.2f} of the labeled error, ours {ours.ratio:.2f}{also}")
    return found


def less_time(runs: list[dict[str, Any]]) -> list[str]:
    """Methods without labels that take less time than ours, in one line, if there are any; and those that do so for a further set too."""
    ours, others = Outcome.of(runs, OURS), _others(runs)
    taken, further = float(np.median(ours.time)), ours.each_further
    faster = [f"{name} {_number(other.each_further)}" for name, other in others if other.each_further < taken]
    if not faster:
        return []
    still = [name for name, other in others if other.each_further < further]
    also = f", which is more than {' and '.join(still)}" if still else ", which is less than any other"
    times = f"ours {_number(taken)}, and {_number(further)} for each further set{also}"
    return [f"{', '.join(faster)} µs a set; {times}"]


def _others(runs: list[dict[str, Any]]) -> list[tuple[str, Outcome]]:
    names = [one.name for one in METHODS if not (one.has_labels or one.is_ours) and one.name in runs[0]]
    return [(name, Outcome.of(runs, name)) for name in names]
