"""Pairs in the plane: each reading once, with the nearest system, and systems where they are."""

import json
from dataclasses import replace

import numpy as np
import pytest

import vieta
from tests.page.test_answer_picture import answer_of
from vieta.page.answer_picture import pictured
from vieta.page.plane_picture import plane_of
from vieta.sets import as_data

PLACES = np.array([[0.0, 0.0], [4.0, 1.0], [1.0, 5.0]])


def drawn(places=PLACES, n=50, seed=0, scale=None):
    rng = np.random.default_rng(seed)
    by = np.ones(n) if scale is None else scale
    sets = by[:, None, None] * places + 0.2 * rng.normal(size=(n, *places.shape))
    return rng.permuted(sets, axis=1) if places.shape[1] == 1 else np.array([rng.permutation(one) for one in sets])


def test_each_reading_is_shown_once_with_the_system_that_it_is_nearest_to():
    sets = drawn()
    estimate = vieta.fit(sets)
    panel = plane_of(as_data(sets, None), estimate, ["north", "east"])
    at, values = np.array(panel["at"]), np.array(panel["readings"], dtype=float)
    assert np.all(np.isfinite(values).sum(axis=0) == 1)
    assert np.all(np.diff(at) >= 0)
    shown = np.column_stack([at, np.nansum(values, axis=0)])
    np.testing.assert_allclose(
        shown[np.lexsort(shown.T)], sets.reshape(-1, 2)[np.lexsort(sets.reshape(-1, 2).T)], rtol=1e-9
    )
    nearest = np.argmin(np.linalg.norm(shown[:, None] - estimate.theta, axis=2), axis=1)
    assert np.all(np.isfinite(values)[nearest, np.arange(len(at))])
    assert not np.all(np.isfinite(values)[(nearest + 1) % 3, np.arange(len(at))])
    assert (panel["label"], panel["value"]) == ("north", "east")


@pytest.mark.parametrize("varies", [False, True])
def test_systems_are_where_they_are_at_each_input(varies):
    scale = np.tile([1.0, 2.0], 25) if varies else None
    sets = drawn(scale=scale)
    estimate = vieta.fit(sets, scale)
    panel = plane_of(as_data(sets, scale), estimate, ["a", "b"])
    found = np.column_stack([panel["grid"], np.nansum(np.array(panel["lines"], dtype=float), axis=0)])
    expected = [by * row for row in estimate.theta for by in ((1.0, 2.0) if varies else (1.0,))]
    np.testing.assert_allclose(found, expected, rtol=1e-9)


def test_another_solution_false_readings_and_more_numbers_are_shown():
    places = np.column_stack([PLACES, [1.0, 2.0, 3.0]])
    sets = list(drawn(places))
    sets[7] = np.vstack([sets[7], [40.0, 40.0, 40.0]])
    estimate = vieta.fit(sets, n_systems=3)
    panel = plane_of(as_data(sets, None, 3), estimate, ["a", "b", "c"], estimate.theta[::-1])
    assert [value for column in panel["false"] for value in column if value is not None] == [40.0]
    assert panel["note"] == "Of 3 numbers, the first two are shown."
    assert len(panel["lines"]) == len(panel["rival"]) == 3
    own, other = ([v for column in panel[key] for v in column if v is not None] for key in ("lines", "rival"))
    np.testing.assert_allclose(own[::-1], other)


def test_an_answer_about_pairs_has_that_picture():
    answer = replace(answer_of(drawn()), settings={"values": ["north", "east"]})
    found = pictured(answer)
    (panel,) = found["panels"]
    assert (panel["label"], panel["value"]) == ("north", "east")
    assert json.dumps(found, allow_nan=False)
