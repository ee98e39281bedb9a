"""Findings of the audit in plain words: what whoever releases the records should know, and what to do about it."""

from typing import TYPE_CHECKING

import numpy as np

from vieta.anonymity.diversity import diversity
from vieta.anonymity.map_error import MapError
from vieta.anonymity.tradeoff import single
from vieta.estimators import Estimate
from vieta.laws.noise import Scaled

if TYPE_CHECKING:
    from vieta.anonymity.auditing import Learned

SURE = 5.0  # z-values beyond which a test speaks up
NAMED = 0.8  # share of readings named rightly from which records count as hardly anonymous
STANDS_OUT = 1 / 3  # share of the middle system's wrong guesses below which a system stands out
HIDDEN = 0.05  # share of wrong guesses from which the middle system counts as hidden at all
APART = 3.0  # standard errors at which two systems count as told apart


def of_order(position: float, persistence: float) -> tuple[str, ...]:
    """An order of the readings that is not random."""
    words = []
    if position > SURE:
        words.append(
            "The order of the readings gives the systems away: some system is found at the same place of a record far more "
            f"often than by chance (z = {position:.0f}). Shuffle every record before it is released."
        )
    if persistence > SURE:
        words.append(
            "The order of the readings hardly changes from one record to the next: the readings of a system can be followed "
            f"through time (z = {persistence:.0f}). Shuffle every record anew."
        )
    if persistence < -SURE:
        words.append(
            "The order of the readings changes from one record to the next by a rule and not by chance: hardly any reading "
            f"keeps its place (z = {persistence:.0f}), so that systems can be followed through time. Shuffle every record anew."
        )
    return tuple(words)


def of_shape(law: Scaled, grows: bool) -> tuple[str, ...]:
    """A law for which it is not worked out what more noise does."""
    if grows:
        return ()
    return (
        f"What added noise would buy is not shown: {type(law).__name__} noise does not keep its shape when noise is added, as "
        "far as is known. Give its variance instead of the law to see it for Gaussian noise.",
    )


def of_law(law: Scaled, excluded: int, looked: int) -> tuple[str, ...]:
    """Records that the law of the noise excludes."""
    if not excluded:
        return ()
    return (
        f"{type(law).__name__} noise excludes {excluded:,} of the {looked:,} records looked at, whoever's their readings are. A "
        "few are no wonder where a law ends sharply and parameters are learned; more speak against the law, and against the "
        "figures that rest on it.",
    )


def of_anonymity(estimate: Estimate, now: MapError) -> tuple[str, ...]:
    """How much the readings themselves give away."""
    return (*_named(now), *_whole(now), *_standing_out(now), *_twins(estimate))


def of_learning(learned: "tuple[Learned, ...]") -> tuple[str, ...]:
    """What becomes known of the parameters."""
    first = learned[0]
    if first.separation >= APART:
        return (
            f"The parameters themselves are no secret: {first.records:,} records tell all of them apart, without any name. "
            "Shuffling hides whose they are, not what they are.",
        )
    return (
        f"After {first.records:,} records two systems are not told apart yet ({first.separation:.1f} standard errors). The "
        "figures on anonymity rest on their estimated values, and may be off.",
    )


def of_fit(estimate: Estimate) -> tuple[str, ...]:
    """What the estimate itself had to say."""
    return tuple(f"About the estimate: {text}" for text in estimate.warnings)


def listing(systems: np.ndarray) -> str:
    """Numbers of systems from one on: "2", "2 and 3", "1, 2 and 3"."""
    names = [str(int(l) + 1) for l in systems]
    return names[0] if len(names) == 1 else f"{', '.join(names[:-1])} and {names[-1]}"


def percent(share: float) -> str:
    """A share in per cent; never none or all, which nobody can promise.

    >>> percent(0.4), percent(0.9999), percent(0.0)
    ('40%', '>99%', '<1%')
    """
    return "<1%" if share < 0.005 else ">99%" if share > 0.995 else f"{share:.0%}"


def _named(now: MapError) -> tuple[str, ...]:
    L, right = len(now.reidentification), float(now.reidentification.mean())
    if L == 1:
        return ("There is one system only: every reading is its own, and nothing is hidden by leaving out names.",)
    if right < NAMED:
        return ()
    return (
        f"These records are hardly anonymous: whoever knows the parameters names the right system of a reading {percent(right)} "
        f"of the time, where pure chance would do so {percent(1.0 / L)} of the time. Leaving out the names does not hide who is "
        "who; see what added noise would do.",
    )


def _whole(now: MapError) -> tuple[str, ...]:
    alone = float(single(now.reidentification))
    if now.anonymity - alone < 0.3:
        return ()
    return (
        f"Judge by the single readings: all {len(now.reidentification)} systems of a record are hardly ever named rightly at "
        f"once (wrong {percent(now.probability)} of the time), and yet a single one is, {percent(1.0 - alone)} of the way from "
        "chance to certainty.",
    )


def _standing_out(now: MapError) -> tuple[str, ...]:
    wrong = 1.0 - now.reidentification
    middle = float(np.median(wrong))
    out = np.flatnonzero(wrong < STANDS_OUT * middle)
    if not len(out) or middle < HIDDEN:
        return ()
    stand, them = ("System {} stands", "it") if len(out) == 1 else ("Systems {} stand", "them")
    return (
        f"{stand.format(listing(out))} out: named rightly {percent(1.0 - float(wrong[out].max()))} of the time, where the middle "
        f"one of all systems is so {percent(1.0 - middle)}. Noise that hides the others may not hide {them}.",
    )


def _twins(estimate: Estimate) -> tuple[str, ...]:
    theta = estimate.theta
    values = diversity(theta, 1e-9 * float(abs(theta).max())).values
    groups = [np.flatnonzero(values == v) for v in np.unique(values)]
    same = "; ".join(listing(group) for group in groups if len(group) > 1)
    if not same:
        return ()
    if np.any(estimate.imaginary):
        return (
            f"Systems {same} were not told apart by this estimate, and count as equal here. They may differ: these figures "
            "then show more anonymity than there is. Learn them from more records first.",
        )
    return (
        f"Systems {same} have the same parameters: nobody can tell their readings apart, from any number of records, and an "
        "analyst's standard errors for them are infinite (a small difference of two equal systems does not move a record).",
    )
