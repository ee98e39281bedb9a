"""Stochastic gradient in the parameters themselves, where the objective is not convex."""

import numpy as np
from numpy.typing import ArrayLike

from vieta.arrays import Floats, Integers
from vieta.compiled import kernel
from vieta.paper.path import Guard, Path, follow
from vieta.paper.regression import checked, matrices, one_step, start_or_zeros
from vieta.sets import Data
from vieta.symmetric import convolution, elementary
from vieta.symmetric.algebra import Algebra

ADVICE = (
    "Use a smaller step, or a start nearer to the readings: the gradient grows as the power 2 L - 1 of the parameters "
    "(L systems), so no step is safe from everywhere."
)


def direct_gradient(
    sets: ArrayLike,
    inputs: ArrayLike | None = None,
    *,
    step: float,
    start: ArrayLike,
    record_every: int | None = None,
) -> Path:
    r"""Stochastic gradient on the symmetric objective as a function of the parameters, eq. sgdirect of the paper:

    .. math:: \theta(k+1) = \theta(k) - \epsilon\, \nabla_\theta \sum_d |z_d - S_d\{\Psi\theta\}|^2
        = \theta(k) + 2\,\epsilon\, J' \bigl(z - S\{\Psi\theta\}\bigr),
        \qquad J = \partial S\{\Psi\theta\}/\partial\theta.

    S is the elementary transform for scalar readings (inputs of any kind) and the convolution transform for vectors.
    The factor 2 of the derivative is kept, as the equation says. The paper's Example 1 from (1, 2, 3) then ends at
    (-2.026, 6.123, 6.450), the median of 20 runs, and without the 2 at (-2.028, 6.119, 6.446); the two decimals that
    the paper prints, (-2.02, 6.12, 6.45), sit better with the former but do not exclude the latter.

    The paper takes the end point of Example 1 from (1, 2, 3) for a local minimum. It is a slow passage by a saddle;
    see `vieta.paper.landscape`, which also has a true local minimum. Equal rows of the start stay equal for
    ever, to the last bit, as the paper remarks.

    Parameters
    ----------
    sets : (N, L) or (N, L, p)
    inputs : None, (N,), (N, D) or (N, p, D)
    step : float
        :math:`\epsilon`.
    start : (L, D)
        No default: zeros, or any equal rows, would never part.
    record_every : int, optional
        Record after every so many sets and after the last; after the last only if absent.

    Returns
    -------
    Path
        Rows in the order of the start.

    >>> direct_gradient(np.tile([1.0, 3.0], (2000, 1)), step=0.01, start=[0.0, 1.0]).final.ravel().round(4)
    array([1., 3.])
    """
    data = checked(sets, inputs)
    epsilon = one_step(step)
    theta = start_or_zeros(start, data)
    guard = Guard.of(data, theta, ADVICE)
    algebra = _algebra(data)
    table = (algebra.unit, algebra.generator, algebra.source, algebra.target, algebra.weight, algebra.reported)
    z = np.ascontiguousarray(algebra.transform(data.sets))

    def advance(theta: Floats, piece: slice) -> Floats:
        theta = _run(theta, z[piece], matrices(data, piece), epsilon, *table)
        guard.check(theta, piece.stop)
        return theta

    return Path(*follow(advance, theta, len(data.sets), record_every))


def _algebra(data: Data) -> Algebra:
    L, p = data.n_systems, data.reading_dim
    return (elementary(L) if p == 1 else convolution(L, p)).readings


@kernel
def _run(
    start: Floats,
    z: Floats,
    inputs: Floats,
    step: float,
    unit: Floats,
    generator: Integers,
    source: Integers,
    target: Integers,
    weight: Floats,
    reported: Integers,
) -> Floats:
    # Products omit one system at a time rather than divide, so that equal rows get gradients equal to the last bit.
    N, p, D = inputs.shape
    L = start.shape[0]
    theta = start.copy()
    predicted = np.empty((L, p))
    slope = np.empty((L, p))  # minus half the derivative of the objective by Psi theta
    residual = np.zeros(unit.shape[0])
    c = np.empty(unit.shape[0])
    for k in range(N):
        for l in range(L):
            for i in range(p):
                predicted[l, i] = 0.0
                for j in range(D):
                    predicted[l, i] += inputs[k, i, j] * theta[l, j]
        for omitted in range(L, -1, -1):  # L: none
            c[:] = unit
            for l in range(L):
                if l != omitted:
                    for t in range(source.shape[0]):
                        c[target[t]] += predicted[l, generator[t]] * weight[t] * c[source[t]]
            if omitted == L:
                for m in range(reported.shape[0]):
                    residual[reported[m]] = z[k, m] - c[reported[m]]
                continue
            slope[omitted, :] = 0.0
            for t in range(source.shape[0]):
                slope[omitted, generator[t]] += residual[target[t]] * weight[t] * c[source[t]]
        for l in range(L):
            for j in range(D):
                total = 0.0
                for i in range(p):
                    total += inputs[k, i, j] * slope[l, i]
                theta[l, j] += 2.0 * step * total
    return theta
