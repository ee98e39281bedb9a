"""The weighted estimator as a filter is driven: a frozen state, a pure step, and what they say."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np

from vieta.arrays import Floats
from vieta.engine import Engine
from vieta.findings import Finding, finding
from vieta.sets import Data
from vieta.solution import Solution, in_parameters
from vieta.sums import in_memory
from vieta.weighted import (
    first_sets,
    fused_state,
    random_walk,
    record,
    shared_tracker,
    solve,
    tracker,
    tracking_state,
    weighted_findings,
    weighted_fit,
)
from vieta.weighted.scaled_inverse import scaled_inverse
from vieta.weighted.shock_test import SURE as SURE_OF_SHOCK
from vieta.weighted.starting import is_doubted
from vieta.weighted.tracking_state import Settings, State

LATEST = 5  # changes that are named
SURE = 6.0  # z-values beyond which a test reports
MATTERS = 1.1  # factor of a variance by memory that is worth a word
SUSPECT = 0.03  # probability of a comparison of blocks below which the covariance allows for a change, fully so below a fifth of it
LASTING = 1 / 4  # of all sets that must have come after such a change
MISFIT = 1.25  # typical misfit from which the model is wrong, and
SHARED = (
    0.75  # below which the noise of the sums is larger than that of the readings: independent noise of one size has 1
)
ENOUGH = 1000  # sets without memory over time, below which the misfit is not looked at


class Lag(NamedTuple):
    """Variances (n,) of what parameters have moved while a filter remembers where they were, and twice the log-likelihood that a walk gains."""

    variances: Floats
    gain: float


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
        if len(state.held_sets):
            return self._of_first_sets(state)
        if state.shared.active:
            return self._with_shock(state)
        cov, factors = self._errors(state)
        verdict = first_sets.of_verdict(state.verdict)
        lag = self._lag(state)
        memory = of_lag(lag, cov) or of_memory(factors, state.count)
        cov = cov + np.diag(lag.variances)
        findings = (*self._findings(state), *verdict, *memory, *self._of_noise(state))
        made = in_parameters(
            state.theta,
            cov,
            state.noise,
            state.count,
            findings,
            transform=weighted_fit.TRANSFORM,
            n_sets_effective=state.count / float(factors.mean()),
        )
        sample = state.later.sample
        return weighted_fit.with_regions(in_memory(sample), made, state.noise) if len(sample) else made

    def _errors(self, state: State) -> tuple[Floats, Floats]:
        """Covariance (n, n) of the parameters of a filter that runs, with the factors (n,) by which memory over time raises variances."""
        memory = record.memory(state.record, state.information)
        exact = record.misfit(state.record) < solve.EXACT
        lasting = memory.z > SURE and memory.factors.max() > MATTERS and not exact
        factors = memory.factors if lasting else np.ones(state.theta.size)
        grown = np.sqrt(factors)
        return self._covariance(state) * grown[:, None] * grown, factors

    def _lag(self, state: State) -> Lag:
        r"""What parameters that wander add to the errors of a filter that forgets: :math:`q / (1 - f^2)`, with the variance q of a set
        that its record says is likeliest.
        """
        if self.settings.forgetting == 1.0 or record.misfit(state.record) < solve.EXACT:
            return Lag(np.zeros(state.theta.size), 0.0)
        walk = random_walk.fitted(state.record)
        return Lag(walk.variances / (1.0 - self.settings.forgetting**2), max(walk.gain, 0.0))

    def merged(self, states: Sequence[State], level: float) -> State:
        """One state from those of filters on different streams of the same systems (`fused_state`)."""
        blank = np.empty((0, 0))
        covs = (self._errors(one)[0] if one.tracking and not one.shared.active else blank for one in states)
        members = [fused_state.Member(i, one, cov) for i, (one, cov) in enumerate(zip(states, covs, strict=True), 1)]
        return fused_state.fused(self.settings, members, level)

    def _of_first_sets(self, state: State) -> Solution:
        """The estimate from a batch of the first sets, near where the filter stands; with what the filter says."""
        found = weighted_fit.solution(in_memory(tracking_state.held(state)), self.settings, state.theta)
        codes = {one.code for one in found.findings}
        own = tuple(one for one in self._findings(state) if one.code not in codes)
        effective = found.n_sets_effective * (state.count / len(state.held_sets))
        return replace(found, n_sets=state.count, n_sets_effective=effective, findings=(*found.findings, *own))

    def _with_shock(self, state: State) -> Solution:
        """The estimate where the systems share a shock."""
        shared = shared_tracker.waiting_absorbed(state.shared)
        found = shared_tracker.concluded(shared)
        memory = record.memory(state.record, state.information)
        lasting = memory.z > SURE and memory.factors.max() > MATTERS
        factors = memory.factors if lasting else np.ones(found.theta.size)
        grown = np.sqrt(factors)
        findings = (
            *self._findings(state),
            *first_sets.of_verdict(state.verdict),
            *of_memory(factors, state.count),
            *of_shock(found, contradicted=bool(shared.contradicted)),
            *weighted_findings.of_idle_systems(found.theta, found.cov, found.variances),
        )
        made = in_parameters(
            found.theta,
            found.cov * grown[:, None] * grown,
            np.array([[found.noise_variance]]),
            state.count,
            findings,
            transform=weighted_fit.TRANSFORM,
            noise_sd=np.sqrt(found.variances),
            n_sets_effective=state.count / float(factors.mean()),
        )
        return replace(made, shock_sd=float(np.sqrt(max(found.shock_variance, 0.0))))

    def _covariance(self, state: State) -> Floats:
        """That of the filter; and where its blocks make a change or a walk suspect, as large as that would make it."""
        inverse = scaled_inverse(state.information)
        if self.settings.drift.size or state.walk.any():
            return inverse
        cov = np.asarray(inverse @ state.meat @ inverse)
        if self.settings.forgetting < 1.0:
            return cov
        by_chance = record.suspicion(state.record, LASTING)
        if by_chance >= SUSPECT:
            return cov
        weight = min(1.0, 0.25 * (SUSPECT / max(by_chance, 1e-30) - 1.0))
        return np.asarray((1.0 - weight) * cov + weight * suspected_covariance(state))

    def _findings(self, state: State) -> tuple[Finding, ...]:
        """What happened on the way, and what is happening now."""
        found = []
        if len(state.changes):
            times = ", ".join(f"{int(k):,}" for k in state.changes[-LATEST:])
            tracks = self.settings.moves
            largest = float(abs(state.shift).max())
            found.append(finding("parameters-changed", times=times, tracks=tracks, largest=largest))
        if state.walk.any():
            found.append(finding("parameters-wander", per_thousand=float(np.sqrt(1000.0 * state.walk.max()))))
        if state.safe == tracker.UNSAFE:
            found.append(finding("unsafe-start"))
        if state.safe == tracker.RIVALLED:
            found.append(finding("rival-at-start"))
        if state.collecting and not state.shocked and is_doubted(state):
            found.append(finding("contradicted-now"))
        return tuple(found)

    def _of_noise(self, state: State) -> tuple[Finding, ...]:
        """Noise that is shared by the systems, or larger than the sums of the readings say."""
        moving = state.walk.any() or self.settings.moves
        z, typical = 0.0 if moving else record.dependence(state.record), record.misfit(state.record)
        if abs(z) > tracker.DEPENDENT:
            return () if first_sets.says_dependent(state.verdict) else (finding("dependent-noise", z=z),)
        enough = state.record.tally[-2] >= ENOUGH * record.largest_factor(state.record)
        if not enough or typical < solve.EXACT or SHARED < typical < MISFIT:
            return ()
        if typical < SHARED:
            return (finding("noise-shared-or-unequal", typical=typical),)
        return (finding("model-misfit", n_systems=len(state.theta), typical=typical),)


def of_lag(lag: Lag, cov: Floats) -> tuple[Finding, ...]:
    """A filter that forgets too slowly for parameters that surely wander, where that matters beside its other errors (n, n)."""
    factor = float((1.0 + lag.variances / np.maximum(np.diag(cov), 1e-300)).max())
    return (finding("filter-lags", factor=factor**0.5),) if lag.gain > SURE**2 and factor > MATTERS else ()


def of_memory(factors: Floats, n_sets: int) -> tuple[Finding, ...]:
    """Scores with memory over time, which raises the variances of the parameters by these factors (n,)."""
    if factors.max() == 1.0:
        return ()
    factor, effective = float(np.sqrt(factors.max())), n_sets / float(factors.mean())
    return (finding("noise-has-memory", factor=factor, n_sets=n_sets, effective=effective),)


def of_shock(found: shared_tracker.Conclusion, *, contradicted: bool) -> tuple[Finding, ...]:
    """A shock that the estimate allows for, as `shared_solution` has it."""
    uneven = (finding("shock-not-common"),) if contradicted else ()
    if found.z < SURE_OF_SHOCK:
        return uneven
    g, own = found.shock_variance, found.noise_variance
    return (finding("common-shock", sd=g**0.5, correlation=g / (g + own), noise=own**0.5, z=found.z), *uneven)


def suspected_covariance(state: State) -> Floats:
    """The covariance of an estimate around which the parameters may have moved, at the likeliest place or all the time.

    With the estimate that allows for it, of covariance C and at the distance d, it is C + d d'.
    """
    walk = random_walk.fitted(state.record)
    if tracker.is_walk(state, walk):
        theta, other = walk.theta, walk.cov
    else:
        split = record.find_split(state.record, 1.0, LASTING)
        first = 0 if split is None else split.last
        left = record.block_sums(state.record, first)
        inverse = scaled_inverse(left.information)
        theta, other = left.theta, inverse @ left.meat @ inverse
    gap = (state.theta - theta).ravel()
    return np.asarray(other + np.outer(gap, gap))
