"""All runs of a row, and the lines of the tables.

The ratio is that of mean squared errors, with a standard error of first order; beside it, the ratio of medians, which a few runs cannot move.
An estimate is *wrong* if a system is off by more than half of what separates it from another, or a parameter by more than five of its
own standard errors; and *silent* if no finding is a caution or serious.
"""

from collections import Counter
from dataclasses import dataclass
from typing import Any

import numpy as np

from studies.incomplete.measure import OFF
from studies.incomplete.rows import Row
from vieta.arrays import Booleans, Floats

LEAST_COVERED, MOST_COVERED = 0.93, 0.97
RUNAWAY = 1000.0  # times what is asked: one run has no solution at all, and makes the standard error as large
MOST_WRONG = 0.02  # of the runs
MOST_LOST = 1.15  # error of the filter over that of the fit
SURE = 0.95  # of the numbers of systems that are said to be sure
HEADER = (
    "| systems, noise | MSE / labeled | of medians | asked | bound | coverage | of rates | wrong | silent | on right ones | law |\n"
    + "|---" * 11
    + "|"
)
HEADER_ONLINE = (
    "| systems, noise | batch | online | online / batch | coverage, online | wrong | silent | on right ones |\n"
    + "|---" * 8
    + "|"
)
HEADER_COUNTS = (
    "| systems, noise | runs | sure and right | sure and wrong | unsure and right | unsure and wrong |\n"
    + "|---" * 6
    + "|"
)


@dataclass(frozen=True)
class Outcome:
    """Of a row, in batch or online.

    Attributes
    ----------
    squared, labeled : (n,)
        Squared errors of the runs that gave an estimate, and those with labels.
    covered : (n,)
        The share of parameters whose intervals cover.
    seen, rate : (n,)
        The same of the probabilities of being seen, and of the rate of false readings (empty where there are none).
    wrong, told : (n,)
        Whether the estimate is wrong, and whether a finding is a caution or serious.
    refused : int
        Runs without an estimate.
    codes, laws : Counter
        Of findings on right answers, and of the laws that were chosen.
    """

    squared: Floats
    labeled: Floats
    covered: Floats
    seen: Floats
    rate: Floats
    wrong: Booleans
    told: Booleans
    refused: int
    codes: Counter[str]
    laws: Counter[str]

    @classmethod
    def of(cls, runs: list[dict[str, Any]], mode: str = "batch") -> "Outcome":
        """From the figures of the runs."""
        known = [(run["labeled"], run[mode]) for run in runs if run[mode]["error"] is None]
        found = [one for _, one in known]
        wrong = [one["far"] or (one["off"] or 0.0) > OFF for one in found]
        right = [one for one, is_wrong in zip(found, wrong, strict=True) if not is_wrong]
        return cls(
            squared=np.array([one["squared"] for one in found]),
            labeled=np.array([labeled for labeled, _ in known]),
            covered=np.array([one["covered"] or 0.0 for one in found]),
            seen=np.array([one["seen"] for one in found]),
            rate=np.array([one["rate"] for one in found if one["rate"] is not None]),
            wrong=np.array(wrong, dtype=bool),
            told=np.array([bool(one["codes"]) for one in found], dtype=bool),
            refused=len(runs) - len(found),
            codes=Counter(code for one in right for code in one["codes"]),
            laws=Counter(one["law"] for one in found),
        )

    @property
    def ratio(self) -> tuple[float, float]:
        """Of mean squared errors, and its standard error."""
        return _ratio(self.squared, self.labeled)

    @property
    def medians(self) -> float:
        """The ratio of medians."""
        return float(np.median(self.squared) / np.median(self.labeled))

    @property
    def n_wrong(self) -> int:
        """Wrong estimates."""
        return int(self.wrong.sum())

    @property
    def n_silent(self) -> int:
        """Wrong estimates without a word."""
        return int((self.wrong & ~self.told).sum())

    @property
    def n_alarms(self) -> int:
        """Right estimates with a finding."""
        return int((~self.wrong & self.told).sum())


def _ratio(over: Floats, under: Floats) -> tuple[float, float]:
    ratio = over.mean() / under.mean()
    spread = over / over.mean() - under / under.mean()
    return float(ratio), float(ratio * spread.std(ddof=1) / np.sqrt(len(spread)))


def share(values: Floats) -> tuple[float, float]:
    """A mean of shares and its standard error, at least that of so many intervals of 95 %, so that none is sure after a few runs."""
    least = np.sqrt(0.95 * 0.05 / len(values)) if len(values) else np.nan
    return float(values.mean()), float(max(values.std(ddof=1) / np.sqrt(len(values)), 0.5 * least))


def line(row: Row, found: Outcome, bound: float | None) -> str:
    """Of the main table; what misses its target is bold."""
    missed = faults(row, found, bound)
    rates = " ".join(f"{share(one)[0]:.0%}" for one in (found.seen, found.rate) if len(one))
    cells = (
        row.name,
        _bold(" ± ".join(map(_short, found.ratio)), "ratio" in missed),
        f"{found.medians:.2f}",
        f"{row.target:g}" if np.isfinite(row.target) else "a finding",
        "" if bound is None else f"{bound:.2f}",
        _bold("{:.1%} ± {:.1%}".format(*share(found.covered)), "coverage" in missed),
        _bold(rates, "rates" in missed),
        _bold(str(found.n_wrong), "wrong" in missed),
        _bold(str(found.n_silent), "silent" in missed),
        _told(found),
        ", ".join(f"{law} {count}" for law, count in found.laws.most_common(3)),
    )
    return "| " + " | ".join(cells) + " |"


def _short(number: float) -> str:
    """With two decimals, unless it is huge.

    >>> _short(1.234), _short(1.5e200)
    ('1.23', '1.5e+200')
    """
    return f"{number:.2f}" if number < RUNAWAY else f"{number:.2g}"


def faults(row: Row, found: Outcome, bound: float | None = None) -> dict[str, str]:
    """Targets that are missed by more than two standard errors of what was measured, in words."""
    missed = {}
    if not row.design.decidable:
        return (
            {} if found.told.all() else {"silent": f"{int((~found.told).sum())} of {len(found.told)} without a finding"}
        )
    ratio, error = found.ratio
    most = max(row.target, bound or 0.0)
    if ratio - 2 * error > most or ratio > RUNAWAY * most:
        missed["ratio"] = f"mean squared error {ratio:.2f} times labeled"
    if _outside(found.covered):
        missed["coverage"] = f"coverage {found.covered.mean():.1%}"
    if _below(found.seen) or (len(found.rate) and _below(found.rate)):
        missed["rates"] = "detection or clutter rate outside of their intervals"
    if found.n_wrong > max(1, MOST_WRONG * len(found.wrong)):
        missed["wrong"] = f"{found.n_wrong} of {len(found.wrong)} wrong"
    if found.n_silent or found.refused:
        missed["silent"] = f"{found.n_silent} wrong and silent, {found.refused} refused"
    return missed


def line_online(row: Row, batch: Outcome, online: Outcome) -> str:
    """Of the table of filters."""
    missed = faults_online(row, batch, online)
    cells = (
        row.name,
        "{:.2f} ± {:.2f}".format(*batch.ratio),
        "{:.2f} ± {:.2f}".format(*online.ratio),
        _bold("{:.2f} ± {:.2f}".format(*_ratio(online.squared, batch.squared)), "ratio" in missed),
        _bold("{:.1%} ± {:.1%}".format(*share(online.covered)), "coverage" in missed),
        str(online.n_wrong),
        _bold(str(online.n_silent), "silent" in missed),
        _told(online),
    )
    return "| " + " | ".join(cells) + " |"


def faults_online(row: Row, batch: Outcome, online: Outcome) -> dict[str, str]:
    """The same of a filter, against the fit of the same sets."""
    missed = {name: text for name, text in faults(row, online).items() if name in {"coverage", "silent"}}
    ratio, error = _ratio(online.squared, batch.squared)
    if ratio - 2 * error > MOST_LOST:
        missed["ratio"] = f"{ratio:.2f} times the error of the fit"
    return missed


def line_counts(row: Row, runs: list[dict[str, Any]]) -> str:
    """Of the table of numbers of systems."""
    L = len(row.design.theta(0))
    kinds = Counter((run["unsure"], run["chosen"] == L) for run in runs)
    sure = [str(kinds[False, True]), _bold(str(kinds[False, False]), bool(faults_counts(row, runs)))]
    cells = (row.name.removesuffix(", count"), str(len(runs)), *sure, str(kinds[True, True]), str(kinds[True, False]))
    return "| " + " | ".join(cells) + " |"


def faults_counts(row: Row, runs: list[dict[str, Any]]) -> dict[str, str]:
    """Numbers that are said to be sure, and are wrong in more than one of twenty."""
    L = len(row.design.theta(0))
    sure = [run["chosen"] == L for run in runs if not run["unsure"]]
    if sure.count(False) > max(0.0, (1.0 - SURE) * len(sure)):
        return {"count": f"{sure.count(False)} of {len(sure)} sure numbers are wrong"}
    return {}


def _outside(covered: Floats) -> bool:
    mean, error = share(covered)
    return not LEAST_COVERED - 2 * error <= mean <= MOST_COVERED + 2 * error


def _below(held: Floats) -> bool:
    mean, error = share(held)
    return mean < LEAST_COVERED - 2 * error


def _told(found: Outcome) -> str:
    words = ", ".join(f"{code} {count}" for code, count in found.codes.most_common(3))
    return f"{found.n_alarms} ({words})" if found.n_alarms else "0"


def _bold(text: str, is_bold: bool) -> str:
    return f"**{text}**" if is_bold else text
