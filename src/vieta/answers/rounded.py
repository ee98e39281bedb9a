r"""`rounded`: measurements with normal noise, rounded to a step.

.. math:: y_l = \Delta\,[(\psi'\theta_l + b + \sigma u_l)/\Delta], \qquad P(y) = \Phi\Bigl(\frac{y + \Delta/2 - \eta}{\sigma}\Bigr)
    - \Phi\Bigl(\frac{y - \Delta/2 - \eta}{\sigma}\Bigr)

The step is given, or recognised: it is the distance of neighbouring values.
"""

from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from vieta.answer_model import AnswerModel
from vieta.answers.answer_climb import Climb
from vieta.answers.answer_likelihood import predictors
from vieta.answers.answer_survey import MOST_VALUES, AnswerSurvey
from vieta.answers.association_likelihood import AssociationLikelihood, Kept
from vieta.answers.family import Begin, Family, FamilyOptions, Moments, Refined
from vieta.answers.intervals import interval
from vieta.answers.number_start import number_start
from vieta.arrays import Floats
from vieta.checks import as_number
from vieta.errors import InputError
from vieta.findings import Finding, finding
from vieta.options import option
from vieta.sets import Data
from vieta.sums import Passes

ON_GRID = 1e-6  # of a step, within which a value is on the grid
HIDDEN = 0.12  # steps, below which a deviation hardly ever moves a reading from the middle of its step to the next one
ENOUGH = 6  # different readings that tell a step
SMALLEST = 0.05  # deviation in steps where the search begins


@dataclass(frozen=True, eq=False)
class RoundedOptions(FamilyOptions):
    """Options of rounded measurements."""

    step: float | None = option(None, "What readings are rounded to; recognised if absent.", "number", "STEP")


@dataclass(frozen=True, slots=True, eq=False)
class RoundedLikelihood(AssociationLikelihood):
    """The likelihood of rounded measurements with one noise for all systems; log sigma is estimated beside."""

    n_systems: int
    dim: int
    step: float
    origin: float = 0.0
    link: str = "identity"
    n_nuisance: int = 1

    def of_size(self, n_systems: int) -> "RoundedLikelihood":
        """The same of another number of systems."""
        return replace(self, n_systems=n_systems)

    def sd(self, u: Floats) -> float:
        """Sigma."""
        return float(np.exp(np.clip(u[-1], -300.0, 300.0)))

    def moved(self, u: Floats, step: Floats) -> Floats:
        """The unknowns after a step; sigma does not fall by more than the half, or double."""
        there = u + step
        there[-1] = u[-1] + np.clip(step[-1], -0.7, 0.7)
        return there

    def _bounds(self, block: Data, u: Floats) -> tuple[Floats, Floats]:
        away = block.sets[:, :, 0][:, :, None] - predictors(block, self.theta(u))[:, None, :]
        return (away - 0.5 * self.step) / self.sd(u), (away + 0.5 * self.step) / self.sd(u)

    def logs(self, block: Data, u: Floats) -> tuple[Floats, Kept]:
        """(n, L, L) log probabilities of the values."""
        a, b = self._bounds(block, u)
        found = interval("probit", a, b)
        return found.log, (a, b, found.lower, found.upper)

    def told(self, block: Data, u: Floats) -> Floats:
        """One over the variance after rounding, about."""
        return np.full((len(block), self.n_systems), 1.0 / (self.sd(u) ** 2 + self.step**2 / 12.0))

    def slopes(self, block: Data, u: Floats, P: Floats, kept: Kept) -> tuple[Floats, Floats]:
        """Scores of predictors, and of log sigma."""
        a, b, lower, upper = kept
        at_eta = (P * (lower - upper)).sum(axis=1) / self.sd(u)
        return at_eta, (P * (a * lower - b * upper)).sum(axis=(1, 2))[:, None]


class Rounded(Family):
    """Rounded measurements."""

    name = "rounded"
    line = "Measurements rounded to a step: likelihood of the intervals, over assignments."
    links = ("identity",)
    Options = RoundedOptions
    has_ends = False

    def require(self, block: Data, options: Any) -> None:
        """Refuse values that a given step does not reach."""
        if options.step is None or not len(block):
            return
        _require_grid(block, float(block.readings.flat[0]), as_number(options.step, "step", above=0.0))

    def law(self, known: AnswerSurvey, like: Data, options: Any) -> RoundedLikelihood:
        """The likelihood, with the step."""
        if len(known.values) == 1:
            raise InputError(
                "readings-constant",
                "all readings are {value:g}: nothing tells the noise, or one system from another.",
                value=float(known.values[0]),
            )
        step = recognised(known.values) if options.step is None else as_number(options.step, "step", above=0.0)
        self.link(options)
        return RoundedLikelihood(like.n_systems, like.dim, step, float(known.values[0]))

    def law_numbers(self, law: Any) -> Floats:
        """The step, and a value on its grid."""
        return np.array([law.step, law.origin])

    def law_of(self, numbers: Floats, like: Data, options: Any) -> RoundedLikelihood:
        """The likelihood with that step."""
        return RoundedLikelihood(like.n_systems, like.dim, float(numbers[0]), float(numbers[1]))

    def knows_law(self, numbers: Floats) -> bool:
        """Whether numbers are a step and a value."""
        return bool(len(numbers) == 2 and numbers[0] > 0.0)

    def require_known(self, law: Any, block: Data) -> None:
        """Refuse values off the grid that the law has recognised."""
        _require_grid(block, law.origin, law.step)

    def begin(self, passes: Passes, law: Any, known: AnswerSurvey) -> Begin:
        """From the readings as if they were not rounded."""
        first = number_start(passes, known.n_sets)
        if first is None:
            return Begin([], np.log([0.5 * law.step]))
        sd = np.sqrt(max(first.sd**2 - law.step**2 / 12.0, (SMALLEST * law.step) ** 2))
        return Begin([first.theta], np.log([sd]))

    def refine(self, passes: Passes, law: Any, found: Climb, root: Floats) -> Refined:
        """What there is to say of noise that rounding hides."""
        hidden = law.sd(found.u) < HIDDEN * law.step
        return Refined(law, found, (finding("noise-below-step", step=law.step),) if hidden else ())

    def of_scale(self, law: Any, known: AnswerSurvey) -> tuple[Finding, ...]:
        """A step that is finer than the readings are rounded to."""
        if len(known.values) < ENOUGH:
            return ()
        try:
            step = recognised(known.values)
        except InputError:
            return ()
        return (finding("step-too-fine", given=law.step, found=step),) if step > 1.5 * law.step else ()

    def model(self, law: Any, u: Floats, cov: Floats) -> AnswerModel:
        """The step, and the deviation of the noise before rounding."""
        sd = law.sd(u)
        return AnswerModel(
            self.name,
            law.link,
            ("step", "sd before rounding"),
            np.array([law.step, sd]),
            np.array([0.0, sd * np.sqrt(max(float(cov[-1, -1]), 0.0))]),
        )

    def unit(self, law: Any) -> float:
        """The step."""
        return float(law.step)

    def logs_of(self, model: AnswerModel, block: Data, theta: Floats) -> Floats:
        """Log probabilities of the values."""
        step, sd = model.values
        law = RoundedLikelihood(len(theta), theta.shape[1], float(step))
        return law.logs(block, np.append(theta.ravel(), np.log(sd)))[0]

    def require_model(self, model: AnswerModel, block: Data) -> None:
        """Refuse values that are not whole steps apart."""
        self.require(block, RoundedOptions(step=float(model.values[0])))

    def moments(self, law: Any, block: Data, u: Floats) -> Moments:
        """Means and variances of sums, by Sheppard's correction where the noise is no smaller than half a step, else by the values near."""
        eta = predictors(block, law.theta(u))
        reach = np.arange(-REACH, REACH + 1) * law.step * max(1.0, np.ceil(5.0 * law.sd(u) / (REACH * law.step)))
        if law.sd(u) * 5.0 > REACH * law.step:  # rounding is no matter
            variance = np.full(eta.shape, law.sd(u) ** 2 + law.step**2 / 12.0)
            return Moments(eta.sum(axis=1), variance.sum(axis=1), float(variance.mean()) if variance.size else 0.0)
        nearest = law.origin + law.step * np.rint((eta - law.origin) / law.step)
        values = nearest[:, :, None] + reach
        a = (values - 0.5 * law.step - eta[:, :, None]) / law.sd(u)
        P = np.exp(interval("probit", a, a + law.step / law.sd(u)).log)
        mean = (P * values).sum(axis=2)
        variance = (P * (values - mean[:, :, None]) ** 2).sum(axis=2)
        return Moments(mean.sum(axis=1), variance.sum(axis=1), float(variance.mean()) if variance.size else 0.0)


REACH = 12  # steps on either side that are summed over


def recognised(values: Floats) -> float:
    """The step of a grid that all values (V,) lie on, ascending and different: the distance of neighbours that all others are multiples of.

    >>> recognised(np.array([0.5, 1.0, 2.5]))
    0.5
    """
    gaps = np.diff(values)
    step = float(gaps.min())
    away = (values - values[0]) / step
    off = abs(away - np.rint(away)) > 1e-3
    if len(values) >= MOST_VALUES or off.any():
        raise InputError(
            "step-not-recognised",
            "the readings have {count} or more different values, and no step that all of them are multiples of. Give {option.step}, or "
            "{option.family:number} if they are not rounded.",
            count=len(values),
        )
    return float(np.median(gaps / np.rint(gaps / step)))


def _require_grid(block: Data, first: float, step: float) -> None:
    """Refuse values that are no whole number of steps from the first one."""
    values = block.sets[:, :, 0]
    away = (values - first) / step
    wrong = np.argwhere(abs(away - np.rint(away)) > ON_GRID * np.maximum(1.0, abs(away) * 1e-6))
    if len(wrong):
        raise _not_on_grid(int(wrong[0][0]), float(values[tuple(wrong[0])]), first, step)


def _not_on_grid(index: int, value: float, first: float, step: float) -> InputError:
    return InputError(
        "not-on-grid",
        "sets[{index}] holds {value:.6g}, which is no whole number of steps of {step:g} from {first:.6g}. Check {option.step}.",
        index=index,
        value=value,
        step=step,
        first=first,
    )


FAMILY = Rounded()
