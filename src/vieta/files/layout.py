"""Which columns are what: the layout of a file, in facts and in words."""

from dataclasses import dataclass
from typing import Literal

from vieta.files.columns import Names
from vieta.wording import PYTHON, Audience, render

Kind = Literal["long", "wide"]


@dataclass(frozen=True, slots=True)
class Wishes:
    """What the user has named; None and empty leave it to be recognised.

    Attributes
    ----------
    layout : "long" or "wide", optional
    set : str, optional
        The column that names the set.
    value, input : tuple of str
        Columns of readings, and of inputs.
    systems : int, optional
        How many systems there are.
    intercept : bool
        Whether a one stands before the inputs of every set.
    """

    layout: Kind | None = None
    set: str | None = None
    value: tuple[str, ...] = ()
    input: tuple[str, ...] = ()
    systems: int | None = None
    intercept: bool = False


@dataclass(frozen=True, slots=True)
class Layout:
    """The columns of a file.

    Attributes
    ----------
    kind : str
        "long": one row a reading, those of a set share their entry in the column `set`. "wide": one row a set.
    set : str or None
        The column that names the set.
    values : tuple of str
        Long: the p numbers of a reading. Wide: those of the first member, then those of the second, and so on.
    inputs : tuple of str
        None, one (a scalar), D of them (p = 1), or p D of them (a matrix, row by row).
    n_systems : int or None
        L; None to be counted.
    intercept : bool
        Whether a one stands before the inputs of every set.
    unused : tuple of str
        Columns that are none of these.
    likely_inputs : tuple of str
        Those of them that look like inputs.
    naming : tuple of str
        Those of them that hold the same values in every set, each once: names of the systems.
    """

    kind: Kind
    set: str | None
    values: tuple[str, ...]
    inputs: tuple[str, ...]
    n_systems: int | None
    intercept: bool = False
    unused: tuple[str, ...] = ()
    likely_inputs: tuple[str, ...] = ()
    naming: tuple[str, ...] = ()

    @property
    def reading_dim(self) -> int:
        """p."""
        return len(self.values) if self.kind == "long" else len(self.values) // (self.n_systems or 1)

    @property
    def regressors(self) -> tuple[str, ...]:
        """Names of the inputs, with the intercept if there is one."""
        return ("intercept", *self.inputs) if self.intercept else self.inputs

    def describe(self, audience: Audience = PYTHON) -> str:
        """The layout in words, with options as the audience spells them."""
        row = "one row a reading" if self.kind == "long" else "one row a set"
        sets = ", sets by {set!r}" if self.set is not None else ""
        inputs = "inputs {regressors}" if self.inputs else "no inputs (Psi = I)"
        likely = dict.fromkeys(self.likely_inputs)
        others = tuple(name for name in self.unused if name not in likely)
        left = [_LIKELY[len(likely) > 1]] if likely else []
        left += ["{others} (name them with {option.set}, {option.input} or {option.value})"] if others else []
        template = (
            f"{{kind}} ({row}{sets}), readings {{values}}, {inputs}{'; not used: ' * bool(left)}{'; '.join(left)}"
        )
        facts = {
            "kind": self.kind,
            "set": self.set,
            "values": Names(self.values),
            "regressors": Names(self.regressors),
            "likely": Names(likely),
            "advice": _Inputs(self.likely_inputs[:3]),
            "others": Names(others),
        }
        return render(template, facts, audience)


_LIKELY = {
    True: "{likely}, which look like inputs ({advice})",
    False: "{likely}, which looks like an input ({advice})",
}


@dataclass(frozen=True, slots=True)
class _Inputs:
    """Columns as an option that names them."""

    names: tuple[str, ...]

    def say(self, audience: Audience) -> str:
        return " ".join(audience.option("input", name) for name in self.names)
