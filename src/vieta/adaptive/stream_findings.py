"""What to know before trusting the filter of incomplete sets."""

import numpy as np

from vieta.adaptive.near_systems import apart
from vieta.adaptive.stream_changes import is_lost
from vieta.adaptive.stream_examination import of_assumptions, of_verdict
from vieta.adaptive.stream_scoring import LATELY, Settings
from vieta.adaptive.stream_state import State, free_of, model_of
from vieta.arrays import Floats
from vieta.findings import Finding, finding
from vieta.symmetric import canonical_order
from vieta.weighted.record import largest_factor
from vieta.weighted.weighted_findings import of_distance

LATEST = 5  # changes that are named


def of_stream(settings: Settings, state: State, cov: Floats) -> tuple[Finding, ...]:
    """All findings of a filter that runs."""
    examined = of_examination(settings, state)
    rivalled = any(one.code == "rival-at-start" for one in examined)
    unsafe = () if state.safe or rivalled else (finding("unsafe-start"),)
    moved = (*of_changes(settings, state), *of_walk(state))
    seen = (*of_lost_systems(state), *of_new_system(state))
    return (*unsafe, *moved, *seen, *examined, *of_near(state, cov))


def of_near(state: State, cov: Floats) -> tuple[Finding, ...]:
    """Systems that are too close for their errors."""
    gram = state.gram / (max(state.weight, 1.0) * len(state.shape))
    return of_distance(apart(state.theta, cov, state.sd, gram))


def of_examination(settings: Settings, state: State) -> tuple[Finding, ...]:
    """What is assumed, and is not so; nothing of it where parameters move, which makes noises go together."""
    if settings.tracks or state.walk.any():
        return ()
    told = of_assumptions(state.examined, model_of(state), free_of(state), largest_factor(state.record))
    return (*told, *of_verdict(state.examined))


def of_changes(settings: Settings, state: State) -> tuple[Finding, ...]:
    """Parameters that changed."""
    if not len(state.changes):
        return ()
    times = ", ".join(f"{int(k):,}" for k in state.changes[-LATEST:])
    return (finding("parameters-changed", times=times, tracks=settings.tracks),)


def of_walk(state: State) -> tuple[Finding, ...]:
    """Parameters that wander."""
    if not state.walk.any():
        return ()
    return (finding("parameters-wander", per_thousand=float(np.sqrt(1000.0 * state.walk.max()))),)


def of_new_system(state: State) -> tuple[Finding, ...]:
    """A system that readings taken for false may belong to."""
    *theta, seen, margin = (float(value) for value in state.suspect)
    if not margin:
        return ()
    place = ", ".join(f"{value:.3g}" for value in theta)
    L = len(state.theta)
    return (finding("system-new", place=place, seen=seen, margin=margin, n_systems=L, more=L + 1),)


def of_lost_systems(state: State) -> tuple[Finding, ...]:
    """Systems that were seen when the filter started, and are not seen any more."""
    order = canonical_order(state.theta)
    lost = [k for k, l in enumerate(order) if is_lost(float(state.usual[l]), float(state.recent[l]))]
    if not lost:
        return ()
    share = float(state.recent[order][lost].max())
    usual = float(state.usual[order][lost].min())
    return (
        finding(
            "system-not-seen",
            systems=", ".join(str(k + 1) for k in lost),
            share=share,
            usual=usual,
            n_sets=round(1.0 / LATELY),
        ),
    )
