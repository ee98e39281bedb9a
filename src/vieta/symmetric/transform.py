"""What all transforms share: sets to coefficients, the linear model they obey, and back to parameters."""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from vieta.arrays import Booleans, Floats
from vieta.errors import NotClosedError
from vieta.symmetric.algebra import Algebra


@dataclass(frozen=True, eq=False)
class Inverse:
    """Parameters read off coefficients.

    Attributes
    ----------
    theta : (..., L, D)
        Real parts, rows in canonical order: ascending first coordinate, then the next.
    imaginary : (..., L, D)
        Imaginary parts, zero where the coefficients belong to real parameters. A pair of rows with opposite
        imaginary parts is what noise makes of two parameters that it cannot tell apart.
    condition : (...)
        Condition number of the equations that were solved; infinite when parameters coincide.
    """

    theta: Floats
    imaginary: Floats
    condition: Floats

    @property
    def is_complex(self) -> Booleans:
        """(..., L) which systems come as members of a complex pair (beyond rounding of a double root)."""
        size = 1e-6 * np.maximum(abs(self.theta).max(axis=(-1, -2), keepdims=True), 1e-300)
        return np.asarray((abs(self.imaginary) > size).any(axis=-1))


@dataclass(frozen=True, eq=False)
class Transform:
    """A symmetric transform of sets of L points, and the map from the parameters' transform to the readings'.

    For y_l = Psi theta_l the coefficients obey, degree by degree, z_d = A_d(Psi) lambda_d.

    Attributes
    ----------
    name : str
        How the transform is asked for.
    readings, parameters : Algebra
        The transform of sets in R^p and of parameters in R^D; the same object when p = D.
    gains : callable
        Matrices Psi (N, p, D) to the list, over the degrees, of A_d (N, m_d, q_d).
    solve : callable
        Coefficients (N, M) to complex parameters (N, L, D).
    sensitivity : callable
        Parameters (L, D) to d theta / d lambda, (L * D, M): the derivative of `solve`.
    """

    name: str
    readings: Algebra
    parameters: Algebra
    gains: Callable[[Floats], list[Floats]]
    solve: Callable[[Floats], np.ndarray]
    sensitivity: Callable[[Floats], Floats]

    @property
    def n_systems(self) -> int:
        """L."""
        return self.readings.n_systems

    @property
    def dim(self) -> int:
        """D, the length of a parameter vector."""
        return self.parameters.n_generators

    def transform(self, sets: Floats) -> Floats:
        """Coefficients (..., M) of sets (..., L, p)."""
        return self.readings.transform(sets)

    def inverse(self, coefficients: Floats) -> Inverse:
        """Parameters of coefficients (..., M)."""
        flat = coefficients.reshape(-1, self.parameters.size)
        found = np.asarray(self.solve(flat), dtype=np.complex128)
        found = found[np.arange(len(flat))[:, None], canonical_order(found)]
        condition = np.array([_condition(self.sensitivity, theta) for theta in found.real])
        shape = coefficients.shape[:-1]
        theta = found.reshape(*shape, self.n_systems, self.dim)
        return Inverse(theta.real.copy(), theta.imag.copy(), condition.reshape(shape))

    def jacobian(self, theta: Floats) -> Floats:
        """d lambda / d theta, (..., M, L * D)."""
        J = self.parameters.jacobian(theta)
        return J.reshape(*J.shape[:-2], self.n_systems * self.dim)

    def mean(self, theta: Floats, psi: Floats) -> Floats:
        """Mean (N, M) of the coefficients of readings under inputs Psi (N, p, D): A_d(Psi) lambda_d."""
        lam = self.parameters.transform(theta)
        blocks = zip(self.gains(psi), self.parameters.blocks, strict=True)
        return np.concatenate([A @ lam[block] for A, block in blocks], axis=-1)

    def covariance(self, theta: Floats, psi: Floats, noise: Floats) -> Floats:
        """Covariance (N, M, M) of the coefficients of noisy readings under inputs Psi (N, p, D)."""
        return self.readings.covariance(np.einsum("npd,ld->nlp", psi, theta), noise)


def canonical_order(theta: np.ndarray) -> np.ndarray:
    """Indices (..., L) that put rows in canonical order: ascending real first coordinate, then the next.

    >>> canonical_order(np.array([[2.0, 1.0], [1.0, 5.0], [1.0, 3.0]]))
    array([2, 1, 0])
    """
    keys = np.concatenate([theta.real, theta.imag], axis=-1)
    return np.lexsort(tuple(np.moveaxis(keys[..., ::-1], -1, 0)), axis=-1)


def scalar_gains(algebra: Algebra) -> Callable[[Floats], list[Floats]]:
    """A_d = c^d I, for transforms that are closed under Psi = c I only."""

    def gains(psi: Floats) -> list[Floats]:
        c = psi[:, 0, 0]
        if not np.allclose(psi, c[:, None, None] * np.eye(psi.shape[-1]), rtol=1e-12, atol=0.0):
            raise NotClosedError(
                "scalar-inputs-only",
                "this transform is closed under scalar inputs only (Psi = c I), and a general matrix was given. Use the tensor transform, "
                "or undo the inputs first (see vieta.symmetric.undo_inputs).",
            )
        return [c[:, None, None] ** d * np.eye(b.stop - b.start) for d, b in enumerate(algebra.blocks, start=1)]

    return gains


def square_sensitivity(algebra: Algebra) -> Callable[[Floats], Floats]:
    """d theta / d lambda for as many coefficients as parameters: the inverse of the Jacobian."""

    def sensitivity(theta: Floats) -> Floats:
        return np.asarray(np.linalg.inv(algebra.jacobian(theta).reshape(algebra.size, -1)), dtype=np.float64)

    return sensitivity


def _condition(sensitivity: Callable[[Floats], Floats], theta: Floats) -> float:
    try:
        return float(np.linalg.cond(sensitivity(theta)))
    except np.linalg.LinAlgError:
        return float("inf")
