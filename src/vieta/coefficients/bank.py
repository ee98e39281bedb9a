r"""The scalar bank of LMS filters in one pass: transform, recursion and noise power, with L fixed at compile time.

.. math:: \lambda_d \leftarrow \lambda_d + \epsilon_d \psi^d (e_d(y) - \psi^d \lambda_d), \qquad d = 1..L.

The same recursion as `vieta.coefficients.lms_recursion`, for the case that matters most, at the speed of hand-written C: the
coefficients live in registers, because a tuple of fixed length is unrolled by the compiler and an array is not.

This module imports numba and is imported where it is needed only.
"""

from collections.abc import Callable
from functools import cache

from numba.cpython.unsafe.tuple import tuple_setitem

from vieta.arrays import Floats
from vieta.compiled import compile_now

Run = Callable[[Floats, Floats, Floats, Floats, float, float], float]


@cache
def bank(n_systems: int) -> Run:
    """Compile `run(lam, sets, inputs, step, power, discount)`: updates lam in place and returns the noise power."""
    L = n_systems
    zeros = (0.0,) * L
    one = (1.0,) + (0.0,) * L

    def run(coefficients: Floats, sets: Floats, inputs: Floats, step: Floats, power: float, discount: float) -> float:
        lam, eps = zeros, zeros
        for d in range(L):
            lam = tuple_setitem(lam, d, coefficients[d])
            eps = tuple_setitem(eps, d, step[d])
        for k in range(sets.shape[0]):
            e = one
            for l in range(L):
                y = sets[k, l, 0]
                for d in range(L, 0, -1):
                    if d <= l + 1:  # folded away when unrolled: higher degrees are still zero
                        e = tuple_setitem(e, d, e[d] + y * e[d - 1])
            c = inputs[k]
            psi = 1.0
            for d in range(L):
                psi *= c
                innovation = e[d + 1] - psi * lam[d]
                lam = tuple_setitem(lam, d, lam[d] + eps[d] * psi * innovation)
                if d == 0:
                    power = discount * power + innovation * innovation
        for d in range(L):
            coefficients[d] = lam[d]
        return power

    return compile_now(run)
