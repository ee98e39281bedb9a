"""The weighted estimator as a filter is driven: a frozen state, a pure step, and what they say."""

from dataclasses import dataclass

import numpy as np

from vieta.arrays import Floats
from vieta.engine import Engine
from vieta.findings import Finding, finding
from vieta.sets import Data
from vieta.solution import Solution, in_parameters
from vieta.sums import in_memory
from vieta.weighted import tracker, weighted_fit
from vieta.weighted.scaled_inverse import scaled_inverse
from vieta.weighted.tracker import Settings, State

LATEST = 5  # changes that are named


@dataclass(frozen=True, slots=True, eq=False)
class WeightedEngine(Engine):
    """The weighted filter for sets of the shape of `like`."""

    like: Data
    settings: Settings

    def init(self) -> State:
        """Nothing absorbed."""
        return tracker.init(self.like)

    def advance(self, state: State, data: Data) -> State:
        """Absorb sets."""
        return tracker.advance(self.settings, state, data)

    def point(self, state: State) -> Floats:
        """The parameters, row by row; NaN while the filter collects its first sets."""
        return state.theta.ravel() if state.tracking else np.full(state.theta.size, np.nan)

    @property
    def estimate_shape(self) -> tuple[int, int]:
        """L and D."""
        return self.like.n_systems, self.like.dim

    def changes(self, state: State) -> tuple[int, ...]:
        """After how many sets the parameters changed."""
        return tuple(int(after) for after in state.changes)

    def may_wait(self, state: State) -> bool:
        """While the filter runs and collects nothing: only a fit of what was collected can fail, and that is many sets away."""
        return bool(state.tracking and not state.collecting)

    def check(self, state: State) -> None:
        """Refuse a state that no stream leaves."""
        tracker.check(state)

    def estimate(self, state: State) -> Solution:
        """The estimate from all sets absorbed: the batch fit before the filter runs, then where it stands."""
        if not state.tracking:
            return weighted_fit.solution(in_memory(tracker.collected(state)), self.settings)
        inverse = scaled_inverse(state.information)
        cov = inverse if self.settings.drift.size else inverse @ state.meat @ inverse
        findings = self._findings(state)
        return in_parameters(state.theta, cov, state.noise, state.count, findings, transform=weighted_fit.TRANSFORM)

    def _findings(self, state: State) -> tuple[Finding, ...]:
        """What happened on the way, and what is happening now."""
        found = []
        if len(state.changes):
            times = ", ".join(f"{int(k):,}" for k in state.changes[-LATEST:])
            tracks = bool(self.settings.drift.size) or self.settings.forgetting < 1.0
            found.append(finding("parameters-changed", times=times, tracks=tracks))
        if not state.safe:
            found.append(finding("unsafe-start"))
        if state.collecting:
            found.append(finding("contradicted-now"))
        return tuple(found)
