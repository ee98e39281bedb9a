r"""Whether the parameters behind incomplete sets stay the same over time.

The test of `vieta.weighted.constancy`, by scores of the parameters from which those of everything else that is estimated are taken out. With
the scores g of all parameters and their covariance :math:`C = (\sum g g')^{-1}`, of which the rows of :math:`\theta` are :math:`C_\theta`,

.. math:: s_k = (C_{\theta\theta})^{-1} C_\theta\,g_k, \qquad \sum_k s_k s_k' = (C_{\theta\theta})^{-1} ,

the information that is left for :math:`\theta`.
"""

import numpy as np

from vieta.adaptive.adaptive_fit import AdaptiveFit
from vieta.adaptive.set_errors import all_scores, inverted
from vieta.adaptive.set_sums import pieces
from vieta.arrays import Floats
from vieta.findings import Finding, finding
from vieta.sets import Data
from vieta.sums import Passes
from vieta.weighted.constancy import Change, Scored, change_of_scores

ENOUGH = 100  # sets, below which nothing is tested
EXACT = 1e-6  # deviation of the noise, of the range of the readings, below which there is none


def change(passes: Passes, found: AdaptiveFit) -> Change | None:
    """A change of the parameters, if there is one."""
    model, free, counts = found.chosen.model, found.chosen.free, found.chosen.climbed.sums.clutter
    n, L = model.theta.size, len(model.theta)
    of_theta = found.errors.everything[:, :n]
    information = inverted(of_theta[:n])
    J = 1 if model.law.weights is None else len(model.law.weights)
    cut = Passes(passes.like, lambda: (one for block in passes.read() for one in pieces(block, L, J)))

    def score(block: Data) -> Floats:
        return np.asarray(all_scores(block, model, free, counts) @ (of_theta @ information))

    return change_of_scores(cut, Scored(found.known.n_sets, information, information, found.errors.basis), score)


def of_change(passes: Passes, found: AdaptiveFit) -> tuple[Finding, ...]:
    """A finding where the parameters change."""
    noisy = float(found.chosen.model.noise_sd.max()) > EXACT * found.known.extent
    if found.known.n_sets < ENOUGH or not noisy:
        return ()
    there = change(passes, found)
    return () if there is None else (finding("change-in-batch", after=there.after, n_sets=found.known.n_sets),)
