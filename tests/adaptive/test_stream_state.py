"""States of the filter of incomplete sets: what goes in comes out, and what no stream leaves is refused."""

from dataclasses import replace

import numpy as np
import pytest
from numpy.testing import assert_array_equal

from tests.adaptive.cases import draw, model_of
from tests.adaptive.test_stream_kernel import blank
from vieta.adaptive import stream_state
from vieta.adaptive.set_sums import Free
from vieta.adaptive.sieve import UnitLaw, begun
from vieta.adaptive.stream_state import as_numbers, check, dense, free_of, held, holding
from vieta.errors import InputError


@pytest.mark.parametrize(
    "law", [UnitLaw(), begun(UnitLaw(), 0.5), UnitLaw(name="logistic")], ids=["normal", "sieve", "name"]
)
def test_a_model_comes_out_as_it_went_in(law):
    drawn = draw(30, 1)
    model = model_of(drawn, law=law)
    again = stream_state.model_of(blank(drawn, model))
    u = np.linspace(-5.0, 5.0, 21)
    assert_array_equal(again.law.evaluate(u)[0], law.evaluate(u)[0])
    assert_array_equal(again.clutter.heights, model.clutter.heights)
    assert again.rate == model.rate


@pytest.mark.parametrize("free", [Free(), Free("own", "none", False), Free("common", "own", True)], ids=str)
def test_what_is_free_comes_out_as_it_went_in(free):
    drawn = draw(30, 1)
    assert free_of(replace(blank(drawn, model_of(drawn)), free=as_numbers(free))) == free


def test_sets_are_held_as_they_are():
    data = draw(20, 2).data
    state = holding(stream_state.init(data.part(0, 0)), data)
    again = held(state, data.part(0, 0))
    assert_array_equal(again.readings, data.readings)
    assert_array_equal(again.offsets, data.offsets)
    assert dense(again) is again
    full = draw(20, 2, seen=1.0, rate=0.0).data
    assert dense(held(holding(state, full), full.part(0, 0))).is_complete


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        ({"running": 2}, "flags"),
        ({"sd": np.zeros(3)}, "noise is not positive"),
        ({"detection": np.full(3, 1.5)}, "probabilities"),
        ({"rate": 0.0}, "rates"),
        ({"law": 99}, "law is not known"),
        ({"law": 1}, "width"),
        ({"free": np.array([0, 1, 1])}, "estimates"),
        ({"weight": 0.0}, "sums are negative"),
        ({"information": -np.eye(10)}, "information"),
        ({"held_sizes": np.array([3])}, "differ in number"),
        ({"changes": np.array([7])}, "times of its changes"),
        ({"count": 3}, "what is left of a block"),
    ],
)
def test_what_no_stream_leaves_is_refused(change, reason):
    drawn = draw(30, 1)
    right = replace(blank(drawn, model_of(drawn)), weight=1.0)
    check(right, 32)
    with pytest.raises(InputError, match=reason):
        check(replace(right, **change), 32)
