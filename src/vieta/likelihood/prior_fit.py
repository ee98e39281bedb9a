r"""Maximum likelihood under a prior over the orders, on all sets at once: where recursive EM with a prior begins.

.. math:: p(Y) = \sum_\sigma \pi(\sigma) \prod_i p(y_i - \Psi\theta_{\sigma(i)}), \qquad
    \theta \leftarrow \theta + \Bigl(\sum_k s_k s_k'\Bigr)^{-1} \sum_k s_k ,

with the scores :math:`s_k` of `vieta.likelihood.model`, whose probabilities are those under the prior. A step that does not
raise the likelihood is halved. It begins at the symmetric estimate, which needs no prior, with rows named such that the sets
are likeliest.
"""

from dataclasses import dataclass
from functools import partial

import numpy as np

from vieta.arrays import Floats, Integers
from vieta.laws.noise import Scaled
from vieta.likelihood.assumed import Assumed
from vieta.likelihood.contrast import contrast
from vieta.likelihood.curvature import influence, moved
from vieta.likelihood.expectation import parted
from vieta.likelihood.maximization import climb
from vieta.likelihood.model import Evaluation, possible, residuals, to_parameters
from vieta.likelihood.orders import WORK, Orders, associate, likeliest_rows
from vieta.likelihood.scoring import OneStep
from vieta.sets import Data
from vieta.weighted import solve

STEPS = 50
SETTLED = 1e-3  # squared length of a step, in standard errors


@dataclass(frozen=True, slots=True, eq=False)
class Place:
    """Parameters, and the likelihood there.

    Attributes
    ----------
    theta : (L, D)
        Rows in the order of the prior's systems.
    law : Scaled
        The noise law with its variance.
    scores : (N, m)
        m is L D, or L D + 1 with the log scale last.
    likelihood : float
        Its logarithm.
    """

    theta: Floats
    law: Scaled
    scores: Floats
    likelihood: float

    @property
    def information(self) -> Floats:
        """(m, m) sum of the scores' outer products."""
        return np.asarray(self.scores.T @ self.scores)


@dataclass(frozen=True, slots=True, eq=False)
class Fit:
    """Where the likelihood is greatest, with the symmetric estimate; row l of the one is row `rows[l]` of the other."""

    best: Place
    symmetric: solve.Fit
    rows: Integers


def fit(data: Data, noise: Assumed, orders: Orders) -> Fit:
    """Maximum likelihood under a prior, on checked data."""
    symmetric, law = solve.fit(data), noise.begin(data)
    start = parted(data, symmetric)
    with np.errstate(over="ignore", invalid="ignore"):
        rows = likeliest_rows(orders, law.log_density(residuals(data, start)))
        possible(evaluate(data, start[rows], law, orders), law)
        now = _place(data, noise, orders, start[rows], law)
        for _ in range(STEPS):
            slope = now.scores.sum(axis=0)
            step = np.linalg.lstsq(now.information, slope, rcond=1e-12)[0].astype(np.float64)
            if step @ slope < SETTLED:
                break
            after = climb(partial(_moved, data, noise, orders, now), step, now.likelihood)
            if after is None:
                break
            now = after
    return Fit(now, symmetric, rows)


def evaluate(data: Data, theta: Floats, law: Scaled, orders: Orders) -> Evaluation:
    """The likelihood of each set, and its scores, under a prior."""
    size = max(WORK // len(orders.table), 1)
    pieces = [_evaluate(data, slice(at, at + size), theta, law, orders) for at in range(0, len(data.sets), size)]
    logs, scores, scale_scores = (np.concatenate(parts) for parts in zip(*pieces, strict=True))
    return Evaluation(logs, scores, scale_scores)


def conclude(data: Data, found: Fit) -> OneStep:
    """The fit beside the symmetric one, rows in the order of the latter."""
    theta, best = found.best.theta, found.best
    (L, D), back = theta.shape, np.argsort(found.rows)
    moves = influence(best.scores, best.information, theta.size)
    moves = moves.reshape(-1, L, D)[:, back].reshape(-1, L * D)
    told = contrast(data, found.symmetric, theta[back], moves)
    return OneStep(theta[back], moves.T @ moves, best.law, best.likelihood, told, found.symmetric)


def _place(data: Data, noise: Assumed, orders: Orders, theta: Floats, law: Scaled) -> Place:
    at = evaluate(data, theta, law, orders)
    return Place(theta, law, at.joint(noise.known), float(at.log_likelihood.sum()))


def _moved(data: Data, noise: Assumed, orders: Orders, now: Place, step: Floats) -> Place:
    return _place(data, noise, orders, *moved(now.theta, now.law, step))


def _evaluate(data: Data, part: slice, theta: Floats, law: Scaled, orders: Orders) -> tuple[Floats, Floats, Floats]:
    some = Data(data.sets[part], data.inputs[part], data.dim)
    r = residuals(some, theta)
    logs, P = associate(orders, law.log_density(r))
    pulls = P[..., None] * law.score(r)
    about_theta = to_parameters(some, pulls.sum(axis=1)).reshape(len(r), -1)
    return logs, about_theta, 0.5 * ((pulls * r).sum(axis=(1, 2, 3)) - some.sets[0].size)
