r"""Regressors from the columns of a file: numbers as they are, times since the first, trends, seasons, and categories as dummies.

A term makes of the entries t (N,) of a column, or of the numbers of the sets in their order, one or more columns of Psi.
"""

from dataclasses import dataclass
from typing import Protocol

import numpy as np

from vieta.arrays import Floats
from vieta.files.times import DAY

CODE = "\0code"  # behind the name of a column of categories: their numbers
SPANS = {"minute": DAY / 1440, "hour": DAY / 24, "day": DAY, "week": 7 * DAY}  # that are always as long
CALENDAR = (*SPANS, "month", "quarter", "year")
MONDAY = 4 * DAY  # 1970-01-05, when a week began


class Term(Protocol):
    """Some columns of Psi."""

    @property
    def reads(self) -> str | None:
        """The column that it is made of; None for the numbers of the sets."""
        ...

    @property
    def names(self) -> tuple[str, ...]:
        """Of its columns of Psi."""
        ...

    @property
    def note(self) -> str:
        """What the names leave open, in words."""
        ...

    def columns(self, at: Floats) -> Floats:
        """Its columns of Psi (N, q), from the entries (N,) of what it reads."""
        ...


@dataclass(frozen=True, slots=True)
class Number:
    """A column as it is: t."""

    reads: str

    @property
    def names(self) -> tuple[str, ...]:
        """The column's own."""
        return (self.reads,)

    @property
    def note(self) -> str:
        """Nothing."""
        return ""

    def columns(self, at: Floats) -> Floats:
        """(N, 1)."""
        return at[:, None]


@dataclass(frozen=True, slots=True)
class Linear:
    r"""A straight line: :math:`(t - t_0) / s`.

    Attributes
    ----------
    reads : str or None
    name : str
        Of the parameter.
    origin, scale : float
        :math:`t_0` and s.
    note : str
    """

    reads: str | None
    name: str
    origin: float
    scale: float
    note: str

    @property
    def names(self) -> tuple[str, ...]:
        """The one that was given."""
        return (self.name,)

    def columns(self, at: Floats) -> Floats:
        """(N, 1)."""
        return ((at - self.origin) / self.scale)[:, None]


@dataclass(frozen=True, slots=True)
class Season:
    r"""A season with K harmonics: :math:`\cos 2\pi h u, \sin 2\pi h u`, h = 1..K, where u(t) is the part of the period that has passed.

    Attributes
    ----------
    reads : str or None
        A column of times, if the period is one of the calendar's, or of numbers; None for the numbers of the sets.
    period : float or str
        Of the calendar: a day begins at midnight, a week on Monday, a year on January 1, be it long or short. A number: u = t / period.
    harmonics : int
        K.
    """

    reads: str | None
    period: float | str
    harmonics: int

    @property
    def label(self) -> str:
        """The period in words.

        >>> Season(None, 12.0, 1).label, Season("hour", 24.0, 1).label, Season("date", "year", 1).label
        ('12 sets', '24 hour', 'year')
        """
        if isinstance(self.period, str):
            return self.period
        return f"{self.period:g} {'sets' if self.reads is None else self.reads}"

    @property
    def names(self) -> tuple[str, ...]:
        """The cosine and the sine of each harmonic; no sine where it is zero at every set.

        >>> Season("date", "year", 2).names
        ('cos year', 'sin year', 'cos year/2', 'sin year/2')
        """
        parts = [(h, self.label if h == 1 else f"{self.label}/{h}") for h in range(1, self.harmonics + 1)]
        waves = [("cos", "sin")[: 1 if self._folds(h) else 2] for h, _ in parts]
        return tuple(f"{wave} {part}" for (_, part), some in zip(parts, waves) for wave in some)

    @property
    def note(self) -> str:
        """Where it begins."""
        return "" if self.reads is not None else f"{self.label}: in their order, from the first"

    def phase(self, at: Floats) -> Floats:
        """(N,) u: the part of the period that has passed, from 0 to 1."""
        if isinstance(self.period, str):
            return _calendar_phase(at, self.period)
        return np.mod(at / self.period, 1.0)

    def columns(self, at: Floats) -> Floats:
        """(N, 2 K), or one less."""
        u, waves = self.phase(at), list[Floats]()
        for h in range(1, self.harmonics + 1):
            waves += [np.cos(2.0 * np.pi * h * u), *([] if self._folds(h) else [np.sin(2.0 * np.pi * h * u)])]
        return np.stack(waves, axis=1)

    def _folds(self, h: int) -> bool:
        """Whether two sets make a period, and the sine is zero at each."""
        return self.reads is None and not isinstance(self.period, str) and 2 * h == self.period


def _calendar_phase(at: Floats, period: str) -> Floats:
    if period in SPANS:
        return np.mod(at - (MONDAY if period == "week" else 0.0), SPANS[period]) / SPANS[period]
    time = at.round().astype("datetime64[us]")
    months = time.astype("datetime64[M]")
    count = {"month": 1, "quarter": 3, "year": 12}[period]
    start = months - months.astype(np.int64) % count
    begin, end = (one.astype("datetime64[us]").astype(np.float64) for one in (start, start + count))
    return np.asarray((at - begin) / (end - begin))


@dataclass(frozen=True, slots=True)
class Dummies:
    """One column for each level of a category, 1 where it is that level and 0 elsewhere.

    Attributes
    ----------
    column : str
    levels : tuple of str
        The first is the reference, which has no column, if there is an intercept (`reference`).
    reference : bool
    """

    column: str
    levels: tuple[str, ...]
    reference: bool = True

    @property
    def reads(self) -> str:
        """The numbers of the levels."""
        return self.column + CODE

    @property
    def names(self) -> tuple[str, ...]:
        """Column and level.

        >>> Dummies("group", ("a", "b", "c")).names
        ('group=b', 'group=c')
        """
        return tuple(f"{self.column}={level}" for level in self.levels[self.reference :])

    @property
    def note(self) -> str:
        """Which level is the reference."""
        return f"reference {self.column}={self.levels[0]}" if self.reference else ""

    def columns(self, at: Floats) -> Floats:
        """(N, levels), or one less."""
        return np.asarray(at[:, None] == np.arange(len(self.levels))[self.reference :], dtype=np.float64)
