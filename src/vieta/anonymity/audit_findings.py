"""Findings of the audit: what whoever releases the records should know. Their words are in `vieta.findings`."""

from typing import TYPE_CHECKING

import numpy as np

from vieta.anonymity.diversity import diversity
from vieta.anonymity.map_error import MapError
from vieta.anonymity.own_noise import known_systems
from vieta.anonymity.tradeoff import single
from vieta.arrays import Integers
from vieta.estimators import Estimate
from vieta.findings import Finding, at_least, finding
from vieta.laws.noise import Scaled

if TYPE_CHECKING:
    from vieta.anonymity.auditing import Learned

SURE = 5.0  # z-values from which an order counts as not random
NAMED = 0.8  # share of readings named rightly from which records count as hardly anonymous
STANDS_OUT = 1 / 3  # share of the middle system's wrong guesses below which a system stands out
HIDDEN = 0.05  # share of wrong guesses from which the middle system counts as hidden at all
APART = 3.0  # standard errors at which two systems count as told apart
CLOSE = {
    "systems-coincide",
    "not-separated",
}  # serious findings of an estimate that leave the audit's figures usable, with a caution, unless
MISFIT = {
    "noise-depends-on-input",
    "uneven-noise",
}  # the model does not fit: then systems may lie close for that reason
MUCH_MORE = 0.3  # anonymity of whole records above that of single readings, from which the latter count


def of_doubt(estimate: Estimate) -> tuple[Finding, ...]:
    """An estimate that is not to be relied on: then no figure of the audit is.

    That is one with a serious finding, or without a covariance. Systems that lie close do not count (`of_learning` speaks of them), unless
    the model does not fit.
    """
    allowed = set() if MISFIT & {one.code for one in estimate.findings} else CLOSE
    codes = [one.code for one in at_least(estimate.findings, "serious") if one.code not in allowed]
    if not codes and np.isfinite(estimate.cov).all():
        return ()
    reason = ", ".join(dict.fromkeys(codes)) or "its errors are not known"
    return (finding("figures-doubtful", reason=reason),)


def of_own_noise(estimate: Estimate) -> tuple[Finding, ...]:
    """Systems whose own noise is not known, and for which one that they share stands in."""
    known = known_systems(estimate)
    if known.all() or len(known) < 2 or not np.any(estimate.noise_var):
        return ()
    return (finding("noise-pooled", unknown=int((~known).sum()), n_systems=len(known)),)


def of_order(position: float, persistence: float) -> tuple[Finding, ...]:
    """An order of the readings that is not random, from its z-values."""
    found = []
    if position > SURE:
        found.append(finding("order-names-systems", z=position))
    if persistence > SURE:
        found.append(finding("order-persists", z=persistence))
    if persistence < -SURE:
        found.append(finding("order-follows-rule", z=persistence))
    return tuple(found)


def of_shape(law: Scaled, grows: bool) -> tuple[Finding, ...]:
    """A law for which it is not known what more noise does."""
    return () if grows else (finding("shape-not-kept", law=type(law).__name__),)


def of_added(adds: bool) -> tuple[Finding, ...]:
    """Incomplete sets with noise for which it is not computed what more of it does."""
    return () if adds else (finding("added-noise-not-computed"),)


def of_law(law: Scaled, excluded: int, looked: int) -> tuple[Finding, ...]:
    """Records that the law of the noise excludes."""
    if not excluded:
        return ()
    return (finding("law-excludes-records", law=type(law).__name__, excluded=excluded, looked=looked),)


def of_anonymity(estimate: Estimate, now: MapError) -> tuple[Finding, ...]:
    """How much the readings themselves give away."""
    return (*_named(now), *_whole(now), *_standing_out(now), *_twins(estimate))


def of_learning(learned: "tuple[Learned, ...]") -> tuple[Finding, ...]:
    """What becomes known of the parameters."""
    first = learned[0]
    if first.separation >= APART:
        return (finding("parameters-learned", records=first.records),)
    return (finding("parameters-not-learned", records=first.records, apart=first.separation),)


def of_fit(estimate: Estimate) -> tuple[Finding, ...]:
    """The findings of the estimate itself."""
    return tuple(finding("about-estimate", finding=one) for one in estimate.findings)


def listing(systems: Integers) -> str:
    """Numbers of systems from one on.

    >>> listing(np.array([1])), listing(np.array([0, 1, 2]))
    ('2', '1, 2 and 3')
    """
    names = [str(int(l) + 1) for l in systems]
    return names[0] if len(names) == 1 else f"{', '.join(names[:-1])} and {names[-1]}"


def percent(share: float) -> str:
    """A share in per cent; never 0% or 100%, which nobody can promise.

    >>> percent(0.4), percent(0.9999), percent(0.0)
    ('40%', '>99%', '<1%')
    """
    return "<1%" if share < 0.005 else ">99%" if share > 0.995 else f"{share:.0%}"


def _named(now: MapError) -> tuple[Finding, ...]:
    L, right = len(now.reidentification), float(now.reidentification.mean())
    if L == 1:
        return (finding("one-system"),)
    return (
        (finding("hardly-anonymous", right=percent(right), chance=percent(now.chance_single)),)
        if right >= NAMED
        else ()
    )


def _whole(now: MapError) -> tuple[Finding, ...]:
    alone = float(single(now.reidentification, now.chance_single))
    if now.anonymity - alone < MUCH_MORE:
        return ()
    wrong, way = percent(now.probability), percent(1.0 - alone)
    return (finding("judge-single-readings", n_systems=len(now.reidentification), wrong=wrong, single=way),)


def _standing_out(now: MapError) -> tuple[Finding, ...]:
    wrong = 1.0 - now.reidentification
    middle = float(np.median(wrong))
    out = np.flatnonzero(wrong < STANDS_OUT * middle)
    if not len(out) or middle < HIDDEN:
        return ()
    right = percent(1.0 - float(wrong[out].max()))
    return (finding("stands-out", systems=listing(out), count=len(out), right=right, middle=percent(1.0 - middle)),)


def _twins(estimate: Estimate) -> tuple[Finding, ...]:
    theta = estimate.theta
    values = diversity(theta, tolerance=1e-9 * float(abs(theta).max())).values
    groups = [np.flatnonzero(values == v) for v in np.unique(values)]
    same = "; ".join(listing(group) for group in groups if len(group) > 1)
    if not same:
        return ()
    return (finding("twins-not-told-apart" if np.any(estimate.imaginary) else "twins", systems=same),)
