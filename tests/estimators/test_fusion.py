"""`vieta.merge`: against one filter over all sets, and what it refuses."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

import vieta
from vieta.estimators.fusion import merge


def stream(n, seed, theta=(-2.0, 5.0, 8.0)):
    return vieta.simulate(theta, n=n, seed=seed)


def following(records, **options):
    return vieta.SymmetricFilter(3, **options).partial_fit(records.sets, records.inputs)


def together(parts):
    return np.concatenate([one.sets for one in parts])


@pytest.mark.parametrize("seed", range(3))
def test_merged_filters_are_near_one_filter_over_all_sets(seed):
    parts = [stream(n, 10 * seed + i) for i, n in enumerate((7000, 100, 1900, 6000, 3))]
    sets = together(parts)
    whole = vieta.SymmetricFilter(3).partial_fit(sets).estimate()
    merged = merge([following(one) for one in parts])
    found = merged.estimate()
    assert merged.n_sets == found.n_sets == len(sets)
    assert np.all(abs(found.theta - whole.theta) < 0.15 * whole.stderr)
    assert_allclose(found.stderr, vieta.fit(sets, method="efficient").stderr, rtol=0.05)
    assert [one.code for one in found.findings] == [one.code for one in whole.findings]


def test_young_filters_give_what_one_filter_gives_to_the_last_bit():
    parts = [stream(n, n) for n in (90, 40, 700)]
    merged = merge([following(one) for one in parts]).estimate()
    assert_array_equal(merged.theta, vieta.SymmetricFilter(3).partial_fit(together(parts)).estimate().theta)


def test_a_merged_filter_goes_on_is_saved_and_leaves_the_others_alone(tmp_path):
    parts = [following(stream(3000, seed)) for seed in range(2)]
    before = [one.estimate().theta for one in parts]
    merged, later = merge(parts), stream(3000, 7)
    merged.save(tmp_path / "all.npz")
    again = vieta.SymmetricFilter.load(tmp_path / "all.npz")
    for one in (merged, again):
        one.partial_fit(later.sets, later.inputs)
    assert_array_equal(merged.estimate().theta, again.estimate().theta)
    assert merged.n_sets == 9000
    assert [one.code for one in merged.estimate().findings] == []
    for one, theta in zip(parts, before, strict=True):
        assert_array_equal(one.estimate().theta, theta)


@pytest.mark.parametrize("sizes", [(4000, 4000), (4000, 300), (300, 4000), (40, 4000)])
def test_other_systems_are_refused(sizes):
    one, other = stream(sizes[0], 0), stream(sizes[1], 1, (-2.0, 4.0, 8.0))
    with pytest.raises(vieta.VietaError, match="contradict each other") as error:
        merge([following(one), following(other)])
    assert error.value.code == "merge-contradiction"


def test_filters_that_have_seen_nothing_change_nothing():
    one = following(stream(3000, 0))
    merged = merge([vieta.SymmetricFilter(3), one])
    assert_allclose(merged.estimate().theta, one.estimate().theta, rtol=1e-12)
    assert merge([vieta.SymmetricFilter(3)]).n_sets == 0


def test_memory_is_no_obstacle():
    parts = [following(stream(5000, seed), memory=2000.0) for seed in range(2)]
    alone, both = (one.estimate() for one in (parts[0], merge(parts)))
    assert_allclose(both.stderr, alone.stderr / np.sqrt(2.0), rtol=0.15)


@pytest.mark.parametrize(
    ("filters", "code"),
    [
        ([], "merge-nothing"),
        ([3], "merge-kind"),
        ([vieta.SymmetricFilter(3), vieta.SymmetricFilter(4)], "merge-options"),
        ([vieta.SymmetricFilter(3), vieta.SymmetricFilter(3, memory=500.0)], "merge-options"),
        ([vieta.SymmetricFilter(3), vieta.SymmetricFilter(3, method="rls")], "merge-options"),
    ],
)
def test_what_cannot_be_merged_is_refused(filters, code):
    with pytest.raises(vieta.VietaError) as error:
        merge(filters)
    assert error.value.code == code


def test_methods_that_cannot_merge_say_so():
    with pytest.raises(vieta.VietaError, match="cannot be merged") as error:
        merge([following(stream(300, seed), method="recursive-em") for seed in range(2)])
    assert error.value.code == "merge-unknown"


def test_shapes_and_names_must_agree():
    pandas = pytest.importorskip("pandas")
    one, other = (vieta.SymmetricFilter(2, 2) for _ in range(2))
    rng = np.random.default_rng(0)
    sets, psi = rng.standard_normal((200, 2)), rng.standard_normal((200, 2))
    one.partial_fit(sets, pandas.DataFrame(psi, columns=["a", "b"]))
    other.partial_fit(sets, pandas.DataFrame(psi, columns=["a", "c"]))
    with pytest.raises(vieta.VietaError, match="parameters a, c"):
        merge([one, other])
    planar = vieta.SymmetricFilter(2, 2).partial_fit(rng.standard_normal((50, 2, 2)))
    with pytest.raises(vieta.VietaError, match="readings of 2") as error:
        merge([one, planar])
    assert error.value.code == "merge-shapes"


@pytest.mark.parametrize("level", [0.0, 1.0, -1.0, float("nan")])
def test_levels_are_probabilities(level):
    with pytest.raises(vieta.VietaError, match="between 0 and 1"):
        merge([vieta.SymmetricFilter(3)], level=level)
