r"""Maximum likelihood under a prior over the orders, on all sets at once: where recursive EM with a prior begins.

.. math:: p(Y) = \sum_\sigma \pi(\sigma) \prod_i p(y_i - \Psi\theta_{\sigma(i)}), \qquad
    \theta \leftarrow \theta + \Bigl(\sum_k s_k s_k'\Bigr)^{-1} \sum_k s_k ,

with the scores :math:`s_k` of `vieta.likelihood.model`, whose probabilities are those under the prior. A step that does not
raise the likelihood is halved. It begins at the symmetric estimate, which needs no prior, with rows named such that the sets
are likeliest.
"""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from vieta.arrays import Floats, Integers
from vieta.laws.noise import Scaled
from vieta.likelihood.assumed import Assumed
from vieta.likelihood.expectation import parted
from vieta.likelihood.maximization import climb
from vieta.likelihood.model import Evaluation, residuals, scored
from vieta.likelihood.orders import WORK, Orders, associate, likeliest_rows
from vieta.likelihood.sandwich import LikelihoodFit, concluded, joint_sums
from vieta.likelihood.score_sums import Place, moved, places, require_possible, step_by_products
from vieta.matching import block_index
from vieta.sets import Data
from vieta.sums import Passes
from vieta.weighted import solve

STEPS = 50
SETTLED = 1e-3  # squared length of a step, in standard errors


@dataclass(frozen=True, slots=True, eq=False)
class PriorFit:
    """Where the likelihood is greatest, beside the symmetric estimate.

    Attributes
    ----------
    best : Place
        Rows in the order of the prior's systems.
    symmetric : solve.Fit
    rows : (L,)
        Row l of `best` is row `rows[l]` of the symmetric estimate.
    scale_known : bool
    """

    best: Place
    symmetric: solve.Fit
    rows: Integers
    scale_known: bool

    @property
    def information(self) -> Floats:
        """(m, m) sum of the scores' outer products; m is L D, or L D + 1 with the log scale last."""
        return self.best.sums.about(self.scale_known)[1]


@dataclass(frozen=True, slots=True, eq=False)
class Prior:
    """The likelihood under a prior over the orders."""

    orders: Orders

    @property
    def size(self) -> int:
        """Sets that are weighed at once."""
        return max(WORK // len(self.orders.table), 1)

    def evaluate(self, data: Data, theta: Floats, law: Scaled) -> Evaluation:
        """The likelihood of each set of a piece, and its scores."""
        r = residuals(data, theta)
        return scored(data, r, *associate(self.orders, law.log_density(r)), law)

    def place(self, passes: Passes, theta: Floats, law: Scaled) -> Place:
        """The sums at parameters (L, D)."""
        return places(passes, [(theta, law)], self.evaluate, self.size)[0]


def fit(passes: Passes, noise: Assumed, orders: Orders) -> PriorFit:
    """Maximum likelihood under a prior, on checked data."""
    symmetric, prior = solve.fit(passes), Prior(orders)
    law = noise.begin_at(symmetric.noise)
    start = parted(passes, symmetric)
    with np.errstate(over="ignore", invalid="ignore"):
        rows = likeliest_rows(orders, law.log_density(residuals(passes.head(prior.size), start)))
        now = prior.place(passes, start[rows], law)
        require_possible(now.sums.excluded, law)
        for _ in range(STEPS):
            slope, information = now.sums.about(noise.known)
            step = step_by_products(slope, information)
            if step @ slope < SETTLED:
                break
            after = climb(_after(passes, prior, now), step, now.likelihood)
            if after is None:
                break
            now = after
    return PriorFit(now, symmetric, rows, noise.known)


def conclude(passes: Passes, found: PriorFit, orders: Orders) -> LikelihoodFit:
    """The fit beside the symmetric one, rows in the order of the latter."""
    best, prior, back = found.best, Prior(orders), np.argsort(found.rows)
    sums = joint_sums(passes, found.symmetric, best.theta, best.law, prior.evaluate, prior.size)
    sums = sums.reordered(block_index(back, best.theta.shape[1]))
    bread = sums.likelihood.about(found.scale_known)[1]
    return concluded(sums, bread, found.symmetric, best.theta[back], best.law)


def _after(passes: Passes, prior: Prior, now: Place) -> Callable[[Floats], Place]:
    return lambda step: prior.place(passes, *moved(now.theta, now.law, step))
