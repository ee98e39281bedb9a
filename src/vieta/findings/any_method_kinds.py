"""Findings that any method may have."""

from collections.abc import Mapping
from typing import Any

from vieta.findings.kind import Kind

OTHERS_NEED = 1e4  # times as many sets, from which on more of them are no remedy


def more_sets(facts: Mapping[str, Any]) -> str:
    """What more sets would do for systems that lie close."""
    if facts.get("biased"):
        return " More sets alone will not do: they do not remove a bias ({biased})."
    if facts["times"] < OTHERS_NEED:
        return " About {times:.0f} times as many sets, or larger inputs, would do."
    return " They may be one and the same: estimate fewer systems."


def _close_pairs(facts: Mapping[str, Any]) -> str:
    more = " and {others:,} more pairs" if facts.get("others") else ""
    return (
        "Systems {pairs}"
        + more
        + " lie within the error of their difference: they may be one value twice. Intervals assume well separated "
        "systems and are too optimistic there."
    ) + (more_sets(facts) if "times" in facts or facts.get("biased") else "")


ANY_METHOD_KINDS: dict[str, Kind] = {
    "few-sets": Kind(
        "caution",
        "There are fewer than 20 sets, or fewer than five for each unknown; not from 7 sets on where readings were assigned to systems, nor "
        "from 20 on where that agrees with the estimate.",
        "Very few sets: {n_sets} for {unknowns} parameters. Standard errors rest on large numbers of sets; do not rely on them here.",
    ),
    "few-sets-for-coefficients": Kind(
        "caution",
        "A method on coefficients has fewer than five numbers for each coefficient.",
        "Very few sets: {n_sets} for {unknowns} coefficients. Standard errors rest on large numbers of sets; do not rely on them here.",
    ),
    "noise-unknown": Kind(
        "serious",
        "The sum of the readings can be fitted exactly, so that nothing is left to estimate the noise from.",
        "Very few sets: {n_sets} can be fitted exactly, whatever the noise is. Nothing tells how large it is, so standard errors and "
        "intervals are not known.",
    ),
    "errors-unknown": Kind(
        "serious",
        "As many numbers are estimated from incomplete sets as there are sets, or more.",
        "Too few sets for standard errors: {numbers} numbers are estimated, the law of the noise among them, from {n_sets} sets. "
        "Intervals are not known. Collect more sets, or estimate fewer parameters.",
    ),
    "systems-coincide": Kind(
        "serious",
        "Two systems differ by less than three standard errors of their difference in every direction.",
        _close_pairs,
    ),
    "complex-pair": Kind(
        "serious",
        "The polynomial has complex roots.",
        "Systems {systems} come out as complex pairs: the noise does not let the data tell them apart yet. Their real parts are shown, "
        "without standard errors. More sets, larger inputs, or fewer systems help.",
    ),
    "agents-complex": Kind(
        "serious",
        "Some agents of a network have coefficients with complex roots.",
        "{agents} of {of} agents have systems that come out as complex pairs: their sets, and what reached them, do not tell these apart yet. "
        "Real parts are shown, without standard errors. More sets, more links, or fewer systems help.",
    ),
    "covariance-not-computed": Kind(
        "caution",
        "The transform has more than 400 coefficients.",
        "Standard errors were not computed: the transform has {coefficients:,} coefficients, more than {most}.",
    ),
    "covariance-singular": Kind(
        "serious",
        "Two systems coincide, and the roots are not smooth in the coefficients there.",
        "Standard errors are not known: two systems coincide, where the parameters are not smooth functions of the coefficients.",
    ),
}
