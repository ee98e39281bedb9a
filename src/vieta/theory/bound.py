r"""The Cramér-Rao bound of unlabeled sets: no unbiased estimator that knows the noise law does better.

The information of a set is :math:`I = E\,s s'` with the score s of its likelihood, a permanent (`vieta.likelihood`).
It has no closed form and is averaged over simulated sets. Each of them also has the score c that the labels would give,
of known information :math:`E\,c c'`, and :math:`s = E[c \mid \text{set}]`, so that

.. math:: E\,(c c' - E\,c c') = 0, \qquad E\,(s d' + d s') = 0, \qquad d = c - s .

Both are used as control variates. Where noise is small, d is, and what is left of the error is that of
:math:`E\,d d'`, the little that the labels would add.
"""

from dataclasses import dataclass

import numpy as np
from numpy.random import Generator
from numpy.typing import ArrayLike

from vieta.estimation.data import Data
from vieta.likelihood import score
from vieta.likelihood.associations import require_few
from vieta.likelihood.model import to_parameters
from vieta.simulation.checks import as_count, as_theta
from vieta.simulation.inputs import respond
from vieta.simulation.noise import Scaled, as_law
from vieta.symmetric.arrays import Floats
from vieta.theory.coefficients import require_identified
from vieta.theory.fisher import fisher_information, labeled_information
from vieta.theory.setting import InputsLike, NoiseLike, Points, as_noise, as_parameters, as_points, require_noise

BATCHES = 100  # of simulated sets: control variates and standard errors come from their means


@dataclass(frozen=True, slots=True, eq=False)
class CramerRao:
    """The least covariance of an unbiased estimate.

    Attributes
    ----------
    theta : (L, D)
        The parameters, rows in the order given.
    information : (L D, L D)
        Of one set.
    covariance : (L D, L D)
        Its inverse: the bound for one set, and n times that for n sets.
    stderr : (L D, L D)
        Standard errors of the entries of `covariance`, which come from simulated sets; zero with labels.
    """

    theta: Floats
    information: Floats
    covariance: Floats
    stderr: Floats

    def after(self, n: float) -> Floats:
        """(L D, L D) the bound after n sets."""
        return self.covariance / n

    def least_stderr(self, n: float) -> Floats:
        """(L, D) the least standard errors after n sets."""
        return np.sqrt(np.diag(self.after(n))).reshape(self.theta.shape)


def cramer_rao(
    theta: ArrayLike,
    noise: NoiseLike,
    inputs: InputsLike = None,
    labeled: bool = False,
    *,
    draws: int = 100_000,
    seed: int = 0,
) -> CramerRao:
    """The Cramér-Rao bound, for sets without labels or with them.

    Parameters
    ----------
    theta : (L, D) or (L,)
    noise
        A law of noise with a density, or a variance for Gaussian noise; known, with its scale.
    inputs
        A law of inputs, None for Psi = I, or a sample (n,), (n, D) or (n, p, D).
    labeled
        Whether the labels are known; the bound then has a closed form.
    draws, seed
        How many sets to simulate, and the seed of the simulation.

    >>> cramer_rao([4, 5], 4.0, labeled=True).covariance
    array([[4., 0.], [0., 4.]])
    >>> found = cramer_rao([4, 5], 4.0)  # without labels: information about the difference is scarce
    >>> found.covariance.round(), found.stderr.round(1)
    (array([[12., -8.], [-8., 12.]]), array([[0.1, 0.1], [0.1, 0.1]]))
    """
    parameters = as_theta(theta) if labeled else as_parameters(theta)
    L, D = parameters.shape
    law, points = as_law(noise), as_points(inputs, D)
    covariances = as_noise(law, L, points.reading_dim(D))
    require_noise(covariances)
    with_labels = labeled_information(fisher_information(law), covariances, points, D)
    require_identified(with_labels)
    if labeled:
        return _bound(parameters, with_labels, np.zeros((1, *with_labels.shape)))
    require_few(L)
    size = -(-as_count(draws, "draws", least=10 * BATCHES) // BATCHES)
    rng = np.random.default_rng(seed)
    means = np.stack([_batch(rng, size, parameters, law, points, with_labels) for _ in range(BATCHES)], axis=1)
    return _bound(parameters, *_controlled(*means))


def _bound(theta: Floats, information: Floats, deviations: Floats) -> CramerRao:
    """The bound, and its standard error from deviations (B, n, n) of the information in single batches."""
    lowest = float(np.linalg.eigvalsh(information)[0])
    if lowest <= 0.0:
        raise ArithmeticError(
            f"the information about the parameters is too small to tell from zero (least eigenvalue {lowest:.3g}): the "
            "noise hides their differences. Give more draws."
        )
    covariance = np.asarray(np.linalg.inv(information), dtype=np.float64)
    moved = covariance @ deviations @ covariance
    stderr = np.sqrt(np.mean(moved**2, axis=0) / len(moved))
    return CramerRao(theta, information, 0.5 * (covariance + covariance.T), stderr)


def _batch(rng: Generator, size: int, theta: Floats, law: Scaled, points: Points, with_labels: Floats) -> Floats:
    """Means over simulated sets, (3, n, n), of s s' and of the two control variates, n = L D."""
    psi = points.psi[rng.choice(len(points.psi), size=size, p=points.weights)]
    noise = law.draw(rng, size, len(theta), points.reading_dim(theta.shape[1]))
    sets = respond(psi, np.broadcast_to(theta, (size, *theta.shape))) + noise
    s = score(theta, sets, psi, law)
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
