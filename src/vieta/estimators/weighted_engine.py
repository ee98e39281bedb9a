"""The weighted estimator as the facade drives it: "efficient", in batch and on a stream."""

from dataclasses import dataclass

import numpy as np

from vieta.arrays import Complexes, Floats
from vieta.estimators import fit_findings
from vieta.estimators.build import assemble
from vieta.estimators.estimate import Estimate
from vieta.sets import Data
from vieta.weighted import solve, tracker
from vieta.weighted.refinement import refine
from vieta.weighted.tracker import Settings, State


@dataclass(frozen=True, slots=True, eq=False)
class WeightedEngine:
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
        """Where the filter stands: parameters, row by row; not a number while it collects its first sets."""
        return state.theta.ravel() if state.tracking else np.full(state.theta.size, np.nan)

    def parameters(self, points: Floats) -> Complexes:
        """Parameters (n, L, D) of the points of a trajectory."""
        return points.reshape(len(points), *self._shape).astype(np.complex128)

    @property
    def _shape(self) -> tuple[int, int]:
        return self.like.n_systems, self.like.dim

    def estimate(self, state: State) -> Estimate:
        """The estimate from all sets absorbed so far."""
        if not state.tracking:
            return fit(tracker.collected(state), self.settings)
        inverse: Floats = np.linalg.pinv(state.information, hermitian=True).astype(np.float64)
        cov = inverse if self.settings.drift.size else inverse @ state.meat @ inverse
        return _estimate(
            state.theta,
            cov,
            state.noise,
            state.count,
            (
                *fit_findings.of_changes(state.changes),
                *fit_findings.of_unsafe_start(bool(state.safe), state.collecting == 1),
            ),
        )


def fit(data: Data, settings: Settings) -> Estimate:
    """The estimate from all sets at once."""
    with np.errstate(over="ignore", invalid="ignore"):  # numbers too large are refused in words
        return from_fit(data, solve.fit(data, settings.cap), settings)


def from_fit(data: Data, found: solve.Fit, settings: Settings) -> Estimate:
    """An Estimate from a batch solution, with everything that its residuals tell."""
    words = fit_findings.of_fit(data, found, robust=settings.cap < np.inf)
    if settings.cap < np.inf:
        return _estimate(found.theta, found.cov, found.noise, len(data.sets), words)
    best = refine(data, found)
    idle = fit_findings.of_idle_systems(best.theta, best.cov, best.variances) if len(best.theta) > 1 else ()
    return _estimate(best.theta, best.cov, found.noise, len(data.sets), (*words, *idle))


def _estimate(theta: Floats, cov: Floats, noise: Floats, n_sets: int, found: tuple[str, ...]) -> Estimate:
    return assemble(theta, cov, noise, n_sets, found, method="efficient", transform="weighted")
