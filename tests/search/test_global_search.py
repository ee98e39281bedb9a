"""The search ends no lower than a climb from the truth, whatever the inputs; alternating assignment alone does not."""

import numpy as np
import pytest

from tests.search.problems import draw, given, planar
from vieta.search.ascent import climb
from vieta.search.global_search import search
from vieta.search.moves import local_solutions
from vieta.search.problem import distance

LOW, HIGH = 0.05, 0.5  # noise, where the systems' values have unit spread


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("sd", [LOW, HIGH])
@pytest.mark.parametrize("L", [3, 5])
@pytest.mark.parametrize("kind", ["normal", "curve", "season", "levels"])
def test_as_high_as_from_the_truth(kind, L, sd, seed):
    sets, psi, theta = draw(kind, L, sd, 150, seed)
    one = given(sets, psi, sd)
    found = search(one, 1.5)
    assert found.best.likelihood > climb(one, theta).likelihood - 0.1
    assert found.certified
    if sd == LOW:
        assert distance(one, found.best.theta, theta) < 1.0


def test_a_few_random_starts_are_not_enough():
    """The control: what one random start of alternating assignment gives is mostly wrong."""
    wrong = 0
    for seed in range(10):
        sets, psi, theta = draw("curve", 5, LOW, 150, seed)
        one = given(sets, psi, LOW)
        wrong += distance(one, local_solutions(one, 1, np.random.default_rng(seed))[0].theta, theta) > 1.0
    assert wrong >= 8


@pytest.mark.parametrize("seed", range(3))
def test_vectors(seed):
    sets, psi, theta = planar(4, 0.2, 150, seed)
    one = given(sets, psi, 0.2)
    found = search(one, 1.5)
    assert distance(one, found.best.theta, theta) < 1.0


def test_too_few_systems_are_not_certified():
    sets, psi, _ = draw("normal", 3, 0.1, 200, 0)
    joined = sets[:, :2] + 0.0
    assert not search(given(joined, psi, 0.1), 1.5).certified


def test_the_result_depends_on_nothing_but_the_sets():
    sets, psi, _ = draw("season", 3, HIGH, 100, 0)
    one, two = (search(given(sets, psi, HIGH), 1.5) for _ in range(2))
    assert (one.best.theta == two.best.theta).all()
    shuffled = np.random.default_rng(1).permuted(sets, axis=1)
    assert (search(given(shuffled, psi, HIGH), 1.5).best.theta == one.best.theta).all()
