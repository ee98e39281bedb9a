r"""Sums of a likelihood's scores over all sets: what a step, a covariance and a test need of a pass.

.. math:: \ell = \sum_k \log p(Y_k), \qquad g = \sum_k s_k, \qquad M = \sum_k s_k s_k' ,

with :math:`s_k` the derivatives by the parameters and, last, by the logarithm of the noise scale. Sums of blocks add.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Generic, Self, TypeVar

import numpy as np

from vieta.arrays import Floats
from vieta.errors import InputError
from vieta.laws.noise import Scaled
from vieta.likelihood import model
from vieta.sets import Data
from vieta.sums import Additive, Passes, Sums

Summed = TypeVar("Summed", bound=Additive)
Evaluate = Callable[[Data, Floats, Scaled], model.Evaluation]


@dataclass(frozen=True, slots=True, eq=False)
class Excluded:
    """Sets to which a law gives no probability: how many, and the number of the first in time; -1 if there is none."""

    count: int = 0
    first: int = -1

    def __add__(self, other: Self, /) -> "Excluded":
        return Excluded(self.count + other.count, self.first if self.count else other.first)

    @classmethod
    def of(cls, log_likelihood: Floats, before: int) -> "Excluded":
        """Those of log densities (N,), after `before` other sets.

        >>> Excluded.of(np.array([0.0, -np.inf, -np.inf]), 10)
        Excluded(count=2, first=11)
        """
        bad = np.flatnonzero(~np.isfinite(log_likelihood))
        return cls(len(bad), before + int(bad[0])) if len(bad) else cls()


@dataclass(frozen=True, slots=True, eq=False)
class ScoreSums(Sums):
    """Sums over sets.

    Attributes
    ----------
    count : int
        N.
    likelihood : float
        Its logarithm.
    slope : (L D + 1,)
        g; the logarithm of the noise scale last, here and below.
    products : (L D + 1, L D + 1)
        M.
    excluded : Excluded
        Sets that the law excludes; slope and products are then NaN.
    """

    count: int
    likelihood: float
    slope: Floats
    products: Floats
    excluded: Excluded

    @classmethod
    def of(cls, found: model.Evaluation, before: int) -> "ScoreSums":
        """Sums over some sets, after `before` others."""
        s, logs = found.joint, found.log_likelihood
        return cls(len(logs), float(logs.sum()), s.sum(axis=0), s.T @ s, Excluded.of(logs, before))

    def about(self, scale_known: bool) -> tuple[Floats, Floats]:
        """Slope and products of the parameters, without the scale if it is known."""
        m = len(self.slope) - scale_known
        return self.slope[:m], self.products[:m, :m]


@dataclass(frozen=True, slots=True, eq=False)
class Together(Generic[Summed]):
    """Several sums made in one pass."""

    each: tuple[Summed, ...]

    def __add__(self, other: "Together[Summed]", /) -> "Together[Summed]":
        return Together(tuple(one + two for one, two in zip(self.each, other.each, strict=True)))


@dataclass(frozen=True, slots=True, eq=False)
class Place:
    """Parameters (L, D), a law with its variance, and the sums there."""

    theta: Floats
    law: Scaled
    sums: ScoreSums

    @property
    def likelihood(self) -> float:
        """Its logarithm."""
        return self.sums.likelihood


def in_pieces(work: Callable[[Data, int], Summed], size: int = 0) -> Callable[[Data, int], Summed]:
    """`work` on pieces of a block that fit into memory (`model.parts`), added up."""

    def whole(block: Data, before: int) -> Summed:
        pieces = Passes(block.part(0, 0), lambda: model.parts(block, size))
        return pieces.total(lambda piece, at: work(piece, before + at))

    return whole


def places(
    passes: Passes,
    chosen: list[tuple[Floats, Scaled]],
    evaluate: Evaluate = model.evaluate,
    size: int = 0,
) -> list[Place]:
    """The sums at several parameters and laws, in one pass; `evaluate` gives the scores of each set, in pieces of a `size`."""

    def work(piece: Data, before: int) -> Together[ScoreSums]:
        return Together(tuple(ScoreSums.of(evaluate(piece, theta, law), before) for theta, law in chosen))

    total = passes.total(in_pieces(work, size))
    return [Place(theta, law, sums) for (theta, law), sums in zip(chosen, total.each, strict=True)]


def step_by_products(slope: Floats, products: Floats) -> Floats:
    r"""(m,) the scoring step :math:`M^{-1} g`, of least length where M is singular."""
    return np.linalg.lstsq(products, slope, rcond=1e-12)[0].astype(np.float64)


def moved(theta: Floats, law: Scaled, step: Floats) -> tuple[Floats, Scaled]:
    """Parameters and law after a step (L D,) in the parameters, or (L D + 1,) with one in the log scale last."""
    n = theta.size
    if len(step) > n:
        law = law.scaled(np.exp(step[n]) * np.asarray(law.variance))
    return theta + step[:n].reshape(theta.shape), law


def require_possible(excluded: Excluded, law: Scaled) -> None:
    """Refuse to begin where the law excludes sets."""
    if excluded.count:
        raise InputError(
            "law-excludes-sets",
            "sets[{index}], and {count} set(s) in all, cannot come from noise of law {law} around the parameters to begin with: its "
            "density is zero there. Give a law or a variance with wider support, or use the default method, which needs no law.",
            index=excluded.first,
            count=excluded.count,
            law=type(law).__name__,
        )
