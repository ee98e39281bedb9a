"""The idea in motion, by the estimators themselves: sets without labels, their polynomial and its roots; filters on the paper's Examples."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from vieta import scenarios
from vieta.arrays import Floats, Integers
from vieta.errors import InputError, VietaError
from vieta.estimators import SymmetricFilter
from vieta.laws.motion import Jump
from vieta.laws.noise import Gaussian, Scaled
from vieta.method.lms import METHOD as LMS
from vieta.paper import example1, example2, example3, example4
from vieta.paper.direct_gradient import direct_gradient
from vieta.paper.landscape import stationary_point
from vieta.paper.naive_lms import naive_lms
from vieta.scenarios import Records, Scenario, simulate
from vieta.symmetric import elementary

POINTS = 240  # of a path
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


EXAMPLES = {
    1: Example(1e-3, 20_000, tuple(example1.START), "direct gradient", 1e-6),
    2: Example(2e-4, 40_000, tuple(example2.START.ravel().tolist()), "direct gradient", 1e-5),
    3: Example(1e-3, 20_000, None, "naive transform", 1e-4),
    4: Example(example4.STEP, 4_000, None, "naive transform", example4.NAIVE_STEP),
}


def settings() -> dict[str, Any]:
    """What can be set, for the sliders."""
    return {
        str(number): {
            "step": one.step,
            "n": one.n,
            "noise": _size(scenarios.get(f"example-{number}").noise),
            "other": one.other,
            "other_step": one.other_step,
            "says": scenarios.get(f"example-{number}").description,
        }
        for number, one in EXAMPLES.items()
    }


def race(asked: dict[str, Any]) -> dict[str, Any]:
    """Filters on the same sets of an Example, with another noise, step and number of sets."""
    number = int(_number(asked, "example", 1, 4, 1))
    example = EXAMPLES[number]
    n = int(_number(asked, "n", 100, MOST_SETS, example.n))
    records = _drawn(number, n, _number(asked, "noise", 1e-6, 100.0, settings()[str(number)]["noise"]), asked)
    step = _number(asked, "step", 1e-9, 1.0, example.step)
    other_step = _number(asked, "other_step", 1e-12, 1.0, example.other_step)
    every = max(n // POINTS, 1)
    filters: dict[str, Callable[[], tuple[Integers, Floats]]] = {
        LMS.name: lambda: _traced(records, every, method=LMS.name, step=step, start=example.start),
        "efficient": lambda: _traced(records, every),
        example.other: lambda: _other(number, records, every, other_step),
    }
    return {
        "example": number,
        "n": n,
        "truth": _truth(number, records, n),
        "paths": {name: _path(follow) for name, follow in filters.items()},
        "saddle": saddle() if number == 1 else None,
        "ghosts": example3.GHOST.tolist() if number == 3 else None,
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


def _drawn(number: int, n: int, noise: float, asked: dict[str, Any]) -> Records:
    scenario = scenarios.get(f"example-{number}")
    law = _resized(scenario.noise, noise)
    if number == JUMPED:
        return simulate(scenario, n=n, seed=_seed(asked), noise=law, motion=Jump(n // 2, example2.AFTER))
    return simulate(scenario, n=n, seed=_seed(asked), noise=law)


def _size(law: Any) -> float:
    """The standard deviation of a law of noise."""
    return float(np.sqrt(np.max(law.variance)))


def _resized(law: Any, sd: float) -> Any:
    """The same law with another standard deviation."""
    from dataclasses import replace

    return replace(law, variance=sd**2) if isinstance(law, Scaled) else law


def _traced(records: Records, every: int, **options: Any) -> tuple[Integers, Floats]:
    L, D = records.theta.shape[-2:]
    given = {name: value for name, value in options.items() if value is not None}
    if "start" in given:
        given["start"] = np.array(given["start"]).reshape(L, D)
    path = SymmetricFilter(L, D, **given).trace(records.sets, records.inputs, every=every)
    return path.index, path.theta


def _other(number: int, records: Records, every: int, step: float) -> tuple[Integers, Floats]:
    """The filter to compare with: the gradient in the parameters, for numbers; coordinates one by one, for vectors."""
    start = EXAMPLES[number].start
    if start is not None:
        path = direct_gradient(records.sets, records.inputs, step=step, start=list(start), record_every=every)
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


def _truth(number: int, records: Records, n: int) -> list[dict[str, Any]]:
    """The parameters that are shown, and up to which set they hold."""
    before = scenarios.get(f"example-{number}").theta[:, :SHOWN_COORDINATES].ravel().tolist()
    if number != JUMPED:
        return [{"until": n, "theta": before}]
    return [{"until": n // 2, "theta": before}, {"until": n, "theta": example2.AFTER.ravel().tolist()}]


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
