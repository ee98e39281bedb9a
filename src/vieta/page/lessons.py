"""The idea in motion, by the estimators themselves: sets without labels, their polynomial and its roots; filters on the paper's Examples."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from vieta import scenarios
from vieta.arrays import Floats, Integers
from vieta.errors import InputError, VietaError
from vieta.estimators import SymmetricFilter
from vieta.laws.motion import Constant, Jump
from vieta.laws.noise import Gaussian, Scaled
from vieta.method import registry
from vieta.method.lms import METHOD as LMS
from vieta.paper import example1, example2, example3, example4
from vieta.paper.direct_gradient import direct_gradient
from vieta.paper.landscape import stationary_point
from vieta.paper.naive_lms import naive_lms
from vieta.scenarios import Records, Scenario, simulate
from vieta.symmetric import elementary

POINTS = 120  # of a path
MOST_SETS = 200_000
MOST_SYSTEMS = 8
SHOWN_COORDINATES = 2  # of a system with many parameters
SHOWN_SETS = 12
CURVE = 160  # places at which a polynomial is shown
JUMPED = 2  # the Example whose parameters jump, at half of its sets


@dataclass(frozen=True, slots=True)
class Example:
    """How an Example is run here: the step of LMS, of the filter to compare with, where they start, and what that one is called."""

    step: float
    n: int
    start: tuple[float, ...] | None = None
    other: str = ""
    other_step: float = 0.0
    more: tuple[tuple[float, ...], ...] = ()  # systems beyond those of the paper
    shrink: tuple[float, float] = (
        1.0,
        1.0,
    )  # of the two steps with each of them: powers of readings grow with their number


EXAMPLES = {
    1: Example(1e-3, 20_000, tuple(example1.START), "direct gradient", 1e-6, ((11,), (14,)), (0.05, 1e-4)),
    2: Example(2e-4, 40_000, tuple(example2.START.ravel().tolist()), "direct gradient", 1e-5, ((9,), (13,)), (0.1, 1e-3)),
    3: Example(1e-3, 20_000, None, "naive transform", 1e-4, ((-5, -3), (1, -6)), (0.05, 0.03)),
    4: Example(example4.STEP, 4_000, None, "naive transform", example4.NAIVE_STEP, ((20, 15, 25, 1, 2, 1, 13, 4, 5, 6),)),
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class Course:
    """An Example with some number of systems: those of the paper as far as they go, then others."""

    number: int
    theta: Floats  # (L, D)
    is_own: bool
    start: tuple[float, ...] | None
    step: float
    other_step: float

    def to_dict(self) -> dict[str, Any]:
        """What can be set, for the sliders."""
        example, scenario = EXAMPLES[self.number], scenarios.get(f"example-{self.number}")
        return {
            "step": self.step,
            "n": example.n,
            "noise": _size(scenario.noise),
            "other": example.other,
            "other_step": self.other_step,
            "says": scenario.description
            if self.is_own
            else f"As Example {self.number}, with {len(self.theta)} systems.",
            "systems": len(self.theta),
            "most_systems": len(scenario.theta) + len(example.more),
        }


def course(number: int, systems: int | None = None) -> Course:
    """An Example, with its own number of systems or another."""
    example, own = EXAMPLES[number], scenarios.get(f"example-{number}").theta
    L = len(own) if systems is None else systems
    theta = np.vstack([own, *(np.array([row], dtype=np.float64) for row in example.more)])[:L]
    extra = max(L - len(own), 0)
    start = example.start if len(own) == L or example.start is None else _spread(theta)
    steps = (step * factor**extra for step, factor in zip((example.step, example.other_step), example.shrink))
    return Course(number, theta, len(own) == L, start, *steps)


def _spread(theta: Floats) -> tuple[float, ...]:
    """A start for numbers (L, 1): half as far apart as they are, and a little aside."""
    centre = theta.mean()
    return tuple((centre - 1.0 + np.linspace(-0.3, 0.3, len(theta)) * np.ptp(theta)).tolist())


def race(asked: dict[str, Any]) -> dict[str, Any]:
    """Filters on the same sets of an Example, with another noise, step, number of sets and of systems."""
    number = int(_number(asked, "example", 1, 4, 1))
    own = course(number).to_dict()
    given = course(number, int(_number(asked, "systems", 2, own["most_systems"], own["systems"])))
    n = int(_number(asked, "n", 100, MOST_SETS, own["n"]))
    records = _drawn(given, n, _number(asked, "noise", 1e-6, 100.0, own["noise"]), asked)
    step = _number(asked, "step", 1e-12, 1.0, given.step)
    other_step = _number(asked, "other_step", 1e-18, 1.0, given.other_step)
    every = max(n // POINTS, 1)
    filters: dict[str, Callable[[], tuple[Integers, Floats]]] = {
        LMS.name: lambda: _traced(records, every, method=LMS.name, step=step, start=given.start),
        registry.default(): lambda: _traced(records, every),
        own["other"]: lambda: _other(given, records, every, other_step),
    }
    return {
        "example": number,
        "settings": given.to_dict(),
        "n": n,
        "truth": _truth(given, n),
        "paths": {name: _path(follow) for name, follow in filters.items()},
        "saddle": saddle() if number == 1 and given.is_own else None,
        "ghosts": example3.GHOST.tolist() if number == 3 and given.is_own else None,
        "sets": _some(records),
    }


def saddle() -> dict[str, Any]:
    """The saddle of Example 1 that the direct gradient passes slowly, with the eigenvalues of its Hessian."""
    truth = scenarios.get("example-1").theta
    point = stationary_point([-2.0, 6.3, 6.3], truth)
    return {"theta": point.theta.round(4).tolist(), "eigenvalues": [float(f"{v:.3g}") for v in point.eigenvalues]}


def polynomial(asked: dict[str, Any]) -> dict[str, Any]:
    r"""Sets of L numbers, the average of their polynomials :math:`\prod_l (t - y_l)`, and its roots after 1, 2, .. sets."""
    L = int(_number(asked, "systems", 2, MOST_SYSTEMS, 3))
    n = int(_number(asked, "n", 1, 5000, 400))
    noise = _number(asked, "noise", 0.0, 10.0, 0.3)
    truth = np.linspace(-(L - 1) / 2.0, (L - 1) / 2.0, L) * 1.5
    scenario = Scenario("lesson", "Numbers 1.5 apart.", theta=truth, noise=Gaussian(max(noise, 1e-9) ** 2))
    sets = simulate(scenario, n=n, seed=_seed(asked)).sets.reshape(n, L)
    transform = elementary(L)
    mean = np.cumsum(transform.transform(sets[:, :, None]), axis=0) / np.arange(1, n + 1)[:, None]
    at = np.unique(np.geomspace(1, n, min(n, 40)).round().astype(np.int64))
    found = transform.inverse(mean[at - 1])
    reach = float(abs(truth).max() + 1.5 + 2.0 * noise)
    t = np.linspace(-reach, reach, CURVE)
    return {
        "truth": truth.tolist(),
        "sets": sets[:SHOWN_SETS].round(3).tolist(),
        "at": at.tolist(),
        "roots": found.theta[:, :, 0].round(4).tolist(),
        "imaginary": found.imaginary[:, :, 0].round(4).tolist(),
        "t": t.round(4).tolist(),
        "first": _values(transform.transform(sets[:1, :, None])[0], t),
        "averages": [_values(row, t) for row in mean[at - 1]],
        "right": _values(transform.transform(truth[:, None]), t),
    }


def _values(coefficients: Floats, t: Floats) -> list[float]:
    r""":math:`t^L - e_1 t^{L-1} + e_2 t^{L-2} - \dots` at some places."""
    signs = (-1.0) ** np.arange(1, len(coefficients) + 1)
    return [float(f"{v:.5g}") for v in np.polyval([1.0, *(signs * coefficients)], t)]


def _drawn(given: Course, n: int, noise: float, asked: dict[str, Any]) -> Records:
    scenario = replace(scenarios.get(f"example-{given.number}"), theta=given.theta, motion=Constant())
    law = _resized(scenario.noise, noise)
    if given.number == JUMPED:
        return simulate(scenario, n=n, seed=_seed(asked), noise=law, motion=Jump(n // 2, _after(given)))
    return simulate(scenario, n=n, seed=_seed(asked), noise=law)


def _size(law: Any) -> float:
    """The standard deviation of a law of noise."""
    return float(np.sqrt(np.max(law.variance)))


def _resized(law: Any, sd: float) -> Any:
    """The same law with another standard deviation."""
    return replace(law, variance=sd**2) if isinstance(law, Scaled) else law


def _traced(records: Records, every: int, **options: Any) -> tuple[Integers, Floats]:
    L, D = records.theta.shape[-2:]
    given = {name: value for name, value in options.items() if value is not None}
    if "start" in given:
        given["start"] = np.array(given["start"]).reshape(L, D)
    path = SymmetricFilter(L, D, **given).trace(records.sets, records.inputs, every=every)
    return path.index, path.theta


def _other(given: Course, records: Records, every: int, step: float) -> tuple[Integers, Floats]:
    """The filter to compare with: the gradient in the parameters, for numbers; coordinates one by one, for vectors."""
    if given.start is not None:
        path = direct_gradient(records.sets, records.inputs, step=step, start=list(given.start), record_every=every)
    else:
        path = naive_lms(records.sets, records.inputs, step=step, record_every=every)
    return path.index, path.theta


def _path(follow: Callable[[], tuple[Integers, Floats]]) -> dict[str, Any]:
    """A path as lists, one for each parameter that is shown; or why there is none."""
    try:
        index, theta = follow()
    except (VietaError, ArithmeticError, np.linalg.LinAlgError) as error:
        return {"trouble": str(error)}
    shown = theta[:, :, :SHOWN_COORDINATES].reshape(len(index), -1)
    return {
        "at": index.tolist(),
        "theta": [[float(f"{v:.6g}") if np.isfinite(v) else None for v in column] for column in shown.T],
        "final": theta[-1].round(4).tolist(),
    }


def _after(given: Course) -> Floats:
    """The parameters (L, 1) after the jump: those of the paper, and others that stay."""
    own = min(len(given.theta), len(example2.AFTER))
    return np.vstack([example2.AFTER[:own], given.theta[own:]])


def _truth(given: Course, n: int) -> list[dict[str, Any]]:
    """The parameters that are shown, and up to which set they hold."""
    before = given.theta[:, :SHOWN_COORDINATES].ravel().tolist()
    if given.number != JUMPED:
        return [{"until": n, "theta": before}]
    return [{"until": n // 2, "theta": before}, {"until": n, "theta": _after(given).ravel().tolist()}]


def _some(records: Records) -> list[Any]:
    """The first few sets, as they come: without labels."""
    sets = np.asarray(records.sets[:SHOWN_SETS])
    first = sets.reshape(len(sets), sets.shape[1], -1)[:, :, 0]
    return [row.round(3).tolist() for row in first]


def _seed(asked: dict[str, Any]) -> int:
    return int(_number(asked, "seed", 0, 1_000_000, 0))


def _number(asked: dict[str, Any], name: str, least: float, most: float, otherwise: float) -> float:
    """A number that was asked for, within its range."""
    given = asked.get(name, otherwise)
    if isinstance(given, bool) or not isinstance(given, int | float) or not least <= given <= most:
        raise InputError(
            "lesson-range", "{name} must be a number from {least:g} to {most:g}.", name=name, least=least, most=most
        )
    return float(given)
