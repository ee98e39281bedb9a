r"""Other directions for the difference of two systems that lie near each other.

Where two curves differ by less than the noise, sets tell the square :math:`(\psi'\delta)^2` of their difference, faintly. Few sets may have
its size right and its direction wrong, and then no assignment leads to another one: all of them average over the same readings.
So the difference is turned, its size kept: in the coordinates :math:`R\delta` (`problem`), to each direction u across its own one and half
way to it,

.. math:: |R\delta|\,u, \qquad |R\delta|\,\frac{R\delta/|R\delta| \pm u}{\sqrt 2} ,

and what climbs highest from there on the sets is a solution to compare.
"""

from itertools import combinations

import numpy as np

from vieta.arrays import Floats
from vieta.search.ascent import Climbed, climb, likeliest
from vieta.search.problem import Problem, some_of

NEAR = 1.0  # noise standard deviations between two curves, root mean square
MOST_PAIRS, KEPT = 2, 3  # pairs whose difference is turned, and solutions that are kept
ITERATIONS, GAIN = 40, 0.01  # of a climb
WORK, FEWEST = (
    4e5,
    300,
)  # operations that a sum over assignments may take, roughly; and sets, below which it tells nothing here
SAME = 0.1  # noise standard deviations between solutions that are one


def turned(given: Problem, theta: Floats) -> list[Floats]:
    """Solutions (L, D) in which the difference of two near systems points elsewhere, the likeliest first."""
    (_, L, p), D = given.sets.shape, theta.shape[1]
    given = some_of(given, int(WORK / (L << L)))
    if p >= D or L < 2 or len(given.sets) < FEWEST:
        return []
    own = theta @ given.root.T
    near = sorted((float(np.linalg.norm(own[i] - own[j])), i, j) for i, j in combinations(range(L), 2))
    found: list[Climbed] = []
    for size, i, j in near[:MOST_PAIRS]:
        if not 0.0 < size < NEAR:
            continue
        for other in _directions((own[i] - own[j]) / size):
            start, middle = theta.copy(), 0.5 * (theta[i] + theta[j])
            half = 0.5 * size * (given.back @ other)
            start[i], start[j] = middle + half, middle - half
            found.append(climb(given, start, ITERATIONS, GAIN))
    return [one.theta for one in likeliest(given, found, theta, SAME, KEPT)]


def _directions(own: Floats) -> list[Floats]:
    """Unit vectors across a unit vector (D,), and half way to them on either side."""
    across = np.linalg.svd(own[None])[2][1:]
    return [v for u in across for v in (u, (own + u) / np.sqrt(2.0), (own - u) / np.sqrt(2.0))]
