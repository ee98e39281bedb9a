"""Solutions that one move leads to from the best one of more sets than were searched."""

import numpy as np

import vieta
from vieta.search.ascent import climb
from vieta.search.moves import DIFFERENT
from vieta.search.neighbours import neighbours
from vieta.search.problem import distance, problem


def curves(n=5000, seed=1000):
    """Three parabolas over time in noise as large as the typical gap between them."""
    rng, t = np.random.default_rng(seed), np.linspace(0.0, 1.0, n)
    inputs = np.column_stack([np.ones(n), t, t**2])
    theta = np.linalg.solve(np.linalg.qr(inputs, mode="r") / np.sqrt(n), rng.standard_normal((3, 3))).T
    means = inputs @ theta.T
    sd = float(np.median(np.diff(np.sort(means, axis=1), axis=1)))
    return rng.permuted(means + sd * rng.standard_normal(means.shape), axis=1), inputs, theta, sd


def as_problem(sets, inputs, sd):
    return problem(sets[:, :, None], inputs[:, None, :], np.array([[sd**2]]))


def test_crossing_lines_have_their_exchanged_ends_as_a_neighbour():
    """Lines that cross in the middle of time, and parabolas that touch there, make nearly the same sets."""
    rng, t = np.random.default_rng(4), np.linspace(-1.0, 1.0, 600)
    inputs = np.column_stack([np.ones(600), t, t**2])
    theta = np.array([[0.0, 1.0, 0.0], [0.0, -1.0, 0.0]])
    sets = rng.permuted(inputs @ theta.T + 0.5 * rng.standard_normal((600, 2)), axis=1)
    given = as_problem(sets, inputs, 0.5)
    found = neighbours(given, theta)
    assert found
    assert distance(given, found[0], climb(given, theta).theta) > DIFFERENT
    touching = climb(given, np.array([[-0.2, 0.0, 0.9], [0.2, 0.0, -0.9]]))
    assert distance(given, found[0], touching.theta) < 0.1


def test_nothing_is_near_systems_that_are_told_apart():
    sets, inputs, _, _ = curves()
    apart = np.array([[0.0, 0.0, 0.0], [100.0, 0.0, 0.0], [200.0, 0.0, 0.0]])
    assert neighbours(as_problem(inputs @ apart.T, inputs, 1.0), apart) == []
    assert neighbours(as_problem(sets[:, :1], inputs, 1.0), apart[:1]) == []


def test_a_filter_knows_the_rival_that_its_search_saw_too_few_sets_for():
    """The 500 sets that are searched do not lead to the right one of two solutions, which all sets leave open."""
    sets, inputs, _, _ = curves()
    found = vieta.SymmetricFilter(3, 3).partial_fit(sets, inputs).estimate()
    assert {"rival-solution", "rival-at-start"} & {one.code for one in found.findings}
