"""`vieta.SymmetricFilter`: sets as they come."""

from collections.abc import Callable
from dataclasses import dataclass
from os import PathLike
from typing import Self, cast

import numpy as np
from numpy.typing import ArrayLike

from vieta.estimate import storage
from vieta.estimate.build import build
from vieta.estimate.methods import FILTERS, require_method
from vieta.estimate.result import Estimate
from vieta.estimation import asymptotics, lms, rls, stream
from vieta.estimation.choice import TRANSFORMS, choose_design
from vieta.estimation.data import Data, as_data, require_finite
from vieta.estimation.design import Design
from vieta.estimation.least_squares import NotIdentifiableError
from vieta.estimation.options import as_forgetting, as_regularization, as_start, as_steps, positive_integer
from vieta.estimation.stream import DivergedError, Method, Settings
from vieta.symmetric import canonical_order, path
from vieta.symmetric.arrays import Floats, Integers


@dataclass(frozen=True, slots=True, eq=False)
class Trajectory:
    """Parameters along a stream: after `index` sets, `theta` (n, L, D), and the imaginary parts left out."""

    index: Integers
    theta: Floats
    imaginary: Floats


class SymmetricFilter:
    """An adaptive filter for unlabeled sets.

    Parameters
    ----------
    n_systems : int
        L.
    dim : int
        D, the number of parameters of each system.
    method : str
        "rls", "lms" or "averaged".
    transform : str
        "auto", or the symmetric transform to use.
    step : float or (L,), optional
        Of LMS: one for all degrees, or one for each. By default the first sets choose it, well inside the bound of
        mean-square stability, and give the start as well.
    start : (L, D), optional
        Parameters to start from; coefficients of zero if absent.
    forgetting : float
        Of "rls": below one, old sets lose weight by this factor with every set.
    regularization : float, optional
        Of "rls": P(0) = I / regularization.

    Examples
    --------
    >>> import vieta
    >>> records = vieta.simulate("example-1", n=5000, seed=1)
    >>> f = vieta.SymmetricFilter(n_systems=3, method="rls")
    >>> f.partial_fit(records.sets, records.inputs).estimate().theta.round(2).ravel()
    array([-2.,  5.,  8.])
    """

    def __init__(
        self,
        n_systems: int,
        dim: int = 1,
        *,
        method: str = "rls",
        transform: str = "auto",
        step: ArrayLike | None = None,
        start: ArrayLike | None = None,
        forgetting: float = 1.0,
        regularization: float | None = None,
    ) -> None:
        require_method(method, FILTERS)
        if transform not in TRANSFORMS:
            raise ValueError(f"transform={transform!r} is not known. Choose one of: {', '.join(TRANSFORMS)}.")
        self.n_systems = positive_integer(n_systems, "n_systems")
        self.dim = positive_integer(dim, "dim")
        self.method = cast(Method, method)
        self.transform = transform
        if step is not None and method == "rls":
            raise ValueError("step= belongs to 'lms' and 'averaged'; method 'rls' takes forgetting= instead.")
        self.step = None if step is None else as_steps(step, self.n_systems)
        self.start = as_start(start, self.n_systems, self.dim)
        self.forgetting = as_forgetting(forgetting, method)
        self.regularization = as_regularization(regularization, method)
        self._design: Design | None = None
        self._state: stream.State | None = None

    @property
    def n_sets(self) -> int:
        """Sets absorbed."""
        return 0 if self._state is None else self._state.count

    def partial_fit(self, sets: ArrayLike, inputs: ArrayLike | None = None) -> Self:
        """Absorb many sets; the result is the same however a stream is cut. Nothing changes if an error is raised."""
        data = as_data(sets, inputs, self.n_systems)
        design, settings, state = self._prepared(data)
        if data.inputs.ndim == 3:  # a transform need not read every entry; numbers spoil the coefficients and are seen
            require_finite(data)
        try:
            with np.errstate(over="ignore", invalid="ignore"):
                state = stream.advance(design, settings, state, data.sets, data.inputs)
        except (DivergedError, stream.UnstableStepError, ValueError):
            require_finite(data)  # a number that is none is the likelier cause, and the clearer message
            raise
        self._design, self._state = design, state
        return self

    def update(self, y: ArrayLike, psi: ArrayLike | None = None) -> Self:
        """Absorb one set: readings (L,) or (L, p), and its input."""
        return self.partial_fit(cast(ArrayLike, [y]), None if psi is None else cast(ArrayLike, [psi]))

    def trace(self, sets: ArrayLike, inputs: ArrayLike | None = None, *, every: int = 100) -> Trajectory:
        """Absorb many sets as `partial_fit` does, and return the parameters after each `every` of them."""
        every = positive_integer(every, "every")
        data = as_data(sets, inputs, self.n_systems)
        require_finite(data)
        before = self._design, self._state
        index, coefficients = [], []
        try:
            for at in range(0, len(data.sets), every):
                piece = slice(at, at + every)
                self.partial_fit(data.sets[piece], data.inputs[piece])
                index.append(self.n_sets)
                coefficients.append(self._coefficients())
        except Exception:
            self._design, self._state = before
            raise
        return _trajectory(self._known_design(), np.array(index), np.array(coefficients))

    def estimate(self) -> Estimate:
        """The estimate from all sets absorbed so far."""
        design, state = self._known_design(), self._known_state()
        _require_identified(design, state)
        _require_not_diverged(design, state, self._coefficients())
        noise = self._noise(state)
        return build(
            design,
            self._coefficients(),
            noise,
            self._covariance(design, state, noise),
            method=self.method,
            n_sets=state.count,
            findings=self._transient(design, state),
        )

    def save(self, path: str | PathLike[str]) -> None:
        """Write the filter to a file, whole or not at all; `load` resumes with identical results."""
        storage.save(path, self._options(), self._state)

    @classmethod
    def load(cls, path: str | PathLike[str]) -> Self:
        """Read a filter that `save` wrote."""
        options, shape, arrays = storage.load(path)
        try:
            loaded = cls(**options)
            if shape is not None:
                blank = Data(np.zeros((1, loaded.n_systems, shape[0])), np.zeros((1, *shape[1:])), loaded.dim)
                design, _, state = loaded._prepared(blank)
                loaded._design, loaded._state = design, storage.restore(state, arrays)
        except (KeyError, TypeError, ValueError) as error:
            raise storage.not_ours(path, error) from None
        return loaded

    def _options(self) -> dict[str, object]:
        return {
            "n_systems": self.n_systems,
            "dim": self.dim,
            "method": self.method,
            "transform": self.transform,
            "step": None if self.step is None else self.step.tolist(),
            "start": None if self.start is None else self.start.tolist(),
            "forgetting": self.forgetting,
            "regularization": self.regularization,
        }

    def _prepared(self, data: Data) -> tuple[Design, Settings, stream.State]:
        if data.dim != self.dim:
            raise ValueError(
                f"readings and inputs of {data.dim} parameter(s) a system came, and the filter has dim={self.dim}. "
                f"Make it with dim={data.dim}, or check the shapes: sets {data.sets.shape}, inputs {data.inputs.shape}."
            )
        design = choose_design(self.transform, data) if self._design is None else self._design
        if self._state is not None:
            now, then = (data.reading_dim, data.inputs.shape[1:]), self._shape(self._state)
            if now != then:
                raise ValueError(
                    f"sets of another shape came: readings of {now[0]} number(s) and inputs {now[1] or 'scalar'}, "
                    f"after readings of {then[0]} and inputs {then[1] or 'scalar'}. Make another filter for them."
                )
        algebra = design.transform.parameters
        start = np.zeros(algebra.size) if self.start is None else algebra.transform(self.start)
        settings = Settings(self.method, self.step, start, self.forgetting, self.regularization)
        return design, settings, stream.init(design, settings) if self._state is None else self._state

    @staticmethod
    def _shape(state: stream.State) -> tuple[int, tuple[int, ...]]:
        return state.recent_sets.shape[2], state.recent_inputs.shape[1:]

    def _known_design(self) -> Design:
        if self._design is None:
            raise ValueError("the filter has seen no sets yet: call partial_fit or update first.")
        return self._design

    def _known_state(self) -> stream.State:
        self._known_design()
        return cast(stream.State, self._state)

    def _coefficients(self) -> Floats:
        state = self._known_state()
        averaged = self._averaged(state)
        if isinstance(state.filter, lms.State) and averaged > 0:
            return state.filter.total / averaged
        return state.filter.coefficients

    def _averaged(self, state: stream.State) -> int:
        """Iterates that enter an average; none for methods that do not average."""
        if self.method != "averaged":
            return 0
        return state.count - (stream.WARM_UP if self.step is None else 0)

    def _noise(self, state: stream.State) -> Floats:
        discount = self.forgetting if self.method == "rls" else 1.0 - 1.0 / stream.NOISE_MEMORY
        weight = state.count if discount == 1.0 else (1.0 - discount**state.count) / (1.0 - discount)
        return np.asarray(state.power / (weight * self.n_systems))

    def _covariance(self, design: Design, state: stream.State, noise: Floats) -> Callable[[Floats], Floats]:
        def covariance(theta: Floats) -> Floats:
            Q = asymptotics.normal_matrix(design, state.inputs)
            R = asymptotics.score_covariance(design, state.inputs, theta, noise)
            if isinstance(state.filter, rls.State):
                return asymptotics.least_squares_covariance(Q, R, self._effective(state))
            start = 1.0 / stream.WARM_UP if self.step is None else 0.0
            n = state.count - (stream.WARM_UP if self.step is None else 0)
            if self.method == "lms":
                return asymptotics.lms_covariance(design, Q, R, state.step, n, start)
            return asymptotics.averaged_covariance(design, Q, R, state.step, max(n, 1), start)

        return covariance

    def _effective(self, state: stream.State) -> float:
        """How many equally weighted sets the estimate is worth: (sum w)² / sum w² for weights w."""
        f, n = (self.forgetting if self.method == "rls" else 1.0), state.count
        if f == 1.0:
            return float(n)
        return float((1.0 - f**n) ** 2 * (1.0 + f) / ((1.0 - f) * (1.0 - f ** (2 * n))))

    def _transient(self, design: Design, state: stream.State) -> tuple[str, ...]:
        """What is left of the start, for a step that was given."""
        if self.step is None or self.method == "rls":
            return ()
        Q = asymptotics.normal_matrix(design, state.inputs)
        rates = [eps * np.linalg.eigvalsh(Q[b, b])[0] for eps, b in zip(self.step, design.degrees, strict=True)]
        time = state.count * np.array(rates)  # in time constants
        left = np.exp(-time) if self.method == "lms" else -np.expm1(-time) / np.maximum(time, 1e-300)
        if left.max() < 0.01:
            return ()
        worst = int(left.argmax())
        return (
            f"The filter has not forgotten its start: with step {self.step[worst]:.3g} about {left[worst]:.0%} of the "
            f"first error in degree {worst + 1} is left after {state.count:,} sets. Let it run longer, or "
            "take a larger step.",
        )


def _trajectory(design: Design, index: Integers, coefficients: Floats) -> Trajectory:
    """Scalar roots are continued from one time to the next; vectors are solved one by one."""
    if design.transform.name == "elementary":
        theta = path(coefficients)[:, :, None]
    else:
        theta = design.transform.solve(coefficients)
    theta = theta[np.arange(len(theta))[:, None], canonical_order(theta)]
    return Trajectory(index, theta.real.copy(), theta.imag.copy())


def _require_identified(design: Design, state: stream.State) -> None:
    Q = asymptotics.normal_matrix(design, state.inputs)
    scale = np.sqrt(np.maximum(np.diag(Q), 1e-300))
    if np.diag(Q).min() == 0.0 or np.linalg.cond(Q / np.outer(scale, scale)) > 1e13:
        raise NotIdentifiableError(
            f"the inputs of the {state.count} set(s) so far do not identify the parameters: they are zero, constant or "
            "confined to a subspace. Vary the inputs in every coordinate, or wait for more sets."
        )


def _require_not_diverged(design: Design, state: stream.State, coefficients: Floats) -> None:
    """On the latest sets, predictions a hundred times larger than the readings' size allows are no estimate."""
    blocks = design.blocks(state.recent_sets, state.recent_inputs)
    size = np.linalg.norm(design.scalarized(state.recent_sets, state.recent_inputs)[0], axis=-1).max(axis=-1)
    for degree, (block, lam) in enumerate(zip(blocks, design.split(coefficients), strict=True), start=1):
        predicted = np.sum((block.gains @ lam) ** 2)
        seen = np.sum(block.readings**2) + np.sum(size ** (2 * degree))  # coefficients of large readings may cancel
        if not predicted <= 1e4 * seen:
            raise DivergedError(
                f"the filter has diverged: its coefficients of degree {degree} predict values "
                f"{np.sqrt(predicted / max(seen, 1e-300)):.2g} times larger than those of the latest sets. Use a "
                "smaller step (or none, to have it chosen), or a start nearer the truth."
            )
