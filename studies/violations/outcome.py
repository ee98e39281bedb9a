r"""All runs of a row, in batch or online.

With :math:`z_{rj}` the error of parameter j in run r over its own standard error: the bias is :math:`\max_j |\bar z_j|`, the size of errors
:math:`\max_j (\mathrm{mean}_r\,z_{rj}^2)^{1/2}`, one where standard errors are honest; a bias of two standard errors makes it
:math:`\sqrt 5`. The power is the share of runs with a finding of caution or more, with an error, or with a change that a filter found and went
on from (`parameters-changed`, a note).
"""

from collections import Counter
from dataclasses import dataclass
from typing import Any

import numpy as np

from studies.violations.limits import limit
from studies.violations.rows import NOISES, Row

LEAST_COVERED, MOST_COVERED, POWER, ALARMS, RATIO = 0.93, 0.97, 0.95, 0.01, 1.15
BIASED = 5.0**0.5  # size of errors, from which on a finding is asked for
HEADER = (
    "| violation | bias, errors | size of errors | coverage | MSE / labeled | findings (power) | limit | no errors | which |\n"
    + "|---" * 9
    + "|"
)


@dataclass(frozen=True)
class Outcome:
    """Of a row.

    Attributes
    ----------
    runs, unknown : int
        All, and those without an estimate or without standard errors.
    bias, size, coverage, ratio : float
        Over the others; `ratio` is the mean squared error over that with labels. NaN where there is none.
    spread : float
        Standard error of the coverage, over runs.
    power : float
    codes : Counter
        Findings of caution or more, and errors.
    """

    runs: int
    unknown: int
    bias: float
    size: float
    coverage: float
    spread: float
    ratio: float
    power: float
    codes: Counter[str]

    @classmethod
    def of(cls, runs: list[dict[str, Any]], mode: str) -> "Outcome":
        """From the figures of the runs."""
        found = [run[mode] for run in runs]
        known = [one for one in found if one["z"] is not None]
        z = np.array([one["z"] for one in known])
        covered = np.array([one["covered"] for one in known])
        both = [(run[mode]["squared"], run["labeled"]) for run in runs]
        both = [(ours, labeled) for ours, labeled in both if ours is not None and labeled is not None]
        codes = [[one["error"]] if one["error"] else _reported(one) for one in found]
        return cls(
            runs=len(found),
            unknown=len(found) - len(known),
            bias=float(abs(z.mean(axis=0)).max()) if known else np.nan,
            size=float(np.sqrt((z**2).mean(axis=0)).max()) if known else np.nan,
            coverage=float(covered.mean()) if known else np.nan,
            spread=float(covered.std(ddof=1) / np.sqrt(len(known))) if len(known) > 1 else np.nan,
            ratio=float(np.divide(*np.sum(both, axis=0))) if both else np.nan,
            power=float(np.mean([bool(one) for one in codes])),
            codes=Counter(code for one in codes for code in one),
        )


def _reported(one: dict[str, Any]) -> list[str]:
    """Codes of the findings of a run that count: a filter that has acted on a change says so in a note."""
    return [*one["codes"], *(code for code in one["all"] if code == "parameters-changed")]


def line(row: Row, found: Outcome) -> str:
    """Of the table; what misses its target is bold."""
    wrong = faults(row, found)
    cells = (
        row.violation,
        _number(found.bias, ".2f"),
        _number(found.size, ".2f"),
        _bold(f"{_number(found.coverage, '.1%')} ± {_number(found.spread, '.1%')}", "coverage" in wrong),
        _bold(_number(found.ratio, ".2f"), "ratio" in wrong),
        _bold(f"{found.power:.0%}", "power" in wrong or "alarms" in wrong),
        _number(limit(row, found.bias), ".0%"),
        str(found.unknown or ""),
        ", ".join(f"{code} {count}" for code, count in found.codes.most_common(3)),
    )
    return "| " + " | ".join(cells) + " |"


def faults(row: Row, found: Outcome) -> dict[str, str]:
    """Targets that are missed by more than two standard errors of what was measured, in words."""
    missed = {}
    least, most = LEAST_COVERED - 2 * found.spread, MOST_COVERED + 2 * found.spread
    if row.violation in NOISES and not least <= found.coverage <= most:
        missed["coverage"] = f"coverage {found.coverage:.1%}"
    if row.violation.startswith("shock") and found.ratio > RATIO:
        missed["ratio"] = f"mean squared error {found.ratio:.2f} times labeled"
    if found.size > BIASED and found.power < POWER and not limit(row, found.bias) < POWER:
        missed["power"] = f"findings in {found.power:.0%}, errors of size {found.size:.1f}"
    if row.violation == "none" and found.power * found.runs > max(1.0, ALARMS * found.runs):
        missed["alarms"] = f"findings in {found.power:.1%} of clean runs"
    return missed


def _number(value: float, form: str) -> str:
    return "" if np.isnan(value) else f"{value:{form}}"


def _bold(text: str, is_bold: bool) -> str:
    return f"**{text}**" if is_bold else text
