r"""The information of unlabeled sets, averaged over simulated ones.

The information of a set is :math:`I = E\,s s'` with the score s of its likelihood, a permanent (`vieta.likelihood`).
It has no closed form. Each simulated set also has the score c that the labels would give, of known information
:math:`E\,c c'`, and :math:`s = E[c \mid \text{set}]`, so that

.. math:: E\,(c c' - E\,c c') = 0, \qquad E\,(s d' + d s') = 0, \qquad d = c - s .

Both are used as control variates. Where noise is small, d is, and what is left of the error is that of
:math:`E\,d d'`, the little that the labels would add.

Of the difference of two close systems a set tells next to nothing: the information is nearly singular, and an error that
is small against its entries is large against its inverse. So the control variates are fitted in directions u in which the
plain average is the unit matrix, :math:`u_i'\,\overline{s s'}\,u_j = \delta_{ij}`, and that of the labels diagonal. An
error is then relative to what is known of each direction by itself, however little that is.
"""

from dataclasses import dataclass

import numpy as np
from numpy.random import Generator

from vieta.arrays import Floats
from vieta.errors import ComputationError
from vieta.laws.linear import respond
from vieta.laws.noise import Scaled
from vieta.laws.points import Points
from vieta.likelihood import score
from vieta.likelihood.model import to_parameters
from vieta.sets import Data

BATCHES = 100  # of simulated sets: control variates and standard errors come from their means
LEAST = 1e-12  # share of the labels' information in some direction, below which it is rounding


@dataclass(frozen=True, slots=True, eq=False)
class Averages:
    """Means over each of B batches of `size` simulated sets.

    Attributes
    ----------
    means : (3, B, n, n)
        Of s s' and of the two control variates, n = L D.
    with_labels : (n, n)
        E c c'.
    size : int
    """

    means: Floats
    with_labels: Floats
    size: int

    @property
    def draws(self) -> int:
        """Sets simulated in all."""
        return int(self.means.shape[1]) * self.size

    def merged(self, other: "Averages") -> "Averages":
        """Both together, of equal size, in as many batches of twice the size."""
        both = np.concatenate([self.means, other.means], axis=1)
        return Averages(0.5 * (both[:, ::2] + both[:, 1::2]), self.with_labels, 2 * self.size)


@dataclass(frozen=True, slots=True, eq=False)
class Information:
    """An estimated information in directions in which it is near the unit matrix.

    Attributes
    ----------
    directions : (n, n)
        U, a column each.
    along : (n, n)
        U' I U.
    deviations : (B, n, n)
        Of single batches from it.
    """

    directions: Floats
    along: Floats
    deviations: Floats

    def matrix(self) -> Floats:
        """I, (n, n)."""
        back = np.linalg.inv(self.directions)
        return _symmetric(back.T @ self.along @ back)

    def inverse(self) -> tuple[Floats, Floats]:
        """The inverse of I and the standard errors of its entries, to first order: (n, n) each."""
        U, G = self.directions, np.linalg.inv(self.along)
        moved = U @ (G @ self.deviations @ G) @ U.T
        return _symmetric(U @ G @ U.T), np.sqrt(np.mean(moved**2, axis=0) / len(moved))


def simulate(rng: Generator, size: int, theta: Floats, law: Scaled, points: Points, with_labels: Floats) -> Averages:
    """Averages over batches of simulated sets; memory is that of one batch."""
    batches = [_batch(rng, size, theta, law, points, with_labels) for _ in range(BATCHES)]
    return Averages(np.stack(batches, axis=1), with_labels, size)


def estimate(found: Averages) -> Information:
    """The information at control variates of zero."""
    from scipy.linalg import eigh

    shares, V = eigh(found.means[0].mean(axis=0), found.with_labels)
    if shares[0] < LEAST:
        raise ComputationError(
            "information-singular",
            "the information about some difference of the systems is too small to tell from rounding: {share:.1g} of what labels would "
            "give. The noise hides that difference; take the systems for one, or make the noise smaller.",
            share=float(shares[0]),
        )
    U = V / np.sqrt(shares)
    return Information(U, *_controlled(*(U.T @ found.means @ U)))


def _batch(rng: Generator, size: int, theta: Floats, law: Scaled, points: Points, with_labels: Floats) -> Floats:
    """Means over simulated sets, (3, n, n), of s s' and of the two control variates."""
    psi = points.psi[rng.choice(len(points.psi), size=size, p=points.weights)]
    noise = law.draw(rng, size, len(theta), points.reading_dim(theta.shape[1]))
    sets = respond(psi, np.broadcast_to(theta, (size, *theta.shape))) + noise
    s = score(theta, law, sets, psi)
    c = to_parameters(Data(sets, psi, theta.shape[1]), law.score(noise)).reshape(s.shape)
    cross = s.T @ (c - s)
    return np.stack([s.T @ s / size, c.T @ c / size - with_labels, (cross + cross.T) / size])


def _controlled(target: Floats, first: Floats, second: Floats) -> tuple[Floats, Floats]:
    """Entry by entry, the mean of `target` (B, n, n) at controls of zero, and the batches' deviations from it."""
    controls = np.stack([first, second], axis=-1)
    centred = controls - controls.mean(axis=0)
    gram = np.einsum("bijx,bijy->ijxy", centred, centred)
    moment = np.einsum("bijx,bij->ijx", centred, target - target.mean(axis=0))
    slopes = np.einsum("ijxy,ijy->ijx", np.linalg.pinv(gram, rcond=1e-10, hermitian=True), moment)
    at_zero = target - np.einsum("bijx,ijx->bij", controls, slopes)
    mean = at_zero.mean(axis=0)
    return np.asarray(mean), np.asarray(at_zero - mean)


def _symmetric(matrix: Floats) -> Floats:
    return np.asarray(0.5 * (matrix + matrix.T), dtype=np.float64)
