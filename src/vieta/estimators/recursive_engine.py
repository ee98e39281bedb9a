"""Recursive EM as the facade drives it, with the weighted filter beside it: to start it, and to contradict it."""

from dataclasses import dataclass, replace

import numpy as np

from vieta.arrays import Complexes, Floats
from vieta.estimators import fit_findings
from vieta.estimators.build import assemble
from vieta.estimators.estimate import Estimate
from vieta.estimators.likelihood_fit import covariance, from_step, matched
from vieta.likelihood import prior_fit, recursive_scoring
from vieta.likelihood.assumed import Assumed
from vieta.likelihood.contrast import compare
from vieta.likelihood.expectation import require_distinct
from vieta.likelihood.orders import Orders
from vieta.likelihood.scoring import fit
from vieta.sets import Data
from vieta.weighted import tracker


@dataclass(frozen=True, slots=True, eq=False)
class State:
    """All that the filter carries from set to set.

    Attributes
    ----------
    count : int
        Sets absorbed.
    started : int
        1 once recursive EM runs.
    base : (p, p)
        Noise covariance, which the scale multiplies.
    recursion : recursive.State
    companion : stream.State
        The weighted filter on the same sets.
    """

    count: int
    started: int
    base: Floats
    recursion: recursive_scoring.State
    companion: tracker.State

    @property
    def recent_sets(self) -> Floats:
        """Some sets, for their shape."""
        return self.companion.recent_sets

    @property
    def recent_inputs(self) -> Floats:
        """Some inputs, for their shape."""
        return self.companion.recent_inputs


@dataclass(frozen=True, slots=True, eq=False)
class RecursiveEngine:
    """Recursive EM for sets of the shape of `like`; a step of zero stands for steps by the information.

    With a prior over the orders, row l of the start is system l of the prior. Without a start, the sets collected are
    fitted by maximum likelihood, which names the rows.
    """

    like: Data
    noise: Assumed
    step: float
    start: Floats | None
    orders: Orders | None = None

    def init(self) -> State:
        """Nothing absorbed. With a start and a known variance it runs at once; otherwise the first sets give them."""
        L, p, D = self.like.n_systems, self.like.reading_dim, self.like.dim
        base = covariance(self.noise.law, p) if self.noise.known else np.eye(p)
        start = np.zeros((L, D)) if self.start is None else self.start
        at_once = self.noise.known and self.start is not None
        return State(
            0, int(at_once), base, recursive_scoring.init(self._settings(base), start), tracker.init(self.like)
        )

    def advance(self, state: State, data: Data) -> State:
        """Absorb sets. The result does not depend on how a stream is cut."""
        at, settings = 0, tracker.Settings()
        while at < len(data.sets):
            size = _until_doubled(state.count if state.started else len(state.companion.collected_sets))
            piece = data.part(at, at + size)
            at += len(piece.sets)
            before = state
            state = replace(
                state,
                count=state.count + len(piece.sets),
                companion=tracker.advance(settings, state.companion, piece),
            )
            if before.started:
                asked = self._settings(state.base)
                state = replace(state, recursion=recursive_scoring.advance(asked, state.recursion, piece, before.count))
                recursive_scoring.require_not_diverged(state.recursion)
            elif state.companion.tracking:
                state = self._started(state, _joined(tracker.collected(before.companion), piece))
            if len(piece.sets) == size:
                state = self._reshaped(state)
        return state

    def point(self, state: State) -> Floats:
        """Where the recursion stands: parameters, row by row; not a number before it runs."""
        return state.recursion.theta.ravel() if state.started else np.full(state.recursion.theta.size, np.nan)

    def parameters(self, points: Floats) -> Complexes:
        """Parameters (n, L, D) of the points of a trajectory."""
        return points.reshape(len(points), self.like.n_systems, self.like.dim).astype(np.complex128)

    def estimate(self, state: State) -> Estimate:
        """The estimate from all sets absorbed so far."""
        if not state.started:
            return self._of_collected(tracker.collected(state.companion))
        cov = self._covariance(state)
        return assemble(
            state.recursion.theta,
            cov,
            state.recursion.scale * state.base,
            state.count,
            self._findings(state, cov),
            method="recursive-em",
            transform="likelihood",
        )

    def _settings(self, base: Floats) -> recursive_scoring.Settings:
        law = self.noise.law.scaled(base if len(base) > 1 else float(base[0, 0]))
        return recursive_scoring.Settings(law, self.noise.known, self.step, self.orders)

    def _started(self, state: State, seen: Data) -> State:
        """Begin where the weighted filter stands, with what it knows; with a prior, where that makes `seen` likeliest."""
        companion = state.companion
        if self.orders is not None and self.start is None:
            best = prior_fit.fit(seen, self.noise, self.orders).best
            return self._begun(state, covariance(best.law, seen.reading_dim), best.theta, best.information)
        base = state.base if self.noise.known else companion.noise
        theta = companion.theta if self.start is None else self.start
        n, p = theta.size, len(base)
        information = np.zeros((n + (not self.noise.known),) * 2)
        information[:n, :n] = companion.information
        information[n:, n:] = 0.5 * p * companion.numbers[0]  # that of the sum's residuals about the log scale
        return self._begun(state, base, theta, information)

    def _begun(self, state: State, base: Floats, theta: Floats, information: Floats) -> State:
        recursion = recursive_scoring.init(self._settings(base), theta, information)
        return replace(state, started=1, base=base, recursion=recursion)

    def _of_collected(self, data: Data) -> Estimate:
        """The estimate before the recursion runs: a likelihood step, or maximum likelihood under the prior."""
        if self.orders is None:
            return from_step(data, fit(data, self.noise), self.noise, "recursive-em")
        found = prior_fit.conclude(data, prior_fit.fit(data, self.noise, self.orders))
        return from_step(data, found, self.noise, "recursive-em", prior=True)

    def _reshaped(self, state: State) -> State:
        """Vectors of unknown noise: take over the shape of its covariance, as it is known by now, and keep its size."""
        if self.noise.known or not state.started or len(state.base) == 1:
            return state
        new = state.companion.noise
        same = (np.linalg.det(state.base) / np.linalg.det(new)) ** (1.0 / len(new))
        recursion = replace(state.recursion, scale=float(state.recursion.scale * same))
        return replace(state, base=new, recursion=recursion)

    def _covariance(self, state: State) -> Floats:
        """I⁻¹; of a constant step, to first order and with the law right, half the step times the identity."""
        n = state.recursion.theta.size
        if self.step > 0.0:
            return 0.5 * self.step * np.eye(n)
        return np.asarray(np.linalg.pinv(state.recursion.information, hermitian=True)[:n, :n])

    def _findings(self, state: State, cov: Floats) -> tuple[str, ...]:
        companion = state.companion
        unsafe = fit_findings.of_unsafe_start(bool(companion.safe) or self.start is not None, False)
        if self.step > 0.0:
            elapsed = state.count - int(companion.changes[-1]) if len(companion.changes) else state.count
            moving = fit_findings.of_transient(self._left(state, elapsed), self.step, elapsed)
        else:
            moving = fit_findings.of_mixed_changes(companion.changes)
        return (*unsafe, *moving, *(() if moving else self._law(state, cov)))

    def _left(self, state: State, elapsed: int) -> float:
        """The part of a first error that is left after so many sets, in the slowest direction."""
        slowest = np.linalg.eigvalsh(state.recursion.information)[0] / max(state.count, 1)
        return float(np.exp(-self.step * slowest * elapsed))

    def _law(self, state: State, cov: Floats) -> tuple[str, ...]:
        """Contrast with the weighted filter. Its covariance bounds that of the difference; with a step, both together do."""
        companion = state.companion
        if not companion.tracking:
            return ()
        inverse = np.linalg.pinv(companion.information, hermitian=True)
        symmetric = np.asarray(inverse @ companion.meat @ inverse)
        spread = 2.0 * (symmetric + cov) if self.step > 0.0 else symmetric
        theta = matched(state.recursion.theta, companion.theta)
        law = self.noise.law.scaled(state.recursion.scale * state.base)
        contrast = compare(theta, companion.theta, spread, symmetric)
        prior = () if self.orders is None else fit_findings.of_prior(contrast)
        size = fit_findings.of_size(law, companion.noise, state.count) if self.noise.known else ()
        return (*fit_findings.of_law(contrast, law), *size, *prior)


def require_step(start: Floats | None, step: Floats | None) -> None:
    """Refuse a start without a step, and one whose rows coincide."""
    if start is None:
        return
    require_distinct(start)
    if step is None:
        raise ValueError(
            "start= needs step= with method 'recursive-em': without a step the recursion starts from a fit of its first "
            "sets, whose information scales its steps."
        )


def _joined(first: Data, second: Data) -> Data:
    sets, inputs = (np.concatenate(pair) for pair in ((first.sets, second.sets), (first.inputs, second.inputs)))
    return Data(sets, inputs, second.dim)


def _until_doubled(n: int) -> int:
    """How many sets more until there are 128, 256, 512 and so on: when the weighted filter tries its fits.

    >>> [_until_doubled(n) for n in (0, 127, 128, 500)]
    [128, 1, 128, 12]
    """
    return int(tracker.FIRST << (n // tracker.FIRST).bit_length()) - n
