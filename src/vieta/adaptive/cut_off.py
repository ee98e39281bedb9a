r"""Readings that are cut off: none beyond some value, where the model expects many.

With c the largest reading, the number of readings that should lie beyond it,

.. math:: E = \sum_k \sum_l p_l \, S\bigl((c - \Psi_k\theta_l) / \sigma_l\bigr) , \qquad S(u) = \int_u^\infty f ,

is about an exponential variable of mean one if readings are missed whatever they would have been; so too below the smallest one. A law that is
not quite right at its ends expects more of them, a share that does not depend on the number of sets, so that a share is asked for as well.
False readings lie anywhere, and where there are some, nothing is known.
"""

import numpy as np

from vieta.adaptive.adaptive_fit import SMALLEST, AdaptiveFit
from vieta.adaptive.set_model import SetModel
from vieta.adaptive.sieve import UnitLaw, points
from vieta.arrays import Floats
from vieta.findings import Finding, finding
from vieta.laws.linear import respond
from vieta.sets import Data
from vieta.sums import Passes

SURE = 15.0  # readings beyond the largest: by chance with probability 3e-7; and of all readings:
SHARE = 0.01


def expected_beyond(passes: Passes, found: AdaptiveFit) -> Floats:
    """(p, 2) how many readings should lie above the largest one, and below the smallest one, in each coordinate."""
    model, ends = found.chosen.model, np.stack([found.known.low, found.known.high], axis=1)
    tails = survival(model.law)
    return passes.total(lambda block, _: _beyond(block, model, ends, tails))


def survival(law: UnitLaw) -> Floats:
    """(2, G) the probabilities of a residual below, and above, each of `vieta.adaptive.sieve.points`."""
    mass = np.exp(law.evaluate(points())[0])
    below = (np.cumsum(mass) - 0.5 * mass) / mass.sum()
    return np.stack([below, 1.0 - below])


def of_cut_off(passes: Passes, found: AdaptiveFit) -> tuple[Finding, ...]:
    """The finding."""
    is_exact = (
        found.chosen.model.sd.max() < 2.0 * SMALLEST * found.known.extent
    )  # then the largest readings are all alike
    if found.chosen.free.rate or found.chosen.free.detection == "none" or is_exact:
        return ()
    beyond = expected_beyond(passes, found)
    q, side = np.unravel_index(int(beyond.argmax()), beyond.shape)
    if beyond[q, side] < max(SURE, SHARE * found.known.n_readings):
        return ()
    end = float((found.known.high if side else found.known.low)[q])
    return (finding("readings-cut-off", end=end, side="above" if side else "below", expected=float(beyond[q, side])),)


def _beyond(block: Data, model: SetModel, ends: Floats, tails: Floats) -> Floats:
    means = respond(block.inputs, np.broadcast_to(model.theta, (len(block), *model.theta.shape)))
    sd = model.sd[:, None] * np.sqrt(np.diag(model.shape))
    u = (ends - means[..., None]) / sd[..., None]  # (N, L, p, 2)
    each = np.stack([np.interp(u[..., side], points(), tails[side]) for side in range(2)], axis=-1)
    return np.asarray(np.einsum("l,nlps->ps", model.detection, each))
