from itertools import permutations

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from vieta.likelihood import associations
from vieta.likelihood.orders import as_orders, associate, every_order
from vieta.simulation.labels import Weighted


@pytest.mark.parametrize("L", [1, 2, 4])
def test_a_uniform_prior_gives_what_permanents_give(L):
    weights = np.random.default_rng(L).normal(size=(5, L, L))
    count = len(every_order(L))
    orders = as_orders(np.full(count, 1 / count), L)
    assert_allclose(associate(orders, weights), associations(weights).marginals, atol=1e-13)


def test_other_priors_are_bayes_rule():
    rng = np.random.default_rng(0)
    weights, prior = rng.normal(size=(3, 3)), rng.dirichlet(np.ones(6))
    expected, total = np.zeros((3, 3)), 0.0
    for chance, order in zip(prior, permutations(range(3))):
        joint = chance * np.exp(sum(weights[i, order[i]] for i in range(3)))
        total += joint
        for i in range(3):
            expected[i, order[i]] += joint
    assert_allclose(associate(as_orders(prior, 3), weights), expected / total, atol=1e-14)


def test_listed_permutations_are_the_only_ones():
    orders = as_orders(Weighted((0.5, 0.5), ((0, 1, 2), (1, 2, 0))), 3)
    assert_array_equal(orders.table, [[0, 1, 2], [1, 2, 0]])
    P = associate(orders, np.zeros((3, 3)))
    assert_allclose(P, [[0.5, 0.5, 0], [0, 0.5, 0.5], [0.5, 0, 0.5]])
    many = as_orders(Weighted((1.0,), (tuple(range(12)),)), 12)  # no enumeration is needed
    assert_allclose(associate(many, np.zeros((12, 12))), np.eye(12))


@pytest.mark.parametrize(
    ("prior", "L", "text"),
    [
        ([0.5, 0.4], 2, "add up to 1"),
        ([1.5, -0.5], 2, "must be non-negative"),
        ([0.5, 0.5], 3, r"2 probabilities came for 3 systems. Needed: one for each of the 3! = 6 permutations"),
        (np.full(10, 0.1), 9, "9 systems have 362,880 permutations, and each set would need all of them; up to 8"),
    ],
)
def test_bad_priors_are_refused(prior, L, text):
    with pytest.raises(ValueError, match=text):
        as_orders(prior, L)
