"""The oracle: estimators that know which reading is from which system. All others are measured by them."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from vieta.arrays import Floats
from vieta.errors import NotIdentifiableError
from vieta.paper.classical import classical_lms
from vieta.paper.path import Path
from vieta.paper.regression import checked, from_columns, regression
from vieta.sets import Data

ROWS = 8192  # of the regressors, factorized together


def labeled_lms(
    readings: ArrayLike,
    inputs: ArrayLike | None = None,
    *,
    step: float,
    start: ArrayLike | None = None,
    record_every: int | None = None,
) -> Path:
    r"""Least mean squares with the labels known, a filter a system:

    .. math:: \theta_l(k+1) = \theta_l(k) + \epsilon\, \Psi'(k) \bigl(y_l(k) - \Psi(k)\,\theta_l(k)\bigr).

    Eq. LMSclassical of the paper, with the transpose that it lacks. At a fixed step the estimate keeps moving: its
    mean square error settles at the order of the step and does not go to zero.

    Parameters
    ----------
    readings : (N, L) or (N, L, p)
        Row l at each time is from system l.
    inputs : None, (N,), (N, D) or (N, p, D)
    step : float
        :math:`\epsilon`.
    start : (L, D), optional
        Zeros if absent.
    record_every : int, optional
        Record after every so many sets and after the last; after the last only if absent.

    Returns
    -------
    Path
        Rows in the order of the systems.

    >>> labeled_lms([[1.0, 3.0], [1.0, 3.0]], step=0.5, record_every=1).theta[..., 0]
    array([[0.5 , 1.5 ], [0.75, 2.25]])
    """
    return classical_lms(checked(readings, inputs, "readings"), step, start, record_every)


@dataclass(frozen=True, slots=True, eq=False)
class LabeledFit:
    """Least squares with the labels known.

    Attributes
    ----------
    theta : (L, D)
        Rows in the order of the systems.
    cov : (L * D, L * D)
        Covariance of theta.ravel(); zero between systems, whose noises are independent.
    noise_var : (L, p, p)
        Noise covariance of each system.
    """

    theta: Floats
    cov: Floats
    noise_var: Floats

    @property
    def stderr(self) -> Floats:
        """(L, D) standard errors."""
        return np.sqrt(np.diag(self.cov)).reshape(self.theta.shape)


def labeled_least_squares(readings: ArrayLike, inputs: ArrayLike | None = None) -> LabeledFit:
    r"""Ordinary least squares with the labels known, by a QR factorization in pieces:

    .. math:: \hat\theta_l = G^{-1} \sum_k \Psi' y_l, \qquad
        \mathrm{Cov}\,\hat\theta_l = G^{-1} \Bigl(\sum_k \Psi' R_l \Psi\Bigr) G^{-1}, \qquad G = \sum_k \Psi'\Psi.

    :math:`R_l` is the p x p noise covariance of system l, the same at all times, estimated from the residuals with
    :math:`N - D/p` degrees of freedom (exact for p = 1 and for :math:`\Psi = cI`).

    Parameters
    ----------
    readings : (N, L) or (N, L, p)
        Row l at each time is from system l.
    inputs : None, (N,), (N, D) or (N, p, D)

    >>> fit = labeled_least_squares([[1.0, 3.0], [3.0, 3.0]])
    >>> fit.theta.ravel(), fit.stderr.ravel().round(12)
    (array([2., 3.]), array([1., 0.]))
    """
    data = checked(readings, inputs, "readings")
    gains, columns = regression(data)
    N, m, q = gains.shape
    X, Y = gains.reshape(-1, q), columns.reshape(N * m, -1)
    inverse = np.asarray(np.linalg.inv(_triangle(X, N)), dtype=np.float64)
    solution = inverse @ (inverse.T @ (X.T @ Y))
    solution += inverse @ (inverse.T @ (X.T @ (Y - X @ solution)))  # as accurate as with the orthogonal factor
    noise = _noise(data, Y - X @ solution, N - q / m)
    covariances = _covariances(data, inverse, noise)
    return LabeledFit(from_columns(data, solution), _block_diagonal(covariances), noise)


def _triangle(X: Floats, n_sets: int) -> Floats:
    """R of the QR factorization of the regressors, if these determine the parameters and leave some for the noise."""
    n, q = X.shape
    if n <= q:
        raise NotIdentifiableError(
            "labeled-too-few",
            "{n_sets} set(s) of {readings} reading(s) a system leave nothing to estimate the noise from after {parameters} "
            "parameter(s). Give more sets.",
            n_sets=n_sets, readings=n // n_sets, parameters=q,
        )  # fmt: skip
    triangle = np.zeros((0, q))
    for first in range(0, n, ROWS):
        triangle = np.asarray(np.linalg.qr(np.concatenate([triangle, X[first : first + ROWS]]), mode="r"))
    size = np.sqrt(np.square(triangle).sum(axis=0))
    if size.min() == 0.0 or np.linalg.cond(triangle / size) > 1e13:
        raise NotIdentifiableError(
            "labeled-not-identified",
            "the inputs of {n_sets} sets do not determine {parameters} parameter(s): they are zero or confined to a subspace. Vary the "
            "inputs in every coordinate, or leave a coordinate out.",
            n_sets=n_sets, parameters=q,
        )  # fmt: skip
    return triangle


def _noise(data: Data, residuals: Floats, freedom: float) -> Floats:
    """(L, p, p) second moments of the residuals (N m, K)."""
    N, L, p = data.sets.shape
    shaped = residuals.reshape(N, L, p) if data.inputs.ndim == 1 else np.swapaxes(residuals.reshape(N, p, L), 1, 2)
    e = np.ascontiguousarray(np.moveaxis(shaped, 0, -1))  # (L, p, N)
    return np.asarray(e @ np.swapaxes(e, 1, 2) / freedom)


def _covariances(data: Data, inverse: Floats, noise: Floats) -> Floats:
    """(L, D, D) covariance of each system's estimate; `inverse` is that of the triangle, G^-1 = inverse inverse'."""
    if data.inputs.ndim == 1:
        return np.asarray(inverse[0, 0] ** 2 * noise)
    N, p, D = data.inputs.shape
    scaled = (data.inputs.reshape(-1, D) @ inverse).reshape(N, p * D)
    fourth = (scaled.T @ scaled).reshape(p, D, p, D)
    meat = np.einsum("iajb,lij->lab", fourth, noise)
    return np.asarray(inverse @ meat @ inverse.T)


def _block_diagonal(blocks: Floats) -> Floats:
    L, D, _ = blocks.shape
    full = np.zeros((L, D, L, D))
    full[np.arange(L), :, np.arange(L)] = blocks
    return full.reshape(L * D, L * D)
