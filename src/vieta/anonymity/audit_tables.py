"""The audit as a table to read, and as data."""

from textwrap import wrap
from typing import TYPE_CHECKING, Any

import numpy as np

from vieta.adaptive.set_model import LEAST
from vieta.anonymity.audit_findings import APART, percent
from vieta.arrays import Floats
from vieta.findings import marked

if TYPE_CHECKING:
    from vieta.adaptive.set_model import SetModel
    from vieta.anonymity.auditing import Audit

WIDTH = 110
LISTED = 6  # systems whose noises are listed
ASSUMED = (
    "Taken for granted: the guesser knows the parameters and how the noise is spread, and nothing else about anyone; "
    "these figures do not use the order within a record. Who also knows some readings by name, or can link records over "
    "time, does better."
)


WHOLE = "for all readings at once"
SYSTEMS = ("system", "parameters", "named rightly", "look-alikes")
LEARNED = ("records", "standard error, at most", "the two closest systems are")
NOISE = ("noise added (sd)", "reading named", "record named", "the analyst needs")
LOOK_ALIKES = "look-alikes: systems whose readings differ from its own by less than the noise of one, typically"


def summary(audit: "Audit") -> str:
    """Who can be named now, what is learned, and what noise changes."""
    parts = [head(audit), _now(audit), _learned(audit), _noise(audit), wrap(ASSUMED, WIDTH)]
    if audit.findings:
        parts.append([line for text in marked(audit.findings) for line in wrap(text, WIDTH, subsequent_indent="  ")])
    return "\n\n".join("\n".join(part) for part in parts)


def head(audit: "Audit") -> list[str]:
    """What was audited."""
    L, D = audit.theta.shape
    first = f"Anonymity audit: {L} systems with {D} parameter{'s' * (D > 1)} each, {audit.n_records:,} records without names"
    if audit.answers is not None:
        return [first, f"answers: {audit.answers.line()}"]
    shape = (
        type(audit.noise).__name__
        if audit.model is None or audit.model.law.is_normal
        else audit.model.law.name or "a learned law"
    )
    return [
        first,
        f"noise of one reading: {shape}, standard deviation {_deviation(audit)}",
        *([] if audit.model is None else [incomplete(audit.model)]),
    ]


def incomplete(model: "SetModel") -> str:
    """How often systems are seen, and how many readings are false."""
    low, high = float(model.detection.min()), float(model.detection.max())
    seen = f"{low:.3g}" if high - low < 1e-6 else f"{low:.3g} to {high:.3g}"
    return f"seen with probability {seen}, {model.rate if model.rate > LEAST else 0.0:.3g} false readings a record: the guesser knows this too"


def _deviation(audit: "Audit") -> str:
    """Standard deviations: of each coordinate for all systems, or, over the coordinates, of each system."""
    variance = np.asarray(audit.noise.variance)
    if variance.ndim in {0, 2}:
        return _roots(np.diagonal(variance) if variance.ndim == 2 else variance[None])
    each = np.diagonal(variance, axis1=-2, axis2=-1).mean(axis=-1) if variance.ndim == 3 else variance
    if len(each) <= LISTED:
        return f"{_roots(each)} for the systems in turn"
    return f"{np.sqrt(each.min()):.4g} to {np.sqrt(each.max()):.4g}, by system"


def _roots(variances: Floats) -> str:
    return ", ".join(f"{np.sqrt(v):.4g}" for v in variances)


def guesses(audit: "Audit") -> list[tuple[str, str, str]]:
    """What the best guess is of, how often it is right, and how often by pure chance."""
    now, L = audit.now, len(audit.theta)
    whole, chance = (
        (f"for all {L} readings at once", _chance(L)) if audit.model is None else (WHOLE, percent(now.chance))
    )
    return [
        (whole, percent(1.0 - now.probability), chance),
        ("for a single reading", percent(float(now.reidentification.mean())), percent(now.chance_single)),
    ]


def systems(audit: "Audit") -> list[list[str]]:
    """Rows under `SYSTEMS`."""
    named, others = audit.now.reidentification, audit.alike.look_alikes - 1
    return [
        [str(l + 1), _numbers(row), percent(float(named[l])), str(others[l] or "none")]
        for l, row in enumerate(audit.theta)
    ]


def learned(audit: "Audit") -> list[list[str]]:
    """Rows under `LEARNED`."""
    return [[f"{one.records:,}", _error(float(one.stderr.max())), _apart(one.separation)] for one in audit.learned]


def told_apart(audit: "Audit") -> str:
    """What the rows under `LEARNED` mean."""
    if audit.model is not None or audit.answers is not None:
        return f"from the errors of this estimate; from {APART:.0f} standard errors on, two systems count as told apart"
    return (
        f"predicted for {type(audit.noise).__name__} noise of this size: with another law, a fit may learn more or less; from "
        f"{APART:.0f} standard errors on, two systems count as told apart"
    )


def noise(audit: "Audit") -> list[list[str]]:
    """Rows under `NOISE`."""
    trade = audit.tradeoff
    cost = _times(trade.analyst.max(axis=(1, 2)))
    return [
        [
            _share(float(a)) if trade.flips else _added(float(a)),
            percent(float(right)),
            percent(1.0 - float(wrong)),
            times,
        ]
        for a, right, wrong, times in zip(trade.added, trade.reidentification.mean(axis=1), trade.error, cost)
    ]


def noise_header(audit: "Audit") -> tuple[str, ...]:
    """What stands above these rows."""
    return ("answers flipped", *NOISE[1:]) if audit.tradeoff.flips else NOISE


def noise_title(audit: "Audit") -> str:
    """What these rows are about."""
    if audit.tradeoff.flips:
        return "If answers were exchanged at random for another one, drawn evenly, before release"
    return "If noise were added to every reading before release"


def _now(audit: "Audit") -> list[str]:
    first = "NOW: whose reading is whose, in one record? The best guess is right"
    lines = [f"  {what:<28} {right:>5} of the time (by pure chance {chance})" for what, right, chance in guesses(audit)]
    table = [f"{a:>8}  {b:<32}  {c:>13}  {d:>11}" for a, b, c, d in [SYSTEMS, *systems(audit)]]
    return [first, *lines, "", *table, f"  ({LOOK_ALIKES})"]


def _learned(audit: "Audit") -> list[str]:
    first = "LEARNED: what an analyst knows of the parameters, without any name"
    table = [f"{a:>14}  {b:>23}  {c}" for a, b, c in [LEARNED, *learned(audit)]]
    return [first, *table, *wrap(f"({told_apart(audit)})", WIDTH, initial_indent="  ", subsequent_indent="   ")]


def _noise(audit: "Audit") -> list[str]:
    title = noise_title(audit)
    first = (
        f"FLIPS: {title[0].lower()}{title[1:]}"
        if audit.tradeoff.flips
        else "MORE NOISE: if it were added to every reading before release"
    )
    return [first, *[f"{a:>18}  {b:>13}  {c:>12}  {d}" for a, b, c, d in [noise_header(audit), *noise(audit)]]]


def _chance(L: int) -> str:
    orders = float(np.prod(np.arange(1.0, L + 1.0)))
    return f"1 in {orders:,.0f}" if orders < 1e7 else f"1 in {orders:.0e}"


def _numbers(row: Floats) -> str:
    shown = ", ".join(f"{value:.4g}" for value in row[:3])
    return shown if len(row) <= 3 else f"{shown}, .. ({len(row)})"


def _apart(separation: float) -> str:
    if separation > 1e6:
        return "told apart exactly"
    return (
        f"{separation:.1f} standard errors apart" if separation < 100.0 else f"{separation:,.0f} standard errors apart"
    )


def _error(value: float) -> str:
    return f"{value:.3g}" if np.isfinite(value) else "infinite"


def _added(deviation: float) -> str:
    """
    >>> _added(0.0), _added(0.07194), _added(2170.4), _added(12.34)
    ('none', '0.0719', '2,170', '12.3')
    """
    return "none" if deviation == 0.0 else f"{deviation:.3g}" if deviation < 100.0 else f"{deviation:,.0f}"


def _share(share: float) -> str:
    """
    >>> _share(0.0), _share(0.125)
    ('none', '12.5%')
    """
    return f"{100.0 * share:.3g}%" if share else "none"


def _times(errors: Floats) -> list[str]:
    """How many times as many records each level takes for the precision of the first."""
    if not 0.0 < errors[0] < np.inf:
        return ["not known"] * len(errors)
    return ["as many records", *(_ratio(float(ratio)) for ratio in (errors[1:] / errors[0]) ** 2)]


def _ratio(ratio: float) -> str:
    if ratio > 1e4:
        return "over 10,000 times as many"
    return f"{ratio:,.1f} times as many" if ratio < 10.0 else f"{ratio:,.0f} times as many"


def to_dict(audit: "Audit") -> dict[str, Any]:
    """Everything, ready for JSON; numbers that are not known are None."""
    now, alike, trade = audit.now, audit.alike, audit.tradeoff
    return {
        "theta": audit.theta.tolist(),
        "noise": {"law": audit.noise.name, "variance": np.asarray(audit.noise.variance).tolist()},
        "n_records": audit.n_records,
        **({} if audit.model is None else _rates(audit.model)),
        **({} if audit.answers is None else {"answers": audit.answers.to_dict()}),
        "now": {
            "error_probability": now.probability,
            "mc_error": now.mc_error,
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
        "order": None if audit.order is None else {"position": audit.order[0], "persistence": audit.order[1]},
        "serious": audit.serious,
        "findings": [one.to_dict() for one in audit.findings],
        "warnings": list(audit.warnings),
    }


def _rates(model: "SetModel") -> dict[str, Any]:
    """What is known of missed and false readings."""
    return {"detection": model.detection.tolist(), "clutter_rate": model.rate if model.rate > LEAST else 0.0}


def _listed(array: Floats) -> Any:
    items = array.astype(object)
    items[~np.isfinite(array)] = None
    return items.tolist()
