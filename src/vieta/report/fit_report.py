"""All that is to be said about an estimate from files: the numbers, where they come from, and how to get them again."""

import math
import shlex
from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from vieta import __version__
from vieta.arrays import Floats
from vieta.errors import BadFileError
from vieta.estimators import Estimate
from vieta.estimators import fit_findings as words
from vieta.files.layout import Layout
from vieta.files.reader import Reader
from vieta.files.reasons import WORDS
from vieta.files.truth_file import Truth
from vieta.matching import match_rows
from vieta.report.file_fit import Outcome

if TYPE_CHECKING:
    from matplotlib.figure import Figure

UNLIKELY = 0.02  # chance of so few intervals that hold the truth
THOROUGH = ("efficient", "one-step", "em")  # methods that test what they assume, given all sets at once


@dataclass(frozen=True, slots=True, eq=False)
class Answer:
    """An outcome with what led to it.

    Attributes
    ----------
    files : tuple of str
        As they were named.
    reader : Reader
    outcome : Outcome
    method, options, level
        As they were asked for.
    known : Truth or None
        The parameters, where somebody knows them, to be shown beside the estimates.
    """

    files: tuple[str, ...]
    reader: Reader
    outcome: Outcome
    method: str
    options: dict[str, Any]
    level: float
    known: Truth | None = None

    def __post_init__(self) -> None:
        if self.known is not None and self.known.theta.shape != self.estimate.theta.shape:
            raise BadFileError(
                "other-truth",
                "{file} has {came}, and the estimate {needed}: it is not the truth behind these sets.",
                file=self.known.file,
                came=_size(self.known.theta),
                needed=_size(self.estimate.theta),
            )

    @property
    def truth(self) -> Floats | None:
        """The known parameters (L, D), each beside its estimate."""
        return None if self.known is None else self.known.theta[match_rows(self.known.theta, self.estimate.theta)]

    @property
    def estimate(self) -> Estimate:
        """The estimate."""
        return self.outcome.estimate

    @property
    def truth_name(self) -> str:
        """What the truth is called."""
        return "truth at the end" if self.known is not None and self.known.moved else "truth"

    @property
    def parameter_names(self) -> list[str]:
        """Columns that the parameters belong to, where there is one for each; otherwise numbers."""
        return parameter_names(self.reader.layout, self.estimate.theta.shape[1])

    @property
    def data_in_words(self) -> list[str]:
        """What was read: the layout, how many sets of what, and what was left out."""
        L = len(self.estimate.theta)
        pieces = ", read in pieces" if self.reader.stream else ""
        lines = [
            f"{', '.join(source.name for source in self.reader.sources)}: {self.reader.layout.describe()}",
            f"{self.estimate.n_sets:,} set{'s' * (self.estimate.n_sets != 1)} of {L} reading{'s' * (L > 1)} used{pieces}",
        ]
        return lines + left_out(self.outcome.dropped)

    @property
    def verdict(self) -> list[tuple[str, bool]]:
        """What to make of it, each with whether it is as it should be: findings, or that there are none; the truth."""
        return [*((text, not self.estimate.warnings) for text in self._findings), *self._compared]

    @property
    def is_sound(self) -> bool:
        """Whether everything is as it should be."""
        return all(fine for _, fine in self.verdict)

    @property
    def _findings(self) -> list[str]:
        if self.estimate.warnings:
            return list(self.estimate.warnings)
        if self.method in THOROUGH and not self.reader.stream:
            return ["No findings: nothing in the sets speaks against this estimate or its intervals."]
        return ["No findings. Fewer things are checked than by --method efficient on all sets at once."]

    @property
    def _compared(self) -> list[tuple[str, bool]]:
        """How many intervals hold the truth; as it should be unless so few are unlikely."""
        known, truth = np.isfinite(self.estimate.stderr), self.truth
        if truth is None or not known.any():
            return []
        from scipy.special import bdtr

        interval, total = self.estimate.conf_int(self.level), int(known.sum())
        hits = int(((interval[:, :, 0] <= truth) & (truth <= interval[:, :, 1])).sum())
        text = f"The {self.truth_name} lies in {hits} of the {total} intervals; {self.level * total:.4g} are expected to hold it."
        return [(text, bool(bdtr(hits, total, self.level) > UNLIKELY))]

    @property
    def noise_sd(self) -> str:
        """Standard deviations of the noise."""
        return noise_sd(self.estimate)

    @property
    def table_header(self) -> list[str]:
        """Names of the columns of the table of estimates."""
        parameter = ["parameter"] if self.estimate.theta.shape[1] > 1 else []
        truth = [] if self.known is None else [self.truth_name]
        return ["system", *parameter, *truth, "estimate", "std. error", f"{100 * self.level:.4g}% interval"]

    @property
    def table_rows(self) -> list[list[str]]:
        """The table of estimates, one row a parameter."""
        estimate, names = self.estimate, self.parameter_names
        theta, stderr, interval = estimate.theta, estimate.stderr, estimate.conf_int(self.level)
        rows, known_theta = [], self.truth
        for l, j in np.ndindex(*theta.shape):
            name = [names[j]] if len(names) > 1 else []
            error = [f"{stderr[l, j]:.3g}", f"[{interval[l, j, 0]:.6g}, {interval[l, j, 1]:.6g}]"]
            known = bool(np.isfinite(stderr[l, j]))
            truth = [] if known_theta is None else [f"{known_theta[l, j]:.6g}"]
            number = [*name, *truth, f"{theta[l, j]:.6g}"]
            rows.append([str(l + 1), *number, *(error if known else ["not known", "not known"])])
        return rows

    def plot(self) -> "Figure":
        """The parameters, under their names, with their confidence intervals, and the truth where it is known."""
        names = self.parameter_names
        return self.estimate.plot(self.level, None if names[0] == "1" else names, self.truth)

    @property
    def command(self) -> str:
        """The command that gives this answer again, with everything that was recognised spelled out."""
        words = ["vieta", "fit", *self.files, *column_words(self.reader, len(self.estimate.theta))]
        words += ["--method", self.method, *_option_words(self.options), "--level", f"{self.level:g}"]
        words += ["--stream" if self.reader.stream else "--no-stream"]
        words += [] if self.known is None else ["--truth", self.known.file]
        return shlex.join(words)

    def to_dict(self) -> dict[str, Any]:
        """Everything, ready for JSON."""
        layout, truth = self.reader.layout, self.truth
        settings = {
            "files": list(self.files),
            "layout": layout.kind,
            "set": layout.set,
            "values": list(layout.values),
            "inputs": list(layout.inputs),
            "intercept": layout.intercept,
            "method": self.method,
            "options": self.options,
            "level": self.level,
            "stream": self.reader.stream,
            "version": __version__,
            "command": self.command,
        }
        everything = self.estimate.to_dict() | {
            "conf_int": self.estimate.conf_int(self.level).tolist(),
            "parameter_names": self.parameter_names,
            **({} if truth is None else {"truth": truth.tolist()}),
            "dropped": dict(self.outcome.dropped),
            "settings": settings,
        }
        return {name: _finite(item) for name, item in everything.items()}


def noise_sd(estimate: Estimate) -> str:
    """Standard deviations of the noise, one for each number of a reading; a single set does not tell them."""
    variances = np.diag(np.atleast_2d(estimate.noise_var))
    if words.of_unknown_noise(estimate.n_sets, len(variances), estimate.theta.shape[1]):
        return "not known"
    return ", ".join(f"{np.sqrt(max(float(v), 0.0)):.4g}" for v in variances)


def left_out(dropped: Counter[str]) -> list[str]:
    """How many sets were left out, and why."""
    return [f"left out for {WORDS[reason]}: {count:,}" for reason, count in dropped.items()]


def parameter_names(layout: Layout, dim: int) -> list[str]:
    """Columns that the parameters belong to, where there is one for each; otherwise numbers."""
    if dim > 1 and layout.reading_dim == 1:
        return list(layout.regressors)
    if dim > 1 and layout.kind == "long" and len(layout.inputs) <= 1:
        return list(layout.values)
    return [str(j + 1) for j in range(dim)]


def column_words(reader: Reader, n_systems: int) -> list[str]:
    """The options that name what was recognised of the files."""
    layout = reader.layout
    words = ["--layout", layout.kind]
    words += ["--set", layout.set] if layout.set is not None else []
    words += [word for name in layout.values for word in ("--value", name)]
    words += [word for name in layout.inputs for word in ("--input", name)]
    words += ["--intercept"] if layout.intercept else []
    words += ["--systems", str(n_systems), "--on-bad-set", reader.on_bad_set]
    return words + _delimiter_words(reader)


def _size(theta: Floats) -> str:
    L, D = theta.shape
    return f"{L} system{'s' * (L > 1)} of {D} parameter{'s' * (D > 1)}"


def _option_words(options: dict[str, Any]) -> list[str]:
    words = []
    for name, value in options.items():
        option = f"--{name.replace('_', '-')}"
        if value is True:
            words.append(option)
        else:
            words += [word for item in (value if isinstance(value, list) else [value]) for word in (option, str(item))]
    return words


def _delimiter_words(reader: Reader) -> list[str]:
    used = reader.delimiter
    return ["--delimiter", used.replace("\t", "tab")] if used not in {None, ","} else []


def _finite(item: Any) -> Any:
    """None for numbers that JSON does not have."""
    if isinstance(item, list):
        return [_finite(part) for part in item]
    return None if isinstance(item, float) and not math.isfinite(item) else item
