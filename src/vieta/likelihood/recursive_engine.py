"""Recursive EM as a filter, with the weighted filter beside it: to start it, and to contradict it."""

from dataclasses import dataclass, field, replace

import numpy as np

from vieta.arrays import Floats
from vieta.engine import Engine, require_positive, require_state
from vieta.errors import InputError
from vieta.findings import Finding
from vieta.likelihood import likelihood_findings as findings
from vieta.likelihood import prior_fit, recursive_scoring, scoring
from vieta.likelihood.assumed import Assumed
from vieta.likelihood.conclusion import TRANSFORM, covariance, solution
from vieta.likelihood.contrast import compare
from vieta.likelihood.expectation import require_distinct
from vieta.likelihood.orders import Orders
from vieta.matching import match_rows
from vieta.sets import Data, joined
from vieta.solution import Solution, in_parameters
from vieta.sums import in_memory
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
    recursion : recursive_scoring.State
    companion : tracker.State
        The weighted filter on the same sets.
    """

    count: int
    started: int
    base: Floats
    recursion: recursive_scoring.State
    companion: tracker.State


@dataclass(frozen=True, slots=True, eq=False)
class RecursiveEngine(Engine):
    """Recursive EM for sets of the shape of `like`.

    With a prior over the orders, row l of the start is system l of the prior. Without a start, the sets collected are
    fitted by maximum likelihood, which names the rows.

    Attributes
    ----------
    like : Data
    noise : Assumed
    step : float
        Zero for steps by the information.
    start : (L, D), optional
    orders : Orders, optional
        Prior over the orders; uniform if absent.
    law_free : str
        Name of a method that needs no noise law, for findings.
    """

    like: Data
    noise: Assumed
    step: float
    start: Floats | None
    orders: Orders | None = None
    law_free: str = field(kw_only=True)

    def init(self) -> State:
        """Nothing absorbed. With a start and a known variance it runs from the first set on; otherwise the first sets give them."""
        L, p, D = self.like.n_systems, self.like.reading_dim, self.like.dim
        base = covariance(self.noise.law, p) if self.noise.known else np.eye(p)
        start = np.zeros((L, D)) if self.start is None else self.start
        started = int(self.noise.known and self.start is not None)
        return State(0, started, base, recursive_scoring.init(self._settings(base), start), tracker.init(self.like))

    def advance(self, state: State, data: Data) -> State:
        """Absorb sets. The result does not depend on how a stream is cut."""
        at, settings = 0, tracker.Settings(young=0)
        while at < len(data):
            size = _until_doubled(state.count if state.started else len(state.companion.collected_sets))
            piece = data.part(at, at + size)
            at += len(piece)
            before = state
            state = replace(
                state,
                count=state.count + len(piece),
                companion=tracker.advance(settings, state.companion, piece),
            )
            if before.started:
                now = self._settings(state.base)
                state = replace(state, recursion=recursive_scoring.advance(now, state.recursion, piece, before.count))
                recursive_scoring.require_not_diverged(state.recursion)
            elif state.companion.tracking:
                state = self._started(state, joined([tracker.collected(before.companion), piece]))
            if len(piece) == size:
                state = self._reshaped(state)
        return state

    def point(self, state: State) -> Floats:
        """Where the recursion stands: parameters, row by row; NaN before it runs."""
        return state.recursion.theta.ravel() if state.started else np.full(state.recursion.theta.size, np.nan)

    @property
    def estimate_shape(self) -> tuple[int, int]:
        """L and D."""
        return self.like.n_systems, self.like.dim

    def changes(self, state: State) -> tuple[int, ...]:
        """After how many sets the parameters changed, by the weighted filter beside it."""
        return tuple(int(after) for after in state.companion.changes)

    def check(self, state: State) -> None:
        """Refuse a state that no stream leaves."""
        tracker.check(state.companion)
        require_state(state.count == state.companion.count, "its filters have not absorbed the same sets")
        begins = self.init()
        needed = begins.started or state.companion.tracking
        require_state(state.started == needed, "it runs without a start, or does not run with one")
        if self.noise.known or not state.started:
            require_state(np.array_equal(state.base, begins.base), "its noise is not that of its options")
        require_state(np.diag(state.base).min() > 0.0 and state.recursion.scale > 0.0, "its noise is not positive")
        require_positive(state.base, "noise")
        require_positive(state.recursion.information, "information")

    def estimate(self, state: State) -> Solution:
        """The estimate from all sets absorbed so far."""
        if not state.started:
            return self._of_collected(tracker.collected(state.companion))
        cov = self._covariance(state)
        noise = state.recursion.scale * state.base
        found = self._findings(state, cov)
        return in_parameters(state.recursion.theta, cov, noise, state.count, found, transform=TRANSFORM)

    def _settings(self, base: Floats) -> recursive_scoring.Settings:
        law = self.noise.law.scaled(base if len(base) > 1 else float(base[0, 0]))
        return recursive_scoring.Settings(law, self.noise.known, self.step, self.orders)

    def _started(self, state: State, seen: Data) -> State:
        """Begin where the weighted filter stands, with what it knows; with a prior, where that makes `seen` likeliest."""
        companion = state.companion
        if self.orders is not None and self.start is None:
            found = prior_fit.fit(in_memory(seen), self.noise, self.orders)
            base = covariance(found.best.law, seen.reading_dim)
            return self._begun(state, base, found.best.theta, found.information)
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

    def _of_collected(self, data: Data) -> Solution:
        """The estimate before the recursion runs: a likelihood step, or maximum likelihood under the prior."""
        passes = in_memory(data)
        if self.orders is None:
            return solution(passes, scoring.fit(passes, self.noise), self.noise, law_free=self.law_free)
        found = prior_fit.conclude(passes, prior_fit.fit(passes, self.noise, self.orders), self.orders)
        return solution(passes, found, self.noise, law_free=self.law_free, prior=True)

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

    def _findings(self, state: State, cov: Floats) -> tuple[Finding, ...]:
        companion = state.companion
        unsafe = findings.of_start(bool(companion.safe) or self.start is not None)
        if self.step > 0.0:
            elapsed = state.count - int(companion.changes[-1]) if len(companion.changes) else state.count
            moving = findings.of_transient(self._left(state, elapsed), self.step, elapsed)
        else:
            moving = findings.of_averaged_changes(companion.changes, self.law_free)
        return (*unsafe, *moving, *(() if moving else self._law(state, cov)))

    def _left(self, state: State, elapsed: int) -> float:
        """The part of a first error that is left after so many sets, in the slowest direction."""
        slowest = np.linalg.eigvalsh(state.recursion.information)[0] / max(state.count, 1)
        return float(np.exp(-self.step * slowest * elapsed))

    def _law(self, state: State, cov: Floats) -> tuple[Finding, ...]:
        """Contrast with the weighted filter. Its covariance bounds that of the difference; with a step, both together do."""
        companion = state.companion
        if not companion.tracking:
            return ()
        inverse = np.linalg.pinv(companion.information, hermitian=True)
        symmetric = np.asarray(inverse @ companion.meat @ inverse)
        spread = 2.0 * (symmetric + cov) if self.step > 0.0 else symmetric
        theta = state.recursion.theta[match_rows(state.recursion.theta, companion.theta)]
        law = self.noise.law.scaled(state.recursion.scale * state.base)
        contrast = compare(theta, companion.theta, spread, symmetric)
        prior = () if self.orders is None else findings.of_prior(contrast)
        size = findings.of_size(law, companion.noise, state.count) if self.noise.known else ()
        return (*findings.of_law(contrast, law, self.law_free), *size, *prior)


def require_step(start: Floats | None, step: Floats | None) -> None:
    """Refuse a start without a step, and one whose rows coincide."""
    if start is None:
        return
    require_distinct(start)
    if step is None:
        raise InputError(
            "start-needs-step",
            "{option.start} needs {option.step} with recursive EM: without a step the recursion starts from a fit of its first sets, "
            "whose information scales its steps.",
        )


def _until_doubled(n: int) -> int:
    """How many sets more until there are 128, 256, 512 and so on: when the weighted filter tries its fits.

    >>> [_until_doubled(n) for n in (0, 127, 128, 500)]
    [128, 1, 128, 12]
    """
    return int(tracker.FIRST << (n // tracker.FIRST).bit_length()) - n
