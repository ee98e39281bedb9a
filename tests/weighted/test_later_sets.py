"""What a filter keeps of its later sets: a sample that spans them, sums that show errors of an input, and when to search again."""

from dataclasses import fields, replace

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

import vieta
from studies.basins.cells import CELLS, off
from studies.violations.rows import Row
from vieta.errors import InputError
from vieta.sets import as_data
from vieta.sums import in_memory
from vieta.weighted.later_sets import BLOCK, MOST, absorbed, again, anew, at_look, begun, blank, check, leads_elsewhere
from vieta.weighted.noise_pairs import noise_pairs
from vieta.weighted.tracker import Settings, advance, init

THETA, VARIANCES = np.array([[0.0, 1.0], [2.0, -0.5], [4.0, 3.0]]), np.full(3, 0.25)


def draw(n, seed=0, inputs=None):
    rng = np.random.default_rng(seed)
    x = rng.uniform(-1.0, 1.0, n) if inputs is None else inputs
    rows = np.column_stack([np.ones(n), x])
    return as_data(rng.permuted(rows @ THETA.T + 0.5 * rng.standard_normal((n, 3)), axis=1), rows)


def taken(later, data, pairs=True):
    at = 0
    while at < len(data):
        size = min(later.room, len(data) - at)
        later = absorbed(later, data.part(at, at + size), pairs=pairs)
        at += size
    return later


@pytest.mark.parametrize("blocks", [1, 2, 3, 9])
def test_the_sample_is_every_so_many_sets_from_the_first_on(blocks):
    n = 2048 + blocks * BLOCK
    data = draw(n)
    later = taken(begun(data.part(0, 2048), THETA, VARIANCES), data.part(2048, n), pairs=False)
    assert later.n_sets == n
    assert MOST // 2 <= len(later.sample) < MOST
    assert_array_equal(later.sample.sets, data.sets[:: later.stride])
    assert_array_equal(later.sample.inputs, data.inputs[:: later.stride])
    check(later, THETA)


def test_sums_from_look_to_look_tell_what_all_sets_tell_at_once():
    data = draw(2048 + 4 * BLOCK)
    later = begun(data.part(0, 2048), THETA, VARIANCES)
    for at in range(2048, len(data), BLOCK):
        later = at_look(taken(later, data.part(at, at + BLOCK)), THETA)
    at_once = noise_pairs(in_memory(data.part(2048, len(data))), 4 * BLOCK, THETA, VARIANCES)
    errors = np.sqrt(np.diag(at_once.cov))
    assert_allclose(later.value / errors, at_once.value / errors, atol=0.3)  # other sets serve for derivatives
    assert_allclose(later.slope / at_once.slope.max(), at_once.slope / at_once.slope.max(), atol=0.05)
    assert_allclose(later.cov / np.outer(errors, errors), at_once.cov / np.outer(errors, errors), atol=0.1)
    assert not at_look(later, THETA).information.any()  # a look without sets in between adds nothing
    assert_array_equal(at_look(later, THETA).value, later.value)


@pytest.mark.parametrize("seed", range(3))
def test_small_errors_of_an_input_are_found_in_a_long_stream_and_only_these(seed):
    for violation, expected in (("input errors of 0.1 sd", ["input-errors"]), ("sds .4, 1, 1.6", []), ("none", [])):
        records = Row(violation, "1, x", 60_000).draw(seed)
        found = vieta.SymmetricFilter(3, 2).partial_fit(records.sets, records.inputs).estimate()
        assert [one.code for one in found.findings if one.severity != "note"] == expected


@pytest.mark.parametrize(
    ("inputs", "expected"),
    [
        (lambda n, rng: np.arange(n) / n, True),
        (lambda n, rng: np.where(np.arange(n) < 2048, 0.1, 1.0) * rng.standard_normal(n), True),
        (lambda n, rng: rng.standard_normal(n), False),
        (lambda n, rng: rng.integers(0, 3, n).astype(float), False),
        (lambda n, rng: np.cos(2.0 * np.pi * np.arange(n) / 365.25), False),
    ],
)
def test_inputs_lead_elsewhere_where_they_go_on_in_another_way_than_they_began(inputs, expected):
    for seed, n in ((0, 2048 + 2 * BLOCK), (1, 2048 + 5 * BLOCK)):
        data = draw(n, seed, inputs(n, np.random.default_rng(seed)))
        later = taken(begun(data.part(0, 2048), THETA, VARIANCES), data.part(2048, n), pairs=False)
        assert leads_elsewhere(later) is expected
        assert not leads_elsewhere(again(later, THETA))


def test_pairs_are_not_judged_by_parameters_from_other_inputs():
    n = 2048 + BLOCK
    data = draw(n, 0, np.arange(n) / n)
    later = taken(begun(data.part(0, 2048), THETA, VARIANCES), data.part(2048, n))
    assert later.information.any()
    assert not at_look(later, THETA).cov.any()


def test_a_filter_of_a_trend_does_not_stay_where_its_first_sets_led_it():
    cell = next(one for one in CELLS if one.name == "1, t, t²; L=5; sd 1; N=5000")
    records = cell.drawn(np.random.default_rng(0))  # of which the first fifth looks like other curves
    found = vieta.SymmetricFilter(5, 3).partial_fit(records.sets, records.inputs)
    assert off(found.estimate().theta, records) < 0.5
    assert not found.changes


def test_a_stream_may_be_cut_anywhere():
    data = draw(9000)
    whole = advance(Settings(), init(data.part(0, 0)), data)
    state = init(data.part(0, 0))
    for start, stop in ((0, 700), (700, 2049), (2049, 2050), (2050, 6143), (6143, 6145), (6145, 9000)):
        state = advance(Settings(), state, data.part(start, stop))
    assert state.later.stride == 4
    for one in fields(state.later):
        assert_array_equal(getattr(state.later, one.name), getattr(whole.later, one.name))


def test_after_a_change_a_sample_begins_anew():
    data = draw(2048 + BLOCK)
    later = taken(begun(data.part(0, 2048), THETA, VARIANCES), data.part(2048, len(data)))
    new = anew(later, THETA + 1.0)
    assert (new.stride, new.n_sets, len(new.sample)) == (1, 0, 0)
    assert not new.is_due
    full = taken(new, data.part(0, BLOCK))
    assert full.is_due
    assert not leads_elsewhere(at_look(full, THETA))
    assert not anew(blank(data.part(0, 0)), THETA).stride  # none where there was none


@pytest.mark.parametrize(
    "change",
    [{"stride": 3}, {"stride": -1}, {"n_sets": 5000}, {"looked": 9999}, {"variances": np.zeros(3)}, {"searched": -1}],
)
def test_what_no_stream_leaves_is_refused(change):
    later = begun(draw(2048), THETA, VARIANCES)
    with pytest.raises(InputError):
        check(replace(later, **change), THETA)
    with pytest.raises(InputError, match="has a sample"):
        check(replace(later, stride=0), THETA)
