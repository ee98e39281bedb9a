"""The Estimate: parameters with honest uncertainty, and plain words on whether to trust them."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Self

import numpy as np
from numpy.typing import ArrayLike

from vieta.answer_model import AnswerModel
from vieta.arrays import Floats
from vieta.characters import short
from vieta.engines.dask_arrays import is_dask
from vieta.errors import InputError
from vieta.estimators.table import as_lines, noise_sd, seen_lines, table
from vieta.findings import SEVERITIES, Finding, marked, sentences
from vieta.frames import as_frame
from vieta.quantiles import two_sided
from vieta.reading_model import ReadingModel
from vieta.set_requirements import as_streamed, require_complete, require_finite
from vieta.sets import Data, as_data, less_known, with_known
from vieta.solution import Solution

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from vieta.adaptive.reading_associations import Extent, ReadingAssociations


SYMMETRIC: dict[str, Callable[[Floats], Floats]] = {
    "sum": lambda theta: np.asarray(theta.sum(axis=0)),
    "mean": lambda theta: np.asarray(theta.mean(axis=0)),
    "spread": lambda theta: np.asarray(np.ptp(theta, axis=0)),
    "largest": lambda theta: np.asarray(theta.max(axis=0)),
    "smallest": lambda theta: np.asarray(theta.min(axis=0)),
}


def _interval(value: Floats, stderr: Floats, level: float, dof: float) -> Floats:
    if not 0.0 < level < 1.0:
        raise InputError(
            "level-range", "{option.level:{value}} must lie between 0 and 1, for example 0.95.", value=level
        )
    half = two_sided(level, dof) * stderr
    return np.stack([value - half, value + half], axis=-1)


@dataclass(frozen=True, slots=True, eq=False)
class Derived:
    """A function of the parameters: `value` (k,), its covariance `cov` (k, k), and the degrees of freedom of its intervals."""

    value: Floats
    cov: Floats
    dof: float = float("inf")

    @property
    def stderr(self) -> Floats:
        """(k,) standard errors."""
        return np.sqrt(np.diag(self.cov))

    def conf_int(self, level: float = 0.95) -> Floats:
        """(k, 2) confidence intervals from the t law with `dof` degrees of freedom."""
        return _interval(self.value, self.stderr, level, self.dof)


@dataclass(frozen=True, slots=True, eq=False)
class Estimate:
    """An estimate of the parameter set.

    Attributes
    ----------
    theta : (L, D)
        Parameters, rows in canonical order: ascending first coordinate, then the next.
    cov : (L * D, L * D)
        Covariance of `theta` read row by row; NaN where it is not known.
    noise_var : float or (p, p)
        Second moment of the noise of one reading.
    n_sets : int
        Sets that entered.
    method, transform : str
        How it was made.
    imaginary : (L, D)
        Imaginary parts that `theta` leaves out; not zero only for complex pairs, which `warnings` explains.
    condition : float
        Condition number of the step from coefficients to parameters.
    findings : tuple of Finding
        What to know before trusting it: code, severity, facts; empty when all is well.
    noise_sd : (L,)
        Standard deviation of each system's noise, for vectors the root of its mean variance over the coordinates; NaN where it is not known.
    n_sets_effective : float
        How many sets without memory over time would tell as much as these do; NaN if that is not known.
    dof : float
        Degrees of freedom of the t law that intervals are taken from; infinite for the normal law.
    shock_sd : float
        Standard deviation of the noise that the systems share, beside their own in `noise_var`; zero where none is modelled.
    names : tuple of str
        Of the D parameters, where the inputs had names; empty otherwise.
    readings : ReadingModel, optional
        How often systems are seen, false readings, and the law of the noise, where they were estimated.
    answers : AnswerModel, optional
        Family, link and what was estimated beside the parameters, where readings are answers.
    frame_kind : str
        The library of frames that the data came in, "pandas" or "polars"; empty for arrays.
    """

    theta: Floats
    cov: Floats
    noise_var: float | Floats
    n_sets: int
    method: str
    transform: str
    imaginary: Floats
    condition: float
    findings: tuple[Finding, ...] = ()
    noise_sd: Floats = field(default_factory=lambda: np.empty(0))
    n_sets_effective: float = float("nan")
    dof: float = float("inf")
    shock_sd: float = 0.0
    names: tuple[str, ...] = ()
    readings: ReadingModel | None = None
    answers: AnswerModel | None = None
    frame_kind: str = ""

    @classmethod
    def of(cls, solution: Solution, method: str) -> Self:
        """The estimate that a method's solution is."""
        noise = np.asarray(solution.noise)
        return cls(
            theta=solution.theta,
            cov=solution.cov,
            noise_var=float(noise[0, 0]) if noise.shape == (1, 1) else noise,
            n_sets=solution.n_sets,
            method=method,
            transform=solution.transform,
            imaginary=np.zeros_like(solution.theta) if solution.imaginary is None else solution.imaginary,
            condition=solution.condition,
            findings=solution.findings,
            noise_sd=np.full(len(solution.theta), np.nan) if solution.noise_sd is None else solution.noise_sd,
            n_sets_effective=solution.n_sets_effective,
            dof=solution.dof,
            shock_sd=solution.shock_sd,
            readings=solution.readings,
            answers=solution.answers,
        )

    @property
    def warnings(self) -> tuple[str, ...]:
        """The findings as sentences; empty when all is well."""
        return sentences(self.findings)

    @property
    def stderr(self) -> Floats:
        """(L, D) standard errors; NaN where they are not known."""
        with np.errstate(invalid="ignore"):
            return np.sqrt(np.diag(self.cov)).reshape(self.theta.shape)

    def conf_int(self, level: float = 0.95) -> Floats:
        """(L, D, 2) confidence intervals from the t law with `dof` degrees of freedom; infinite at an end that nothing bounds."""
        found = _interval(self.theta, self.stderr, level, self.dof)
        return found if self.answers is None else self.answers.closed(found, level)

    @property
    def detection(self) -> Floats:
        """(L,) the probability that each system has a reading in a set; one where sets are complete."""
        return np.ones(len(self.theta)) if self.readings is None else self.readings.detection

    @property
    def clutter_rate(self) -> float:
        """How many readings of a set are false, on average; zero where sets are complete."""
        return 0.0 if self.readings is None else self.readings.clutter_rate

    def associations(
        self, sets: ArrayLike, inputs: ArrayLike | None = None, *, offset: ArrayLike | None = None
    ) -> "ReadingAssociations":
        """Who is who in some sets, as far as the estimate tells: for each reading the probability of each system, and of being false.

        A guess with a probability: parameters, noise and rates are taken as if they were known. Noise is normal where the method learned
        no law. Sets and inputs as for `vieta.fit`, and of the same shape; few sets, or none that has a reading, will do. Answers have the
        `offset` that they were fitted with, and are complete. Those of dask arrays are dask arrays too, of which nothing
        is computed yet (`ChunkedAssociations`).
        """
        if any(map(is_dask, (sets, inputs, offset))):
            from vieta.estimators.chunked_associations import chunked_associations

            chunked: Any = chunked_associations(self, sets, inputs, offset)
            return chunked  # type: ignore[no-any-return]
        return self.associations_in(self.data_of(sets, inputs, offset))

    def data_of(self, sets: ArrayLike, inputs: ArrayLike | None, offset: ArrayLike | None) -> Data:
        """Some sets, checked, for their associations."""
        L, D = self.theta.shape
        if self.answers is not None:
            return with_known(as_data(sets, inputs, L), offset)
        like = Data(np.zeros((0, len(np.atleast_2d(self.noise_var)))), np.zeros(0), D, np.zeros(1, dtype=np.int64), L)
        return self._fitting(less_known(with_known(as_streamed(sets, inputs, L, like), offset)))

    def associations_in(self, data: Data, extent: "Extent | None" = None) -> "ReadingAssociations":
        """The same of sets that were checked before; where they are a part of all sets, `extent` is that of all."""
        from vieta.adaptive.reading_associations import associate

        data = self._fitting(data)
        if self.answers is None:
            return associate(data, self.theta, np.atleast_2d(self.noise_var), self.noise_sd, self.readings, extent)
        from vieta.answers.answer_associations import associate_answers

        require_complete(data, self.method)
        require_finite(data)
        return associate_answers(data, self.theta, self.answers)

    def _fitting(self, data: Data) -> Data:
        """Sets of the shape that the estimate is of; others are refused."""
        if data.dim != self.theta.shape[1] or data.reading_dim != len(np.atleast_2d(self.noise_var)):
            raise InputError(
                "associations-shape",
                "readings of {p} number(s) with {dim} parameter(s) a system were given, and the estimate is of {own_p} and {own}.",
                p=data.reading_dim,
                dim=data.dim,
                own_p=len(np.atleast_2d(self.noise_var)),
                own=self.theta.shape[1],
            )
        return data

    def derived(self, function: str | Callable[[Floats], Any]) -> "Derived":
        """A function of the parameters that needs no labels, with its standard error by the delta method.

        Parameters
        ----------
        function : str or callable
            "sum", "mean", "spread" (largest minus smallest), "largest" or "smallest" over the systems, of each
            coordinate; or a function of `theta` (L, D) that does not depend on the order of its rows.
        """
        if isinstance(function, str) and function not in SYMMETRIC:
            raise InputError(
                "unknown-function",
                "the function {name!r} is not known. Choose one of {known}, or give a callable.",
                name=function,
                known=", ".join(SYMMETRIC),
            )
        call = SYMMETRIC[function] if isinstance(function, str) else function
        value = np.atleast_1d(np.asarray(call(self.theta), dtype=np.float64)).ravel()
        gradient = np.empty((value.size, self.theta.size))
        for i in range(self.theta.size):
            step = np.zeros(self.theta.size)
            step[i] = 1e-5 * max(
                1e-8 * max(1.0, abs(self.theta).max()), float(self.stderr.ravel()[i])
            )  # NaN comes last
            moved = [np.ravel(call(self.theta + sign * step.reshape(self.theta.shape))) for sign in (1.0, -1.0)]
            gradient[:, i] = (moved[0] - moved[1]) / (2.0 * step[i])
        return Derived(value, gradient @ self.cov @ gradient.T, self.dof)

    def summary(self, level: float = 0.95) -> str:
        """A table to read."""
        D, noise = self.theta.shape[1], noise_sd(self.noise_var, self.findings)
        lines = [
            f"{len(self.theta)} systems, {D} parameter{'s' * (D > 1)} each, from {self.n_sets:,} unlabeled sets"
            + self._worth,
            f"method {self.method}, transform {self.transform}, noise sd {noise}",
            *seen_lines(self.readings),
            *([] if self.answers is None else [self.answers.line()]),
            "",
            *as_lines(
                table(
                    self.theta,
                    self.stderr,
                    self.conf_int(level),
                    level,
                    names=[short(name) for name in self.names],
                    noise_sd=self.noise_sd,
                    detection=self.detection,
                )
            ),
        ]
        lines += ["", *marked(self.findings)] if self.findings else []
        return "\n".join(lines)

    @property
    def _worth(self) -> str:
        """What the sets are worth, where their memory makes it less than their number."""
        worth = self.n_sets_effective
        return f", worth {worth:,.0f} without memory over time" if worth < 0.995 * self.n_sets else ""

    def to_frame(self, level: float = 0.95, kind: str | None = None) -> Any:
        """A data frame with one row for each parameter of each system, of the library that the data came in, or of another `kind`.

        Its columns: system (from 1 on), parameter, estimate, stderr, the interval of a `level` from lower to upper, noise_sd and detection of
        the system. Without frames among the data it is of polars, if that is installed, else of pandas.
        """
        L, D = self.theta.shape
        interval = self.conf_int(level)
        columns = {
            "system": np.repeat(np.arange(1, L + 1), D),
            "parameter": list(self.names or map(str, range(1, D + 1))) * L,
            "estimate": self.theta.ravel(),
            "stderr": self.stderr.ravel(),
            "lower": interval[..., 0].ravel(),
            "upper": interval[..., 1].ravel(),
            "noise_sd": np.repeat(self.noise_sd, D),
            "detection": np.repeat(self.detection, D),
        }
        return as_frame(columns, self.frame_kind if kind is None else kind)

    def to_dict(self) -> dict[str, Any]:
        """Everything, ready for JSON; numbers that are not known are None."""
        return {
            "theta": self.theta.tolist(),
            "stderr": _listed(self.stderr),
            "cov": _listed(self.cov),
            "noise_var": self.noise_var if isinstance(self.noise_var, float) else self.noise_var.tolist(),
            "noise_sd": _listed(self.noise_sd),
            "shock_sd": self.shock_sd,
            "n_sets": self.n_sets,
            "n_sets_effective": self.n_sets_effective if np.isfinite(self.n_sets_effective) else None,
            "dof": self.dof if np.isfinite(self.dof) else None,
            "method": self.method,
            "transform": self.transform,
            "imaginary": self.imaginary.tolist(),
            "condition": self.condition if np.isfinite(self.condition) else None,
            "findings": [one.to_dict() for one in self.findings],
            "warnings": list(self.warnings),
            "names": list(self.names),
            "readings": None if self.readings is None else self.readings.to_dict(),
            "answers": None if self.answers is None else self.answers.to_dict(),
        }

    @classmethod
    def from_dict(cls, answer: Mapping[str, Any]) -> Self:
        """The estimate that `to_dict` wrote; KeyError, TypeError or ValueError if it did not."""
        theta, noise_var = _table(answer["theta"]), np.array(answer["noise_var"], dtype=np.float64)
        return cls(
            theta=theta,
            cov=_table(answer["cov"]).reshape(theta.size, theta.size),
            noise_var=float(noise_var) if noise_var.ndim == 0 else _table(noise_var),
            n_sets=int(answer["n_sets"]),
            method=str(answer["method"]),
            transform=str(answer["transform"]),
            imaginary=_table(answer["imaginary"]).reshape(theta.shape),
            condition=float("inf" if answer["condition"] is None else answer["condition"]),
            findings=tuple(_finding(one) for one in answer["findings"]),
            noise_sd=np.array(answer["noise_sd"], dtype=np.float64).reshape(len(theta)),
            n_sets_effective=float("nan" if answer["n_sets_effective"] is None else answer["n_sets_effective"]),
            dof=float("inf" if answer["dof"] is None else answer["dof"]),
            shock_sd=float(answer.get("shock_sd", 0.0)),
            names=_names(answer.get("names", []), theta.shape[1]),
            readings=_readings(answer.get("readings"), len(theta)),
            answers=_answers(answer.get("answers"), theta.shape),
        )

    def plot(self, level: float = 0.95, names: list[str] | None = None, truth: Floats | None = None) -> "Figure":
        """The parameters, under their `names` or others that are given, with their confidence intervals (regions, in the plane).

        The `truth` (L, D), if it is given, is shown as crosses.
        """
        from vieta import plots

        title = f"{self.method}, {self.n_sets:,} set{'s' * (self.n_sets != 1)}"
        called = names or list(self.names) or None
        return plots.parameters(self.theta, self.cov, level, title, called, truth, dof=self.dof)

    def __str__(self) -> str:
        return self.summary()


def _listed(array: Floats) -> list[Any]:
    items = array.astype(object)
    items[~np.isfinite(array)] = None
    listed: list[Any] = items.tolist()
    return listed


def _table(items: Any) -> Floats:
    array = np.array(items, dtype=np.float64)
    if array.ndim != 2 or array.size == 0:
        raise InputError("not-a-table", "a table of numbers is needed, got one of shape {shape}", shape=array.shape)
    return array


def _names(names: Any, dim: int) -> tuple[str, ...]:
    if not isinstance(names, list) or not all(isinstance(one, str) for one in names) or len(names) not in (0, dim):
        raise InputError("not-names", "names of {dim} parameters are needed, or none", dim=dim)
    return tuple(names)


def _readings(answer: Mapping[str, Any] | None, n_systems: int) -> ReadingModel | None:
    if answer is None:
        return None
    found = ReadingModel.from_dict(answer)
    if found.detection.shape != (n_systems,) or found.scale.shape != (n_systems,):
        raise InputError("not-of-systems", "entries for each of {n_systems} systems are needed", n_systems=n_systems)
    return found


def _answers(answer: Mapping[str, Any] | None, shape: tuple[int, ...]) -> AnswerModel | None:
    if answer is None:
        return None
    found, n_systems = AnswerModel.from_dict(answer), shape[0]
    is_of_them = len(found.reach) == 0 or found.reach.shape == (*shape, 2, 2)
    if not is_of_them or any(not 0 <= one.system < n_systems for one in found.open_ends):
        raise InputError("not-of-systems", "entries for each of {n_systems} systems are needed", n_systems=n_systems)
    return found


def _finding(one: Mapping[str, Any]) -> Finding:
    """A finding that `to_dict` wrote; with its sentence among the facts where they do not make it again."""
    if one["severity"] not in SEVERITIES:
        raise InputError("not-a-severity", "{given!r} is not a severity of findings", given=one["severity"])
    found = Finding(str(one["code"]), one["severity"], dict(one["facts"]))
    try:
        again = str(found) == one["text"]
    except (KeyError, TypeError, ValueError, IndexError):
        again = False
    return found if again else Finding("restored", one["severity"], {**one["facts"], "text": str(one["text"])})
