"""Findings of filters: changes, lags, and what speaks against their start."""

from collections.abc import Mapping
from typing import Any

from vieta.findings.kind import Kind


def _changed(facts: Mapping[str, Any]) -> str:
    advice = "" if facts["tracks"] else " If they wander all the time, give {option.drift} or {option.memory}."
    largest = ", the last time by up to {largest:.3g}" if "largest" in facts else ""
    return "The parameters changed: after set {times}" + largest + ". The estimate is of the sets since then." + advice


FILTER_KINDS: dict[str, Kind] = {
    "parameters-changed": Kind("note", "A filter found a change and started again from the sets after it.", _changed),
    "parameters-wander": Kind(
        "caution",
        "The blocks of a filter look more like a random walk than like one change; or they look like either, and the drift was left to it.",
        "The parameters wander all the time, by about {per_thousand:.2g} in 1,000 sets (estimated). The estimate is of where they are "
        "now, and its errors allow for it.",
    ),
    "noise-has-memory": Kind(
        "caution",
        "Neighbouring scores of a filter correlate (z > 6), and batches of them say that variances grow by a tenth or more.",
        "The noise has memory over time: errors are up to {factor:.2g} times what independent sets would give, and {n_sets:,} sets tell "
        "as much as about {effective:,.0f} would. The standard errors allow for it.",
    ),
    "filter-lags": Kind(
        "caution",
        "The blocks of a filter with a given memory are likelier under a random walk (twice the log-likelihood gains 36), and the lag makes "
        "variances grow by a tenth or more.",
        "The parameters move faster than the filter's memory follows: its errors are up to {factor:.2g} times what they would be if the "
        "parameters stood still. The standard errors allow for it; a shorter {option.memory}, or {option.drift:'auto'}, would make them "
        "smaller.",
    ),
    "noise-shared-or-unequal": Kind(
        "caution",
        "A filter's typical misfit is below three quarters of what independent noise of one size would have.",
        "The sums of the readings are noisier than the readings of independent systems would make them (the misfit is {typical:.0%} of what "
        "it should be). Noise that all systems share does this, and biases the estimate; systems of very unequal noise do it as well, and "
        "do no harm.",
    ),
    "rival-at-start": Kind(
        "serious",
        "A filter had to start although its first sets did not exclude another solution, or a sample of all sets does not exclude one.",
        "The filter went on although another solution explains the sets that it keeps about as well: it may have taken the wrong one. "
        "Check with {call.fit} on stored sets, or vary the inputs more.",
    ),
    "unsafe-start": Kind(
        "serious",
        "A filter had to start although its first sets did not separate the systems.",
        "The filter had to start although the first sets did not separate the systems clearly: it may have settled on wrong values. Check "
        "with {call.fit} on stored sets, or give larger inputs.",
    ),
    "contradicted-now": Kind(
        "caution",
        "The latest window of sets contradicts a filter, and the sets after it do; a change is being looked for.",
        "The latest sets contradict the estimate; whether the parameters have changed is being checked.",
    ),
    "start-not-forgotten": Kind(
        "caution",
        "More than one per cent of the first error of a filter with a constant step is left.",
        "The filter has not forgotten its start: with step {step:.3g} about {left:.0%} of the first error{where} is left after {n_sets:,} "
        "sets. Let it run longer, or take a larger step.",
    ),
    "change-averaged": Kind(
        "serious",
        "The parameters changed under a recursion that remembers all sets alike.",
        "The parameters changed, last after set {after:,}, and all sets are remembered alike: the estimate mixes before and after. Give "
        "{option.step}, or use method {instead!r}, which follows changes.",
    ),
}
