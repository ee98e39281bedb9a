"""`vieta.SymmetricFilter`: sets as they come."""

from os import PathLike
from typing import Any, Self, cast

import numpy as np
from numpy.typing import ArrayLike

from vieta.coefficients import coefficient_filter
from vieta.coefficients.choice import TRANSFORMS, choose_design
from vieta.coefficients.coefficient_engine import CoefficientEngine
from vieta.estimators import storage
from vieta.estimators.build import from_solution
from vieta.estimators.engine import Engine, Trajectory
from vieta.estimators.estimate import Estimate
from vieta.estimators.names import FILTERS, require_method
from vieta.estimators.weighted_engine import WeightedEngine
from vieta.laws.labels import Weighted
from vieta.laws.noise import Scaled
from vieta.likelihood.associations import require_few
from vieta.likelihood.assumed import assume, described
from vieta.likelihood.orders import as_weighted, informative
from vieta.likelihood.recursive_engine import RecursiveEngine, require_step
from vieta.options import (
    as_cap,
    as_drift,
    as_forgetting,
    as_regularization,
    as_start,
    as_steps,
    positive_integer,
    require_belongs,
)
from vieta.sets import Data, as_data, require_finite
from vieta.solution import Solution
from vieta.symmetric import canonical_order
from vieta.weighted import tracker as weighted_stream


class SymmetricFilter:
    """An adaptive filter for unlabeled sets.

    Parameters
    ----------
    n_systems : int
        L.
    dim : int
        D, the number of parameters of each system.
    method : str
        "efficient" (the default), "rls", "lms", "averaged" or "recursive-em".
    transform : str
        Of the methods on coefficients: "auto", or the symmetric transform to use.
    memory : float, optional
        Of "efficient" and "rls": old sets lose weight, so that about so many are remembered; all of them by default.
    drift : float or (D,), optional
        Of "efficient": variance that each parameter's random walk adds with every set; none by default.
    robust : bool
        Of "efficient": bound the influence of each set, where outliers dominate.
    step : float or (L,), optional
        Of "lms" and "averaged": one for all degrees, or one for each. By default the first sets choose it, well inside
        the bound of mean-square stability, and give the start as well. Of "recursive-em": one constant step, as in the
        paper; by default steps are scaled by the information of what was seen.
    start : (L, D), optional
        Of the methods on coefficients, and of "recursive-em" with a step: parameters to start from. Coefficients of zero
        if absent; "recursive-em" starts from a fit of its first sets.
    regularization : float, optional
        Of "rls": P(0) = I / regularization.
    law : str or law
        Of "recursive-em": "gaussian", "laplace", "student-t", or a law from `vieta.laws.noise`.
    noise_var : float, (p, p) or "estimate", optional
        Of "recursive-em": the variance of the noise; estimated by default, unless the law is given with its own.
    prior : (L!,) or Weighted, optional
        Of "recursive-em": how likely each order is in which the systems may stand in a set. Probabilities of all L! orders,
        lexicographically (up to eight systems), or a `vieta.laws.labels.Weighted` that lists those that occur; entry i
        of an order is the system at position i. With a prior the order within a set carries meaning; without one, all orders
        are alike and it carries none. System l is row l of the start; if there is none, the systems are named such that the
        first sets are likeliest. Estimates come in ascending order as always, without those names. A wrong prior biases
        them.

    Attributes
    ----------
    notes : dict
        Anything that JSON can hold, of yours; `save` keeps it with the filter.

    Examples
    --------
    >>> import vieta
    >>> records = vieta.simulate("example-1", n=5000, seed=1)
    >>> f = vieta.SymmetricFilter(n_systems=3)
    >>> f.partial_fit(records.sets, records.inputs).estimate().theta.round(2).ravel()
    array([-2.,  5.,  8.])
    """

    def __init__(
        self,
        n_systems: int,
        dim: int = 1,
        *,
        method: str = "efficient",
        transform: str = "auto",
        memory: float | None = None,
        drift: ArrayLike | None = None,
        robust: bool = False,
        step: ArrayLike | None = None,
        start: ArrayLike | None = None,
        regularization: float | None = None,
        law: str | Scaled | None = None,
        noise_var: ArrayLike | str | None = None,
        prior: ArrayLike | Weighted | None = None,
    ) -> None:
        require_method(method, FILTERS)
        if transform not in TRANSFORMS:
            raise ValueError(f"transform={transform!r} is not known. Choose one of: {', '.join(TRANSFORMS)}.")
        given = {
            "transform": transform != "auto",
            "memory": memory is not None,
            "drift": drift is not None,
            "robust": robust,
            "step": step is not None,
            "start": start is not None,
            "regularization": regularization is not None,
            "law": law is not None,
            "noise_var": noise_var is not None,
            "prior": prior is not None,
        }
        require_belongs(method, {name for name, is_given in given.items() if is_given})
        self.n_systems = positive_integer(n_systems, "n_systems")
        self.dim = positive_integer(dim, "dim")
        self.method = method
        self.transform = transform
        self.memory = memory
        self.forgetting = as_forgetting(memory)
        self.drift = drift
        self.robust = robust
        self._drift = as_drift(drift, self.n_systems, self.dim)
        self.step = None if step is None else as_steps(step, 1 if method == "recursive-em" else self.n_systems)
        self.start = as_start(start, self.n_systems, self.dim)
        self.regularization = as_regularization(regularization)
        self.law = law
        self.noise_var = noise_var
        self._noise = assume("gaussian" if law is None else law, noise_var)
        self.prior = None if prior is None else as_weighted(prior)
        self._orders = None if self.prior is None else informative(self.prior, self.n_systems)
        if method == "recursive-em":
            require_few(self.n_systems)
            require_step(self.start, self.step)
        self.notes: dict[str, Any] = {}
        self._engine: Engine | None = None
        self._state: Any = None

    @property
    def n_sets(self) -> int:
        """Sets absorbed."""
        return 0 if self._state is None else int(self._state.count)

    @property
    def changes(self) -> tuple[int, ...]:
        """After how many sets the parameters changed, the latest few times; "efficient" and "recursive-em" notice it."""
        watching = getattr(self._state, "companion", self._state)
        return tuple(int(after) for after in getattr(watching, "changes", ()))

    def partial_fit(self, sets: ArrayLike, inputs: ArrayLike | None = None) -> Self:
        """Absorb many sets; the result is the same however a stream is cut. Nothing changes if an error is raised."""
        data = as_data(sets, inputs, self.n_systems)
        engine, state = self._prepared(data)
        if data.inputs.ndim == 3 or self.method in {"efficient", "recursive-em"}:
            require_finite(data)
        try:
            state = engine.advance(state, data)
        except (coefficient_filter.DivergedError, ValueError):
            require_finite(data)  # a number that is none is the likelier cause, and the clearer message
            raise
        self._engine, self._state = engine, state
        return self

    def update(self, y: ArrayLike, psi: ArrayLike | None = None) -> Self:
        """Absorb one set: readings (L,) or (L, p), and its input."""
        return self.partial_fit(cast(ArrayLike, [y]), None if psi is None else cast(ArrayLike, [psi]))

    def trace(self, sets: ArrayLike, inputs: ArrayLike | None = None, *, every: int = 100) -> Trajectory:
        """Absorb many sets as `partial_fit` does, and return the parameters after each `every` of them."""
        every = positive_integer(every, "every")
        data = as_data(sets, inputs, self.n_systems)
        require_finite(data)
        before = self._engine, self._state
        index, points = [], []
        try:
            for at in range(0, len(data.sets), every):
                piece = slice(at, at + every)
                self.partial_fit(data.sets[piece], data.inputs[piece])
                index.append(self.n_sets)
                points.append(self._known_engine().point(self._state))
        except Exception:
            self._engine, self._state = before
            raise
        theta = self._known_engine().parameters(np.array(points))
        theta = theta[np.arange(len(theta))[:, None], canonical_order(theta)]
        return Trajectory(np.array(index), theta.real.copy(), theta.imag.copy())

    def estimate(self) -> Estimate:
        """The estimate from all sets absorbed so far."""
        found = self._known_engine().estimate(self._state)
        return from_solution(found, self.method) if isinstance(found, Solution) else found

    def save(self, path: str | PathLike[str]) -> None:
        """Write the filter to a file, whole or not at all; `load` resumes with identical results."""
        storage.save(path, self._options(), self._state, self.notes)

    @classmethod
    def load(cls, path: str | PathLike[str]) -> Self:
        """Read a filter that `save` wrote."""
        options, shape, arrays, notes = storage.load(path)
        try:
            loaded = cls(**storage.unwritten(options))
            if shape is not None:
                blank = Data(np.zeros((1, loaded.n_systems, shape[0])), np.zeros((1, *shape[1:])), loaded.dim)
                engine, state = loaded._prepared(blank)
                loaded._engine, loaded._state = engine, storage.restore(state, arrays)
        except (KeyError, TypeError, ValueError) as error:
            raise storage.not_ours(path, error) from None
        loaded.notes = notes
        return loaded

    def _options(self) -> dict[str, object]:
        return {
            "n_systems": self.n_systems,
            "dim": self.dim,
            "method": self.method,
            "transform": self.transform,
            "memory": self.memory,
            "drift": None if self.drift is None else np.asarray(self.drift).tolist(),
            "robust": self.robust,
            "step": None if self.step is None else self.step.tolist(),
            "start": None if self.start is None else self.start.tolist(),
            "regularization": self.regularization,
            "law": described(self.law),
            "noise_var": self.noise_var
            if isinstance(self.noise_var, str | None)
            else np.asarray(self.noise_var).tolist(),
            "prior": None if self.prior is None else storage.written(self.prior),
        }

    def _prepared(self, data: Data) -> tuple[Engine, Any]:
        if data.dim != self.dim:
            raise ValueError(
                f"readings and inputs of {data.dim} parameter(s) a system came, and the filter has dim={self.dim}. "
                f"Make it with dim={data.dim}, or check the shapes: sets {data.sets.shape}, inputs {data.inputs.shape}."
            )
        if self._engine is None:
            engine = self._make_engine(data)
            return engine, engine.init()
        now = data.reading_dim, data.inputs.shape[1:]
        then = self._state.recent_sets.shape[2], self._state.recent_inputs.shape[1:]
        if now != then:
            raise ValueError(
                f"sets of another shape came: readings of {now[0]} number(s) and inputs {now[1] or 'scalar'}, "
                f"after readings of {then[0]} and inputs {then[1] or 'scalar'}. Make another filter for them."
            )
        return self._engine, self._state

    def _make_engine(self, data: Data) -> Engine:
        if self.method == "efficient":
            settings = weighted_stream.Settings(self.forgetting, self._drift, as_cap(self.robust))
            return WeightedEngine(Data(data.sets[:0], data.inputs[:0], data.dim), settings)
        if self.method == "recursive-em":
            step = 0.0 if self.step is None else float(self.step[0])
            like = Data(data.sets[:0], data.inputs[:0], data.dim)
            return RecursiveEngine(like, self._noise, step, self.start, self._orders, law_free="efficient")
        design = choose_design(self.transform, data)
        algebra = design.transform.parameters
        start = np.zeros(algebra.size) if self.start is None else algebra.transform(self.start)
        method = cast(coefficient_filter.Method, self.method)
        return CoefficientEngine(
            design, coefficient_filter.Settings(method, self.step, start, self.forgetting, self.regularization)
        )

    def _known_engine(self) -> Engine:
        if self._engine is None:
            raise ValueError("the filter has seen no sets yet: call partial_fit or update first.")
        return self._engine
