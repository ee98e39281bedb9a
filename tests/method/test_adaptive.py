"""`adaptive`: incomplete sets from the front door."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

import vieta
from tests.adaptive.cases import draw
from vieta.errors import IncompleteSetsError, InputError
from vieta.method import registry


def padded(sets):
    most = max(len(one) for one in sets)
    return np.array([np.append(np.ravel(one), np.full(most - len(one), np.nan)) for one in sets])


def test_lists_and_arrays_with_gaps_are_the_same():
    drawn = draw(300, 0)
    listed = vieta.fit([one.ravel() for one in drawn.sets], drawn.inputs, n_systems=3)
    array = vieta.fit(padded(drawn.sets), drawn.inputs, n_systems=3)
    assert listed.method == array.method == "adaptive"
    assert_array_equal(listed.theta, array.theta)
    assert_array_equal(listed.cov, array.cov)
    assert listed.clutter_rate == array.clutter_rate > 0.5
    assert_allclose(listed.detection, 0.7, atol=0.1)
    assert "seen with probability" in listed.summary()


def test_the_order_within_sets_is_irrelevant():
    drawn = draw(300, 1)
    rng = np.random.default_rng(0)
    one, other = (
        vieta.fit(sets, drawn.inputs, n_systems=3) for sets in (drawn.sets, [rng.permutation(s) for s in drawn.sets])
    )
    assert_array_equal(one.theta, other.theta)


def test_columns_are_the_systems_of_an_array_with_gaps():
    rng = np.random.default_rng(0)
    sets = rng.normal([0.0, 4.0], 0.3, size=(200, 2))
    assert vieta.fit(sets[:199]).method == registry.default() == "efficient"
    sets[3, 0] = np.nan
    sets[7] = np.nan
    estimate = vieta.fit(sets)
    assert estimate.method == registry.default(incomplete=True) == "adaptive"
    assert_allclose(estimate.theta.ravel(), [0.0, 4.0], atol=0.15)
    assert vieta.fit(sets, n_systems=2).theta.shape == (2, 1)


def test_options_that_only_it_has_choose_it():
    sets = np.random.default_rng(0).normal([0.0, 4.0], 0.3, size=(200, 2))
    assert vieta.fit(sets, misses=True).method == "adaptive"


def test_blocks_of_a_stream_give_the_estimate_of_all_sets():
    from vieta.estimators import fit_passes

    drawn = draw(300, 2)
    whole = vieta.fit(drawn.sets, drawn.inputs, n_systems=3)
    cut = fit_passes(drawn.passes(4), method="adaptive")
    assert_allclose(cut.theta, whole.theta, rtol=1e-7)


@pytest.mark.parametrize(
    ("sets", "inputs", "options", "code"),
    [
        ([[1.0] * 65, [1.0]], None, {"n_systems": 2}, "set-too-large"),
        (np.full((4, 2), np.nan), None, {}, "no-readings"),
        ([[], [], []], None, {"n_systems": 2}, "no-sets"),
        ([[1.0, 2.0], [1.0]], None, {"n_systems": 9}, "systems-above-sizes"),
        ([[[1.0, np.nan], [1.0, 2.0]], [[1.0, 2.0]]], None, {"n_systems": 2}, "nan-in-vector"),
        ([[1.0, np.inf], [1.0]], None, {"n_systems": 2}, "reading-of-set"),
        ([[1.0, 2.0], [], [1.0]], [1.0, 2.0], {"n_systems": 2}, "inputs-count"),
        ([[1.0, 2.0], [], [1.0]], [1.0, np.nan, 2.0], {"n_systems": 2}, "unknown-input"),
        ([[1.0, 2.0], [1.0]], None, {"n_systems": 2, "misses": False}, "misses-needed"),
        ([[1.0, 2.0, 3.0], [1.0]], None, {"n_systems": 2, "clutter": False}, "clutter-needed"),
        ([[1.0, 2.0], [1.0]], None, {"n_systems": 2, "clutter": "some"}, "decision-type"),
        ([[1.0] * 61] * 3 + [[1.0]], None, {"n_systems": 61}, "systems-above-limit"),
    ],
)
def test_bad_input_is_refused_in_words(sets, inputs, options, code):
    with pytest.raises(InputError) as caught:
        vieta.fit(sets, inputs, **options)
    assert caught.value.code == code
    assert len(str(caught.value)) > 40


def test_other_methods_still_refuse_incomplete_sets():
    with pytest.raises(IncompleteSetsError):
        vieta.fit([[1.0, 2.0], [1.0]], n_systems=2, method="efficient")


def test_an_empty_set_is_data():
    drawn = draw(300, 3, rate=0.0)
    assert any(len(one) == 0 for one in drawn.sets)
    without = [one for one in drawn.sets if len(one)]
    kept = np.array([len(one) > 0 for one in drawn.sets])
    p, q = (
        vieta.fit(s, x, n_systems=3).detection[0]
        for s, x in ((drawn.sets, drawn.inputs), (without, drawn.inputs[kept]))
    )
    assert p < q
