"""Filters on the Examples of the paper, by the estimators themselves: they run on the same sets, and report their paths as they grow."""

import re
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from vieta import scenarios
from vieta.arrays import Floats, Integers
from vieta.errors import VietaError
from vieta.estimators import SymmetricFilter
from vieta.laws.motion import Constant, Jump
from vieta.laws.noise import Scaled
from vieta.method import registry
from vieta.method.lms import METHOD as LMS
from vieta.page.lessons import SHOWN_SETS, number_in, seed_in
from vieta.paper import example1, example2, example3, example4
from vieta.paper.direct_gradient import direct_gradient
from vieta.paper.landscape import stationary_point
from vieta.paper.naive_lms import naive_lms
from vieta.paper.path import marks
from vieta.scenarios import Records, simulate

POINTS = 120  # of a path
MOST_SETS = 200_000
SHOWN_COORDINATES = 2  # of a system with many parameters
JUMPED = 2  # the Example whose parameters jump, at half of its sets
PART = 0.03  # seconds of work that are told at a time

Points = tuple[Integers, Floats]  # after how many sets, and the parameters (n, L, D)


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
            "says": self._says(scenario.description),
            "systems": len(self.theta),
            "most_systems": len(scenario.theta) + len(example.more),
        }

    def _says(self, own: str) -> str:
        """What is run, in a sentence."""
        if not self.is_own:
            return f"As Example {self.number}, with {len(self.theta)} systems."
        return own if self.number != JUMPED else re.sub(r"after set [\d,]+", "at half of the sets", own)


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
    """Filters on the same sets of an Example, with another noise, step, number of sets and of systems: all that `parts` tells, as one."""
    (found,) = parts(asked, np.inf)
    return found


def parts(asked: dict[str, Any], seconds: float = PART) -> Iterator[dict[str, Any]]:
    """The same, told about every so many seconds of work: how far all filters are, and what is new of the path of each.

    The filters take turns, and how their paths are cut into parts changes no number in them. The first part says what is run, too, and comes
    before the last filter, the default, begins: its search for a start may take longer than anybody waits.
    """
    number = int(number_in(asked, "example", 1, 4, 1))
    own = course(number).to_dict()
    given = course(number, int(number_in(asked, "systems", 2, own["most_systems"], own["systems"])))
    n = int(number_in(asked, "n", 100, MOST_SETS, own["n"]))
    records = _drawn(given, n, number_in(asked, "noise", 1e-6, 100.0, own["noise"]), asked)
    filters = _filters(given, records, max(n // POINTS, 1), asked)
    said, begun = _said(given, records, n), time.monotonic()
    *others, last = filters.values()
    while any(one.ahead for one in filters.values()):
        for one in (*others, last):
            if said and one is last and np.isfinite(seconds):
                yield said | _new(filters, n)
                said, begun = {}, time.monotonic()
            one.run(seconds / len(filters))
        if time.monotonic() - begun > seconds or not any(one.ahead for one in filters.values()):
            yield said | _new(filters, n)
            said, begun = {}, time.monotonic()


def _new(filters: "dict[str, Runner]", n: int) -> dict[str, Any]:
    reached = min(one.reached for one in filters.values())
    return {"reached": reached, "n": n, "paths": {name: one.told() for name, one in filters.items()}}


@dataclass(slots=True)
class Runner:
    """A filter that goes on from where it was.

    Attributes
    ----------
    follow : callable
        The points of the path up to a number of sets that were not given before.
    ahead : list of int
        The numbers of sets after which there are points, as far as they are yet to come.
    columns : int
        Parameters that are shown.
    """

    follow: Callable[[int], Points]
    ahead: list[int]
    columns: int
    reached: int = 0
    trouble: str = ""
    new: list[Points] = field(default_factory=list)

    def run(self, seconds: float) -> None:
        """Go on for some time, at least to the next point."""
        end = time.monotonic() + seconds
        while self.ahead:
            self.reached = self.ahead.pop(0)
            try:
                self.new.append(self.follow(self.reached))
            except (VietaError, ArithmeticError, np.linalg.LinAlgError) as error:
                self.trouble, self.reached, self.ahead = str(error), (self.ahead or [self.reached])[-1], []
            if time.monotonic() > end:
                break

    def told(self) -> dict[str, Any]:
        """What is new of the path as lists, one for each parameter that is shown; or why there is none."""
        if self.trouble:
            return {"trouble": self.trouble}
        if not self.new:
            return {"at": [], "theta": [[] for _ in range(self.columns)], "final": None}
        index, theta = (np.concatenate(some) for some in zip(*self.new))
        self.new = []
        shown = theta[:, :, :SHOWN_COORDINATES].reshape(len(index), -1)
        return {
            "at": index.tolist(),
            "theta": [_listed(column) for column in shown.T],
            "final": [_listed(row) for row in theta[-1].round(4)],
        }


def _filters(given: Course, records: Records, every: int, asked: dict[str, Any]) -> dict[str, Runner]:
    step = number_in(asked, "step", 1e-12, 1.0, given.step)
    other_step = number_in(asked, "other_step", 1e-18, 1.0, given.other_step)
    follow = {
        LMS.name: _traced(records, every, method=LMS.name, step=step, start=given.start),
        EXAMPLES[given.number].other: _other(given, records, every, other_step),
        registry.default(): _traced(records, every),
    }
    columns = len(given.theta) * min(given.theta.shape[1], SHOWN_COORDINATES)
    return {name: Runner(one, marks(len(records.sets), every), columns) for name, one in follow.items()}


def _traced(records: Records, every: int, **options: Any) -> Callable[[int], Points]:
    """A filter that keeps its state between calls."""
    L, D = records.theta.shape[-2:]
    given = {name: value for name, value in options.items() if value is not None}
    if "start" in given:
        given["start"] = np.array(given["start"]).reshape(L, D)
    one = SymmetricFilter(L, D, **given)

    def follow(end: int) -> Points:
        piece = slice(one.n_sets, end)
        path = one.trace(records.sets[piece], None if records.inputs is None else records.inputs[piece], every=every)
        return path.index, path.theta

    return follow


def _other(given: Course, records: Records, every: int, step: float) -> Callable[[int], Points]:
    """The filter to compare with: the gradient in the parameters, for numbers; coordinates one by one, for vectors.

    It keeps no state: it runs over twice as many sets whenever more are asked for than it has seen.
    """
    known: Points = (np.zeros(0, dtype=np.int64), np.zeros((0, 0, 0)))
    reached = 0

    def run(end: int) -> Points:
        sets, inputs = records.sets[:end], None if records.inputs is None else records.inputs[:end]
        if given.start is None:
            path = naive_lms(sets, inputs, step=step, record_every=every)
        else:
            path = direct_gradient(sets, inputs, step=step, start=list(given.start), record_every=every)
        return path.index, path.theta

    def follow(end: int) -> Points:
        nonlocal known, reached
        if not len(known[0]) or known[0][-1] < end:
            known = run(min(2 * end, len(records.sets)))
        index, theta = known
        new, reached = (reached < index) & (index <= end), end
        return index[new], theta[new]

    return follow


def _listed(numbers: Floats) -> list[float | None]:
    """Numbers with six digits, None where there is none yet."""
    return [float(f"{v:.6g}") if np.isfinite(v) else None for v in numbers]


def _said(given: Course, records: Records, n: int) -> dict[str, Any]:
    """What is run, and what is true."""
    return {
        "example": given.number,
        "settings": given.to_dict(),
        "truth": _truth(given, n),
        "saddle": saddle() if given.number == 1 and given.is_own else None,
        "ghosts": example3.GHOST.tolist() if given.number == 3 and given.is_own else None,
        "sets": _some(records),
    }


def saddle() -> dict[str, Any]:
    """The saddle of Example 1 that the direct gradient passes slowly, with the eigenvalues of its Hessian."""
    truth = scenarios.get("example-1").theta
    point = stationary_point([-2.0, 6.3, 6.3], truth)
    return {"theta": point.theta.round(4).tolist(), "eigenvalues": [float(f"{v:.3g}") for v in point.eigenvalues]}


def _drawn(given: Course, n: int, noise: float, asked: dict[str, Any]) -> Records:
    scenario = replace(scenarios.get(f"example-{given.number}"), theta=given.theta, motion=Constant())
    law = _resized(scenario.noise, noise)
    if given.number == JUMPED:
        return simulate(scenario, n=n, seed=seed_in(asked), noise=law, motion=Jump(n // 2, _after(given)))
    return simulate(scenario, n=n, seed=seed_in(asked), noise=law)


def _size(law: Any) -> float:
    """The standard deviation of a law of noise."""
    return float(np.sqrt(np.max(law.variance)))


def _resized(law: Any, sd: float) -> Any:
    """The same law with another standard deviation."""
    return replace(law, variance=sd**2) if isinstance(law, Scaled) else law


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
