"""Likelihood over partial assignments as a filter: it holds its first sets, starts from a fit of them, and goes on by scoring.

While it holds all sets (up to `vieta.adaptive.stream_state.MOST`), the model is climbed on all of them again each time that their number has
doubled, and the law is chosen again. From there on sets are absorbed in blocks (`vieta.adaptive.stream_scoring`); those of the last
block, if it is not complete, are held, and count in the estimate.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from vieta.adaptive import stream_changes, stream_scoring, stream_start, stream_state
from vieta.adaptive.adaptive_fit import TRANSFORM, require_varied
from vieta.adaptive.adaptive_solution import scored_errors, solution
from vieta.adaptive.fused_stream import fused
from vieta.adaptive.reading_associations import kept
from vieta.adaptive.set_survey import survey
from vieta.adaptive.stream_findings import of_stream
from vieta.adaptive.stream_scoring import RENEWED, Settings
from vieta.adaptive.stream_state import MOST, State, dense, held, holding, model_of
from vieta.arrays import Floats
from vieta.engine import Engine
from vieta.errors import IncompleteSetsError
from vieta.pairing import require_pairing
from vieta.set_requirements import as_incomplete
from vieta.sets import Data, joined
from vieta.solution import Solution, in_parameters
from vieta.sums import in_memory
from vieta.weighted.weighted_engine import of_memory


@dataclass(frozen=True, slots=True, eq=False)
class AdaptiveEngine(Engine):
    """The filter for sets of the shape of `like`."""

    like: Data
    settings: Settings

    def init(self) -> State:
        """Nothing absorbed."""
        return stream_state.init(self.like)

    def advance(self, state: State, data: Data) -> State:
        """Absorb sets. The result does not depend on how a stream is cut."""
        require_allowed(self.settings, data)
        at, block = 0, self.settings.block
        while at < len(data):
            n = len(state.held_sizes)
            room = block - n % block if state.running else stream_start.until_fit(n)
            piece = data.part(at, at + room)
            at += len(piece)
            state = self._taken(state, piece, complete=len(piece) == room)
        return state

    def _taken(self, state: State, piece: Data, *, complete: bool) -> State:
        """The state after some sets, the last of which completes a block or makes a fit due, or not."""
        count, n = state.count + len(piece), len(state.held_sizes)
        state = replace(state, count=count)
        whole = piece if not n else joined([held(state, self.like), piece])
        if not complete:
            return holding(state, whole)
        if not state.running:
            return self._started(state, whole)
        state = stream_scoring.fold(self.settings, state, whole.part(len(whole) - self.settings.block, len(whole)))
        if state.refining and (
            stream_start.until_fit(len(whole) - 1) == 1 or stream_start.leads_elsewhere(state, whole)
        ):
            state = stream_start.refined(self.settings, state, whole)
        elif not state.refining and count % RENEWED == 0:
            state = stream_scoring.renewed(state)
        return stream_changes.watched(self.settings, state, whole)

    def _started(self, state: State, whole: Data) -> State:
        """The filter starts if a fit of the sets is safe, or if it holds no more; sets that tell nothing are then dropped."""
        found, full = stream_start.first_fit(self.settings, whole), len(whole) >= MOST
        safe = found is not None and stream_start.is_safe(found)
        if found is None or not (safe or full):
            return holding(state, whole.part(0, 0) if full else whole)
        state = stream_start.begun(self.settings, replace(state, safe=int(safe)), found, whole)
        return holding(state, whole if state.refining else whole.part(0, 0))

    def estimate(self, state: State) -> Solution:
        """The estimate from all sets absorbed: the batch fit before the filter runs, then where it stands."""
        if not state.running:
            sets = dense(as_incomplete(held(state, self.like), self.like.n_systems))
            require_varied(survey(in_memory(sets)))
            require_pairing(in_memory(sets))
            return solution(in_memory(sets), misses=self.settings.misses, clutter=self.settings.clutter)
        state = self._up_to_date(state)
        model, free = model_of(state), stream_state.free_of(state)
        everything, cov = stream_scoring.covariance(self.settings, state)
        factors = stream_scoring.memory_factors(state, everything)
        grown = np.sqrt(np.maximum(factors / state.factor**2, 1.0))
        cov = cov * grown[:, None] * grown
        effective = min(state.carrying * state.weight, state.count / float(factors.mean()))
        return in_parameters(
            model.theta,
            cov,
            model.shape * float(np.mean(model.noise_sd**2)),
            state.count,
            (*of_stream(self.settings, state, cov), *of_memory(np.maximum(factors, state.factor**2), state.count)),
            transform=TRANSFORM,
            noise_sd=model.noise_sd,
            n_sets_effective=effective,
            dof=max(state.dof * state.weight, 1.0),
            readings=kept(model, *scored_errors(model, free, everything)),
        )

    def _up_to_date(self, state: State) -> State:
        """With the sets of a block that is not complete."""
        n = len(state.held_sizes)
        left = n % self.settings.block
        return stream_scoring.fold(self.settings, state, held(state, self.like).part(n - left, n)) if left else state

    def point(self, state: State) -> Floats:
        """The parameters, row by row; NaN while the filter holds its first sets."""
        return self._up_to_date(state).theta.ravel() if state.running else np.full(state.theta.size, np.nan)

    def merged(self, states: Sequence[State], level: float) -> State:
        """One state from those of filters on different streams of the same systems (`fused_stream`)."""
        return fused(self.settings, self.like, states, level, self.advance)

    @property
    def estimate_shape(self) -> tuple[int, int]:
        """L and D."""
        return self.like.n_systems, self.like.dim

    def changes(self, state: State) -> tuple[int, ...]:
        """After how many sets the parameters changed."""
        return tuple(int(after) for after in state.changes)

    def check(self, state: State) -> None:
        """Refuse a state that no stream leaves."""
        stream_state.check(state, self.settings.block)


def require_allowed(settings: Settings, data: Data) -> None:
    """Refuse sets whose sizes were excluded."""
    sizes, L = data.sizes, data.n_systems
    if settings.misses is False and bool((sizes < L).any()):
        index = int((sizes < L).argmax())
        raise IncompleteSetsError(
            "misses-excluded",
            "sets[{index}] has {given} reading(s), so that systems were missed, and {option.misses:False} excludes it. Leave it out, or give "
            "a smaller number of systems.",
            index=index,
            given=int(sizes[index]),
        )
    if settings.clutter is False and bool((sizes > L).any()):
        index = int((sizes > L).argmax())
        raise IncompleteSetsError(
            "clutter-excluded",
            "sets[{index}] has {given} readings, so that some are false, and {option.clutter:False} excludes it. Leave it out, or give "
            "a larger number of systems.",
            index=index,
            given=int(sizes[index]),
        )
