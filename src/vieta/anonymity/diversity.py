r"""Who looks like whom among the parameters: k-anonymity and l-diversity at a tolerance.

Two systems look alike when their parameters are within `tolerance` of each other (Euclidean distance).

- *k-anonymity* (Sweeney 2002): every system has at least k - 1 others that look like it.
- *l-diversity* (Machanavajjhala et al. 2007): the released group holds at least l well represented distinct values. Whoever
  learns that a person is in it does not yet know the person's value. Looking alike is not transitive, so systems that are
  linked by a chain of look-alikes count as one value: the count is never too high. "Well represented" is the authors'
  entropy form, :math:`l = \exp\bigl(-\sum_v q_v \log q_v\bigr)` with :math:`q_v` the share of systems that have value v;
  it is at most the number of distinct values, and equal to it when all are held equally often.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from vieta.arrays import Floats, Integers
from vieta.checks import as_floats, as_theta
from vieta.errors import InputError


@dataclass(frozen=True, slots=True, eq=False)
class Diversity:
    """Groups of look-alikes at a tolerance.

    Attributes
    ----------
    look_alikes : (L,)
        How many systems lie within the tolerance of each, itself included.
    k_anonymity : int
        The least of them.
    values : (L,)
        Which distinct value each system has: 0, 1, .. in the order of `theta`.
    distinct : int
        How many distinct values there are: distinct l-diversity.
    l_diversity : float
        How many well represented distinct values there are: entropy l-diversity.
    """

    look_alikes: Integers
    k_anonymity: int
    values: Integers
    distinct: int
    l_diversity: float


def diversity(theta: ArrayLike, *, tolerance: float = 0.0) -> Diversity:
    """k-anonymity and l-diversity of parameters (L, D) at a tolerance.

    >>> found = diversity([1.0, 1.05, 4.0, 9.0], tolerance=0.1)
    >>> found.k_anonymity, found.distinct, round(found.l_diversity, 2)  # two alike, two alone
    (1, 3, 2.83)
    """
    rows, reach = as_theta(theta), _as_tolerance(tolerance)
    alike = distances(rows) <= reach
    values = _chains(alike)
    shares = np.bincount(values) / len(rows)
    counts = alike.sum(axis=1)
    effective = float(np.exp(-np.sum(shares * np.log(shares))))
    return Diversity(counts, int(counts.min()), values, len(shares), effective)


def distances(theta: Floats) -> Floats:
    """(L, L): how far apart the rows of theta (L, D) are."""
    return np.asarray(np.linalg.norm(theta[:, None] - theta[None, :], axis=-1))


def _chains(alike: np.ndarray) -> Integers:
    """(L,) the same number for systems linked by a chain of look-alikes, in order of appearance."""
    from scipy.sparse.csgraph import connected_components

    _, labels = connected_components(alike, directed=False)
    return np.asarray(labels, dtype=np.int64)


def _as_tolerance(tolerance: float) -> float:
    number = as_floats(tolerance, "tolerance")
    if number.ndim or number < 0.0:
        raise InputError(
            "tolerance-negative",
            "`tolerance` must be one number of at least 0, the distance at which systems look alike, got {tolerance!r}.",
            tolerance=tolerance,
        )
    return float(number)
