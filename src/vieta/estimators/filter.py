"""`vieta.SymmetricFilter`: sets as they come."""

from dataclasses import replace
from os import PathLike
from threading import RLock
from typing import Any, Self, cast

import numpy as np
from numpy.typing import ArrayLike

from vieta.answers import families
from vieta.answers.family import Family
from vieta.engine import Engine
from vieta.errors import ComputationError, InputError
from vieta.estimators import storage
from vieta.estimators.estimate import Estimate
from vieta.estimators.guard import checked_solution, computing
from vieta.estimators.trajectory import Trajectory
from vieta.estimators.waiting import Waiting
from vieta.frames import column_names
from vieta.method import registry
from vieta.method.base import Method
from vieta.options import positive_integer
from vieta.set_requirements import as_streamed, require_complete, require_finite
from vieta.sets import Data, as_data, in_canonical_order, less_known, with_known
from vieta.symmetric import canonical_order


class SymmetricFilter:
    """An adaptive filter for unlabeled sets.

    The constructor keeps what it is given and does nothing else: arguments are checked when the first sets arrive. Threads may share a
    filter: sets are absorbed one call after another, and `estimate`, `save` and copies see the filter between two calls.

    Parameters
    ----------
    n_systems : int
        L.
    dim : int
        D, the number of parameters of each system.
    method : str, optional
        A method of `vieta.methods()` that takes sets as they come; the default one, "efficient", if absent. "adaptive" takes sets of any
        size, with missed and false readings.
    **options
        Those of the method; ``vieta methods`` lists them. For "efficient": memory, drift, robust. With ``family="binary"`` or another one
        sets hold answers, and the options are those of the family.

    Attributes
    ----------
    n_systems, dim, method, options
        As they were given.
    notes : dict
        Anything that JSON can hold, of yours; `save` keeps it with the filter.

    Examples
    --------
    >>> import vieta
    >>> records = vieta.simulate("example-1", n=5000, seed=1)
    >>> f = vieta.SymmetricFilter(n_systems=3)
    >>> f.partial_fit(records.sets, records.inputs).estimate().theta.round(2).ravel()
    array([-2.,  5.,  8.])
    >>> f
    SymmetricFilter(n_systems=3)
    """

    def __init__(self, n_systems: int, dim: int = 1, *, method: str | None = None, **options: Any) -> None:
        self.n_systems = n_systems
        self.dim = dim
        self.method = method
        self.options = options
        self.notes: dict[str, Any] = {}
        self._engine: Engine | None = None
        self._like: Data | None = None
        self._absorbed: Any = None  # the state, but for sets that wait
        self._waiting: Waiting | None = None  # room for single sets, while they may wait
        self._names: tuple[str, ...] = ()
        self._lock = RLock()

    def __getstate__(self) -> dict[str, Any]:
        """All but the lock, the room for sets, and the engine, which is made again: it may hold functions that cannot be pickled."""
        with self._lock:
            self._absorb_waiting()
            return {name: value for name, value in vars(self).items() if name not in ("_lock", "_engine", "_waiting")}

    def __setstate__(self, state: dict[str, Any]) -> None:
        vars(self).update({"_names": (), **state}, _lock=RLock(), _engine=None, _waiting=None)
        if self._like is not None:
            self._engine = self._make_engine(self._like)

    def get_params(self) -> dict[str, Any]:
        """What the constructor was given, by name: ``SymmetricFilter(**f.get_params())`` is the same filter before any set."""
        return {"n_systems": self.n_systems, "dim": self.dim, "method": self.method, **self.options}

    def clone(self) -> Self:
        """The same filter before any set."""
        return type(self)(**self.get_params())

    def __repr__(self) -> str:
        shown: dict[str, Any] = {"n_systems": self.n_systems}
        shown |= {"dim": self.dim} if self.dim != 1 else {}
        shown |= {"method": self.method} if self.method is not None else {}
        return f"{type(self).__name__}({', '.join(f'{k}={v!r}' for k, v in (shown | self.options).items())})"

    @property
    def method_name(self) -> str:
        """The name of the method, also where it was left to the default."""
        family, rest = self._chosen()
        if family is not None:
            return family.name
        return registry.default(options=rest) if self.method is None else self.method

    def _chosen(self) -> tuple[Family | None, dict[str, Any]]:
        """The family of answers, if one is asked for, and the options of the method or of the family."""
        return families.of_options(self.options, self.method)

    @property
    def takes_incomplete(self) -> bool:
        """Whether sets may have any number of readings."""
        return self._method().takes_incomplete

    @property
    def n_sets(self) -> int:
        """Sets absorbed."""
        with self._lock:
            waiting = 0 if self._waiting is None else self._waiting.count
            return waiting + (0 if self._absorbed is None else int(self._absorbed.count))

    @property
    def names(self) -> tuple[str, ...]:
        """Of the parameters: the columns of the first inputs that were a data frame; empty if there were none."""
        return self._names

    @property
    def changes(self) -> tuple[int, ...]:
        """After how many sets the parameters changed, the latest few times, for methods that look for changes."""
        engine, state, _ = self._now()
        return () if engine is None else engine.changes(state)

    def check(self) -> Self:
        """Check method, options and sizes now, for readings that are numbers, rather than when the first sets arrive."""
        L, D = positive_integer(self.n_systems, "n_systems"), positive_integer(self.dim, "dim")
        inputs = np.zeros(0) if D == 1 else np.zeros((0, 1, D))
        self._make_engine(Data(np.zeros((0, L, 1)), inputs, D))
        return self

    def partial_fit(self, sets: ArrayLike, inputs: ArrayLike | None = None, *, offset: ArrayLike | None = None) -> Self:
        """Absorb many sets; the result is the same however a stream is cut. Nothing changes if an error is raised.

        The columns of inputs that are a data frame name the parameters; frames after it must have the same ones, in the same order. An
        `offset` is a known number a set, as for `vieta.fit`.
        """
        names = column_names(inputs)
        _require_columns(names, self._names)
        self._absorb(self._taken(sets, inputs, offset))
        self._names = self._names or (names if len(names) == self.dim else ())
        return self

    def _taken(self, sets: ArrayLike, inputs: ArrayLike | None, offset: ArrayLike | None = None) -> Data:
        """Sets as the method takes them, of any size or complete."""
        L, method = positive_integer(self.n_systems, "n_systems"), self._method()
        if method.takes_incomplete:
            return less_known(with_known(as_streamed(sets, inputs, L, self._like), offset))
        data = with_known(as_data(sets, inputs, L), offset)
        require_complete(data, self.method_name)
        return data if isinstance(method, Family) else less_known(data)

    def _absorb(self, data: Data) -> Self:
        with self._lock:
            self._absorb_waiting()
            engine, state = self._prepared(data)
            if len(data.readings) and not engine.finds_bad_numbers(data):
                require_finite(data)
            try:
                with computing(self._method()):
                    state = engine.advance(state, self._ordered(data))
            except (ComputationError, ValueError):
                if len(data.readings):
                    require_finite(data)  # bad numbers are the likelier cause, and the clearer message
                raise
            self._advanced(engine, state, data.part(0, 0))
        return self

    def update(self, y: ArrayLike, psi: ArrayLike | None = None, *, offset: float | None = None) -> Self:
        """Absorb one set: readings (L,) or (L, p), its input, and a known number. The result is that of `partial_fit`, to the last bit.

        With a method that takes incomplete sets, of any number of readings, none included.
        """
        with self._lock:
            if self._waiting is not None and self._waiting.is_full:
                self._absorb_waiting()  # if this is interrupted, the new set has not been taken
            if self._waiting is not None and offset is None and self._waiting.take(y, psi):
                return self
        one = None if psi is None else cast(ArrayLike, [psi])
        return self.partial_fit(cast(ArrayLike, [y]), one, offset=offset)

    def trace(self, sets: ArrayLike, inputs: ArrayLike | None = None, *, every: int = 100) -> Trajectory:
        """Absorb many sets as `partial_fit` does, and return the parameters after each `every` of them.

        They are those of the recursion. As long as `efficient` keeps its first sets, `estimate` is the batch fit of these, which differs from
        them by a small part of a standard error.
        """
        every = positive_integer(every, "every")
        data = self._taken(sets, inputs)
        if len(data.readings):
            require_finite(data)
        with self._lock:
            before = self._now()
            index, points = [], []
            try:
                for at in range(0, len(data), every):
                    self._absorb(data.part(at, at + every))
                    index.append(self.n_sets)
                    points.append(self._known()[0].point(self._state))
                with computing(self._method()):
                    theta = self._known()[0].parameters(np.array(points))
            except BaseException:
                self._engine, self._state, self._like = before
                raise
        theta = theta[np.arange(len(theta))[:, None], canonical_order(theta)]
        return Trajectory(np.array(index), theta.real.copy(), theta.imag.copy())

    def estimate(self) -> Estimate:
        """The estimate from all sets absorbed so far."""
        (engine, state), method = self._known(), self._method()
        with computing(method):
            solution = engine.estimate(state)
        found = Estimate.of(checked_solution(solution, method, self.n_systems, self.dim), method.name)
        return replace(found, names=self._names)

    def save(self, path: str | PathLike[str]) -> None:
        """Write the filter to a file, whole or not at all; `load` resumes with identical results."""
        engine, state, like = self._now()
        storage.save(
            path,
            storage.Saved(
                n_systems=self.n_systems,
                dim=self.dim,
                method=self.method_name,
                options=self.options,
                shape=None if like is None else (like.reading_dim, *like.inputs.shape[1:]),
                code="" if engine is None else engine.code(state),
                state=state,
                notes=self.notes,
                names=self._names,
            ),
        )

    @classmethod
    def load(cls, path: str | PathLike[str]) -> Self:
        """Read a filter that `save` wrote; a file that holds anything else is refused before anything is computed with it."""
        with storage.loading(path) as saved:
            loaded = cls(saved.n_systems, saved.dim, method=saved.method, **saved.options)
            registry.options(loaded._method(), loaded._chosen()[1])
            if saved.shape is not None:
                sets = np.zeros((0, loaded.n_systems, saved.shape[0]))
                loaded._like = like = Data(sets, np.zeros((0, *saved.shape[1:])), loaded.dim)
                loaded._engine = engine = loaded._make_engine(like)
                loaded._state = storage.restored(engine.blank(saved.code), saved.state)
                engine.check(loaded._state)
            loaded.notes, loaded._names = saved.notes, saved.names
        return loaded

    def _method(self) -> Method:
        method: Method = self._chosen()[0] or registry.get(self.method_name)
        if not method.has_engine:
            known = ", ".join(name for name, one in registry.every().items() if one.has_engine)
            raise InputError(
                "batch-only",
                "method {method!r} needs all sets at once. Choose one of: {known}.",
                method=method.name,
                known=known,
            )
        return method

    def _prepared(self, data: Data) -> tuple[Engine, Any]:
        if data.dim != positive_integer(self.dim, "dim"):
            raise InputError(
                "dim-mismatch",
                "readings and inputs of {given} parameter(s) a system were given, and the filter has {option.dim:{dim}}. Make it with "
                "{option.dim:{given}}, or check the shapes: sets {sets}, inputs {inputs}.",
                given=data.dim,
                dim=self.dim,
                sets=data.readings.shape,
                inputs=data.inputs.shape,
            )
        if self._engine is None or self._like is None:
            engine = self._make_engine(data)
            return engine, engine.init()
        now, then = ((one.reading_dim, one.inputs.shape[1:]) for one in (data, self._like))
        if now != then:
            raise InputError(
                "another-shape",
                "sets of another shape were given: readings of {now} number(s) and inputs {inputs_now}, after readings of {then} and "
                "inputs {inputs_then}. Make another filter for them.",
                now=now[0],
                inputs_now=now[1] or "scalar",
                then=then[0],
                inputs_then=then[1] or "scalar",
            )
        return self._engine, self._absorbed

    def _make_engine(self, data: Data) -> Engine:
        method = self._method()
        options = registry.options(method, self._chosen()[1])
        with computing(method):
            return method.engine(data.part(0, 0), options)

    def _now(self) -> tuple[Engine | None, Any, Data | None]:
        """Engine, state and shapes as one call left them; states are never changed in place."""
        with self._lock:
            self._absorb_waiting()
            return self._engine, self._absorbed, self._like

    @property
    def _state(self) -> Any:
        """The state after all sets."""
        return self._now()[1]

    @_state.setter
    def _state(self, state: Any) -> None:
        with self._lock:
            self._absorbed, self._waiting = state, None

    def _absorb_waiting(self) -> None:
        """Advance by the sets that wait; they go on waiting if that is interrupted. To be called under the lock."""
        waiting, engine, like = self._waiting, self._engine, self._like
        if waiting is None or engine is None or like is None or not waiting.count:
            return
        with computing(self._method()):
            state = engine.advance(self._absorbed, self._ordered(waiting.data()))
        self._advanced(engine, state, like)

    def _ordered(self, data: Data) -> Data:
        """The sets as the method wants them."""
        method = self._method()
        ascending = method.wants_ascending(registry.options(method, self._chosen()[1]))
        return in_canonical_order(data) if ascending else data

    def _advanced(self, engine: Engine, state: Any, like: Data) -> None:
        """Keep the state after all sets, and room for the next ones if they may wait; all at once, whatever interrupts this."""
        room = Waiting(like) if engine.may_wait(state) else None
        self._engine, self._absorbed, self._like, self._waiting = engine, state, like, room

    def _known(self) -> tuple[Engine, Any]:
        engine, state, _ = self._now()
        if engine is None:
            raise InputError("no-sets-yet", "the filter has seen no sets yet: call partial_fit or update first.")
        return engine, state


def _require_columns(names: tuple[str, ...], known: tuple[str, ...]) -> None:
    """Refuse inputs whose columns are others than before, or the same in another order."""
    if not names or not known or names == known:
        return
    raise InputError(
        "columns-changed",
        "inputs with the columns {names} were given, after inputs with {known}{same}. Give them in that order: inputs[{known!r}].",
        names=", ".join(names),
        known=list(known),
        same=", the same in another order" if sorted(names) == sorted(known) else "",
    )
