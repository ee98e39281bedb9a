r"""The weights with which agents combine what they hear, and links that fail.

Agent i takes :math:`\sum_j C_{ij} \varphi_j`. C must be *doubly stochastic*: rows that add up to one keep an agreement, columns that do keep
the mean over the agents, so that everybody's data count alike in the end. Link e = {i, j} of weight :math:`w_e` fails at a step with
probability q, independently; its weight then goes to the diagonals of i and j, and C stays doubly stochastic. With
:math:`\Lambda_e = (\delta_i - \delta_j)(\delta_i - \delta_j)'` and :math:`B_e` one if the link holds,

.. math:: C = I - \sum_e w_e B_e \Lambda_e, \qquad
    E\,C X C' = \bar C X \bar C' + q(1-q) \sum_e w_e^2\, (X_{ii} + X_{jj} - X_{ij} - X_{ji})\, \Lambda_e .
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from vieta.arrays import Floats, Integers
from vieta.checks import as_floats, as_number
from vieta.errors import InputError
from vieta.network.topologies import as_links, is_connected

SLACK = 1e-9  # of sums that must be one


def metropolis(links: ArrayLike) -> Floats:
    r"""Weights :math:`w_{ij} = 1 / (1 + \max(d_i, d_j))` for linked agents with :math:`d_i` links, the rest on the diagonal.

    >>> from vieta.network.topologies import star
    >>> metropolis(star(3)).round(3)
    array([[0.333, 0.333, 0.333],
           [0.333, 0.667, 0.   ],
           [0.333, 0.   , 0.667]])
    """
    array = as_links(links)
    degree = array.sum(axis=1)
    weights = array / (1.0 + np.maximum(degree[:, None], degree))
    return np.asarray(weights + np.diag(1.0 - weights.sum(axis=1)))


def as_weights(weights: ArrayLike) -> Floats:
    """Weights (n, n) as they must be: not negative, doubly stochastic, connected."""
    array = as_floats(weights, "weights")
    if array.ndim != 2 or array.shape[0] != array.shape[1] or array.size == 0:
        raise InputError(
            "weights-shape",
            "`weights` must be a square matrix, a row and a column an agent, got {shape}.",
            shape=array.shape,
        )
    rows, columns = abs(array.sum(axis=1) - 1.0).max(), abs(array.sum(axis=0) - 1.0).max()
    if array.min() < 0.0 or max(rows, columns) > SLACK:
        raise InputError(
            "not-doubly-stochastic",
            "`weights` must be doubly stochastic: not negative, with rows and columns that add up to 1. The least is {least:.3g}, a row is "
            "off by {rows:.2g} and a column by {columns:.2g}. With other weights some agents' data would count more than others'; "
            "metropolis(links) makes such weights from links.",
            least=float(array.min()), rows=float(rows), columns=float(columns),
        )  # fmt: skip
    if not is_connected((array > 0.0) | (array.T > 0.0)):
        raise InputError(
            "weights-not-connected",
            "the weights do not connect the {n} agents: some hear nothing from some others, on no way.",
            n=len(array),
        )
    return array


@dataclass(frozen=True, slots=True, eq=False)
class Combination:
    """Weights (n, n), and the probability with which a link fails at a step."""

    weights: Floats
    failing: float

    @classmethod
    def of(cls, weights: ArrayLike, failing: float = 0.0) -> "Combination":
        """Checked; links can fail only if the weights are symmetric, as those of `metropolis` are."""
        array = as_weights(weights)
        chance = as_number(failing, "failing", above=-1e-300, below=1.0)
        if chance > 0.0 and not np.allclose(array, array.T, rtol=0.0, atol=SLACK):
            raise InputError(
                "weights-one-way",
                "weights must be symmetric if links fail: when one does, its weight goes to the diagonals of both its agents.",
            )
        return cls(array, chance)

    @property
    def links(self) -> tuple[Integers, Integers]:
        """The agents (E,), (E,) of each link, the smaller number first."""
        first, second = np.nonzero(np.triu((self.weights > 0.0) | (self.weights.T > 0.0), k=1))
        return first, second

    @property
    def mean(self) -> Floats:
        """(n, n) the mean of C."""
        off = (1.0 - self.failing) * (self.weights - np.diag(np.diag(self.weights)))
        return np.asarray(off + np.diag(1.0 - off.sum(axis=1)))

    @property
    def mixing(self) -> float:
        """By which factor disagreement shrinks at a step, at least, in the root mean square: 0 for all at once, 1 for never.

        >>> from vieta.network.topologies import complete, ring
        >>> [round(Combination.of(metropolis(one), q).mixing, 3) for one in (complete(5), ring(5)) for q in (0.0, 0.5)]
        [0.0, 0.592, 0.539, 0.789]
        """
        n = len(self.weights)
        apart = np.eye(n) - 1.0 / n
        X = apart
        for _ in range(200):  # the power method on X -> E C'XC, which keeps it positive; failing weights are symmetric
            X = apart @ (self._moved_back(X)) @ apart
            size = float(np.linalg.norm(X, 2))
            if size < 1e-30:
                return 0.0
            X = X / size
        return float(np.sqrt(size))

    def _moved_back(self, X: Floats) -> Floats:
        C = self.mean
        return np.asarray(C.T @ X @ C + self._failures(X))

    def moved(self, X: Floats) -> Floats:
        """E CXC' (..., n, n), exactly, for X (..., n, n)."""
        C = self.mean
        return np.asarray(C @ X @ C.T + self._failures(X))

    def _failures(self, X: Floats) -> Floats | float:
        if self.failing == 0.0:
            return 0.0
        spread = np.diagonal(X, axis1=-2, axis2=-1)
        apart = spread[..., :, None] + spread[..., None, :] - X - np.swapaxes(X, -1, -2)
        off = self.weights - np.diag(np.diag(self.weights))
        each = self.failing * (1.0 - self.failing) * off**2 * apart
        return np.asarray(each.sum(axis=-1)[..., None] * np.eye(len(off)) - each)

    def drawn(self, seed: int, first: int, steps: int, runs: int) -> Floats:
        """C (steps, runs, n, n) of steps first, first + 1, ..; (1, 1, n, n) if nothing fails. A step's links depend on its number only."""
        if self.failing == 0.0:
            return self.weights[None, None].copy()
        i, j = self.links
        C = np.zeros((steps, runs, *self.weights.shape))
        for step in range(steps):
            rng = np.random.Generator(np.random.Philox(key=seed, counter=[0, 0, 0, first + step]))
            kept = self.weights[i, j] * (rng.random((runs, len(i))) >= self.failing)
            C[step, :, i, j] = C[step, :, j, i] = kept.T
        diagonal = np.arange(len(self.weights))
        C[..., diagonal, diagonal] = 1.0 - C.sum(axis=-1)
        return C
