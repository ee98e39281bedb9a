"""What a filter keeps of its past: sums that give the estimate of any stretch, and tests on them."""

from dataclasses import replace

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from tests.coefficients.cases import shuffle
from tests.weighted.cases import errors, follow, solved
from vieta.errors import InputError
from vieta.weighted import block_kernel, record

THETA = np.array([-2.0, 1.0, 4.0])


def sets_of(seed, n, jump=0.0, at=0, shock=0.0, rho=0.0, sd=0.5):
    """Sets and inputs of three numbers; one jumps by so many standard deviations, noise is shared or lasting."""
    rng = np.random.default_rng(seed)
    psi, v = rng.normal(size=n) + 1.0 * (rho > 0), rng.normal(size=(n, 3))
    for k in range(1, n if rho else 0):
        v[k] = rho * v[k - 1] + np.sqrt(1 - rho**2) * v[k]
    v = np.sqrt(1 - shock) * v + np.sqrt(shock) * rng.normal(size=(n, 1))
    theta = np.repeat(THETA[None], n, axis=0)
    theta[at:, 1] += jump * sd
    return shuffle(psi[:, None] * theta + sd * v, rng), psi


@pytest.mark.parametrize("seed", range(3))
def test_blocks_add_up_to_the_filter_and_their_ends_to_a_fit_of_the_latest_sets(seed):
    sets, psi = sets_of(seed, 128 + 16 * 256)
    f = follow(sets, psi)
    kept, sd = f.state.record, errors(f.estimate())
    whole = record.block_sums(kept)
    assert whole.n_sets == len(sets)
    assert np.all(abs(whole.theta - f.state.theta) < 0.1 * sd)
    assert_allclose(whole.information, f.state.information, rtol=1e-9)
    assert_allclose(whole.meat, f.state.meat, rtol=1e-9)
    first = kept.n_blocks - 6
    late = record.block_sums(record.since(kept, first))
    assert late.n_sets < len(sets)
    assert_allclose(late.theta, record.block_sums(kept, first).theta)
    best = solved(sets[-int(late.n_sets) :], psi[-int(late.n_sets) :])
    assert np.all(abs(np.sort(late.theta, axis=0) - best.theta) < errors(best))


@pytest.mark.parametrize("seed", range(3))
def test_a_small_change_is_found_where_it_is(seed):
    kept = follow(*sets_of(seed, 8000, jump=0.4, at=6000), memory=1e9).state.record  # a filter that does not restart
    found = record.find_split(kept, record.SELDOM)
    assert found is not None
    before = kept.sizes[: found.likeliest, 0].sum()
    assert abs(before - 6000) <= 512
    assert found.last >= found.likeliest
    left, times = record.homogeneous(kept)
    assert times[0] == before
    assert record.find_split(left, record.AGAIN) is None
    assert record.suspicion(kept, 0.1) < record.SELDOM
    calm = follow(*sets_of(seed, 8000), memory=1e9).state.record
    assert record.find_split(calm, record.SELDOM) is None
    assert record.homogeneous(calm) == (calm, [])
    assert record.suspicion(calm, 0.1) > 1e-4
    assert record.find_split(calm, 1.0) is not None


def test_a_change_that_is_too_late_does_not_count_where_a_share_is_asked_for():
    kept = follow(*sets_of(0, 8000, jump=0.4, at=6000), memory=1e9).state.record
    assert not record.comparisons(kept, 0.5)[record.sets_from(kept) < 4000.0].any()
    assert record.comparisons(kept, 0.5).max() < record.comparisons(kept).max()


@pytest.mark.parametrize("seed", range(3))
def test_memory_gives_the_factor_of_the_variances(seed):
    kept = follow(*sets_of(seed, 12_000, rho=0.7))
    found = record.memory(kept.state.record, kept.state.information)
    assert found.z > 6.0
    # psi = 1 + normal: scores are psi v, so that lagged products have half the correlation of v
    expected = 1.0 + 0.5 * (1.7 / 0.3 - 1.0)
    assert np.all(found.factors > 0.5 * expected)
    assert np.all(found.factors < 2.0 * expected)
    calm = follow(*sets_of(seed, 12_000)).state
    assert abs(record.memory(calm.record, calm.information).z) < 5.0
    assert record.largest_factor(calm.record) < 2.0


@pytest.mark.parametrize("seed", range(3))
def test_noise_that_is_shared_is_found(seed):
    shared = follow(*sets_of(seed, 8000, shock=0.3), shock="none").state.record
    assert record.dependence(shared) > 8.0
    assert record.misfit(shared) < 0.75
    alone = follow(*sets_of(seed, 8000)).state.record
    assert abs(record.dependence(alone)) < 5.0
    assert abs(record.misfit(alone) - 1.0) < 0.1


def test_what_constant_inputs_cannot_tell_is_zero():
    sets, _ = sets_of(0, 3000)
    assert record.dependence(follow(sets).state.record) == pytest.approx(0.0, abs=5.0)
    assert record.dependence(follow(sets[:, :1]).state.record) == 0.0  # one system


def test_levels_of_tests_are_chi_square_quantiles():
    from scipy.special import chdtrc

    often, one, seldom, one_seldom = record.limits(3)
    assert_allclose([chdtrc(3, often), 3 * chdtrc(1, one)], record.OFTEN, rtol=1e-6)
    assert_allclose([chdtrc(3, seldom), 3 * chdtrc(1, one_seldom)], record.SELDOM, rtol=1e-6)


def test_its_size_is_bounded_for_any_number_of_unknowns():
    for L, D in ((1, 1), (3, 1), (5, 3), (16, 8), (64, 8)):
        kept = record.blank(L, D)
        assert record.FEWEST_BLOCKS <= len(kept.blocks) <= record.MOST_BLOCKS
        assert sum(getattr(kept, name).nbytes for name in record.Record.__slots__) < 60e6


def test_a_copy_shares_blocks_only_while_none_ends():
    kept = follow(*sets_of(0, 128 + 300)).state.record
    assert kept.tally[0] == 256 - 256 + 64 * (300 // 64 - 4)
    few, many = record.copied(kept, 10), record.copied(kept, block_kernel.BLOCK)
    assert few.blocks is kept.blocks
    assert many.blocks is not kept.blocks
    few.current[:] = 1.0
    assert not np.array_equal(few.current, kept.current)


@pytest.mark.parametrize(
    ("name", "at", "value"),
    [
        ("tally", 0, 300.0), ("tally", 0, 0.5), ("tally", 1, -1.0), ("tally", 4, -1.0), ("tally", 4, 1e300), ("tally", 5, 64.0),
        ("tally", 5, -1.0), ("sizes", (0, 0), -1.0), ("blocks", (0, 0, 0), -1e9), ("contrasts", (0, 0, 0), -1e9),
    ],
)  # fmt: skip
def test_a_record_that_no_stream_leaves_is_refused(name, at, value):
    kept = follow(*sets_of(0, 1000)).state.record
    record.check(kept)
    wrong = getattr(kept, name).copy()
    wrong[at] = value
    with pytest.raises(InputError):
        record.check(replace(kept, **{name: wrong}))


def test_going_on_from_elsewhere_changes_only_where_it_stands():
    kept = follow(*sets_of(0, 1000)).state.record
    on = record.continued(kept, np.ones((3, 1)), 2.0 * np.eye(3))
    assert_array_equal(on.levels[block_kernel.ENTRY], np.ones(3))
    assert_array_equal(on.contrasts[-1], 2.0 * np.eye(3))
    assert_array_equal(on.contrasts[:-1], kept.contrasts[:-1])
    assert on.blocks is kept.blocks
