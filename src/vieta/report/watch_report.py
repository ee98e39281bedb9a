"""All that is to be said about a watch at some time: the estimate, what it rests on, and what was left out."""

import math
from dataclasses import dataclass
from typing import Any

import numpy as np

from vieta.estimators import Estimate
from vieta.files.reasons import WORDS
from vieta.live.watcher import LeftOut, Watch, printable
from vieta.report.fit_report import noise_sd


@dataclass(frozen=True, slots=True, eq=False)
class Account:
    """A watch as it stands.

    Attributes
    ----------
    estimate : Estimate or None
    trouble : str
        Why there is no estimate.
    level : float
        Of the intervals.
    n_sets, lines : int
        Sets absorbed, and lines that were read.
    label : str or number, optional
        What the latest set calls `t`.
    left_out : dict
        Lines that hold no set, by reason.
    examples : tuple of LeftOut
        The first few of them.
    """

    estimate: Estimate | None
    trouble: str
    level: float
    n_sets: int
    lines: int
    label: str | float | None
    left_out: dict[str, int]
    examples: tuple[LeftOut, ...]

    @property
    def data_in_words(self) -> list[str]:
        """What came and what was left out."""
        label = "" if self.label is None else f", the latest at t = {printable(str(self.label))}"
        left = [f"left out: {counted(count, 'line')}: {WORDS[reason]}" for reason, count in self.left_out.items()]
        return [f"{counted(self.n_sets, 'set')} from {counted(self.lines, 'line')}{label}", *left]

    @property
    def verdict(self) -> list[str]:
        """What to make of it: the findings, or that there are none."""
        found = [self.trouble] if self.estimate is None else list(self.estimate.warnings)
        return found or ["No findings."]

    @property
    def is_sound(self) -> bool:
        """Whether there are no findings."""
        return self.estimate is not None and not self.estimate.warnings

    @property
    def title(self) -> str:
        """Over the table."""
        if self.estimate is None:
            return "no estimate yet"
        L, sd = len(self.estimate.theta), noise_sd(self.estimate)
        return f"{L} system{'s' * (L > 1)}, method {self.estimate.method}, noise sd {sd}"

    @property
    def _dim(self) -> int:
        return 1 if self.estimate is None else int(self.estimate.theta.shape[1])

    @property
    def header(self) -> list[str]:
        """Names of the columns of the table."""
        parameter = ["parameter"] if self._dim > 1 else []
        return ["system", *parameter, "estimate", "std. error", f"{100 * self.level:.4g}% interval"]

    @property
    def rows(self) -> list[list[str]]:
        """The table, one row a parameter."""
        if self.estimate is None:
            return []
        theta, stderr, interval = self.estimate.theta, self.estimate.stderr, self.estimate.conf_int(self.level)
        rows = []
        for l, j in np.ndindex(*theta.shape):
            error = [f"{stderr[l, j]:.3g}", f"[{interval[l, j, 0]:.6g}, {interval[l, j, 1]:.6g}]"]
            known = error if np.isfinite(stderr[l, j]) else ["not known", "not known"]
            rows.append([str(l + 1), *([str(j + 1)] if self._dim > 1 else []), f"{theta[l, j]:.6g}", *known])
        return rows

    def brief(self) -> dict[str, Any]:
        """What a line of JSON tells on the way."""
        came = {"n_sets": self.n_sets, "lines": self.lines, "left_out": sum(self.left_out.values()), "t": self.label}
        if self.estimate is None:
            return came | {"trouble": self.trouble}
        everything = self.estimate.to_dict() | {"conf_int": self.estimate.conf_int(self.level).tolist()}
        wanted = ("theta", "stderr", "conf_int", "noise_var", "warnings")
        return came | {name: _finite(everything[name]) for name in wanted}

    def full(self) -> dict[str, Any]:
        """What the last line of JSON tells."""
        told = {} if self.estimate is None else {k: _finite(v) for k, v in self.estimate.to_dict().items()}
        examples = [example._asdict() for example in self.examples]
        return self.brief() | told | {"level": self.level, "left_out": self.left_out, "examples": examples}


def account(watch: Watch, level: float) -> Account:
    """The watch as it stands; an estimate that cannot be made is no error here."""
    estimate, trouble = None, "no set has come"
    if watch.filter is not None and watch.n_sets:
        try:
            estimate = watch.filter.estimate()
        except (ValueError, ArithmeticError) as error:
            trouble = str(error)
    return Account(
        estimate,
        trouble,
        level,
        watch.n_sets,
        watch.position.lines_read,
        watch.label,
        dict(watch.left_out),
        tuple(watch.examples),
    )


def counted(count: int, what: str) -> str:
    """So many of something.

    >>> counted(1000, "line"), counted(1, "set")
    ('1,000 lines', '1 set')
    """
    return f"{count:,} {what}{'s' * (count != 1)}"


def _finite(item: Any) -> Any:
    """None for numbers that JSON does not have."""
    if isinstance(item, list):
        return [_finite(part) for part in item]
    return None if isinstance(item, float) and not math.isfinite(item) else item
