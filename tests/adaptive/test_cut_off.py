"""Readings that are cut off: what is expected beyond the largest, against a count, and that it is named."""

import numpy as np
import pytest
from numpy.testing import assert_allclose

import vieta
from vieta.adaptive.adaptive_fit import fit
from vieta.adaptive.cut_off import expected_beyond, survival
from vieta.adaptive.sieve import UnitLaw, points
from vieta.set_requirements import as_incomplete
from vieta.sets import as_data, in_canonical_order
from vieta.sums import in_memory
from vieta.tails import normal_quantile

THETA = np.array([[-6.0, 1.0], [0.0, -1.0], [7.0, 2.0]])


def drawn(seed, n, limit=np.inf, sign=1.0, rate=0.0, uniform=False):
    rng = np.random.default_rng(seed)
    x = rng.normal(size=n)
    unit = rng.uniform(-(3.0**0.5), 3.0**0.5, size=(n, 3)) if uniform else rng.normal(size=(n, 3))
    full = sign * (np.column_stack([np.ones(n), x]) @ THETA.T + 0.8 * unit)
    seen = (rng.random((n, 3)) < 0.8) & (sign * full < limit)
    false = [rng.uniform(-15.0, 15.0, rng.poisson(rate)) for _ in range(n)]
    return [rng.permutation(np.append(a[b], c)) for a, b, c in zip(full, seen, false)], np.column_stack([np.ones(n), x])


def passes(sets, inputs, blocks=1):
    return in_memory(in_canonical_order(as_incomplete(as_data(sets, inputs, 3), 3)), blocks)


def said(sets, inputs):
    return [one for one in vieta.fit(sets, inputs, n_systems=3).findings if one.code == "readings-cut-off"]


def test_the_survival_of_the_normal_law():
    tails = survival(UnitLaw())
    for q in (0.01, 0.3, 0.999):
        at = normal_quantile(q)
        assert_allclose([np.interp(at, points(), one) for one in tails], [q, 1.0 - q], atol=2e-4)


def test_what_is_expected_is_about_one_where_nothing_is_cut():
    beyond = []
    for seed in range(20):
        given = passes(*drawn(seed, 200))
        beyond += expected_beyond(given, fit(given)).ravel().tolist()
    assert 0.5 < np.mean(beyond) < 2.0  # exponential, of mean one
    assert max(beyond) < 12.0


@pytest.mark.parametrize("sign", [1.0, -1.0])
@pytest.mark.parametrize("seed", range(2))
def test_a_limit_is_named(seed, sign):
    (one,) = said(*drawn(seed, 400, 7.5, sign))
    assert one.facts["side"] == ("above" if sign > 0.0 else "below")
    assert 7.0 < sign * one.facts["end"] < 7.5
    assert not said(*drawn(seed, 400, np.inf, sign))


@pytest.mark.parametrize("seed", range(2))
def test_a_law_that_ends_is_no_limit_and_false_readings_hide_one(seed):
    assert not said(*drawn(seed, 400, uniform=True))
    assert not said(*drawn(seed, 400, 7.5, rate=1.0))


def test_blocks_do_not_matter():
    given = drawn(0, 300, 7.5)
    found = fit(passes(*given))
    assert_allclose(*(expected_beyond(passes(*given, blocks), found) for blocks in (1, 4)), rtol=1e-9)
