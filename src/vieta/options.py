"""Options of methods: declared once as a dataclass, from which documentation and flags are made, and checked in one place."""

from dataclasses import dataclass, field, fields
from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike

from vieta.arrays import Floats
from vieta.conversion import NotReal, as_real
from vieta.errors import InputError
from vieta.wording import short

FlagKind = Literal["number", "numbers", "numbers-or-auto", "text", "switch", "decision"]
AUTO = "auto"


@dataclass(frozen=True, slots=True)
class OptionInfo:
    """What is said about an option: one sentence; and how a command line takes it, None if it does not.

    Attributes
    ----------
    help : str
    kind : str or None
        "number", "numbers" (given once or several times), "numbers-or-auto" (or the word), "text", "switch" or "decision" (yes, no
        or auto).
    metavar : str
        What stands for the value in a help text.
    """

    help: str
    kind: FlagKind | None = None
    metavar: str = ""


def option(default: Any, help: str, kind: FlagKind | None = None, metavar: str = "") -> Any:
    """A field of an Options dataclass."""
    return field(default=default, metadata={"option": OptionInfo(help, kind, metavar)})


@dataclass(frozen=True, eq=False)
class Options:
    """No options: the base of those that methods have."""

    @classmethod
    def infos(cls) -> dict[str, OptionInfo]:
        """Every option with what is said about it.

        >>> Options.infos()
        {}
        """
        return {one.name: one.metadata["option"] for one in fields(cls)}


def positive_integer(value: int, name: str) -> int:
    """A whole number of at least one."""
    if isinstance(value, bool) or not isinstance(value, int | np.integer) or value < 1:
        raise InputError(
            "not-a-count", "`{name}` must be a whole number, 1 or more; got {value!r}.", name=name, value=value
        )
    return int(value)


def as_steps(step: ArrayLike, count: int) -> Floats:
    """One positive step for each of `count` degrees; a single number serves all."""
    steps = _numbers(step)
    if steps is None or steps.shape not in ((), (count,)) or not (np.isfinite(steps).all() and (steps > 0.0).all()):
        many = f", or {count} of them, one for each degree" if count > 1 else ""
        raise InputError(
            "step-range",
            "{option.step:{value}} must be a positive finite number{many}. Try 1e-3 and go down from there.",
            value=short(step),
            many=many,
        )
    return np.array(np.broadcast_to(steps, count))


def as_start(start: ArrayLike | None, n_systems: int, dim: int) -> Floats | None:
    """Parameters (L, D) to start from, or None."""
    if start is None:
        return None
    theta = _numbers(start)
    if theta is not None and theta.shape == (n_systems,) and dim == 1:
        theta = theta[:, None]
    if theta is None or theta.shape != (n_systems, dim) or not np.isfinite(theta).all():
        raise InputError(
            "start-shape",
            "{option.start} must be finite parameters of shape ({n_systems}, {dim}); got {value}.",
            n_systems=n_systems,
            dim=dim,
            value=short(start) if theta is None else str(np.shape(start)),
        )
    return theta.copy()


def as_forgetting(memory: float | None) -> float:
    """The factor by which old sets lose weight, 1 - 1/memory; 1 to remember all."""
    if memory is None:
        return 1.0
    number = _numbers(memory)
    if number is None or number.ndim or not (np.isfinite(number) and number > 1.0):
        raise InputError(
            "memory-range",
            "{option.memory:{value}} must be a number of sets above 1; 1000 remembers about the last thousand.",
            value=short(memory),
        )
    return float(1.0 - 1.0 / number)


def as_drift(drift: ArrayLike | str | None, n_systems: int, dim: int) -> Floats:
    """Covariance (L D, L D) that a random walk adds at each set; empty for none, and for one that is to be estimated."""
    if drift is None or is_auto(drift):
        return np.empty((0, 0))
    variances = _numbers(drift)
    fits = variances is not None and variances.shape in ((), (dim,))
    if variances is None or not fits or not (np.isfinite(variances).all() and (variances > 0.0).all()):
        raise InputError(
            "drift-range",
            "{option.drift:{value}} must be a positive variance a set, or {dim} of them, one for each parameter, or 'auto'.",
            value=short(drift),
            dim=dim,
        )
    return np.diag(np.tile(np.broadcast_to(variances, dim), n_systems))


def is_auto(value: object) -> bool:
    """Whether an option was left to the method."""
    return isinstance(value, str) and value == AUTO


def as_cap(robust: bool) -> float:
    """Bound on a set's influence, in units of its expected size."""
    if not isinstance(robust, bool | np.bool_):
        raise InputError("robust-type", "{option.robust:{value}} must be True or False.", value=short(robust))
    return 2.0 if robust else float("inf")


def as_shock(shock: str) -> str:
    """Whether the systems share a shock: "auto", "common" or "none"."""
    if shock not in ("auto", "common", "none"):
        raise InputError("shock-name", "{option.shock:{value}} must be 'auto', 'common' or 'none'.", value=short(shock))
    return shock


def as_regularization(regularization: float | None) -> float | None:
    """The regularization of recursive least squares, or None."""
    if regularization is None:
        return None
    number = _numbers(regularization)
    if number is None or number.ndim or not (np.isfinite(number) and number > 0.0):
        raise InputError(
            "regularization-range",
            "{option.regularization:{value}} must be a positive number.",
            value=short(regularization),
        )
    return float(number)


def _numbers(value: ArrayLike) -> Floats | None:
    """The value as numbers; None for anything else, and for True and False, which are none where a size is asked for."""
    found = as_real(value)
    return None if isinstance(found, NotReal) or np.asarray(value).dtype == np.bool_ else found


def as_decision(value: bool | str, name: str) -> bool | None:
    """True or False; None for 'auto'.

    >>> as_decision("auto", "misses"), as_decision(True, "misses")
    (None, True)
    """
    if is_auto(value):
        return None
    if not isinstance(value, bool | np.bool_):
        raise InputError(
            "decision-type",
            "{option." + name + "} must be True, False or 'auto'; got {value}.",
            value=short(value),
        )
    return bool(value)
