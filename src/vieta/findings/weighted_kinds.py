"""Findings of the weighted estimator: search, separation, noise, inputs."""

from collections.abc import Mapping
from typing import Any

from vieta.findings.any_method_kinds import more_sets
from vieta.findings.kind import Kind


def _too_few(facts: Mapping[str, Any], what: str) -> str:
    return "Systems that lie close: " if facts.get("biased") else f"Too few sets for {what}: "


def _dominate(facts: Mapping[str, Any]) -> str:
    larger = (
        ", and make standard errors {growth:.2g} times as large as they would be with bounded influence"
        if "growth" in facts
        else ""
    )
    return (
        "A few sets dominate: the most extreme half per cent make up {share:.0%} of the misfit"
        + larger
        + "."
        + _bounded(facts)
    )


def _bounded(facts: Mapping[str, Any]) -> str:
    return " Their influence is bounded." if facts["robust"] else " Use {flag.robust} to bound their influence."


WEIGHTED_KINDS: dict[str, Kind] = {
    "not-converged": Kind(
        "serious",
        "The iteration ended before its steps became small.",
        "The iteration did not converge: the estimate may be far off. Too few sets for this many systems and this much noise, or "
        "systems that coincide, do this.",
    ),
    "rival-solution": Kind(
        "serious",
        "Another solution, at least 0.3 noise standard deviations and three standard errors of a labeled fit away, explains the sets as well, "
        "by a test of level 1 in 44.",
        "Another solution explains the sets as well (its log-likelihood is lower by {behind:.2g}): {rival}. The sets do not tell which of "
        "the two is right. More sets, or inputs that take more different values, can decide; what both solutions share can be relied on.",
    ),
    "readings-assigned": Kind(
        "note",
        "There are fewer than 20 sets, or fewer than five for each unknown, and every reading can be assigned to a system.",
        "With {n_sets} sets each reading was assigned to a system, as if it had a label: the curves are far enough apart for that. Standard "
        "errors are those of least squares with labels, with an allowance for readings near crossings of the curves.",
    ),
    "assignment-unsure": Kind(
        "serious",
        "There are few sets, and more than 10 % of the readings of some system may be a neighbour's; or more than 2 %, and the estimating "
        "equations disagree or are in doubt.",
        "With {n_sets} sets each reading was assigned to a system, and for some systems ({systems}) that is not sure: up to {share:.0%} of the "
        "readings of one may be another's. Their values are the best of several possible ones, too far apart rather than too near, and their "
        "errors are not known. More sets, or inputs under which the systems differ more, can decide.",
    ),
    "not-certified": Kind(
        "serious",
        "The residuals of the best solution that was found have a variance above that of the noise, by more than 4 of its standard errors.",
        "The best solution that was found leaves residuals with {residual:.3g} times the variance of the noise, which is known without labels. "
        "Either the search has missed the right solution, or the model does not fit: check the number of systems and the inputs.",
    ),
    "search-unsure": Kind(
        "caution",
        "Where readings may belong to several systems, only one round of the search ended at the best solution.",
        "The search reached the best solution only once; from other starts it ended at others, which explain the sets less well. "
        "There may be a better one that it did not meet. More sets, or inputs under which the systems differ more, make the search "
        "surer; check that a fit of other sets agrees.",
    ),
    "barely-separated": Kind(
        "note",
        "Two systems are between 3 and 6 standard errors apart.",
        lambda facts: (
            _too_few(facts, "short intervals")
            + "two systems are only {apart:.1f} standard errors apart. That tells them apart, "
            "and their intervals, which hold, are longer for it than from {reliable:.0f} on." + more_sets(facts)
        ),
    ),
    "not-separated": Kind(
        "serious",
        "Two systems are less than 3 standard errors apart; in incomplete sets less than 6, if within 1.5 noise standard deviations.",
        lambda facts: (
            _too_few(facts, "this many systems and this much noise")
            + "two systems are only {apart:.1f} standard errors apart, "
            "and count as told apart from {enough:.0f} on." + more_sets(facts)
        ),
    ),
    "weak-inputs": Kind(
        "note",
        "The second moments of the inputs, scaled to one, have an eigenvalue below 1e-4 of the largest.",
        "The inputs hardly tell all {dim} parameters apart: some combination of them moves {times:.0e} times less than others. Estimates and "
        "intervals hold, and are wide for it. Vary the inputs more evenly, estimate fewer parameters, or, beside a constant, count an "
        "input from its middle (years since 2000).",
    ),
    "readings-far": Kind(
        "note",
        "Readings lie 1e5 times as far from zero as from what all systems have in common.",
        "Readings lie far from zero beside their differences, more than {times:.0e} times. What all systems have in common, {center}, was "
        "taken away before the estimation and given back to the parameters; other solutions that findings name are without it.",
    ),
    "outliers": Kind(
        "caution",
        "The most extreme half per cent of 200 or more sets make up 30 % of the misfit, and make errors 1.4 times as large as with bounded "
        "influence; a note where it is bounded.",
        _dominate,
    ),
    "uneven-noise": Kind(
        "caution",
        "The median misfit of 200 or more sets is below 17 % of the mean.",
        lambda facts: (
            "Some sets are far noisier than most: a typical one misses the model by {typical:.0%} of the average only. False "
            "readings in many sets do this." + _bounded(facts)
        ),
    ),
    "few-sets-carry": Kind(
        "caution",
        "A few sets with extreme inputs carry most of the information: (Σh)²/Σh² of their leverages h is below three for each parameter.",
        "A few sets decide: their inputs are so much larger than the rest that the {n_sets:,} sets tell about as much as {carrying:.0f} "
        "with inputs of one size would. Intervals allow for it, but rest on the noise of these few: check their readings and inputs.",
    ),
    "memory": Kind(
        "caution",
        "Scores of neighbouring sets are correlated (false alarms: 0.5 % of fits); of 100 sets or fewer, residuals of the readings that are "
        "assigned.",
        "The noise has memory: neighbouring sets err alike, and the {n_sets:,} sets tell as much as {effective:,.0f} without memory would. "
        "Standard errors allow for it: the largest is {factor:.3g} times what it would be without memory.",
    ),
    "change-in-batch": Kind(
        "serious",
        "The scores, added up in time, leave the range of a Brownian bridge, or go like a walk (false alarms: 0.5 % of fits).",
        "The parameters seem to change with time, most clearly after set {after:,} of {n_sets:,}: the estimate mixes before and after. "
        "Fit the parts on their own, or use {call.filter}, which follows changes.",
    ),
    "dependent-noise": Kind(
        "serious",
        "The score test of noise that is correlated across systems has |z| > 4.5, or its refinement z < -3.6, or the scores of two systems go "
        "together (p < 0.0005).",
        "The noise seems to be dependent across the systems (z = {z:.1f}): the method assumes that it is not, and estimates may be "
        "biased. Remove what disturbs all systems at once, if it can be measured; in batch, {option.shock:common} allows for it.",
    ),
    "common-shock": Kind(
        "note",
        "The score test of noise that is correlated across systems has |z| > 3.6 (false alarms: less than 1 in 1000 fits, or streams).",
        "The systems share a disturbance: a common shock with standard deviation {sd:.3g}, beside {noise:.3g} of their own (correlation "
        "{correlation:.2f}, z = {z:.1f}). The estimate allows for it: differences between the systems do not feel it, their mean does, and the "
        "standard errors say so.",
    ),
    "shock-not-common": Kind(
        "serious",
        "There is a common shock, and the values and the products of decorrelated sets contradict each other, or scores still go together "
        "(p < 0.001).",
        "What disturbs the systems does not disturb all of them alike, or not all sets alike: two ways to allow for a common shock contradict "
        "each other. The estimate rests on the one that assumes less, and may be biased.",
    ),
    "shock-unknowable": Kind(
        "caution",
        "A shock that makes up half of the noise would move the estimate by five standard errors, and the test would not find it.",
        "Whether the systems share a disturbance cannot be told from these sets: here, a common part of the noise looks like other parameters. "
        "If there is one, the estimate is off by more than its standard errors say. Inputs that vary more would tell.",
    ),
    "input-errors": Kind(
        "serious",
        "The noises of every two systems go together as an error of an input would make them (false alarms: 0.2 % of fits).",
        "The noises of the systems go together as errors of the inputs would make them (column {column}, z = {z:.1f}): the recorded inputs "
        "seem not to be those that the systems had. Estimates are biased by it, slopes towards zero. Measure the inputs more exactly, or "
        "average them over sets.",
    ),
    "constant-missing": Kind(
        "serious",
        "The inputs make no constant, and a constant beside them would be beyond 4.5 standard errors in the sums of sets without false "
        "readings.",
        "The readings have a constant that the inputs lack: {size:.3g} a reading on average, at z = {z:.1f}. Without it all estimates "
        "are wrong. Add a constant to the inputs: a column of ones, or {option.intercept} where columns are named.",
    ),
    "noise-depends-on-input": Kind(
        "caution",
        "Residuals of the sums, or their squares, depend on the inputs with |z| > 4.5, or with p < 0.0003 on functions of their ranks.",
        "The noise seems to depend on the input (z = {z:.1f}). A wrong number of systems does this, a curve taken for a line, or noise that "
        "grows with the input: only that last one does no harm beyond accuracy, and the standard errors allow for it.",
    ),
    "readings-repeated": Kind(
        "caution",
        "In five sets or more two readings are equal to the last digit, and far fewer come close.",
        "In {share:.1%} of the sets two readings are equal to the last digit, where they hardly ever come close otherwise. If one stands there "
        "in place of another that was lost, estimates are biased: leave these readings out.",
    ),
    "sets-repeated": Kind(
        "caution",
        "Five sets or more are equal to another one, with its input, to the last digit, where readings of different sets hardly ever are.",
        "{share:.1%} of the sets are copies of others, with the same input and the same readings to the last digit, as where a file was read "
        "twice. Copies tell nothing new, and the errors that are given are too small: leave them out.",
    ),
    "inputs-shifted": Kind(
        "serious",
        "The inputs of sets up to three places before or after explain the sums of the readings better, with z > 3.3.",
        "The inputs of the set {by} place(s) {side} explain the sums of the readings better than a set's own (z = {z:.1f}). Check that inputs "
        "and sets are in the same order; if the systems answer late, give them the inputs that they answer to.",
    ),
    "inputs-explain-nothing": Kind(
        "caution",
        "No slope of any system differs from zero: all of them together have p > 0.01.",
        "The inputs explain nothing: no system's readings go with them by more than chance (p = {p:.2g}). Check that inputs and sets are in "
        "the same order: if they are not, the slopes are lost, and the noise holds what they should have explained.",
    ),
    "model-misfit": Kind(
        "serious",
        "The median misfit of 20 or more sets is three times what the noise explains.",
        "The sets do not look like {n_systems} systems with these inputs: they miss the model {typical:.1f} times as far as its noise "
        "would have it. A wrong number of systems, false readings, or wrong inputs do this.",
    ),
    "idle-system": Kind(
        "note",
        "A system has zero parameters within their errors and four times the noise variance of the others.",
        "One of the {n_systems} systems does not answer to the input (its parameters are zero within their errors) and is {times:.2g} times as "
        "noisy as the others. It may be just that; it could also be false readings, one in each set, and then there are {fewer} systems.",
    ),
}
