"""Laws of the parameters over time: theta_l(k), starting from the given theta_l.

A law gives None when the parameters never change, and otherwise a path (n, L, D) in system order.
"""

from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.random import Generator
from numpy.typing import ArrayLike

from vieta.arrays import Floats
from vieta.checks import as_count, as_floats, as_number, as_theta, frozen
from vieta.errors import InputError
from vieta.laws.chains import markov
from vieta.laws.gaussian import Gaussian
from vieta.laws.scaled import as_variance


class Motion(ABC):
    """A law of the parameters over time."""

    name: ClassVar[str] = ""
    """Its name in files."""

    @property
    def begins(self) -> int | None:
        """How many sets there are before the parameters move, where that is known before they are drawn."""
        return None

    @abstractmethod
    def draw(self, rng: Generator, theta: Floats, n: int) -> Floats | None:
        """The path (n, L, D) from theta (L, D), or None when it never moves."""


@dataclass(frozen=True)
class Constant(Motion):
    """Parameters that never change."""

    name: ClassVar[str] = "constant"

    def draw(self, rng: Generator, theta: Floats, n: int) -> None:
        """Nothing."""


@dataclass(frozen=True)
class Jump(Motion):
    """One jump: theta for the first `at` sets, `to` from then on.

    >>> path = Jump(at=2, to=(7.0,)).draw(np.random.default_rng(0), np.array([[5.0]]), 4)
    >>> path.ravel()
    array([5., 5., 7., 7.])
    """

    name: ClassVar[str] = "jump"

    at: int
    to: ArrayLike

    def __post_init__(self) -> None:
        object.__setattr__(self, "at", as_count(self.at, "at", least=0))
        object.__setattr__(self, "to", frozen(as_theta(self.to, "to")))

    @property
    def begins(self) -> int:
        """`at`."""
        return self.at

    def draw(self, rng: Generator, theta: Floats, n: int) -> Floats:
        """The path with one step."""
        to = _like(np.asarray(self.to), theta, "to")
        return np.where((np.arange(n) < self.at)[:, None, None], theta, to)


@dataclass(frozen=True)
class Switching(Motion):
    r"""A slow Markov chain on parameter sets: :math:`P = I + \mu Q`, hypothesis (B) of the paper.

    Parameters
    ----------
    others : (m - 1, L, D) or (m - 1, L)
        The parameter sets besides theta. State 0 is theta itself, and the chain starts there.
    generator : (m, m)
        Q: entries off the diagonal not negative, every row adding up to zero.
    rate : float
        :math:`\mu > 0`, small enough that P has no negative entry.
    """

    name: ClassVar[str] = "switching"

    others: ArrayLike
    generator: ArrayLike
    rate: float

    def __post_init__(self) -> None:
        others, Q = as_floats(self.others, "others"), as_floats(self.generator, "generator")
        object.__setattr__(self, "rate", as_number(self.rate, "rate", above=0.0))
        if others.ndim not in {2, 3} or Q.shape != (len(others) + 1, len(others) + 1):
            raise InputError(
                "switching-shape",
                "`others` must have shape (m - 1, L) or (m - 1, L, D) and `generator` (m, m), got {others} and {generator}. State 0 "
                "is theta itself; do not list it.",
                others=others.shape, generator=Q.shape,
            )  # fmt: skip
        if not np.allclose(Q.sum(axis=1), 0.0, rtol=0.0, atol=1e-9) or np.any(Q[~np.eye(len(Q), dtype=bool)] < 0):
            raise InputError(
                "not-a-generator",
                "`generator` must have rows that add up to 0 and no negative entry off the diagonal, got {generator}.",
                generator=Q.tolist(),
            )
        if np.any(1.0 + self.rate * np.diag(Q) < 0.0):
            raise InputError(
                "rate-too-large",
                "`rate` {rate:g} makes I + rate * generator negative. Use at most {most:g}.",
                rate=self.rate, most=_most(Q),
            )  # fmt: skip
        object.__setattr__(self, "others", frozen(others if others.ndim == 3 else others[..., None]))
        object.__setattr__(self, "generator", frozen(Q))

    @property
    def transition(self) -> Floats:
        r"""The matrix :math:`P = I + \mu Q`."""
        Q = np.asarray(self.generator)
        return np.eye(len(Q)) + self.rate * Q

    def draw(self, rng: Generator, theta: Floats, n: int) -> Floats:
        """The path through the parameter sets."""
        states = np.stack([theta, *(_like(other, theta, "others") for other in np.asarray(self.others))])
        start = np.eye(len(states))[0]
        return states[markov(start, self.transition, rng.random(n))]


@dataclass(frozen=True)
class Drift(Motion):
    r"""Random walk: :math:`\theta_l(k) = \theta_l(k-1) + w_l(k)`, :math:`w_l \sim N(0, C_l)`, from theta at k = 0.

    `variance` of a step is a number, (L,), (D, D) or (L, D, D), as for noise.
    """

    name: ClassVar[str] = "drift"

    variance: ArrayLike = 1e-6

    def __post_init__(self) -> None:
        object.__setattr__(self, "variance", frozen(as_variance(self.variance)))

    def draw(self, rng: Generator, theta: Floats, n: int) -> Floats:
        """The path of the walk."""
        steps = Gaussian(self.variance).draw(rng, n, *theta.shape)
        steps[0] = theta
        return np.cumsum(steps, axis=0)


def _like(other: Floats, theta: Floats, name: str) -> Floats:
    if other.shape != theta.shape:
        raise InputError(
            "motion-shape",
            "`{name}` must have the shape {needed} of theta, got {shape}.",
            name=name, needed=theta.shape, shape=other.shape,
        )  # fmt: skip
    return other


def _most(Q: Floats) -> float:
    return float(1.0 / -np.diag(Q).min())
