"""Findings: what a user should know before trusting a result, as codes and facts. All their words are here.

A finding has a code, a severity and facts. `KINDS` says for each code how severe it is, when it is reported, and the sentence that its
facts make (`vieta.wording`). Severities:

note
    Good to know; nothing is wrong.
caution
    The result holds, with reservations that the sentence names.
serious
    Do not rely on the result, or on the part of it that the sentence names.
"""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np

from vieta.wording import PYTHON, Audience, render

Severity = Literal["note", "caution", "serious"]
SEVERITIES: tuple[Severity, ...] = ("note", "caution", "serious")
MARKS: dict[Severity, str] = {"note": "-", "caution": "!", "serious": "!!"}


@dataclass(frozen=True, slots=True, eq=False)
class Finding:
    """A code of `KINDS`, a severity, and the facts that its sentence is made of.

    >>> found = finding("few-sets", n_sets=3, unknowns=6)
    >>> found.severity, str(found)
    ('caution', 'Very few sets: 3 for 6 parameters. Standard errors rest on large numbers of sets; do not rely on them here.')
    """

    code: str
    severity: Severity
    facts: Mapping[str, Any]

    def say(self, audience: Audience) -> str:
        """The sentence for an audience."""
        if self.code not in KINDS:
            return str(self.facts.get("text", UNKNOWN))
        text = KINDS[self.code].text
        return render(text(self.facts) if callable(text) else text, self.facts, audience)

    def __str__(self) -> str:
        return self.say(PYTHON)

    def to_dict(self, audience: Audience = PYTHON) -> dict[str, Any]:
        """Code, severity, facts and the sentence for an audience, ready for JSON."""
        return {
            "code": self.code,
            "severity": self.severity,
            "facts": {k: _plain(v, audience) for k, v in self.facts.items()},
            "text": self.say(audience),
        }


@dataclass(frozen=True, slots=True)
class Kind:
    """A kind of finding: how severe it usually is, when it is reported, and its sentence, a template or a function of the facts."""

    severity: Severity
    when: str
    text: str | Callable[[Mapping[str, Any]], str]


def finding(code: str, /, severity: Severity | None = None, **facts: Any) -> Finding:
    """A finding of a known kind; the kind's severity unless another is given."""
    return Finding(code, severity or KINDS[code].severity, facts)


def at_least(findings: Iterable[Finding], severity: Severity) -> tuple[Finding, ...]:
    """Those that are as severe, or more.

    >>> len(at_least([finding("few-sets", n_sets=3, unknowns=6)], "serious"))
    0
    """
    return tuple(one for one in findings if SEVERITIES.index(one.severity) >= SEVERITIES.index(severity))


def sentences(findings: Iterable[Finding], audience: Audience = PYTHON) -> tuple[str, ...]:
    """What findings say to an audience."""
    return tuple(one.say(audience) for one in findings)


def marked(findings: Iterable[Finding], audience: Audience = PYTHON) -> tuple[str, ...]:
    """What findings say to an audience, each behind the mark of its severity.

    >>> marked([finding("not-converged")])[0][:20]
    '!! The iteration did'
    """
    return tuple(f"{MARKS[one.severity]} {one.say(audience)}" for one in findings)


def _plain(fact: Any, audience: Audience) -> Any:
    """A fact in terms of JSON."""
    if isinstance(fact, Finding):
        return fact.to_dict(audience)
    if isinstance(fact, np.ndarray | np.generic):
        return _plain(fact.tolist(), audience)
    if isinstance(fact, list | tuple):
        return [_plain(one, audience) for one in fact]
    if isinstance(fact, float) and not np.isfinite(fact):
        return None
    return fact if isinstance(fact, str | int | float | bool | None) else str(fact)


UNKNOWN = "A finding of a kind that this version of vieta does not know."
OTHERS_NEED = 1e4  # times as many sets, from which on more of them are no remedy


def _more_sets(facts: Mapping[str, Any]) -> str:
    if facts.get("biased"):
        return " More sets alone will not do: they do not remove a bias ({biased})."
    if facts["times"] < OTHERS_NEED:
        return " About {times:.0f} times as many sets, or larger inputs, would do."
    return " They may be one and the same: estimate fewer systems."


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


def _close_pairs(facts: Mapping[str, Any]) -> str:
    more = " and {others:,} more pairs" if facts.get("others") else ""
    return (
        "Systems {pairs}"
        + more
        + " lie within the error of their difference: they may be one value twice. Intervals assume well separated "
        "systems and are too optimistic there."
    ) + (_more_sets(facts) if "times" in facts or facts.get("biased") else "")


def _changed(facts: Mapping[str, Any]) -> str:
    advice = "" if facts["tracks"] else " If they wander all the time, give {option.drift} or {option.memory}."
    largest = ", the last time by up to {largest:.3g}" if "largest" in facts else ""
    return "The parameters changed: after set {times}" + largest + ". The estimate is of the sets since then." + advice


def _bounded(facts: Mapping[str, Any]) -> str:
    return " Their influence is bounded." if facts["robust"] else " Use {flag.robust} to bound their influence."


def _of_which(facts: Mapping[str, Any]) -> str:
    parts = ["{fewer:,} with fewer than {size} readings"] if facts["fewer"] else []
    parts += ["{more:,} with more"] if facts["more"] else []
    return f": {' and '.join(parts)}" if parts else ""


KINDS: dict[str, Kind] = {
    # Any method.
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
    # Incomplete sets.
    "number-chosen": Kind(
        "note",
        "The number of systems was not given, and was chosen by an information criterion.",
        "The number of systems was chosen: {chosen}, among {tried}. The next best, {second}, is behind by {margin:.3g} in the criterion.",
    ),
    "number-unsure": Kind(
        "serious",
        "The number of systems was chosen, and another is behind by less than 6 in the criterion.",
        "The number of systems is not sure: {chosen} was chosen among {tried}, and {second} is behind by {margin:.2g} only. Give the number "
        "if it is known; more sets can decide.",
    ),
    "rival-optimum": Kind(
        "serious",
        "Another solution of incomplete sets has a log-likelihood that is lower by less than 5.",
        "Another solution explains the sets about as well (its log-likelihood is lower by {behind:.2g}): {rival}. The sets do not tell which "
        "of the two is right. More sets, or inputs that take more different values, can decide.",
    ),
    "clutter-or-systems": Kind(
        "caution",
        "Readings may be false, and all inputs are the same.",
        "All inputs are the same, so that nothing but their density tells false readings from those of the {n_systems} systems: where false "
        "readings gather they look like a system. Inputs that vary would tell.",
    ),
    "always-seen": Kind(
        "note",
        "Misses were allowed for, and the estimate has less than two in all sets.",
        "Misses were allowed for, and hardly any was found in {n_sets:,} sets: the probability of being seen is at the end of its range, and "
        "its standard error means nothing.",
    ),
    "no-clutter": Kind(
        "note",
        "False readings were allowed for, and the estimate has less than two in all sets.",
        "False readings were allowed for, and hardly any was found in {n_sets:,} sets: their rate is at the end of its range, and its standard "
        "error means nothing.",
    ),
    "hardly-seen": Kind(
        "caution",
        "A system has fewer than 20 readings for each of its parameters, or is seen in less than 5 % of the sets.",
        "Some systems are hardly ever seen ({systems}): of one there are about {readings:.0f} readings. Its parameters rest on few numbers, "
        "and it may be made of false readings. Check the number of systems.",
    ),
    "system-not-seen": Kind(
        "serious",
        "A system of a filter is seen less than a third as often, of late, as when the filter started.",
        "Some systems are not seen any more ({systems}): in about the latest {n_sets} sets with a probability of {share:.2g}, after "
        "{usual:.2g} before. They may have gone, or have changed at once. Their values are those of earlier sets.",
    ),
    "system-new": Kind(
        "caution",
        "In a filter the number of false readings rose, or a system was not seen any more, and the sets that came then show one system more.",
        "There seems to be a system more than {n_systems}, near {place}, seen with a probability of {seen:.2g}: readings that were taken for "
        "false lie on a line (the criterion is better by {margin:.0f} with it). Fit the latest sets with {more} systems ({option.n_systems}).",
    ),
    "readings-unexplained": Kind(
        "caution",
        "No reading was to be false, and two or more are where no system can have put them.",
        "About {count:.0f} readings ({share:.2g} of all) belong to no system, and none was to be false. They were given no weight. If some "
        "may be false, allow for it: {option.clutter:True}.",
    ),
    "misses-not-modelled": Kind(
        "caution",
        "No system was to be missed, and in two or more cases one has no reading.",
        "In about {count:.0f} cases, in {n_sets:,} sets, a system has no reading, and none was to be missed. If some may be, allow for it: "
        "{option.misses:True}.",
    ),
    "sizes-unlikely": Kind(
        "caution",
        "The sizes of the sets vary more, or less, than independent misses and a Poisson number of false readings do, by 4.5 standard errors.",
        "The sizes of the sets have the variance {variance:.3g}, where misses that are independent and a Poisson number of false readings have "
        "{expected:.3g} (z = {z:.1f}). Misses or false readings come together, or exclude each other; the parameters suffer little, the rates "
        "do not mean what they say.",
    ),
    "system-not-shown": Kind(
        "serious",
        "A system that is seen rarely, or has wide noise, is worth less than 6 in the information criterion: it may be made of false readings.",
        "System {system} may be made of false readings: without it the sets are explained about as well (it is worth {margin:.2g} in the "
        "criterion). Do not rely on its parameters; give one system less, or more sets.",
    ),
    "misses-follow-value": Kind(
        "serious",
        "Whether a system is seen depends on what it would have read, by 4.5 standard errors.",
        "Misses depend on the value: systems are seen more often where their readings are smaller, or larger (z = {z:.1f}), as when high ones "
        "are cut off. Readings near the limit are no fair sample of their system, and parameters may be off by more than their errors.",
    ),
    "clutter-follows-input": Kind(
        "serious",
        "False readings depend on the input, by 4.5 standard errors.",
        "False readings depend on the input (z = {z:.1f}). They may be those of another system, or of something that follows the systems: try "
        "one system more. As it is, they may be taken for readings of a system that is near them.",
    ),
    "misses-last": Kind(
        "caution",
        "Whether a system is seen depends on whether it was seen in the sets before, by 4.5 standard errors.",
        "Misses last: systems that are missed in one set are missed in the next more often than by chance (z = {z:.1f}). The parameters do not "
        "suffer; the standard errors of the probability of being seen are too small.",
    ),
    "clutter-lasts": Kind(
        "caution",
        "How many readings are false depends on how many were in the sets before, by 4.5 standard errors.",
        "False readings come in stretches of time (z = {z:.1f}). The standard error of their rate is too small, and where they are many they "
        "hide more than the estimate allows for.",
    ),
    "noises-together": Kind(
        "caution",
        "The products of the noises of two systems in a set are not zero on average, by 4.5 standard errors, or 5 in a filter.",
        "The noises of different systems go together within a set (z = {z:.1f}): something disturbs them at once. Where the systems lie apart "
        "the estimate does not suffer, but the errors of a mean of parameters are larger than is said, and where they overlap it may be "
        "biased. Remove what disturbs all systems at once, if it can be measured.",
    ),
    "complete-sets-disagree": Kind(
        "serious",
        "The estimate differs from that of the complete sets alone, which assumes no law of noise, by more than chance (p < 0.001).",
        "The complete sets alone, without a law of the noise, say something else than all sets together (p = {p:.1g}). Systems are not missed "
        "by chance, some readings are false, or noises depend on each other.",
    ),
    "noise-law-matters": Kind(
        "note",
        "The estimate under normal noise differs from that under the law that was chosen by more than three standard errors.",
        "The law of the noise matters here: under normal noise, which fits the sets worse, a parameter would differ by {apart:.1f} standard "
        "errors.",
    ),
    "tails-hidden": Kind(
        "caution",
        "Residuals are lopsided by 4.5 standard errors, some readings are false, and the inputs have a constant part.",
        "The noise is lopsided (z = {z:.1f}), and where its long tail ends and false readings begin cannot be told. All systems "
        "may be off by the same constant, by more than their standard errors; how they differ, and what follows the inputs, is not affected.",
    ),
    # The weighted estimator.
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
    "barely-separated": Kind(
        "caution",
        "Two systems are between 3 and 6 standard errors apart.",
        lambda facts: (
            _too_few(facts, "exact intervals")
            + "two systems are only {apart:.1f} standard errors apart. That tells them apart, "
            "but their intervals count as reliable from {reliable:.0f} on." + _more_sets(facts)
        ),
    ),
    "not-separated": Kind(
        "serious",
        "Two systems are less than 3 standard errors apart.",
        lambda facts: (
            _too_few(facts, "this many systems and this much noise")
            + "two systems are only {apart:.1f} standard errors apart, "
            "and count as told apart from {enough:.0f} on." + _more_sets(facts)
        ),
    ),
    "weak-inputs": Kind(
        "caution",
        "The second moments of the inputs, scaled to one, have an eigenvalue below 1e-4 of the largest.",
        "The inputs hardly tell all {dim} parameters apart: some combination of them moves {times:.0e} times less than others. Vary the "
        "inputs more evenly, or estimate fewer parameters.",
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
        "Scores of neighbouring sets are correlated (false alarms: 0.5 % of fits).",
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
    # Filters.
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
        "Neighbouring scores of a filter with a given memory correlate (z > 6), and batches of them say that variances grow by a tenth or "
        "more.",
        "Neighbouring sets err alike. Either the parameters move faster than the filter's memory follows, and its standard errors, which "
        "grow by {factor:.2g} here, do not hold all of that lag; or the noise has memory over time. Give a shorter {option.memory}, or "
        "{option.drift:'auto'}.",
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
    # Likelihood.
    "law-contradicted": Kind(
        "serious",
        "The likelihood estimate differs from the law-free one by more than chance (p < 0.01).",
        "The data contradict the assumed noise ({law}, sd {sd:.3g}): the estimate that needs no noise law lies farther away than chance "
        "allows (p = {p_value:.1g}). Likelihood methods are biased when the law or the variance is wrong: use method {instead!r}, or "
        "another {option.law}, or leave out {option.noise_var}.",
    ),
    "noise-size": Kind(
        "serious",
        "The noise variance that was given differs from that of the readings' sums by more than a factor of 1.5 and chance.",
        "The noise is not of the size that was given: its variance is about {ratio:.3g} times {option.noise_var}, by the sums of the "
        "readings. Standard errors and estimates rest on it: leave out {option.noise_var} to have it estimated.",
    ),
    "prior-doubtful": Kind(
        "caution",
        "A likelihood with a prior over the orders is contradicted.",
        "The prior over the orders may be what is wrong: without {option.prior} the estimate rests on the noise law alone, and the order "
        "within a set carries no meaning.",
    ),
    "em-not-converged": Kind(
        "caution",
        "EM used up its iterations.",
        "EM had not converged after {iterations} iterations: the likelihood was still rising, as it does slowly where systems nearly "
        "coincide. Use method {instead!r}, or more sets.",
    ),
    "em-halted": Kind(
        "serious",
        "EM stopped where no step raises the likelihood although it has a slope.",
        "EM stopped after {iterations} iterations where the likelihood still has a slope: the noise law has an edge or a kink that it "
        "cannot pass. Do not rely on this estimate; use method {instead!r}, or a law that fades away.",
    ),
    # Files.
    "answers-separated": Kind(
        "caution",
        "A system's answers are all right, or all wrong, or at one end of the scale, as far as the sets tell, so that its parameter goes to "
        "infinity.",
        "The parameter of a system goes to infinity: all its answers seem to be at one end. It is at {side} {limit:.3g} with 95 % confidence, "
        "and has no other bound; the value that is shown is that at which the likelihood is half of its supremum.",
    ),
    "answers-separated-by-inputs": Kind(
        "serious",
        "The same for a system with several parameters: some of these go to infinity.",
        "Parameters of a system go to infinity, those without a standard error: its answers seem to be at one end wherever the inputs are on "
        "one side. There are no bounds that could be given for them one by one: do not use their values.",
    ),
    "answers-unbounded": Kind(
        "serious",
        "A system's parameter goes to infinity, and answers do not exclude any value of it on the other side.",
        "The parameter of a system goes to infinity, and the answers exclude no value on the other side either: do not use what is shown.",
    ),
    "scale-readings": Kind(
        "caution",
        "Readings that were fitted as measurements are few whole numbers in a row, and pile up at an end.",
        "Readings are whole numbers from {low:g} to {high:g}, and do not thin out towards an end, as measurements do: these are levels of a "
        "scale, or counts. Parameters are biased. Use {option.family:ordinal} (levels from 1 on) or "
        "{option.family:count}.",
    ),
    "step-too-fine": Kind(
        "caution",
        "The step that was given is finer than what rounded readings lie on.",
        "The step was given as {given:g}, and all readings are whole numbers of steps of {found:g}: they seem to be rounded to that, and the "
        "noise before rounding is overstated. Give that step, or none.",
    ),
    "intervals-short": Kind(
        "caution",
        "2.5 standard errors from a parameter the likelihood of answers has hardly fallen, and 95 % confidence (of right and wrong "
        "answers; 90 % of others) does not exclude it.",
        "An interval is too short: 2.5 standard errors from the estimate of a parameter the log-likelihood has fallen by {drop:.2g} only, "
        "where {expected:.2g} was to be expected. The data allow for values beyond that end.",
    ),
    "one-item": Kind(
        "caution",
        "All sets have the same input and the same known number.",
        "All sets ask the same, with one input and one offset. What tells the systems apart is then only how little their sums vary, and "
        "that rests on answers that are independent within a set. Without it only the mean answer is known: {mean:.4g}.",
    ),
    "findings-of-first-sets": Kind(
        "note",
        "A filter of answers started with findings, which it keeps.",
        "What is said about answers was found in the first {count:,} sets, from which the filter started, and is not looked for in later ones.",
    ),
    "answers-changed": Kind(
        "serious",
        "The scores of the latest 500 sets, about, in a filter of answers are not those of parameters that stay (false alarms: one in 10⁶ sets "
        "or less), and all sets are remembered alike.",
        "The parameters changed, which was noticed at set {noticed:,}, and all sets are remembered alike: the estimate mixes before and after. "
        "Give {option.memory}, or begin anew.",
    ),
    "answers-changed-followed": Kind(
        "note",
        "The same in a filter that forgets old sets.",
        "The parameters changed, which was noticed at set {noticed:,}: the estimate follows as old sets are forgotten.",
    ),
    "answers-dispersed": Kind(
        "serious",
        "The sums of 100 or more sets of answers vary more or less than the family lets them, by more than 3.6 standard errors.",
        "The sums of the sets vary {ratio:.3g} times as much as the family says (z = {z:.1f}): answers of a set depend on each other, or vary "
        "more or less than the family lets them. Differences between systems may be biased, and errors are not what they seem.",
    ),
    "link-misfit": Kind(
        "caution",
        "The sums of 100 or more sets of answers miss their expected values in ten groups of these (false alarms: one in 1000 fits).",
        "The link does not fit: sums of answers miss what is expected of them where that is small, middling or large (chi-square "
        "{chi_square:.0f} with {dof} degrees of freedom). Try another link, other inputs, or another offset.",
    ),
    "ends-misfit": Kind(
        "caution",
        "How many answers of 100 or more sets are at the ends of a scale misses what is expected in ten groups of it (false alarms: one in "
        "1000 fits).",
        "The ends of the scale are not used as the levels between: answers are there more often, or less, than is expected of them (chi-square "
        "{chi_square:.0f} with {dof} degrees of freedom), as from systems that like extremes. Estimates may be biased; join the outer levels.",
    ),
    "scale-not-shared": Kind(
        "caution",
        "Systems seem to have thresholds of their own: a score test, at a probability of 0.0002 (false alarms: none of 492 fits of 100 to 2500 "
        "sets).",
        "Systems do not use the scale alike: some spread their answers farther, or less far, than thresholds that all share let them "
        "(chi-square {chi_square:.0f} with {dof} degrees of freedom). Leanings and slopes of such systems are biased; join levels, so that "
        "fewer thresholds are left.",
    ),
    "scale-too-short": Kind(
        "caution",
        "More than 70 % of the answers are the lowest or the highest of three or more levels.",
        "{share:.0%} of the answers are at an end of the scale, which is too short for these systems: what lies beyond, the link alone tells.",
    ),
    "noise-below-step": Kind(
        "serious",
        "The noise before rounding seems to be less than 0.12 steps.",
        "The noise is hidden by the rounding to {step:.4g}: readings hardly ever move from one value to the next, and where the inputs do not "
        "move them either, parameters are known to half a step only. Standard errors do not say so.",
    ),
    "count-law-wrong": Kind(
        "caution",
        "Counts vary less than Poisson counts, or likelihood and quasi-likelihood differ by more than chance (false alarms: one in 1000).",
        "The counts are neither Poisson nor negative binomial ones (dispersion {phi:.3g}, p = {p_value:.2g}): the estimate is that of "
        "quasi-likelihood, which needs no law, and its errors are larger for it.",
    ),
    "count-law-unchecked": Kind(
        "caution",
        "Quasi-likelihood of counts has no root near the likelihood's maximum.",
        "The law of the counts could not be checked: quasi-likelihood, which needs none, has no solution near. Estimates rest on Poisson or "
        "negative binomial counts.",
    ),
    "rounded-readings": Kind(
        "caution",
        "Readings that were fitted as measurements are multiples of a step of 0.7 noise deviations or more; a note below 2.",
        "The readings are rounded to {step:.4g}, which is {ratio:.2g} times the deviation of the noise: their means may be off by up to "
        "{bias:.2g} each, and the noise has grown by a factor {growth:.3g}. {option.family:rounded} allows for it.",
    ),
    "binary-readings": Kind(
        "serious",
        "All readings that were fitted as measurements are 0 or 1.",
        "All readings are 0 or 1: these are answers, not measurements, and their noise depends on their means. Use {option.family:binary}.",
    ),
    "sets-left-out": Kind(
        "caution",
        "Sets of a file were left out because they could not be used: a note up to 1 % of them, serious from half of them on.",
        lambda facts: (
            "{left:,} of the {n_sets:,} sets were left out"
            + _of_which(facts)
            + ". The estimate rests on the others. Where readings are missing because of their value or their system, or some are false, these "
            "are no fair sample, and the estimate may be off by more than its errors."
        ),
    ),
    "systems-counted": Kind(
        "caution",
        "The number of systems was counted, and more sets have another size than that.",
        "{size} systems, because that is the largest number of readings that a tenth of the sets have ({count:,} of {n_sets:,}); more sets "
        "have {usual} ({times:,}). Give {option.n_systems} if there are not {size} systems.",
    ),
    "quote-not-closed": Kind(
        "serious",
        "A quote in a file is not closed, and the lines after it were left out.",
        "A quote is not closed: {lines:,} line(s) at the end of a file could not be read and were left out. Close it, or fetch the file again "
        "if it was cut off.",
    ),
    "uneven-steps": Kind(
        "caution",
        "A season counts sets whose times are more than 1.5 times as far apart here as there.",
        "The season counts sets, and their times are unevenly spaced: {least} to {greatest} {unit}s apart. Where sets are missing, it goes out "
        "of step. Give a period of the calendar, such as {option.season:year}, if that is meant.",
    ),
    # The audit of records.
    "figures-doubtful": Kind(
        "serious",
        "The estimate has a serious finding, or no covariance; systems that lie close count only where the model does not fit.",
        "Do not rely on the figures of this audit: the estimate that they rest on is doubtful ({reason}). Someone who knows the right "
        "parameters may name more readings than is said here. Settle first what is said about the estimate.",
    ),
    "noise-pooled": Kind(
        "caution",
        "The noise of some systems is not known on its own.",
        "The size of the noise is not known for each system on its own ({unknown} of {n_systems}): one that they share stands in for it. If "
        "some of them are much less noisy than others, more readings can be named than is said here.",
    ),
    "order-names-systems": Kind(
        "serious",
        "Some system stands at the same position of a record more often than by chance (z > 5).",
        "The order of the readings gives the systems away: some system is found at the same place of a record far more often than by "
        "chance (z = {z:.0f}). Shuffle every record before it is released.",
    ),
    "order-persists": Kind(
        "serious",
        "The order of the readings stays from record to record more often than by chance (z > 5).",
        "The order of the readings hardly changes from one record to the next: the readings of a system can be followed through time "
        "(z = {z:.0f}). Shuffle every record anew.",
    ),
    "order-follows-rule": Kind(
        "serious",
        "The order of the readings stays less often than by chance (z < -5).",
        "The order of the readings changes from one record to the next by a rule and not by chance: hardly any reading keeps its place "
        "(z = {z:.0f}), so that systems can be followed through time. Shuffle every record anew.",
    ),
    "column-names-systems": Kind(
        "serious",
        "A column of the file has the same values in every set, each once.",
        "Column {column!r} has the same {n_systems} values in every set: it names the systems. Remove it before release.",
    ),
    "law-excludes-records": Kind(
        "caution",
        "Records to which the given law of the noise gives no probability.",
        "{law} noise excludes {excluded:,} of the {looked:,} records looked at, whoever's their readings are. A few are no wonder where a "
        "law ends sharply and parameters are learned; more speak against the law, and against the figures that rest on it.",
    ),
    "one-system": Kind(
        "serious",
        "There is one system only.",
        "There is one system only: every reading is its own, and nothing is hidden by leaving out names.",
    ),
    "hardly-anonymous": Kind(
        "serious",
        "The best guess names 80 % of the readings or more.",
        "These records are hardly anonymous: whoever knows the parameters names the right system of a reading {right} of the time, where "
        "pure chance would do so {chance} of the time. Leaving out the names does not hide who is who; see what added noise would do.",
    ),
    "judge-single-readings": Kind(
        "note",
        "The anonymity of whole records is much higher than that of single readings.",
        "Judge by the single readings: all {n_systems} systems of a record are hardly ever named rightly at once (wrong {wrong} of the "
        "time), and yet a single one is, {single} of the way from chance to certainty.",
    ),
    "stands-out": Kind(
        "caution",
        "A system is guessed wrongly a third as often as the middle one, or less.",
        lambda facts: (
            ("System {systems} stands" if facts["count"] == 1 else "Systems {systems} stand")
            + " out: named rightly {right} of the time, where the middle one of all systems is so {middle}. Noise that hides the others may "
            + ("not hide it." if facts["count"] == 1 else "not hide them.")
        ),
    ),
    "twins-not-told-apart": Kind(
        "caution",
        "Systems come out as equal because the estimate could not separate them.",
        "Systems {systems} were not told apart by this estimate, and count as equal here. They may differ: these figures then show more "
        "anonymity than there is. Learn them from more records first.",
    ),
    "twins": Kind(
        "note",
        "Systems have the same parameters.",
        "Systems {systems} have the same parameters: nobody can tell their readings apart, from any number of records, and an analyst's "
        "standard errors for them are infinite (a small difference of two equal systems does not move a record).",
    ),
    "parameters-learned": Kind(
        "note",
        "The records tell all systems apart, by 3 standard errors or more.",
        "The parameters themselves are no secret: {records:,} records tell all of them apart, without any name. Shuffling hides whose they "
        "are, not what they are.",
    ),
    "parameters-not-learned": Kind(
        "caution",
        "Two systems are less than 3 standard errors apart.",
        "After {records:,} records two systems are not told apart yet ({apart:.1f} standard errors). The figures on anonymity rest on their "
        "estimated values, and may be off.",
    ),
    "about-estimate": Kind(
        "caution", "A finding of the estimate that an audit rests on.", "About the estimate: {finding}"
    ),
    "shape-not-kept": Kind(
        "note",
        "What added noise does is not computed for this law.",
        "What added noise would buy is not shown: {law} noise does not keep its shape when noise is added, as far as is known. Give its "
        "variance instead of the law to see it for Gaussian noise.",
    ),
    "answers-without-noise": Kind(
        "note",
        "Counts or rounded numbers were audited.",
        "Readings are {family} answers, and no noise is added to these: what would make them more anonymous is a coarser scale, fewer "
        "questions, or more systems in a set.",
    ),
    "added-noise-not-computed": Kind(
        "note",
        "What added noise does is not computed for incomplete sets with noise that is not normal, or of vectors with sizes of their own.",
        "What added noise would buy is not computed: readings are missing or false, and their noise is not normal, or of another size for each "
        "system of vectors.",
    ),
    "kernels-temporary": Kind(
        "caution",
        "Compiled kernels are kept in a folder for temporary files.",
        "Compiled kernels are kept in {path}, which the system may empty: neither the folder of the package nor a cache folder of this "
        "user can be written. Set {variable} to a folder that can.",
    ),
    "kernels-not-kept": Kind(
        "caution",
        "Compiled kernels cannot be kept.",
        "Compiled kernels cannot be kept, and every run compiles them again: no folder for them can be written. Set {variable} to one "
        "that can.",
    ),
    "kernels-not-compiled": Kind(
        "note",
        "Some kernels are not compiled yet.",
        "{missing} of {known} kernels are not compiled yet. The first run that needs one compiles it, and takes longer.",
    ),
    "packages-missing": Kind(
        "caution",
        "A package that the command or the library needs is not installed.",
        "Not installed: {packages}. Install {requirement}.",
    ),
    "no-temporary-folder": Kind(
        "caution",
        "No folder for temporary files can be written.",
        "No folder for temporary files can be written. Set TMPDIR to one that can.",
    ),
    "narrow-encoding": Kind(
        "note",
        "Text is not written as UTF-8.",
        "Text is written as {encoding}, which does not have every character. Set PYTHONUTF8=1, or a locale with UTF-8.",
    ),
}
