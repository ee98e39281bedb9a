"""Which reading belongs to which system: probabilities from densities, exactly and in O(L 2^L)."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from vieta.arrays import Floats
from vieta.conversion import NotReal, as_real
from vieta.errors import InputError

LARGEST = 16  # systems; every further one doubles the cost
WORK = 2e8  # operations in one call of the kernel: about a second


@dataclass(frozen=True, slots=True, eq=False)
class Associations:
    """The labels of a set as its densities suggest them, under a uniform prior over permutations.

    Attributes
    ----------
    log_permanent : (...)
        Minus infinity for a set that no permutation explains.
    marginals : (..., L, L)
        P(reading i belongs to system l | the set); rows and columns add up to one. NaN for a set that no permutation
        explains.
    """

    log_permanent: Floats
    marginals: Floats


def associations(log_weights: ArrayLike) -> Associations:
    r"""The logarithm of the permanent, and the association probabilities, of log densities (..., L, L).

    Entry (i, l) is the log density of reading i under system l; minus infinity marks an impossible pair. See
    `vieta.association.permanents` for the algorithm, and why it is not Ryser's.

    >>> found = associations(np.log([[1.0, 2.0], [3.0, 4.0]]))
    >>> np.exp(found.log_permanent).round(12), found.marginals  # 1 4 + 2 3, of which 4 on the diagonal
    (np.float64(10.0), array([[0.4, 0.6], [0.6, 0.4]]))
    """
    weights = as_real(log_weights)
    if isinstance(weights, NotReal):
        raise InputError(
            "not-an-array",
            "`{name}` must be a number or a rectangular array of numbers, got {value!r}.",
            name="log_weights",
            value=log_weights,
        )
    if weights.ndim < 2 or weights.shape[-1] != weights.shape[-2] or weights.shape[-1] == 0:
        raise InputError(
            "weights-shape",
            "`log_weights` must have shape (..., L, L), readings by systems, got {shape}. Every set holds one reading of each system.",
            shape=weights.shape,
        )
    require_few(weights.shape[-1])
    if not np.all(weights < np.inf):
        raise InputError(
            "weights-not-numbers", "`log_weights` must be numbers or minus infinity; NaN or plus infinity was given."
        )
    from vieta.association.permanents import associate_each

    *lead, L, _ = weights.shape
    each = np.ascontiguousarray(weights.reshape(-1, L, L))
    size = max(int(WORK / operations(L)), 1)  # so many at once, that a long computation can be interrupted
    parts = [associate_each(each[at : at + size]) for at in range(0, max(len(each), 1), size)]
    logs, marginals = (np.concatenate(one) for one in zip(*parts, strict=True))
    return Associations(logs.reshape(lead), marginals.reshape(weights.shape))


def operations(L: int) -> float:
    """How many a set of L readings takes, about."""
    return 3 * L * 2.0 ** min(L - 1, 1000)


def require_few(L: int) -> None:
    """Refuse more systems than exact association probabilities are affordable for."""
    if L > LARGEST:
        raise InputError(
            "too-many-systems",
            "exact association probabilities of {n_systems} systems take about {operations:.1g} operations a set; up to {most} systems "
            "are allowed. Use the default method, which needs no associations and O(L³) operations a set.",
            n_systems=L,
            operations=operations(L),
            most=LARGEST,
        )
