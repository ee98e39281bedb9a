"""Networks: their links, and those that are refused."""

import numpy as np
import pytest

from vieta.errors import InputError
from vieta.network import complete, grid, random_geometric, random_links, ring, star
from vieta.network.topologies import as_links, is_connected

ALL = [ring(7), grid(3, 4), complete(5), star(6), random_links(12, 0.2, seed=3), random_geometric(12, 0.4, seed=3)]


@pytest.mark.parametrize("links", ALL, ids=lambda links: f"{len(links)} agents, {links.sum() // 2} links")
def test_links_go_both_ways_and_reach_everybody(links):
    assert links.dtype == bool
    assert (links == links.T).all()
    assert not links.diagonal().any()
    assert np.linalg.matrix_power(links.astype(int) + np.eye(len(links), dtype=int), len(links)).all()
    assert is_connected(links)


def test_numbers_of_links():
    assert [ring(7).sum(), ring(2).sum(), ring(1).sum(), star(6).sum(), complete(5).sum()] == [14, 2, 0, 10, 20]
    assert grid(3, 4).sum() == 2 * (3 * 3 + 2 * 4)
    assert sorted(grid(3, 4).sum(axis=0)) == [2] * 4 + [3] * 6 + [4] * 2


def test_random_networks_are_those_of_their_seed():
    assert (random_links(12, 0.3, seed=1) == random_links(12, 0.3, seed=1)).all()
    assert (random_links(12, 0.3, seed=1) != random_links(12, 0.3, seed=2)).any()
    links = [random_links(40, 0.4, seed=s).sum() / (40 * 39) for s in range(20)]
    assert abs(np.mean(links) - 0.4) < 4 * np.sqrt(0.4 * 0.6 / (20 * 780))


@pytest.mark.parametrize(
    ("call", "code"),
    [
        (lambda: as_links(np.ones((2, 3))), "links-shape"),
        (lambda: as_links("ring"), "links-shape"),
        (lambda: as_links([[0, 1], [0, 0]]), "links-one-way"),
        (lambda: as_links(np.zeros((3, 3))), "not-connected"),
        (lambda: as_links(np.kron(np.eye(2), np.ones((2, 2)))), "not-connected"),
        (lambda: random_links(50, 0.001), "never-connected"),
        (lambda: random_geometric(50, 0.01), "never-connected"),
        (lambda: ring(0), "not-a-count"),
        (lambda: random_links(5, 1.5), "out-of-range"),
    ],
)
def test_networks_that_cannot_be_are_refused(call, code):
    with pytest.raises(InputError) as caught:
        call()
    assert caught.value.code == code
    assert "{" not in str(caught.value)
