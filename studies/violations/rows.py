r"""What is wrong with the data, how much of it, and the data of one run.

Two designs: one parameter a system, (1, 3, 6), with :math:`\psi \sim N(0, 1)`; and lines :math:`[1, x]`, x uniform on (-1, 1), that cross.
The noise has standard deviation `SD`, and everything else that is done to the sets is said in units of it.
"""

from collections.abc import Callable
from dataclasses import dataclass
from itertools import product
from typing import NamedTuple

import numpy as np

from vieta.arrays import Floats

SD = 0.5
SETS = (500, 5000, 50_000)


class Design(NamedTuple):
    """Parameters (L, D) and inputs (N, D) of so many sets."""

    theta: Floats
    inputs: Callable[[int, np.random.Generator], Floats]


DESIGNS = {
    "ψ": Design(np.array([[1.0], [3.0], [6.0]]), lambda N, rng: rng.standard_normal((N, 1))),
    "1, x": Design(
        np.array([[0.0, 1.0], [2.0, -0.5], [4.0, 3.0]]),
        lambda N, rng: np.column_stack([np.ones(N), rng.uniform(-1.0, 1.0, N)]),
    ),
}


class Records(NamedTuple):
    """Sets (N, L), inputs as they are recorded (N, D), parameters at the end (L', D), and readings with labels (N, L') if there can be any."""

    sets: Floats
    inputs: Floats
    truth: Floats
    labeled: Floats | None


class Noise(NamedTuple):
    """Correlation between systems and from set to set, and standard deviations of the systems in units of `SD`."""

    shock: float = 0.0
    memory: float = 0.0
    sds: tuple[float, ...] | float = 1.0

    def draw(self, N: int, L: int, rng: np.random.Generator) -> Floats:
        """(N, L)."""
        common, own = rng.standard_normal((N, 1)), rng.standard_normal((N, L))
        white = np.sqrt(self.shock) * common + np.sqrt(1.0 - self.shock) * own
        if self.memory:
            from scipy.signal import lfilter

            white[1:] *= np.sqrt(1.0 - self.memory**2)
            white = lfilter([1.0], [1.0, -self.memory], white, axis=0)
        return np.asarray(SD * np.asarray(self.sds) * white)


Make = Callable[[Design, int, np.random.Generator], Records]


def noisy(noise: Noise) -> Make:
    """The model, but for the law of the noise."""

    def make(design: Design, N: int, rng: np.random.Generator) -> Records:
        inputs = design.inputs(N, rng)
        return _records(inputs @ design.theta.T + noise.draw(N, len(design.theta), rng), inputs, design.theta, rng)

    return make


def moving(path: Callable[[int, tuple[int, ...], np.random.Generator], Floats]) -> Make:
    """Parameters that move by a path (N, L, D), in units of `SD`; the truth is where they end."""

    def make(design: Design, N: int, rng: np.random.Generator) -> Records:
        inputs = design.inputs(N, rng)
        theta = design.theta + SD * path(N, design.theta.shape, rng)
        means = np.einsum("nd,nld->nl", inputs, theta)
        return _records(means + Noise().draw(N, len(design.theta), rng), inputs, theta[-1], rng)

    return make


def jump(size: float) -> Make:
    """The first system's first parameter jumps after half of the sets."""

    def path(N: int, shape: tuple[int, ...], _: np.random.Generator) -> Floats:
        moved = np.zeros((N, *shape))
        moved[N // 2 :, 0, 0] = size
        return moved

    return moving(path)


def drift(step: float) -> Make:
    """All parameters walk at random."""
    return moving(lambda N, shape, rng: step * rng.standard_normal((N, *shape)).cumsum(axis=0))


def wrong_inputs(share: float) -> Make:
    """The last input is recorded with an error, of such a share of its standard deviation."""

    def make(design: Design, N: int, rng: np.random.Generator) -> Records:
        made = noisy(Noise())(design, N, rng)
        recorded = made.inputs.copy()
        recorded[:, -1] += share * recorded[:, -1].std() * rng.standard_normal(N)
        return made._replace(inputs=recorded)

    return make


def duplicated(share: float) -> Make:
    """So many of the sets repeat the one before."""

    def make(design: Design, N: int, rng: np.random.Generator) -> Records:
        made = noisy(Noise())(design, N, rng)
        source = np.maximum.accumulate(np.where(rng.uniform(size=N) < share, 0, np.arange(N)))
        assert made.labeled is not None
        return Records(made.sets[source], made.inputs[source], made.truth, made.labeled[source])

    return make


def lost_member(share: float) -> Make:
    """In so many sets one reading is lost, and another stands there twice."""

    def make(design: Design, N: int, rng: np.random.Generator) -> Records:
        made = noisy(Noise())(design, N, rng)
        sets, hit = made.sets.copy(), np.flatnonzero(rng.uniform(size=N) < share)
        sets[hit, 0] = sets[hit, 1]  # the order within sets is random
        return Records(sets, made.inputs, made.truth, None)

    return make


def clutter() -> Make:
    """Each set has one reading more than there are systems, uniform over the range of the others."""

    def make(design: Design, N: int, rng: np.random.Generator) -> Records:
        made = noisy(Noise())(design, N, rng)
        more = rng.uniform(made.sets.min(), made.sets.max(), (N, 1))
        return Records(rng.permuted(np.hstack([made.sets, more]), axis=1), made.inputs, made.truth, None)

    return make


def some_of_four() -> Make:
    """Each set has three of four systems, at random."""

    def make(design: Design, N: int, rng: np.random.Generator) -> Records:
        four = Design(np.vstack([design.theta, -2.0 * design.theta[:1] - 2.0]), design.inputs)
        made = noisy(Noise())(four, N, rng)
        return Records(made.sets[:, :3], made.inputs, four.theta, None)

    return make


def _records(readings: Floats, inputs: Floats, truth: Floats, rng: np.random.Generator) -> Records:
    """With readings in random order within sets."""
    return Records(rng.permuted(readings, axis=1), inputs, truth, readings)


UNEQUAL = (0.4, 1.0, 1.6)
VIOLATIONS: dict[str, Make] = {
    "none": noisy(Noise()),
    **{f"shock {rho:g}": noisy(Noise(shock=rho)) for rho in (0.1, 0.3, 0.5, 0.8)},
    **{f"AR {phi:g}": noisy(Noise(memory=phi)) for phi in (0.3, 0.6, 0.9)},
    "shock .5 and AR .6": noisy(Noise(shock=0.5, memory=0.6)),
    "sds .4, 1, 1.6": noisy(Noise(sds=UNEQUAL)),
    **{f"jump of {size:g} sd": jump(size) for size in (0.05, 0.1, 0.2, 0.5, 1.0)},
    **{f"random walk, {step:g} sd a set": drift(step) for step in (0.001, 0.01)},
    **{f"input errors of {share:g} sd": wrong_inputs(share) for share in (0.1, 0.3)},
    "a third of the sets repeat the one before": duplicated(1.0 / 3.0),
    "a lost member in 5 %": lost_member(0.05),
    "clutter as a fourth member": clutter(),
    "three of four systems": some_of_four(),
}
NOISES = frozenset(name for name in VIOLATIONS if name.startswith(("none", "shock", "AR", "sds")))


@dataclass(frozen=True)
class Row:
    """A violation and a design by name, and N sets."""

    violation: str
    design: str
    sets: int

    @property
    def name(self) -> str:
        """Unlike those of other rows."""
        return f"{self.violation}; {self.design}; N={self.sets}"

    def draw(self, seed: int) -> Records:
        """The data of one run."""
        return VIOLATIONS[self.violation](DESIGNS[self.design], self.sets, np.random.default_rng(seed))


ROWS = tuple(Row(violation, design, N) for N, design, violation in product(SETS, DESIGNS, VIOLATIONS))
