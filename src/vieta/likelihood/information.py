r"""What a likelihood estimate knows: information, influence, covariance.

With scores :math:`s_k` of the parameters (and of the logarithm of the noise scale, where it is estimated),
:math:`M = \sum_k s_k s_k'` and :math:`A = -\sum_k \partial s_k`, set k moves the estimate by its influence
:math:`A^{-1} s_k`, and the covariance is the sandwich :math:`A^{-1} M A^{-1}`. When the law is right A and M are equal up to
chance; when it is wrong the sandwich still tells the scatter of the estimate, though not its bias.
"""

import numpy as np

from vieta.estimation.data import Data
from vieta.likelihood.model import evaluate
from vieta.simulation.noise import Scaled
from vieta.symmetric.arrays import Floats

STEP = 0.5  # of the numerical derivative, in standard errors: wide enough for laws with a kink
LEAST = 0.05  # A below this part of M is no curvature to trust


def curvature(data: Data, theta: Floats, law: Scaled, scale_known: bool, meat: Floats) -> Floats:
    """A (m, m) by central differences, symmetric; M, which is given, where A is not clearly positive."""
    m = len(meat)
    largest = max(1.0, float(abs(theta).max()))
    steps = STEP * np.minimum(1.0 / np.sqrt(np.maximum(np.diag(meat), 1e-300)), largest)
    A = np.empty((m, m))
    for j, h in enumerate(steps):
        move = h * np.eye(m)[j]
        before, after = (evaluate(data, *moved(theta, law, sign * move)) for sign in (-1.0, 1.0))
        A[:, j] = (before.joint(scale_known).sum(axis=0) - after.joint(scale_known).sum(axis=0)) / (2.0 * h)
    A = 0.5 * (A + A.T)
    return A if _relative(A, meat) > LEAST else meat


def moved(theta: Floats, law: Scaled, step: Floats) -> tuple[Floats, Scaled]:
    """Parameters and law after a step (L D,) in the parameters, or (L D + 1,) with one in the log scale last."""
    n = theta.size
    if len(step) > n:
        law = law.scaled(np.exp(step[n]) * np.asarray(law.variance))
    return theta + step[:n].reshape(theta.shape), law


def influence(scores: Floats, A: Floats, size: int) -> Floats:
    """(N, size) how far each set moves the first `size` of the parameters."""
    return np.asarray(scores @ np.linalg.pinv(A, hermitian=True)[:, :size])


def _relative(A: Floats, M: Floats) -> float:
    """The least eigenvalue of A relative to M."""
    values, vectors = np.linalg.eigh(M)
    usable = values > 1e-12 * values[-1]
    whiten = vectors[:, usable] / np.sqrt(values[usable])
    return float(np.linalg.eigvalsh(whiten.T @ A @ whiten)[0]) if usable.any() else 0.0
