from itertools import permutations

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from vieta.laws.labels import Weighted
from vieta.likelihood import associations
from vieta.likelihood.orders import as_orders, associate, every_order, informative, likeliest_rows


@pytest.mark.parametrize("L", [1, 2, 4])
def test_a_uniform_prior_gives_what_permanents_give(L):
    weights = np.random.default_rng(L).normal(size=(5, L, L))
    count = len(every_order(L))
    orders = as_orders(np.full(count, 1 / count), L)
    logs, P = associate(orders, weights)
    assert_allclose(P, associations(weights).marginals, atol=1e-13)
    assert_allclose(logs, associations(weights).log_permanent - np.log(count), atol=1e-12)


def test_other_priors_are_bayes_rule():
    rng = np.random.default_rng(0)
    weights, prior = rng.normal(size=(3, 3)), rng.dirichlet(np.ones(6))
    expected, total = np.zeros((3, 3)), 0.0
    for chance, order in zip(prior, permutations(range(3))):
        joint = chance * np.exp(sum(weights[i, order[i]] for i in range(3)))
        total += joint
        for i in range(3):
            expected[i, order[i]] += joint
    logs, P = associate(as_orders(prior, 3), weights)
    assert_allclose(P, expected / total, atol=1e-14)
    assert_allclose(logs, np.log(total), atol=1e-14)


def test_listed_permutations_are_the_only_ones():
    orders = as_orders(Weighted((0.5, 0.5), ((0, 1, 2), (1, 2, 0))), 3)
    assert_array_equal(orders.table, [[0, 1, 2], [1, 2, 0]])
    P = associate(orders, np.zeros((3, 3)))[1]
    assert_allclose(P, [[0.5, 0.5, 0], [0, 0.5, 0.5], [0.5, 0, 0.5]])
    many = as_orders(Weighted((1.0,), (tuple(range(12)),)), 12)  # no enumeration is needed
    assert_allclose(associate(many, np.zeros((12, 12)))[1], np.eye(12))


def test_a_set_that_no_order_explains_has_no_density():
    weights = np.array([[[0.0, -np.inf], [0.0, -np.inf]], [[0.0, 0.0], [0.0, 0.0]]])
    logs, P = associate(as_orders([0.9, 0.1], 2), weights)
    assert_allclose(logs, [-np.inf, 0.0], atol=1e-15)
    assert np.isnan(P[0]).all()
    assert_allclose(P[1], [[0.9, 0.1], [0.1, 0.9]])


def test_a_prior_that_says_nothing_is_none():
    assert informative(np.full(6, 1 / 6), 3) is None
    assert informative(Weighted((0.5, 0.5), ((1, 0), (0, 1))), 2) is None
    assert informative([0.5 + 1e-6, 0.5 - 1e-6], 2) is not None
    assert informative(Weighted((0.5, 0.5), ((0, 1, 2), (1, 2, 0))), 3) is not None  # others do not occur


@pytest.mark.parametrize("rows", list(permutations(range(3))), ids=str)
@pytest.mark.parametrize(
    "prior",
    [
        Weighted(np.r_[0.75, np.full(5, 0.05)]),  # one order stands out
        Weighted((0.5, 0.3, 0.2), ((0, 1, 2), (1, 2, 0), (2, 0, 1))),
        Weighted((0.35, 0.35, 0.3), ((0, 1, 2), (1, 2, 0), (2, 0, 1))),  # each system everywhere, but never in reverse
    ],
    ids=str,
)
def test_rows_are_named_as_the_prior_has_them(prior, rows):
    """Parameters in any order of rows; the systems of the prior stand at 0, 2 and 4."""
    rng = np.random.default_rng(0)
    order = prior.draw(rng, np.zeros((200, 3, 1)))
    y = 2.0 * order + 0.5 * rng.standard_normal(order.shape)
    theta = 2.0 * np.argsort(rows)  # row rows[l] is system l
    named = likeliest_rows(as_orders(prior, 3), -2.0 * (y[:, :, None] - theta) ** 2)
    found = theta[named]
    if np.ptp(prior.probabilities) < 0.1:  # nearly the same after a turn
        found = np.roll(found, -int(np.argmin(found)))
    assert_array_equal(found, [0.0, 2.0, 4.0])


@pytest.mark.parametrize(
    ("prior", "L", "text"),
    [
        ([0.5, 0.4], 2, "add up to 1"),
        ([1.5, -0.5], 2, "must be non-negative"),
        ([0.5, 0.5], 3, r"2 probabilities was given for 3 systems. Needed: one for each of the 3! = 6 permutations"),
        (np.full(10, 0.1), 9, "9 systems have 362,880 permutations, and each set would need all of them; up to 8"),
    ],
)
def test_bad_priors_are_refused(prior, L, text):
    with pytest.raises(ValueError, match=text):
        as_orders(prior, L)
