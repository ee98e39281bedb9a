r"""What the filters' errors will be: Q, the full R, Lyapunov, and the delta method.

With regressors A and noise w of the coefficients, :math:`Q = E A'A` and :math:`R = E A' V A`, :math:`V = \mathrm{Cov}(w
\mid \Psi)`. R is a full matrix: the coefficients of one set share its noise. (The paper's Lemma 1 takes it to be
diagonal, which is where its efficiency loss goes wrong.)
"""

import numpy as np

from vieta.arrays import Floats
from vieta.coefficients import input_statistics
from vieta.coefficients.design import Design
from vieta.symmetric import undo_inputs

WORK = 5e9  # operations that the average over inputs may take; fewer inputs serve where one takes many


def normal_matrix(design: Design, seen: input_statistics.State) -> Floats:
    """Q = E A'A, (M, M), over the inputs seen."""
    if design.inputs == "scalar":
        return np.diag(input_statistics.moments(seen)[design.transform.parameters.degrees])
    A = _regressors(design, seen.sample)
    return np.asarray(np.einsum("nzi,nzj->ij", A, A) / len(A))


def score_covariance(design: Design, seen: input_statistics.State, theta: Floats, noise: Floats) -> Floats:
    r"""R = E A'VA, (M, M), over the inputs seen, at parameters `theta` and noise covariance `noise` (p, p).

    For scalar inputs V is a polynomial in c, so that R needs their even moments only:
    :math:`R_{ab} = \sum_j V^{(j)}_{ab} E c^{2(a+b-j)}` with :math:`V^{(j)}` the part with j noise pairs, at c = 1.
    """
    if design.inputs == "scalar":
        degrees = design.transform.parameters.degrees
        orders = design.transform.readings.covariance_by_order(theta, noise)
        moments = input_statistics.moments(seen)
        total = degrees[:, None] + degrees[None, :]
        return np.asarray(sum(V * moments[np.maximum(total - j, 0)] for j, V in enumerate(orders, start=1)))
    R = np.zeros((design.transform.parameters.size,) * 2)
    most = max(int(WORK / (design.n_systems**2 * design.transform.readings.size**3)), 1)
    sample = seen.sample[:: -(-len(seen.sample) // most)]
    for start in range(0, len(sample), 64):
        psi = sample[start : start + 64]
        A = _regressors(design, psi)
        R += np.einsum("nzi,nzw,nwj->ij", A, _conditional(design, psi, theta, noise), A, optimize=True)
    return R / len(sample)


def _regressors(design: Design, psi: Floats) -> Floats:
    """A(k) for all degrees at once, block diagonal: (n, M_readings, M_parameters)."""
    if design.inputs == "undone":
        _, c = undo_inputs(np.zeros((len(psi), 1, psi.shape[-1])), psi)
        return np.asarray(
            c[:, None, None] ** design.transform.parameters.degrees * np.eye(design.transform.parameters.size)
        )
    A = np.zeros((len(psi), design.transform.readings.size, design.transform.parameters.size))
    blocks = zip(
        design.transform.readings.blocks, design.transform.parameters.blocks, design.transform.gains(psi), strict=True
    )
    for rows, columns, gains in blocks:
        A[:, rows, columns] = gains
    return A


def _conditional(design: Design, psi: Floats, theta: Floats, noise: Floats) -> Floats:
    """V: covariance of the coefficients given each input, (n, M, M)."""
    if design.inputs == "undone":
        undone, c = undo_inputs(np.broadcast_to(np.eye(psi.shape[-1]), psi.shape), psi)  # rows of (c Psi^-1)'
        spread = np.swapaxes(undone, -1, -2) @ noise @ undone
        return design.transform.readings.covariance(c[:, None, None] * theta, spread[:, None])
    return design.transform.covariance(theta, psi, noise)


def step_bounds(design: Design, seen: input_statistics.State) -> Floats:
    r"""Largest step (L,) for which the mean square of each degree's error contracts.

    Scalar inputs: :math:`2 E c^{2d} / E c^{4d}`. Matrices: twice the inverse of the largest eigenvalue of
    :math:`E(A'A)^2` relative to :math:`E A'A`.
    """
    L = design.n_systems
    if design.inputs == "scalar":
        moments = input_statistics.moments(seen)
        return np.array(
            [2.0 * moments[d] / moments[2 * d] if moments[2 * d] > 0.0 else np.inf for d in range(1, L + 1)]
        )
    A = _regressors(design, seen.sample)
    bounds = []
    for block in design.degrees:
        G = np.einsum("nzi,nzj->nij", A[:, :, block], A[:, :, block])
        values, vectors = np.linalg.eigh(G.mean(axis=0))
        seen_at_all = values > 1e-10 * values[-1]
        whiten = vectors[:, seen_at_all] / np.sqrt(values[seen_at_all])
        largest = np.linalg.eigvalsh(whiten.T @ np.mean(G @ G, axis=0) @ whiten)
        bounds.append(2.0 / largest[-1] if len(largest) else np.inf)
    return np.array(bounds)


def lms_covariance(design: Design, Q: Floats, R: Floats, step: Floats, n: float = np.inf, start: float = 0.0) -> Floats:
    r"""Covariance of LMS with a step a degree (L,), after n sets; by default in the steady state.

    The steady state solves the Lyapunov equation :math:`EQ\Sigma + \Sigma QE = ERE` with E the steps. In the basis of
    the eigenvectors of Q it is :math:`\epsilon_i \epsilon_j R_{ij} / (\epsilon_i q_i + \epsilon_j q_j)`, approached
    as :math:`(\rho_i \rho_j)^n`, :math:`\rho_i = 1 - \epsilon_i q_i`, from a start whose covariance is `start` times
    that of least squares on one set.
    """
    q, U = _modes(design, Q)
    eps = design.spread(step)
    score = U.T @ R @ U
    steady = score * np.outer(eps, eps) / (eps * q + (eps * q)[:, None])
    kept = np.outer(1.0 - eps * q, 1.0 - eps * q) ** n
    return np.asarray(U @ (steady * (1.0 - kept) + start * score / np.outer(q, q) * kept) @ U.T)


def averaged_covariance(design: Design, Q: Floats, R: Floats, step: Floats, n: int, start: float = 0.0) -> Floats:
    r"""Covariance of the mean of n LMS iterates, with a step a degree (L,) and `start` as in `lms_covariance`.

    In the basis of the eigenvectors of Q, with :math:`\rho_i = 1 - \epsilon_i q_i` and :math:`S(r) = \sum_{m=1}^n r^m`,

    .. math:: \frac{R_{ij}}{q_i q_j n^2} \bigl(n - S(\rho_i) - S(\rho_j) + S(\rho_i\rho_j)
        + \mathrm{start}\, S(\rho_i) S(\rho_j)\bigr) \to \frac{R_{ij}}{q_i q_j n}.
    """
    q, U = _modes(design, Q)
    rho = 1.0 - design.spread(step) * q
    single, joint = _geometric(rho, n), _geometric(np.outer(rho, rho), n)
    weight = n - single[:, None] - single[None, :] + joint + start * np.outer(single, single)
    return np.asarray(U @ ((U.T @ R @ U) / np.outer(q, q) * weight / n**2) @ U.T)


def _modes(design: Design, Q: Floats) -> tuple[Floats, Floats]:
    """Eigenvalues (M,) and eigenvectors (M, M) of Q, degree by degree."""
    q, U = np.empty(len(Q)), np.zeros_like(Q)
    for block in design.degrees:
        q[block], U[block, block] = np.linalg.eigh(Q[block, block])
    return q, U


def _geometric(r: Floats, n: int) -> Floats:
    """r + r² + .. + r^n."""
    return np.asarray(r * (1.0 - r**n) / np.where(r == 1.0, 1.0, 1.0 - r))


def least_squares_covariance(Q: Floats, R: Floats, n: float) -> Floats:
    """Covariance Q⁻¹ R Q⁻¹ / n of least squares on n sets, and to first order of averaged LMS and of RLS."""
    half = np.linalg.solve(Q, R)
    return np.asarray(np.linalg.solve(Q, half.T) / n)
