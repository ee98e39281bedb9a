"""What the filter of incomplete sets says."""

from dataclasses import replace

import numpy as np
import pytest

from tests.adaptive.cases import draw, model_of
from tests.adaptive.test_stream_kernel import blank
from vieta.adaptive.stream_findings import of_lost_systems, of_stream
from vieta.adaptive.stream_scoring import Settings, summed


def codes(found):
    return {one.code for one in found}


@pytest.mark.parametrize("seed", [0, 1, 2])
def test_a_system_that_is_not_seen_any_more_is_named_and_others_are_not(seed):
    drawn = draw(1500, seed, sd=1.0, rate=2.0)
    state = blank(drawn, model_of(drawn, sd=1.0, rate=2.0))
    for at in range(0, 1500, 100):
        state, _ = summed(state, drawn.data.part(at, at + 100))
        assert of_lost_systems(state) == ()
    gone = draw(1000, seed, sd=1.0, rate=2.0, seen=np.array([0.7, 0.0, 0.7]))
    state, _ = summed(state, gone.data)
    (found,) = of_lost_systems(state)
    assert found.facts["systems"] == "2"


def test_unsafe_starts_changes_and_systems_that_coincide_are_reported():
    drawn = draw(30, 1)
    state = replace(blank(drawn, model_of(drawn)), safe=0, changes=np.array([100]))
    assert codes(of_stream(Settings(), state, np.eye(3))) >= {"unsafe-start", "parameters-changed"}
    near = replace(state, theta=np.array([[1.0], [1.1], [5.0]]))
    assert codes(of_stream(Settings(), near, np.eye(3))) >= {"not-separated"}
    assert of_stream(Settings(), replace(state, safe=1, changes=state.changes[:0]), 1e-4 * np.eye(3)) == ()
