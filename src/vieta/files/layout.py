"""Which columns are what: the layout of a file, in facts and in words."""

from dataclasses import dataclass
from typing import Literal

import numpy as np

from vieta.arrays import Floats
from vieta.files.columns import Names
from vieta.files.terms import Number, Term
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
    intercept : bool, optional
        Whether a one stands before the inputs of every set; by default where a trend, a season or a category is among them.
    category : tuple of str
        Columns of inputs that are categories, whatever they hold.
    time : str, optional
        The column that tells the time, for trend and season: the column of the sets by default, or else their order.
    trend : bool
        Whether a straight line in time is among the inputs.
    season : tuple of str
        Periods of seasons: of the calendar ("year", "day", ..), or numbers.
    harmonics : int
        Of each season.
    """

    layout: Kind | None = None
    set: str | None = None
    value: tuple[str, ...] = ()
    input: tuple[str, ...] = ()
    systems: int | None = None
    intercept: bool | None = None
    category: tuple[str, ...] = ()
    time: str | None = None
    trend: bool = False
    season: tuple[str, ...] = ()
    harmonics: int = 1


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
        Columns of inputs. Numbers: none, one (a scalar), D of them (p = 1), or p D of them (a matrix, row by row).
    n_systems : int or None
        L, if it was given.
    slots : int
        Wide: how many readings a row has room for, which is L if sets are complete; else 0.
    intercept : bool
        Whether a one stands before the inputs of every set.
    unused : tuple of str
        Columns that are none of these.
    likely_inputs : tuple of str
        Those of them that look like inputs.
    naming : tuple of str
        Those of them that hold the same values in every set, each once: names of the systems.
    categories : tuple of str
        Those of the inputs that are categories.
    forms : tuple of (str, str)
        Columns that hold times, and the form in which they are written (`vieta.files.times`).
    time : str or None
        The column that tells the time, None for the order of the sets.
    trend, season, harmonics
        As they were asked for.
    terms : tuple of Term
        What the inputs become; empty for numbers as they are. `vieta.files.survey` makes it.
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
    categories: tuple[str, ...] = ()
    forms: tuple[tuple[str, str], ...] = ()
    time: str | None = None
    trend: bool = False
    season: tuple[str, ...] = ()
    harmonics: int = 1
    terms: tuple[Term, ...] = ()
    slots: int = 0

    @property
    def reading_dim(self) -> int:
        """p."""
        return len(self.values) if self.kind == "long" else len(self.values) // (self.slots or 1)

    @property
    def made(self) -> tuple[Term, ...]:
        """What the inputs become, whether it is numbers as they are or more."""
        return self.terms or tuple(map(Number, self.inputs))

    @property
    def is_plain(self) -> bool:
        """Whether the inputs are numbers as they are, with nothing made of them."""
        return not (self.categories or self.trend or self.season or self.is_timed)

    @property
    def is_timed(self) -> bool:
        """Whether an input is a time."""
        return any(name in self.inputs for name, _ in self.forms)

    @property
    def reads(self) -> tuple[str, ...]:
        """The columns that the inputs are made of, each once; and the times, where sets are counted, to see whether any are missing."""
        times = [self.time] if self.counts_times and self.time is not None else []
        return tuple(dict.fromkeys([*(term.reads for term in self.made if term.reads is not None), *times]))

    @property
    def counts_times(self) -> bool:
        """Whether some input depends on the order of sets that have times."""
        return self.counts_sets and self.time in dict(self.forms)

    @property
    def counts_sets(self) -> bool:
        """Whether some input depends on the order of the sets."""
        return any(term.reads is None for term in self.made)

    @property
    def regressors(self) -> tuple[str, ...]:
        """Names of the inputs, with the intercept if there is one."""
        names = tuple(name for term in self.made for name in term.names)
        return ("intercept", *names) if self.intercept else names

    def psi(self, read: Floats, number: Floats) -> Floats:
        """Rows of inputs (N, q), from the entries (N, r) of the columns `reads` and the numbers (N,) of the sets in their order."""
        if not self.terms and not self.intercept:
            return read
        places = {name: at for at, name in enumerate(self.reads)}
        ones = [np.ones((len(number), 1))] if self.intercept else []
        entries = (number if term.reads is None else read[:, places[term.reads]] for term in self.made)
        return np.hstack([*ones, *(term.columns(at) for term, at in zip(self.made, entries))])

    def describe(self, audience: Audience = PYTHON, *, offset: str | None = None) -> str:
        """The layout in words, with options as the audience spells them; of the inputs one may be an `offset`."""
        row = "one row a reading" if self.kind == "long" else "one row a set"
        sets = ", sets by {set!r}" if self.set is not None else ""
        notes = [term.note for term in self.made if term.note]
        regressors = [name for name in self.regressors if name != offset]
        inputs = (
            f"inputs {{regressors}}{' ({notes})' * bool(notes)}" if self.made and regressors else "no inputs (Psi = I)"
        )
        inputs += ", offset {offset}" if offset is not None else ""
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
            "regressors": Names(regressors),
            "offset": Names([] if offset is None else [offset]),
            "notes": Notes(dict.fromkeys(notes)),
            "likely": Names(likely),
            "advice": _Inputs(self.likely_inputs[:3]),
            "others": Names(others),
        }
        return render(template, facts, audience)


class Notes(tuple[str, ...]):
    """Notes on terms, as a fact of a message: one after another.

    >>> Notes(["a", "b"]).say(PYTHON)
    'a; b'
    """

    __slots__ = ()

    def say(self, audience: Audience) -> str:
        """The same for every audience."""
        return "; ".join(self)


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
