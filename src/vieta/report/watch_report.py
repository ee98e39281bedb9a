"""All that is said about a watch at some time: the estimate, what it rests on, and what was left out."""

from dataclasses import dataclass, field
from typing import Any

from vieta.estimators import Estimate
from vieta.estimators.table import Table, noise_sd, seen_lines, table, title
from vieta.report.fit_report import finite
from vieta.report.remarks import Remark, in_words, is_sound, remarks
from vieta.wording import PYTHON, Audience

BRIEF = (
    "theta",
    "stderr",
    "conf_int",
    "noise_var",
    "noise_sd",
    "findings",
    "warnings",
)  # of an estimate, in a report on the way


@dataclass(frozen=True, slots=True, eq=False)
class Account:
    """A watch as it stands.

    Attributes
    ----------
    estimate : Estimate or None
    trouble : str
        Why there is no estimate.
    description : list of str
        What was read and what was left out, in lines.
    level : float
        Of the intervals.
    n_sets, lines : int
        Sets absorbed, and lines that were read.
    label : str or number, optional
        What the latest set calls `t`.
    left_out : dict
        How many lines hold no set, by reason.
    examples : list of dict
        The first few of them.
    audience : Audience
        Whom the findings are written for.
    innovations : list, optional
        Of the latest readings (`vieta.live.innovations`), if they are wanted.
    """

    estimate: Estimate | None
    trouble: str
    description: list[str]
    level: float
    n_sets: int
    lines: int
    label: str | float | None = None
    left_out: dict[str, int] = field(default_factory=dict)
    examples: list[dict[str, Any]] = field(default_factory=list)
    audience: Audience = PYTHON
    innovations: list[list[float]] | None = None

    @property
    def verdict(self) -> list[Remark]:
        """What to make of it: the findings, or that there are none."""
        if self.estimate is None:
            return [Remark(self.trouble, "caution")]
        return remarks(self.estimate.findings, self.audience) or [Remark("No findings.", "fine")]

    @property
    def is_sound(self) -> bool:
        """Whether there is an estimate, and no finding that is more than a note."""
        return self.estimate is not None and is_sound(self.estimate.findings)

    @property
    def title(self) -> str:
        """What stands over the table."""
        if self.estimate is None:
            return "no estimate yet"
        noise = noise_sd(self.estimate.noise_var, self.estimate.findings)
        return title(len(self.estimate.theta), self.estimate.method, noise)

    @property
    def table(self) -> Table:
        """The table, one row a parameter."""
        if self.estimate is None:
            return Table(["system", "estimate"], [])
        now = self.estimate
        return table(now.theta, now.stderr, now.conf_int(self.level), self.level, noise_sd=now.noise_sd)

    @property
    def seen(self) -> list[str]:
        """How often systems are seen and how many readings are false, where that is estimated."""
        return [] if self.estimate is None else seen_lines(self.estimate.readings)

    def brief(self) -> dict[str, Any]:
        """What a line of JSON holds on the way."""
        state = {"n_sets": self.n_sets, "lines": self.lines, "left_out": sum(self.left_out.values()), "t": self.label}
        if self.estimate is None:
            return state | {"trouble": self.trouble}
        everything = self._everything(self.estimate)
        latest = {} if self.innovations is None else {"innovations": self.innovations}
        return state | {name: everything[name] for name in BRIEF} | {"seen": self.seen} | latest

    def full(self) -> dict[str, Any]:
        """What the last line of JSON holds."""
        everything = {} if self.estimate is None else self._everything(self.estimate)
        rest = {"level": self.level, "left_out": self.left_out, "examples": self.examples}
        return self.brief() | everything | rest

    def _everything(self, estimate: Estimate) -> dict[str, Any]:
        """All of an estimate, ready for JSON."""
        everything = estimate.to_dict() | {"conf_int": estimate.conf_int(self.level).tolist()}
        return {name: finite(item) for name, item in (everything | in_words(estimate.findings, self.audience)).items()}
