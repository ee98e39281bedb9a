"""Right and wrong answers as a filter: it holds its first sets, starts from a fit of them, and goes on by recursive scoring.

While it holds sets, up to `FIRST`, the estimate is the fit of these. The recursion (`vieta.answers.binary_stream`) begins where the fit of the
first `FIRST` sets ended, with their information.
"""

from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from vieta.answer_model import AnswerModel
from vieta.answers.answer_errors import inverse
from vieta.answers.answer_likelihood import input_rows, known_numbers
from vieta.answers.answer_solution import TRANSFORM, solution
from vieta.arrays import Floats
from vieta.engine import Engine, growing, require_positive, require_readings, require_state
from vieta.sets import Data
from vieta.solution import Solution, in_parameters
from vieta.sums import in_memory

FIRST = 1024  # sets that are held


@dataclass(frozen=True, slots=True, eq=False)
class BinaryState:
    """What the filter knows.

    Attributes
    ----------
    count : int
        Sets absorbed.
    running : int
        1 once the recursion goes on.
    held_sets, held_rows, held_known : (n, L), (n, D), (n,)
        The first sets, while they are held.
    theta, information, meat : (L, D), (L D, L D), (L D, L D)
        Theta, H and M of the recursion.
    variance : float
        Sum of the mean variances of answers, over the sets of the recursion.
    """

    count: int
    running: int
    held_sets: Floats = field(metadata=growing(FIRST))
    held_rows: Floats = field(metadata=growing(FIRST))
    held_known: Floats = field(metadata=growing(FIRST))
    theta: Floats
    information: Floats
    meat: Floats
    variance: float


@dataclass(frozen=True, slots=True, eq=False)
class BinaryEngine(Engine):
    """The filter for sets of the shape of `like`."""

    family: Any
    like: Data
    options: Any
    forgetting: float

    def init(self) -> BinaryState:
        """Nothing absorbed."""
        L, D = self.estimate_shape
        none, matrix = np.zeros((0, L)), np.zeros((L * D, L * D))
        return BinaryState(0, 0, none, np.zeros((0, D)), np.zeros(0), np.zeros((L, D)), matrix, matrix, 0.0)

    def advance(self, state: BinaryState, data: Data) -> BinaryState:
        """Absorb sets. The result does not depend on how a stream is cut."""
        self.family.require(data, self.options)
        if not state.running:
            room = FIRST - len(state.held_sets)
            state = self._held(state, data.part(0, room))
            if len(state.held_sets) < FIRST:
                return state
            state, data = self._begun(state), data.part(room, len(data))
        return self._scored(state, data) if len(data) else state

    @staticmethod
    def _held(state: BinaryState, data: Data) -> BinaryState:
        return replace(
            state,
            count=state.count + len(data),
            held_sets=np.concatenate([state.held_sets, data.sets[:, :, 0]]),
            held_rows=np.concatenate([state.held_rows, input_rows(data)]),
            held_known=np.concatenate([state.held_known, known_numbers(data)]),
        )

    def _data(self, state: BinaryState) -> Data:
        """The sets that are held."""
        rows = state.held_rows
        inputs = rows[:, 0].copy() if self.like.inputs.ndim == 1 else rows[:, None, :]
        return Data(state.held_sets[:, :, None], inputs, rows.shape[1], known=state.held_known)

    def _fitted(self, state: BinaryState) -> Solution:
        return solution(self.family, in_memory(self._data(state)), replace(self.options, memory=None))

    def _begun(self, state: BinaryState) -> BinaryState:
        """The recursion, where the fit of the sets that are held ends; these are forgotten."""
        data, L = self._data(state), self.like.n_systems
        found = self._fitted(state)
        law = self.family.likelihood(L, self.like.dim, self.options)
        weights = self.forgetting ** np.arange(len(data) - 1, -1, -1.0)
        H = law.weighted_information(data, found.theta, weights)
        M = law.weighted_information(data, found.theta, weights**2)
        p_q = float(found.noise[0, 0]) * len(data)
        return replace(
            state,
            running=1,
            held_sets=state.held_sets[:0],
            held_rows=state.held_rows[:0],
            held_known=state.held_known[:0],
            theta=found.theta.copy(),
            information=H,
            meat=M,
            variance=p_q,
        )

    def _scored(self, state: BinaryState, data: Data) -> BinaryState:
        from vieta.answers.binary import counts
        from vieta.answers.binary_stream import score_stream

        theta, H, M = state.theta.copy(), state.information.copy(), state.meat.copy()
        code = self.family.likelihood(self.like.n_systems, self.like.dim, self.options).code
        more = score_stream(counts(data), input_rows(data), known_numbers(data), code, self.forgetting, theta, H, M)
        count, variance = state.count + len(data), state.variance + more
        return replace(state, count=count, theta=theta, information=H, meat=M, variance=variance)

    def estimate(self, state: BinaryState) -> Solution:
        """The estimate from all sets absorbed: the fit of those that are held, or where the recursion stands."""
        if not state.running:
            return self._fitted(state)
        bread = inverse(state.information)
        weight = min(state.count, 1.0 / (1.0 - self.forgetting)) if self.forgetting < 1.0 else float(state.count)
        return in_parameters(
            state.theta,
            bread @ state.meat @ bread,
            np.array([[state.variance / state.count]]),
            state.count,
            (),
            transform=TRANSFORM,
            n_sets_effective=weight,
            answers=AnswerModel(self.family.name, self.family.link(self.options)),
        )

    def point(self, state: BinaryState) -> Floats:
        """The parameters, row by row; NaN while the filter holds its first sets."""
        return state.theta.ravel() if state.running else np.full(state.theta.size, np.nan)

    @property
    def estimate_shape(self) -> tuple[int, int]:
        """L and D."""
        return self.like.n_systems, self.like.dim

    def check(self, state: BinaryState) -> None:
        """Refuse a state that no stream leaves."""
        require_state(state.running in (0, 1), "it neither holds sets nor goes on")
        require_readings(state.held_sets, state.held_rows, "held")
        require_state(len(state.held_known) == len(state.held_sets), "its held offsets are not one a set")
        require_state(bool(np.isin(state.held_sets, (0.0, 1.0)).all()), "its held answers are not 0 or 1")
        require_state(np.isfinite(state.held_known).all(), "its held offsets are not finite")
        n = len(state.held_sets)
        require_state(n == (0 if state.running else state.count), "its held sets are not those absorbed")
        require_state(state.count >= FIRST * state.running, "its number of sets is too small")
        require_state(n < FIRST, "it holds too many sets")
        require_state(np.isfinite(state.theta).all() and np.isfinite(state.variance), "its parameters are not finite")
        require_positive(state.information, "information")
        require_positive(state.meat, "score covariance")
