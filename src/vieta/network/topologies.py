"""Who is linked to whom: (n, n) matrices of truth values, symmetric, without a link of an agent to itself.

>>> ring(4).astype(int)
array([[0, 1, 0, 1],
       [1, 0, 1, 0],
       [0, 1, 0, 1],
       [1, 0, 1, 0]])
"""

from collections.abc import Callable

import numpy as np
from numpy.typing import ArrayLike

from vieta.arrays import Booleans, Floats
from vieta.checks import as_count, as_number
from vieta.conversion import NotReal, as_real
from vieta.errors import InputError

TRIES = 1000  # random networks that are drawn until one is connected


def ring(n: int) -> Booleans:
    """Each of n agents is linked to the one before and the one after it."""
    count = as_count(n, "n")
    at = np.arange(count)
    return _joined(count, at, (at + 1) % count)


def grid(rows: int, columns: int) -> Booleans:
    """Agents at the places of a table, linked to those beside, above and below them."""
    place = np.arange(as_count(rows, "rows") * as_count(columns, "columns")).reshape(rows, columns)
    first = np.concatenate([place[:, :-1].ravel(), place[:-1].ravel()])
    second = np.concatenate([place[:, 1:].ravel(), place[1:].ravel()])
    return _joined(place.size, first, second)


def complete(n: int) -> Booleans:
    """Everyone is linked to everyone."""
    return ~np.eye(as_count(n, "n"), dtype=bool)


def star(n: int) -> Booleans:
    """The first agent is linked to all others, which are linked to it alone."""
    count = as_count(n, "n")
    others = np.arange(1, count)
    return _joined(count, np.zeros_like(others), others)


def random_links(n: int, probability: float, seed: int = 0) -> Booleans:
    """Each pair is linked with a probability (Erdős and Rényi), drawn again until all are connected."""
    count, chance = as_count(n, "n"), as_number(probability, "probability", above=0.0, below=1.0)
    return _connected_draw(count, seed, lambda rng: rng.random((count, count)) < chance)


def random_geometric(n: int, radius: float, seed: int = 0) -> Booleans:
    """Agents at random places of the unit square, linked within a distance; drawn again until all are connected."""
    count, reach = as_count(n, "n"), as_number(radius, "radius", above=0.0)

    def near(rng: np.random.Generator) -> Booleans:
        places: Floats = rng.random((count, 2))
        return np.asarray(((places[:, None] - places) ** 2).sum(axis=-1) <= reach**2)

    return _connected_draw(count, seed, near)


def is_connected(links: Booleans) -> bool:
    """Whether a message can go from the first agent to every other.

    >>> is_connected(ring(5)), is_connected(np.zeros((2, 2), dtype=bool))
    (True, False)
    """
    reached = np.zeros(len(links), dtype=bool)
    reached[:1] = True
    while True:
        more = reached | links[reached].any(axis=0)
        if (more == reached).all():
            return bool(reached.all())
        reached = more


def as_links(links: ArrayLike) -> Booleans:
    """Links as they must be: square, symmetric, no agent with itself, all connected."""
    found = as_real(links)
    if isinstance(found, NotReal) or found.ndim != 2 or found.shape[0] != found.shape[1] or found.size == 0:
        raise InputError(
            "links-shape",
            "`links` must be a square matrix of truth values, a row and a column an agent, got {shape}.",
            shape=getattr(links, "shape", type(links).__name__),
        )
    array: Booleans = np.asarray(found != 0.0)
    if not (array == array.T).all():
        i, j = (int(x) for x in np.argwhere(array != array.T)[0])
        raise InputError(
            "links-one-way",
            "`links` must be symmetric: agents {i} and {j} are linked one way only. Messages go both ways over a link.",
            i=i, j=j,
        )  # fmt: skip
    array &= ~np.eye(len(array), dtype=bool)
    if not is_connected(array):
        raise InputError(
            "not-connected",
            "the network is not connected: some of its {n} agents hear nothing from some others, on no way. Add links, or treat the "
            "parts as networks of their own.",
            n=len(array),
        )
    return array


def _joined(n: int, first: np.ndarray, second: np.ndarray) -> Booleans:
    links = np.zeros((n, n), dtype=bool)
    links[first, second] = links[second, first] = True
    np.fill_diagonal(links, False)
    return links


def _connected_draw(n: int, seed: int, draw: Callable[[np.random.Generator], Booleans]) -> Booleans:
    rng = np.random.default_rng(as_count(seed, "seed", least=0))
    for _ in range(TRIES):
        links = np.triu(draw(rng), k=1)
        links |= links.T
        if is_connected(links):
            return links
    raise InputError(
        "never-connected",
        "none of {tries:,} random networks of {n} agents was connected. Use a larger probability or radius.",
        tries=TRIES, n=n,
    )  # fmt: skip
