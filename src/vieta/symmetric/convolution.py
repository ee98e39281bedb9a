r"""The paper's two-variable transform for vectors.

Write a point as a polynomial, :math:`p_l(t) = \sum_i y_{l,i} t^{i-1}`, and take

.. math:: \prod_l (1 + s\,p_l(t)) = 1 + \sum_{d=1}^{L} \sum_{m=0}^{d(D-1)} z_{d,m}\, s^d t^m.

Degree d has d(D-1)+1 numbers: sums over d-subsets of convolutions of the points.

Inputs. With :math:`f_j(t) = \sum_i \Psi_{ij} t^{i-1}` for the columns, :math:`\Psi\theta_l` is the polynomial
:math:`\sum_j \theta_{l,j} f_j(t)`, so column n of A_d holds the coefficients of :math:`f_{j_1} \cdots f_{j_d}` with
:math:`\sum (j-1) = n` **if** that product depends on n alone. For D = 2 it always does. (The paper's printed map has
rows and columns of Psi exchanged, which is wrong even then.) For D >= 3 it does so only when
:math:`f_i f_j = f_k f_l` whenever i+j = k+l: Psi = cI, diag(c r^i), reversal, t -> t+b, and their like. For any other
Psi no linear map exists at all, and `gains` refuses.
"""

import numpy as np

from vieta.arrays import Booleans, Complexes, Floats
from vieta.errors import NotClosedError
from vieta.symmetric.algebra import Algebra, Term
from vieta.symmetric.roots import path, roots
from vieta.symmetric.tensor import tensor
from vieta.symmetric.transform import Inverse, Transform, canonical_order


def convolution(n_systems: int, dim: int) -> Transform:
    """The two-variable transform of sets of L vectors.

    >>> convolution(2, 2).transform(np.array([[-2.0, 6.0], [4.0, 5.0]]))
    array([  2.,  11.,  -8.,  14.,  30.])
    """
    algebra = _algebra(n_systems, dim)

    def gains(psi: Floats) -> list[Floats]:
        _refuse_unless_closed(psi, n_systems)
        return [_products_of_columns(psi, d) for d in range(1, n_systems + 1)]

    if dim == 2:  # the powers of t are the monomials of the plane: the tensor transform by another name
        plane = tensor(n_systems, 2, 2)
        return Transform("convolution", algebra, algebra, gains, plane.solve, plane.sensitivity)

    def solve(coefficients: Floats) -> Complexes:
        found = [_solve_on_circles(algebra, lam) for lam in coefficients]
        return np.array(found, dtype=np.complex128).reshape(-1, n_systems, dim)

    def sensitivity(theta: Floats) -> Floats:
        J = algebra.jacobian(theta).reshape(algebra.size, -1)
        w = _weights(algebra, algebra.transform(theta))
        return np.linalg.pinv(w[:, None] * J) * w

    return Transform("convolution", algebra, algebra, gains, solve, sensitivity)


def _algebra(n_systems: int, dim: int) -> Algebra:
    basis = [(d, m) for d in range(n_systems + 1) for m in range(d * (dim - 1) + 1)]
    index = {dm: r for r, dm in enumerate(basis)}
    terms = [Term(i, r, index[d + 1, m + i]) for (d, m), r in index.items() if d < n_systems for i in range(dim)]
    return Algebra.from_terms(n_systems, [d for d, _ in basis], [0], terms, list(range(1, len(basis))))


def is_closed(psi: Floats) -> Booleans:
    """Which of the inputs (N, D, D) leave a linear model for the convolution transform of two or more systems.

    >>> is_closed(np.stack([2.0 * np.eye(3), np.diag([1.0, 2.0, 4.0]), np.diag([1.0, 2.0, 3.0])]))
    array([ True,  True, False])
    """
    N, _, D = psi.shape
    scale = abs(psi).max(axis=(-1, -2), initial=0.0) ** 2
    closed = np.ones(N, dtype=np.bool_)
    for total in range(2 * D - 1):
        first = max(0, total - D + 1)
        reference = _convolve(psi[:, :, first], psi[:, :, total - first])
        for i in range(first + 1, total // 2 + 1):
            other = _convolve(psi[:, :, i], psi[:, :, total - i])
            closed &= abs(other - reference).max(axis=-1) <= 1e-9 * scale
    return closed


def _refuse_unless_closed(psi: Floats, n_systems: int) -> None:
    if psi.shape[-2] != psi.shape[-1]:
        raise NotClosedError(
            "inputs-not-square",
            "the convolution transform needs square inputs, and {p} x {D} ones were given. Use {option.transform:{tensor}}, which takes any "
            "shape.",
            p=psi.shape[-2],
            D=psi.shape[-1],
            tensor=repr("tensor"),
        )
    outside = np.flatnonzero(~is_closed(psi)) if n_systems > 1 else np.empty(0, dtype=np.int64)
    if len(outside):
        raise NotClosedError(
            "convolution-not-closed",
            "inputs[{index}] mixes {D} coordinates in a way for which the convolution transform has no linear model ({count} of {n_sets} "
            "inputs); its estimate would be biased. Use {option.transform:{tensor}} (any input) or {option.transform:{polarized}} "
            "(invertible inputs).",
            index=int(outside[0]),
            D=psi.shape[-1],
            count=len(outside),
            n_sets=len(psi),
            tensor=repr("tensor"),
            polarized=repr("polarized"),
        )


def _products_of_columns(psi: Floats, degree: int) -> Floats:
    """A_d (N, d(D-1)+1, d(D-1)+1): for each n, the product of d columns whose indices add up to n."""
    D = psi.shape[-1]
    columns = []
    for n in range(degree * (D - 1) + 1):
        low, extra = divmod(n, degree)  # as even as possible
        product = np.ones((len(psi), 1))
        for i in range(degree):
            product = _convolve(product, psi[:, :, low + (i < extra)])
        columns.append(product)
    return np.stack(columns, axis=-1)


def _convolve(a: Floats, b: Floats) -> Floats:
    """Products of polynomials, row by row: (N, A) and (N, B) to (N, A + B - 1)."""
    product = np.zeros((len(a), a.shape[1] + b.shape[1] - 1))
    for i in range(b.shape[1]):
        product[:, i : i + a.shape[1]] += a * b[:, i, None]
    return product


def _weights(algebra: Algebra, coefficients: Floats) -> Floats:
    """(M,) one over the size of the noise in each degree: d points meet one noise with d - 1 others."""
    sizes = [float(np.linalg.norm(coefficients[block])) for block in algebra.blocks]
    point = max(size ** (1.0 / d) for d, size in enumerate(sizes, start=1)) or 1.0
    below = [1.0] + [max(size, 1e-6 * point**d) for d, size in enumerate(sizes[:-1], start=1)]
    return np.repeat(1.0 / np.array(below), [block.stop - block.start for block in algebra.blocks])


_RADII = (1.0, 0.9, 1.1, 0.8, 1.25)


def _solve_on_circles(algebra: Algebra, coefficients: Floats) -> Complexes:
    """Read the polynomials around circles and fit all coefficients; keep the answer that explains them best.

    The unit circle will do unless two polynomials come close to each other somewhere on it: rows of equal sum meet at
    t = 1. On another circle they do not. So circles are tried until one explains the coefficients to rounding, which
    the first one does as a rule when they are exact; for noisy ones the smallest residual decides.
    """
    w = _weights(algebra, coefficients)
    best, least = np.empty(0, dtype=np.complex128), np.inf
    for radius in _RADII:
        theta = _read_circle(algebra, coefficients, radius)
        if abs(theta.imag).max() <= 1e-6 * abs(theta).max():
            theta = _fit(algebra, coefficients, theta.real).astype(np.complex128)
        residual = float(np.linalg.norm(w * (coefficients - _transform_complex(algebra, theta))))
        if residual < least or not len(best):
            best, least = theta, residual
        if residual <= 1e-10 * np.linalg.norm(w * coefficients):
            break
    return best


def _read_circle(algebra: Algebra, coefficients: Floats, radius: float) -> Complexes:
    """Follow each root p_l(t) round |t| = radius; a Fourier transform gives its coefficients.

    The reading is as well conditioned as the polynomials are separated on the circle. If a root does not come home,
    the circle is sampled more finely, unless roots coincide where it starts: then that would not help.
    """
    for samples in (720, 2880, 11520):
        values = _around_circle(algebra, coefficients, radius, samples)
        rounded = path(np.concatenate([values, values[:1]]))
        gap = _smallest_gap(rounded[0])
        if abs(rounded[-1] - rounded[0]).max() < 0.1 * gap or gap <= 1e-6 * abs(rounded[0]).max():
            break
    D = algebra.n_generators
    return np.asarray(np.fft.fft(rounded[:-1], axis=0)[:D].T / samples / radius ** np.arange(D))


def _around_circle(algebra: Algebra, coefficients: Floats, radius: float, samples: int) -> Complexes:
    """(samples, L) e_d(p_1(t), .., p_L(t)) at equally spaced t on a circle about 0."""
    scaled = [coefficients[b] * radius ** np.arange(b.stop - b.start) for b in algebra.blocks]
    return np.stack([np.fft.ifft(np.pad(c, (0, samples - len(c)))) * samples for c in scaled], axis=-1)


def _smallest_gap(points: Complexes) -> float:
    if len(points) == 1:
        return float("inf")
    return float((abs(points[:, None] - points[None, :]) + np.diag(np.full(len(points), np.inf))).min())


def _fit(algebra: Algebra, coefficients: Floats, theta: Floats) -> Floats:
    """Weighted least squares of the coefficients on the parameters, by damped Gauss-Newton steps."""
    w = _weights(algebra, coefficients)
    damping = 1e-6
    residual = w * (coefficients - algebra.transform(theta))
    for _ in range(50):
        J = w[:, None] * algebra.jacobian(theta).reshape(algebra.size, -1)
        scale = np.linalg.norm(J, axis=0) + 1e-300
        padded = np.concatenate([J / scale, np.sqrt(damping) * np.eye(J.shape[1])])
        step = np.linalg.lstsq(padded, np.concatenate([residual, np.zeros(J.shape[1])]))[0] / scale
        tried = theta + step.reshape(theta.shape)
        new = w * (coefficients - algebra.transform(tried))
        if new @ new > residual @ residual:
            damping *= 10.0
            continue
        theta, residual, damping = tried, new, damping / 10.0
        if abs(step).max() < 1e-12 * abs(theta).max():
            break
    return theta


def inverse_by_columns(transform: Transform, coefficients: Floats) -> Inverse:
    """The paper's inverse: roots for the first coordinate, then one linear system for each further one.

    Here to show what the paper does; `Transform.inverse` is the one to use. It uses L D of the coefficients only, its
    error grows geometrically from column to column, and it divides by the gaps of the *first* coordinate. The
    condition number reported is that of the equations it solves.
    """
    algebra = transform.parameters
    L, D = algebra.n_systems, algebra.n_generators
    used = [algebra.blocks[d].start + m for m in range(D) for d in range(L)]
    flat = coefficients.reshape(-1, algebra.size)
    found = np.array([_solve_by_columns(algebra, lam, L, D) for lam in flat], dtype=np.complex128).reshape(-1, L, D)
    found = found[np.arange(len(found))[:, None], canonical_order(found)]
    condition = [np.linalg.cond(algebra.jacobian(theta).reshape(algebra.size, -1)[used]) for theta in found.real]
    shape = coefficients.shape[:-1]
    theta = found.reshape(*shape, L, D)
    return Inverse(theta.real.copy(), theta.imag.copy(), np.array(condition).reshape(shape))


def _solve_by_columns(algebra: Algebra, coefficients: Floats, L: int, D: int) -> Complexes:
    theta = np.zeros((L, D), dtype=np.complex128)
    starts = [block.start for block in algebra.blocks]
    theta[:, 0] = roots(coefficients[starts])
    others = np.array([_elementary_complex(np.delete(theta[:, 0], j)) for j in range(L)]).T  # e_{d-1} without j
    for m in range(1, D):
        known = _transform_complex(algebra, theta)  # column m is still zero: the affine part
        rows = [start + m for start in starts]
        theta[:, m] = np.linalg.solve(others, coefficients[rows] - known[rows])
    return theta


def _elementary_complex(values: Complexes) -> Complexes:
    """1, e_1, .., e_n."""
    return np.asarray(np.poly(-values)) if len(values) else np.ones(1, dtype=np.complex128)


def _transform_complex(algebra: Algebra, theta: Complexes) -> Complexes:
    """The transform of complex points: every column in turn multiplies (1 + sum_i theta_i X_i)."""
    product = algebra.unit.astype(np.complex128)
    for row in theta:
        product = product + np.einsum("i,irs,s->r", row, algebra._matrices, product)
    return product[algebra.reported]
