"""What to know before trusting the filter of incomplete sets."""

import numpy as np

from vieta.adaptive.set_findings import NEVER
from vieta.adaptive.stream_scoring import LATELY, Settings
from vieta.adaptive.stream_state import State
from vieta.arrays import Floats
from vieta.findings import Finding, finding
from vieta.symmetric import canonical_order
from vieta.weighted.weighted_findings import of_separation

LOST = 1.0 / 3.0  # of the usual probability of being seen
SURE = 6.0  # standard deviations
LATEST = 5  # changes that are named


def of_stream(settings: Settings, state: State, cov: Floats) -> tuple[Finding, ...]:
    """All findings of a filter that runs."""
    unsafe = () if state.safe else (finding("unsafe-start"),)
    return (*unsafe, *of_changes(settings, state), *of_lost_systems(state), *of_separation(state.theta, cov))


def of_changes(settings: Settings, state: State) -> tuple[Finding, ...]:
    """Parameters that changed."""
    if not len(state.changes):
        return ()
    times = ", ".join(f"{int(k):,}" for k in state.changes[-LATEST:])
    return (finding("parameters-changed", times=times, tracks=settings.tracks),)


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


def is_lost(usual: float, recent: float) -> bool:
    r"""Whether a probability of being seen, of late, is far below the usual one p.

    The deviation of a mean that forgets is about :math:`\sqrt{pq\,a/2}`.

    >>> is_lost(0.7, 0.02), is_lost(0.7, 0.5), is_lost(0.06, 0.01)
    (True, False, False)
    """
    spread = float(np.sqrt(max(usual * (1.0 - usual), 1e-4) * 0.5 * LATELY))
    return recent < max(LOST * usual, NEVER) and usual - recent > SURE * spread
