"""The summary of misfits against numpy on all of them: it merges, and is within half a per cent."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal

from vieta.weighted.misfit import FINENESS, Misfit

LAWS = {
    "chi-square": lambda rng, n: rng.chisquare(3, n) / 3,
    "heavy": lambda rng, n: rng.standard_t(1.5, n) ** 2,
    "tiny": lambda rng, n: 1e-9 * rng.exponential(size=n),
}
every_law = pytest.mark.parametrize("law", LAWS)


def share(values, one_in):
    top = max(1, len(values) // one_in)
    return np.sort(values)[-top:].sum() / values.sum()


@every_law
@pytest.mark.parametrize("n", [1, 2, 3, 400, 10_001])
def test_median_and_share_are_those_of_numpy(law, n):
    values = LAWS[law](np.random.default_rng(n), n)
    found = Misfit.of(values)
    assert found.count == n
    assert_allclose(found.median, np.median(values), rtol=1.0 / FINENESS)
    assert_allclose(found.largest_share(200), share(values, 200), rtol=1.0 / FINENESS)
    assert not np.isclose(found.median, 1.02 * np.median(values), rtol=1.0 / FINENESS, atol=0.0)


@settings(deadline=None, max_examples=50, derandomize=True)
@given(st.lists(st.floats(1e-11, 1e11), min_size=1, max_size=40), st.integers(0, 40))
def test_parts_merge_to_the_whole(values, at):
    values = np.array(values)
    parts, whole = Misfit.of(values[:at]) + Misfit.of(values[at:]), Misfit.of(values)
    assert_array_equal(parts.counts, whole.counts)
    assert_allclose(parts.totals, whole.totals, rtol=1e-12)
    assert_allclose(whole.median, np.median(values), rtol=1.01 / FINENESS)


def test_few_numbers_are_exact():
    assert_allclose(Misfit.of(np.array([1.0, 2.0, 7.0])).median, 2.0, rtol=1e-15)
    assert_allclose(Misfit.of(np.array([1.0, 2.0])).median, 1.5, rtol=1e-15)
    assert_allclose(Misfit.of(np.ones(400)).largest_share(200), 2 / 400)
    assert_allclose(Misfit.of(np.r_[np.ones(398), 199.0, 199.0]).largest_share(200), 0.5)
    assert_allclose(Misfit.of(np.r_[np.ones(398), 100.0, 298.0]).largest_share(200), 0.5)


def test_what_is_off_the_grid_is_counted_at_its_ends():
    found = Misfit.of(np.array([0.0, 1e-300, 1.0, 1e300, np.nan]))
    assert found.count == 5
    assert_allclose(found.median, 1.0)
    assert Misfit.of(np.zeros(400)).largest_share(200) == 0.0
    assert Misfit.of(np.zeros(3)).median == 0.0
    assert np.isnan(Misfit.of(np.full(3, np.nan)).median)
