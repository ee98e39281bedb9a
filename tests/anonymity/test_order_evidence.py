"""Whether an order gives systems away: laws of the labels that do and that do not."""

import numpy as np
import pytest

import vieta
from vieta.anonymity.order_evidence import guessed_labels, is_sorted, order_evidence
from vieta.laws.labels import Labeled, Shuffled, Sorted, Sticky
from vieta.laws.noise import Gaussian
from vieta.sets import as_data

THETA = np.array([[0.0], [1.0], [3.0]])


def evidence(labels, seed, theta=THETA, n=1000):
    law = Gaussian(0.6)
    records = vieta.simulate(theta, n=n, seed=seed, noise=law, labels=labels)
    return order_evidence(as_data(records.sets, None), theta, law)


def test_shuffled_records_give_nothing_away():
    found = np.array([evidence(Shuffled(), seed) for seed in range(20)])
    assert found[:, 0].max() < 5.0
    assert abs(found[:, 1]).max() < 4.0
    assert abs(found[:, 1].mean()) < 4 / np.sqrt(20)
    assert 0.5 < found[:, 1].std() < 1.6


@pytest.mark.parametrize("L", [2, 3, 6])
def test_z_values_have_variance_one(L):
    """Without noise to speak of every label is guessed rightly, and the counts are those of random orders.

    For L = 2 all four |z| of a data set are equal and the largest is |N(0, 1)|, whose second moment is 1: the z-scale
    sqrt(n/L (1 - 1/L)) is tested directly. For more systems the largest of L² correlated |z| is compared with the same
    maximum over orders drawn here, standardised by their own sample deviation.
    """
    runs, n, law = 600, 60, Gaussian(1e-6)
    theta = np.arange(L, dtype=float)[:, None]
    rng = np.random.default_rng(L)
    orders = np.argsort(rng.random((runs, n, L)), axis=2)
    sets = theta[orders, 0]
    found = np.array([order_evidence(as_data(one, None), theta, law) for one in sets])
    counts = (orders[:, :, :, None] == np.arange(L)).sum(axis=1)  # (runs, position, system), each Binomial(n, 1/L)
    standard = (counts - counts.mean()) / counts.std()  # by the sample: no formula of the module
    largest = abs(standard).max(axis=(1, 2))
    scale = np.sum(found[:, 0] * largest) / np.sum(largest**2)  # of the z-values by the sample's
    error = np.sqrt(1.0 / (2.0 * runs * (L - 1)))  # of a sample deviation with about runs (L - 1) free counts
    assert abs(scale - 1.0) < 5 * error
    assert abs(scale * np.sqrt(1.0 - 1.0 / L) - 1.0) > 5 * error  # n/L as variance would be seen
    kept = found[:, 1]
    assert abs(kept.mean()) < 5 / np.sqrt(runs)
    assert abs(kept.var() - 1.0) < 5 * np.sqrt(((kept - kept.mean()) ** 2).var() / runs)


def test_a_position_where_a_system_is_never_found_gives_it_away_too():
    L, n = 6, 1000
    theta = np.arange(L, dtype=float)[:, None]
    orders = np.argsort(np.random.default_rng(0).random((2 * n, L)), axis=1)
    avoiding = orders[orders[:, 0] != 0][:n]
    found = order_evidence(as_data(theta[avoiding, 0], None), theta, Gaussian(1e-6))
    assert abs(found[0] - np.sqrt(n / (L - 1))) < 1e-9  # (n/L) / sqrt(n/L (1 - 1/L))


def test_ties_favour_no_position():
    assert evidence(Labeled(), 0, np.zeros((3, 1)))[0] < 5.0


@pytest.mark.parametrize("seed", [0, 1])
def test_records_in_the_order_of_the_systems_do(seed):
    position, persistence = evidence(Labeled(), seed)
    assert position > 10.0
    assert persistence > 10.0


@pytest.mark.parametrize("seed", [0, 1])
def test_an_order_that_seldom_changes_lets_systems_be_followed(seed):
    assert evidence(Sticky(0.9), seed, n=2000)[1] > 10.0


def test_sorted_records_tell_no_more_than_their_values():
    assert evidence(Sorted(), 0) == (0.0, 0.0)
    sets = np.random.default_rng(0).normal(size=(50, 4, 2))
    assert not is_sorted(sets)
    by_second = np.take_along_axis(sets, np.argsort(-sets[:, :, 1:], axis=1), axis=1)
    assert is_sorted(by_second)


def test_labels_are_guessed_in_the_order_of_the_records():
    records = vieta.simulate([0.0, 5.0, 9.0], n=300, seed=2, noise=Gaussian(0.04))
    assert np.array_equal(guessed_labels(as_data(records.sets, None), records.theta, Gaussian(0.04)), records.labels)
