"""All that is said about an estimate: the numbers, where they come from, whether to trust them, and how to get them again."""

import math
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

from vieta.arrays import Floats
from vieta.characters import short
from vieta.estimators import Estimate
from vieta.estimators.table import Table, noise_sd, seen_lines, table, title
from vieta.report.remarks import Remark, in_words, is_sound, remarks
from vieta.sets import Data
from vieta.tails import binomial_cdf
from vieta.wording import PYTHON, Audience

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from vieta.report.scatter import Panel
    from vieta.report.settling import Settling

UNLIKELY = 0.02  # chance of so few intervals that hold the truth
NOTHING_FOUND = {
    True: "No findings: nothing in the sets speaks against this estimate or its intervals.",
    False: "No findings. This method tests less of what it assumes than the default method does.",
}


@dataclass(frozen=True, slots=True, eq=False)
class Answer:
    """An estimate with what led to it.

    Attributes
    ----------
    estimate : Estimate
    sources : str
        Names of what was read.
    description : list of str
        What was read, in lines.
    parameter_names, input_names : list of str
        Of the parameters of a system, and of the inputs.
    level : float
        Of the intervals.
    command : str
        That gives this answer again.
    settings, dropped : dict
        Everything that was asked for, and how many sets were left out by reason, ready for JSON.
    sizes : dict
        How many sets had how many readings.
    thorough : bool
        Whether the method tests what it assumes.
    audience : Audience
        Whom the findings are written for.
    truth : (L, D), optional
        The parameters, where somebody knows them, each row beside its estimate.
    truth_name : str
        What the truth is called.
    sample : Data, optional
        Sets to draw pictures of: all of them, or the first.
    path : Settling, optional
        How the estimate settled.
    panels : tuple of Panel
        Readings over time and inputs; where there are none, they are made of the sample.
    """

    estimate: Estimate
    sources: str
    description: list[str]
    parameter_names: list[str]
    input_names: list[str]
    level: float
    command: str
    settings: dict[str, Any] = field(default_factory=dict)
    dropped: dict[str, int] = field(default_factory=dict)
    sizes: dict[int, int] = field(default_factory=dict)
    thorough: bool = True
    audience: Audience = PYTHON
    truth: Floats | None = None
    truth_name: str = "truth"
    sample: Data | None = None
    path: "Settling | None" = None
    panels: "tuple[Panel, ...]" = ()

    @property
    def verdict(self) -> list[Remark]:
        """What to make of it: findings, or that there are none; and whether the intervals hold the truth."""
        found = remarks(self.estimate.findings, self.audience)
        return [*(found or [Remark(NOTHING_FOUND[self.thorough], "fine")]), *self._compared]

    @property
    def is_sound(self) -> bool:
        """Whether no finding is more than a note, and the intervals hold the truth."""
        return is_sound(self.estimate.findings) and all(one.grade == "fine" for one in self._compared)

    @property
    def _compared(self) -> list[Remark]:
        """How many intervals hold the truth; as it should be unless so few are unlikely."""
        known, truth = np.isfinite(self.estimate.stderr), self.truth
        if truth is None or not known.any():
            return []
        interval, total = self.estimate.conf_int(self.level), int(known.sum())
        hits = int(((interval[:, :, 0] <= truth) & (truth <= interval[:, :, 1])).sum())
        text = f"The {self.truth_name} lies in {hits} of the {total} intervals; {self.level * total:.4g} are expected to hold it."
        return [Remark(text, "fine" if binomial_cdf(hits, total, self.level) > UNLIKELY else "serious")]

    @property
    def noise_sd(self) -> str:
        """Standard deviations of the noise."""
        return noise_sd(self.estimate.noise_var, self.estimate.findings)

    @property
    def title(self) -> str:
        """What stands over the table."""
        return title(len(self.estimate.theta), self.estimate.method, self.noise_sd)

    @property
    def table(self) -> Table:
        """The table of estimates, one row a parameter."""
        estimate = self.estimate
        return table(
            estimate.theta,
            estimate.stderr,
            estimate.conf_int(self.level),
            self.level,
            names=[short(name) for name in self.parameter_names],
            truth=self.truth,
            truth_name=self.truth_name,
            noise_sd=estimate.noise_sd,
            detection=estimate.detection,
        )

    @property
    def seen(self) -> list[str]:
        """A line on how often systems are seen and how many readings are false, where that was estimated."""
        return seen_lines(self.estimate.readings)

    def plot(self) -> "Figure":
        """The parameters, under their names, with their confidence intervals, and the truth where it is known."""
        names = self.parameter_names
        return self.estimate.plot(self.level, None if names[0] == "1" else names, self.truth)

    @property
    def shown(self) -> "tuple[Panel, ...]":
        """Readings over time and inputs."""
        from vieta.report.scatter import panels_of

        return self.panels or (() if self.sample is None else panels_of(self.sample, self.input_names))

    def picture(self) -> "Figure":
        """Readings with what the systems give, above the parameters; these alone where there are no readings to show."""
        from matplotlib.figure import Figure

        from vieta import plots
        from vieta.report.scatter import draw_readings, readings_size

        estimate, names = self.estimate, self.parameter_names
        if not self.shown:
            return self.plot()
        sizes = readings_size(len(self.shown)), plots.parameters_size(len(names))
        figure = Figure(figsize=(9.0, sizes[0][1] + sizes[1][1]), layout="constrained")
        parts: Any = figure.subfigures(2, 1, height_ratios=[sizes[0][1], sizes[1][1]])
        upper, lower = parts
        upper.suptitle(f"{estimate.method}, {estimate.n_sets:,} set{'s' * (estimate.n_sets != 1)}")
        draw_readings(upper, self.shown, estimate.theta, self.truth)
        called = None if names[0] == "1" else names
        has_legend = self.truth is not None
        interval = (estimate.cov, self.level, called, self.truth)
        plots.draw_parameters(lower, estimate.theta, *interval, dof=estimate.dof, legend=has_legend)
        return figure

    def to_dict(self) -> dict[str, Any]:
        """Everything, ready for JSON."""
        everything = self.estimate.to_dict() | {
            **in_words(self.estimate.findings, self.audience),
            "conf_int": self.estimate.conf_int(self.level).tolist(),
            "parameter_names": self.parameter_names,
            **({} if self.truth is None else {"truth": self.truth.tolist()}),
            "dropped": self.dropped,
            "sizes": {str(size): count for size, count in self.sizes.items()},
            "settings": self.settings | {"command": self.command},
        }
        return {name: finite(item) for name, item in everything.items()}


def finite(item: Any) -> Any:
    """None for numbers that JSON does not have.

    >>> finite([1.0, float("nan")])
    [1.0, None]
    """
    if isinstance(item, dict):
        return {name: finite(part) for name, part in item.items()}
    if isinstance(item, list):
        return [finite(part) for part in item]
    return None if isinstance(item, float) and not math.isfinite(item) else item
