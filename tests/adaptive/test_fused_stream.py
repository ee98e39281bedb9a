"""Merged filters of incomplete sets: against one filter over all sets, against the formula, and what is refused."""

from dataclasses import fields, replace

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

import vieta
from vieta.adaptive import fused_stream
from vieta.adaptive.clutter_density import ClutterDensity
from vieta.adaptive.fused_stream import permuted, rebinned

TRUE = np.array([-2.0, 5.0, 8.0])
N = 2560  # sets: more than a filter holds, and a multiple of its blocks


def stream(n, seed, theta=TRUE, sd=0.5, seen=0.9, clutter=0.5):
    rng = np.random.default_rng(seed)
    psi, sets = rng.uniform(0.5, 1.5, n), []
    for x in psi:
        y = theta * x + sd * rng.standard_normal(len(theta))
        y = y[rng.random(len(theta)) < seen]
        sets.append(rng.permutation(np.concatenate([y, rng.uniform(-6.0, 15.0, rng.poisson(clutter))])))
    return sets, psi


def following(sets, psi, **options):
    return vieta.SymmetricFilter(3, method="adaptive", **options).partial_fit(sets, psi)


STREAMS = [stream(N, 0), stream(N + 40, 1), stream(N, 2, sd=1.0, seen=0.7, clutter=1.0), stream(300, 3)]


@pytest.fixture(scope="module")
def filters():
    return [following(*one) for one in STREAMS]


def test_streams_alike_give_about_what_one_filter_over_all_sets_gives(filters):
    parts = [STREAMS[i] for i in (0, 1, 3)]
    whole = following([y for sets, _ in parts for y in sets], np.concatenate([psi for _, psi in parts])).estimate()
    merged = vieta.merge([filters[i] for i in (0, 1, 3)])
    found = merged.estimate()
    assert merged.n_sets == found.n_sets == 2 * N + 340
    assert np.all(abs(found.theta - whole.theta) < 0.3 * whole.stderr)
    assert_allclose(found.stderr, whole.stderr, rtol=0.07)
    assert_allclose(found.noise_sd, whole.noise_sd, rtol=0.03)
    assert_allclose(found.detection, whole.detection, atol=0.01)
    assert_allclose(found.clutter_rate, whole.clutter_rate, rtol=0.03)
    assert [one.code for one in found.findings] == [one.code for one in whole.findings] == []


def test_each_filter_counts_by_its_own_information_and_nuisances_by_theirs(filters):
    members = [filters[0], filters[2]]
    one, two = (each.estimate() for each in members)
    found = vieta.merge(members).estimate()
    weights = [np.linalg.inv(each.cov) for each in (one, two)]
    cov = np.linalg.inv(weights[0] + weights[1])
    expected = cov @ (weights[0] @ one.theta.ravel() + weights[1] @ two.theta.ravel())
    assert_allclose(found.theta.ravel(), expected, rtol=1e-8)
    assert_allclose(found.cov, cov, rtol=1e-6, atol=1e-9)
    assert_allclose(found.detection, (one.detection + two.detection) / 2, rtol=1e-9)  # as many sets in both
    assert_allclose(found.clutter_rate, (one.clutter_rate + two.clutter_rate) / 2, rtol=1e-9)
    assert np.all((one.noise_sd < found.noise_sd) & (found.noise_sd < two.noise_sd))
    plain = (one.theta + two.theta).ravel() / 2
    assert abs(found.theta.ravel() - plain).max() > 10 * abs(found.theta.ravel() - expected).max()


def test_the_order_of_filters_and_of_their_rows_changes_nothing(filters):
    there, back = (vieta.merge([filters[i] for i in order]).estimate() for order in ((0, 1, 2), (2, 1, 0)))
    assert_allclose(
        there.theta, back.theta, atol=0.02 * there.stderr.max()
    )  # sets of blocks that are not complete come last
    engine, state, _ = filters[0]._now()
    _, other, _ = filters[2]._now()
    turned = permuted(other, np.array([2, 0, 1]))
    back = permuted(turned, np.array([1, 2, 0]))
    for field in fields(other):
        if field.name not in ("record", "examined"):
            assert_array_equal(getattr(back, field.name), getattr(other, field.name))
    one, two = (engine.estimate(engine.merged([state, each], 1e-4)) for each in (other, turned))
    assert_allclose(one.theta, two.theta, rtol=1e-10)
    assert_allclose(one.cov, two.cov, rtol=1e-8, atol=1e-12)


def test_young_filters_give_what_one_filter_gives_to_the_last_bit():
    parts = [stream(n, n) for n in (300, 40, 500)]
    merged = vieta.merge([following(*one) for one in parts]).estimate()
    whole = following([y for sets, _ in parts for y in sets], np.concatenate([psi for _, psi in parts])).estimate()
    assert_array_equal(merged.theta, whole.theta)
    assert_array_equal(merged.cov, whole.cov)


def test_a_merged_filter_goes_on_and_is_saved(filters, tmp_path):
    merged = vieta.merge([filters[1], filters[2]])
    merged.save(tmp_path / "all.npz")
    again = vieta.SymmetricFilter.load(tmp_path / "all.npz")
    later = stream(1500, 9)
    for one in (merged, again):
        one.partial_fit(*later)
    assert_array_equal(merged.estimate().theta, again.estimate().theta)
    assert merged.n_sets == 2 * N + 1540
    found = merged.estimate()
    assert np.all(abs(found.theta.ravel() - TRUE) < 5.0 * found.stderr.ravel())


@pytest.mark.parametrize("n", [N, 300])
def test_other_systems_are_refused(filters, n):
    other = following(*stream(n, 5, np.array([-2.0, 5.0, 8.5])))
    with pytest.raises(vieta.VietaError, match="filter 2 above all") as error:
        vieta.merge([filters[0], other])
    assert error.value.code == "merge-contradiction"


def test_what_cannot_be_merged_is_refused(filters):
    engine, state, _ = filters[0]._now()
    cases = {
        "merge-moving": replace(state, walk=np.full(3, 1e-6)),
        "merge-in-doubt": replace(state, doubted=1),
        "merge-not-started": replace(state, running=0),
    }
    for code, other in cases.items():
        with pytest.raises(vieta.VietaError, match="filter 2") as error:
            engine.merged([state, other], 1e-4)
        assert error.value.code == code
    near = replace(state, theta=np.array([[5.0], [5.001], [8.0]]))
    with pytest.raises(vieta.VietaError, match="too close") as error:
        engine.merged([replace(near, count=state.count + 128), near], 1e-4)
    assert error.value.code == "merge-ambiguous"


def test_a_stream_without_misses_still_tells_about_them(filters):
    engine, state, _ = filters[0]._now()
    m = len(state.information)
    sure = replace(state, free=np.array([state.free[0], 0, 0]), detection=np.full(3, 0.999), rate=0.001)
    added = np.diag(fused_stream._certain(sure, state.free))
    assert_allclose(added[m - 4 : m - 1], state.weight * 0.999 * 0.001)
    assert_allclose(added[-1], state.weight * 0.001)
    assert not added[: m - 4].any()
    assert not fused_stream._certain(state, state.free).any()
    found = engine.estimate(engine.merged([state, sure], 1e-4))
    assert_allclose(found.readings.detection, (state.detection + 0.999) / 2)


def test_counts_in_other_bins_are_as_many_and_where_they_were():
    rng = np.random.default_rng(0)
    old = ClutterDensity(np.array([-1.0, 0.0]), np.array([0.5, 0.1]), np.ones((2, 8)))
    new = ClutterDensity(np.array([-2.0, -0.3]), np.array([0.37, 0.13]), np.ones((2, 20)))
    counts = rng.uniform(0.0, 5.0, (2, 8))
    found = rebinned(counts, old, new)
    assert_allclose(found.sum(axis=1), counts.sum(axis=1))
    means = [
        (one * (d.low[:, None] + d.width[:, None] * (np.arange(one.shape[1]) + 0.5))).sum(axis=1)
        for one, d in ((counts, old), (found, new))
    ]
    assert_allclose(means[0], means[1], rtol=0.02, atol=0.02 * counts.sum())
    assert not np.allclose(found.mean(axis=1, keepdims=True), found)
    assert_allclose(rebinned(counts, old, old), counts)
