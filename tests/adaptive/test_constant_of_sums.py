"""A constant that the inputs lack, in incomplete sets."""

import numpy as np
import pytest
from numpy.testing import assert_allclose

import vieta
from vieta.adaptive.constant_of_sums import summed
from vieta.set_requirements import as_incomplete
from vieta.sets import as_data
from vieta.sums import in_memory
from vieta.weighted.missing_constant import missing_constant
from vieta.weighted.sum_regression import regress

THETA = np.array([1.0, 2.0, -0.5])


def drawn(seed, n, constant, rate=0.0, seen=0.7):
    rng = np.random.default_rng(seed)
    x = 1.0 + rng.normal(size=n)
    full = constant + np.outer(x, THETA) + 0.3 * rng.normal(size=(n, 3))
    false = [rng.uniform(-6.0, 8.0, rng.poisson(rate)) for _ in range(n)]
    return [rng.permutation(np.append(one[rng.random(3) < seen], more)) for one, more in zip(full, false)], x


def codes(estimate):
    return [one.code for one in estimate.findings]


@pytest.mark.parametrize("seed", range(3))
def test_it_is_reported_where_no_reading_is_false(seed):
    for constant in (0.0, 2.0):
        found = vieta.fit(*drawn(seed, 500, constant), n_systems=3)
        assert ("constant-missing" in codes(found)) is (constant > 0.0)
    (said,) = [one for one in found.findings if one.code == "constant-missing"]
    assert_allclose(said.facts["size"], 2.0, rtol=0.3)


def test_false_readings_are_not_taken_for_one():
    assert "constant-missing" not in codes(vieta.fit(*drawn(0, 500, 0.0, rate=1.0), n_systems=3))


def test_misses_leave_the_level_of_the_test():
    z = []
    for seed in range(400):
        sets, x = drawn(seed, 60, 0.0, seen=0.5)
        sums = in_memory(summed(as_incomplete(as_data(sets, x, 3), 3)))
        z.append(missing_constant(sums, regress(sums)).z)
    assert np.mean(np.array(z) > 2.0) < 0.05 + 3.0 * np.sqrt(0.05 * 0.95 / 400)
    assert (
        np.mean(np.array(z) > 0.3) > 0.3
    )  # it is a number of that size, though misses at large inputs make it smaller


def test_the_sum_of_no_reading_is_zero():
    sets = [[1.0, 2.0], [], [4.0]]
    assert summed(as_incomplete(as_data(sets, [1.0, 2.0, 3.0], 2), 2)).sets.ravel().tolist() == [3.0, 0.0, 4.0]
