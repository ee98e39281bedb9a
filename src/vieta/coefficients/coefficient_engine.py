"""The filters in coefficient space: LMS, its average, and recursive least squares."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import ArrayLike

from vieta.arrays import Complexes, Floats
from vieta.coefficients import asymptotics, coefficient_filter, coefficient_fusion, lms_recursion, rls_recursion
from vieta.coefficients.choice import choose_design
from vieta.coefficients.coefficient_filter import Settings, State
from vieta.coefficients.coefficient_solution import solution
from vieta.coefficients.design import Design
from vieta.engine import Engine
from vieta.errors import DivergedError, InputError, NotIdentifiableError
from vieta.findings import Finding, finding
from vieta.options import as_start, as_steps
from vieta.sets import Data
from vieta.solution import Solution
from vieta.symmetric import path

TOO_FAST = "Use a smaller step (or none, to have it chosen), or a start nearer the truth."
SINGULAR = "Use a longer memory or a larger regularization, scale readings and inputs to the order of one, or use the default method."
GRADIENT, LEAST_SQUARES = "gradient", "least-squares-recursion"  # codes of states in files


def recursive_least_squares(
    like: Data, transform: str, start: ArrayLike | None, forgetting: float, regularization: float | None
) -> "CoefficientEngine":
    """Recursive least squares for sets of the shape of `like`."""
    design = choose_design(transform, like)
    theta = as_start(start, like.n_systems, like.dim)
    return CoefficientEngine(design, Settings(True, False, None, _start(design, theta), forgetting, regularization))


def least_mean_squares(
    like: Data, transform: str, start: ArrayLike | None, step: ArrayLike | None, *, averaged: bool
) -> "CoefficientEngine":
    """LMS, or the average of its iterates, for sets of the shape of `like`."""
    design = choose_design(transform, like)
    theta = as_start(start, like.n_systems, like.dim)
    steps = None if step is None else as_steps(step, like.n_systems)
    return CoefficientEngine(design, Settings(False, averaged, steps, _start(design, theta)))


def _start(design: Design, theta: Floats | None) -> Floats:
    algebra = design.transform.parameters
    return np.zeros(algebra.size) if theta is None else algebra.transform(theta)


@dataclass(frozen=True, slots=True, eq=False)
class CoefficientEngine(Engine):
    """A recursion on the coefficients of a design."""

    design: Design
    settings: Settings

    def init(self) -> State:
        """Nothing absorbed."""
        return coefficient_filter.init(self.design, self.settings)

    def advance(self, state: State, data: Data) -> State:
        """Absorb sets."""
        with np.errstate(over="ignore", invalid="ignore"):
            return coefficient_filter.advance(self.design, self.settings, state, data.sets, data.inputs)

    def point(self, state: State) -> Floats:
        """Where the recursion stands: coefficients (M,)."""
        averaged = self._averaged(state)
        if isinstance(state.filter, lms_recursion.State) and averaged > 0:
            return state.filter.total / averaged
        return state.filter.coefficients

    def parameters(self, points: Floats) -> Complexes:
        """Parameters (n, L, D) of the points of a trajectory: scalar roots continue from one to the next."""
        if self.design.transform.name == "elementary":
            return path(points)[:, :, None]
        return np.asarray(self.design.transform.solve(points), dtype=np.complex128)

    @property
    def estimate_shape(self) -> tuple[int, int]:
        """L and D."""
        return self.design.n_systems, self.design.transform.dim

    def finds_bad_numbers(self, data: Data) -> bool:
        """They end in sums that are not finite, or too large, under scalar inputs: a pass over fast data is spared."""
        return data.inputs.ndim == 1

    def code(self, state: State) -> str:
        """During its warm-up a gradient is recursive least squares."""
        return GRADIENT if isinstance(state.filter, lms_recursion.State) else LEAST_SQUARES

    def blank(self, code: str) -> State:
        """A state with the recursion of that code."""
        state = self.init()
        if code == self.code(state):
            return state
        if code != GRADIENT or self.settings.least_squares:
            raise InputError("unknown-state", "there is no state of the kind {code!r}.", code=code)
        return replace(state, filter=lms_recursion.init(self.settings.start), step=np.zeros(self.design.n_systems))

    def check(self, state: State) -> None:
        """Refuse a state that no stream leaves."""
        coefficient_filter.check(self.design, self.settings, state)

    def merged(self, states: Sequence[State], level: float) -> State:
        """One state from those of filters on different streams of the same systems (`coefficient_fusion`)."""
        used = [one for one in states if one.count]
        for one in used:
            _require_identified(self.design, one)
        state = coefficient_fusion.fused(self.design, self.settings, used)
        theta = self.design.transform.inverse(self.point(state)).theta
        covariances = [self._covariance(one, self._noise(one), theta) for one in used]
        points = [coefficient_fusion.by_sets_alone(self.design, self.settings, one) for one in used]
        coefficient_fusion.require_agreement(points, covariances, level)
        return state

    def estimate(self, state: State) -> Solution:
        """The estimate from all sets absorbed so far."""
        coefficients = self.point(state)
        _require_identified(self.design, state)
        _require_not_diverged(self.design, state, coefficients, self.settings.least_squares)
        noise = self._noise(state)
        return solution(
            self.design,
            coefficients,
            noise,
            lambda theta: self._covariance(state, noise, theta),
            n_sets=state.count,
            findings=self._transient(state),
        )

    def _averaged(self, state: State) -> int:
        """Iterates that enter an average; none for methods that do not average."""
        return state.inputs.count - self._warm_up if self.settings.averaged else 0

    @property
    def _warm_up(self) -> int:
        return coefficient_filter.WARM_UP if self.settings.step is None else 0

    def _noise(self, state: State) -> Floats:
        discount = self.settings.noise_discount
        n = state.inputs.count
        weight = n if discount == 1.0 else (1.0 - discount**n) / (1.0 - discount)
        return np.asarray(state.power / (weight * self.design.n_systems))

    def _covariance(self, state: State, noise: Floats, theta: Floats) -> Floats:
        Q = asymptotics.normal_matrix(self.design, state.inputs)
        R = asymptotics.score_covariance(self.design, state.inputs, theta, noise)
        if isinstance(state.filter, rls_recursion.State):
            return asymptotics.least_squares_covariance(Q, R, self._effective(state))
        start = 1.0 / coefficient_filter.WARM_UP if self.settings.step is None else 0.0
        n = max(state.inputs.count - self._warm_up, 0)
        if not self.settings.averaged:
            return asymptotics.lms_covariance(self.design, Q, R, state.step, n, start)
        return asymptotics.averaged_covariance(self.design, Q, R, state.step, max(n, 1), start)

    def _effective(self, state: State) -> float:
        """How many equally weighted sets with an input the estimate is worth: (sum w)² / sum w² for weights w."""
        f, n = (self.settings.forgetting if self.settings.least_squares else 1.0), state.inputs.count
        if f == 1.0:
            return float(n)
        return float((1.0 - f**n) ** 2 * (1.0 + f) / ((1.0 - f) * (1.0 - f ** (2 * n))))

    def _transient(self, state: State) -> tuple[Finding, ...]:
        """What is left of the start, for a step that was given."""
        step = self.settings.step
        if step is None or self.settings.least_squares:
            return ()
        Q = asymptotics.normal_matrix(self.design, state.inputs)
        rates = [eps * np.linalg.eigvalsh(Q[b, b])[0] for eps, b in zip(step, self.design.degrees, strict=True)]
        time = state.inputs.count * np.array(rates)  # in time constants
        left = -np.expm1(-time) / np.maximum(time, 1e-300) if self.settings.averaged else np.exp(-time)
        if left.max() < 0.01:
            return ()
        worst = int(left.argmax())
        where = f" in degree {worst + 1}"
        return (
            finding(
                "start-not-forgotten",
                step=float(step[worst]),
                left=float(left[worst]),
                where=where,
                n_sets=state.count,
            ),
        )


def _require_identified(design: Design, state: State) -> None:
    Q = asymptotics.normal_matrix(design, state.inputs)
    scale = np.sqrt(np.maximum(np.diag(Q), 1e-300))
    if np.diag(Q).min() == 0.0 or np.linalg.cond(Q / np.outer(scale, scale)) > 1e13:
        raise NotIdentifiableError(
            "inputs-not-identifying",
            "the inputs of the {n_sets} set(s) so far do not identify the parameters: they are zero, constant or confined to a subspace. "
            "Vary the inputs in every coordinate, or wait for more sets.",
            n_sets=state.count,
        )


def _require_not_diverged(design: Design, state: State, coefficients: Floats, least_squares: bool) -> None:
    """On the latest sets, predictions a hundred times larger than the readings allow are refused."""
    blocks = design.blocks(state.recent_sets, state.recent_inputs)
    size = np.linalg.norm(design.scalarized(state.recent_sets, state.recent_inputs)[0], axis=-1).max(axis=-1)
    for degree, (block, lam) in enumerate(zip(blocks, design.split(coefficients), strict=True), start=1):
        with np.errstate(over="ignore"):  # infinite is large enough
            predicted = np.sum((block.gains @ lam) ** 2)
        seen = np.sum(block.readings**2) + np.sum(size ** (2 * degree))  # coefficients of large readings may cancel
        if not predicted <= 1e4 * seen:
            raise DivergedError(
                "diverged",
                "the filter has diverged: its coefficients of degree {degree} predict values {times:.2g} times larger than those of the "
                "latest sets. {advice}",
                degree=degree,
                times=float(np.sqrt(predicted / max(seen, 1e-300))),
                advice=SINGULAR if least_squares else TOO_FAST,
            )
