"""The audit as a table to read, and as data."""

from textwrap import wrap
from typing import TYPE_CHECKING, Any

import numpy as np

from vieta.anonymity.findings import APART, percent
from vieta.symmetric.arrays import Floats

if TYPE_CHECKING:
    from vieta.anonymity.audit import Audit

WIDTH = 110
ASSUMED = (
    "Taken for granted: the guesser knows the parameters and how the noise is spread, and nothing else about anyone; "
    "every record is shuffled anew. Who also knows some readings by name, or can link records over time, does better."
)


def summary(audit: "Audit") -> str:
    """Who can be named now, what is learned, and what noise changes."""
    parts = [_head(audit), _now(audit), _learned(audit), _noise(audit), wrap(ASSUMED, WIDTH)]
    if audit.warnings:
        parts.append([line for text in audit.warnings for line in wrap(f"! {text}", WIDTH, subsequent_indent="  ")])
    return "\n\n".join("\n".join(part) for part in parts)


def _head(audit: "Audit") -> list[str]:
    L, D = audit.theta.shape
    shape = type(audit.noise).__name__
    return [
        f"Anonymity audit: {L} systems with {D} parameter{'s' * (D > 1)} each, {audit.n_records:,} records without names",
        f"noise of one reading: {shape}, standard deviation {_deviation(audit)}",
    ]


def _deviation(audit: "Audit") -> str:
    variance = np.asarray(audit.noise.variance)
    each = np.diagonal(variance, axis1=-2, axis2=-1).ravel() if variance.ndim >= 2 else variance.ravel()
    return ", ".join(f"{np.sqrt(v):.4g}" for v in each)


def _now(audit: "Audit") -> list[str]:
    now, L = audit.now, len(audit.theta)
    all_right, one_right = percent(1.0 - now.probability), percent(float(now.reidentification.mean()))
    lines = [
        "NOW: whose reading is whose, in one record? The best guess is right",
        f"  {f'for all {L} readings at once':<28} {all_right:>5} of the time (by pure chance {_chance(L)})",
        f"  {'for a single reading':<28} {one_right:>5} of the time (by pure chance {percent(1.0 / L)})",
        "",
        f"{'system':>8}  {'parameters':<32}  {'named rightly':>13}  {'look-alikes':>11}",
    ]
    for l, row in enumerate(audit.theta):
        others = int(audit.alike.look_alikes[l]) - 1
        named = percent(float(now.reidentification[l]))
        lines.append(f"{l + 1:>8}  {_numbers(row):<32}  {named:>13}  {others or 'none':>11}")
    return [*lines, "  (look-alikes: systems that differ from it by less than the noise of one reading)"]


def _chance(L: int) -> str:
    orders = float(np.prod(np.arange(1.0, L + 1.0)))
    return f"1 in {orders:,.0f}" if orders < 1e7 else f"1 in {orders:.0e}"


def _numbers(row: Floats) -> str:
    shown = ", ".join(f"{value:.4g}" for value in row[:3])
    return shown if len(row) <= 3 else f"{shown}, .. ({len(row)})"


def _learned(audit: "Audit") -> list[str]:
    lines = [
        "LEARNED: what an analyst knows of the parameters, without any name",
        f"{'records':>14}  {'standard error, at most':>23}  the two closest systems are",
    ]
    for one in audit.learned:
        lines.append(f"{one.records:>14,}  {_error(float(one.stderr.max())):>23}  {_apart(one.separation)}")
    return [*lines, f"  (from {APART:.0f} standard errors on, two systems count as told apart)"]


def _apart(separation: float) -> str:
    if separation > 1e6:
        return "told apart exactly"
    return (
        f"{separation:.1f} standard errors apart" if separation < 100.0 else f"{separation:,.0f} standard errors apart"
    )


def _error(value: float) -> str:
    return f"{value:.3g}" if np.isfinite(value) else "infinite"


def _noise(audit: "Audit") -> list[str]:
    trade = audit.tradeoff
    lines = [
        "MORE NOISE: if it were added to every reading before release",
        f"{'standard deviation':>20}  {'a reading is named':>18}  {'a whole record':>14}  the analyst needs",
    ]
    cost = _times(trade.analyst.max(axis=(1, 2)))
    for a, right, wrong, times in zip(trade.added, trade.reidentification.mean(axis=1), trade.error, cost):
        level = f"{a:.3g}" if a else "none"
        lines.append(f"{level:>20}  {percent(float(right)):>18}  {percent(1.0 - float(wrong)):>14}  {times}")
    return lines


def _times(errors: Floats) -> list[str]:
    """How many times as many records each level takes for the precision of the first."""
    if not 0.0 < errors[0] < np.inf:
        return ["cannot be told"] * len(errors)
    return ["as many records", *(_ratio(float(ratio)) for ratio in (errors[1:] / errors[0]) ** 2)]


def _ratio(ratio: float) -> str:
    if ratio > 1e4:
        return "over 10,000 times as many"
    return f"{ratio:,.1f} times as many" if ratio < 10.0 else f"{ratio:,.0f} times as many"


def to_dict(audit: "Audit") -> dict[str, Any]:
    """Everything, ready for JSON; numbers that cannot be told are None."""
    now, alike, trade = audit.now, audit.alike, audit.tradeoff
    return {
        "theta": audit.theta.tolist(),
        "noise": {"law": type(audit.noise).__name__, "variance": np.asarray(audit.noise.variance).tolist()},
        "n_records": audit.n_records,
        "now": {
            "error_probability": now.probability,
            "stderr": now.stderr,
            "anonymity": now.anonymity,
            "reidentification": _listed(now.reidentification),
            "reidentification_alone": _listed(now.reidentification_alone),
            "mutual_information_bits": _listed(np.asarray(now.mutual_information)),
            "prior_information_bits": now.prior_information,
        },
        "alike": {
            "look_alikes": alike.look_alikes.tolist(),
            "k_anonymity": alike.k_anonymity,
            "distinct_values": alike.distinct,
            "l_diversity": alike.l_diversity,
        },
        "learned": [
            {"records": one.records, "stderr": _listed(one.stderr), "separation": _listed(np.asarray(one.separation))}
            for one in audit.learned
        ],
        "tradeoff": {
            "added": trade.added.tolist(),
            "error_probability": trade.error.tolist(),
            "anonymity": trade.anonymity.tolist(),
            "single_anonymity": trade.single_anonymity.tolist(),
            "reidentification": trade.reidentification.tolist(),
            "analyst_stderr_one_record": _listed(trade.analyst),
            "least_stderr_one_record": _listed(trade.bound),
        },
        "warnings": list(audit.warnings),
    }


def _listed(array: Floats) -> Any:
    items = array.astype(object)
    items[~np.isfinite(array)] = None
    return items.tolist()
