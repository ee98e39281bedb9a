"""What the filter of incomplete sets says."""

from dataclasses import replace

import numpy as np
import pytest

import vieta
from tests.adaptive.cases import draw, model_of
from tests.adaptive.test_stream_kernel import blank
from vieta.adaptive.stream_findings import of_stream
from vieta.adaptive.stream_scoring import Settings


def codes(found):
    return {one.code for one in found}


@pytest.mark.parametrize("seed", [0, 1, 2])
def test_a_system_that_is_not_seen_any_more_is_named_and_others_are_not(seed):
    drawn = draw(1400, seed, sd=1.0, rate=2.0)
    f = vieta.SymmetricFilter(3, method="adaptive")
    for at in range(0, 1400, 200):
        f.partial_fit(drawn.sets[at : at + 200], drawn.inputs[at : at + 200])
        assert "system-not-seen" not in codes(f.estimate().findings)
    gone = draw(600, seed + 50, sd=1.0, rate=2.0, seen=np.array([0.7, 0.0, 0.7]))
    found = f.partial_fit(gone.sets, gone.inputs).estimate().findings
    assert [one.facts["systems"] for one in found if one.code == "system-not-seen"] == ["2"]


def test_unsafe_starts_changes_and_systems_that_coincide_are_reported():
    drawn = draw(30, 1)
    state = replace(blank(drawn, model_of(drawn)), safe=0, changes=np.array([100]))
    assert codes(of_stream(Settings(), state, np.eye(3))) >= {"unsafe-start", "parameters-changed"}
    near = replace(state, theta=np.array([[1.0], [1.1], [5.0]]))
    assert codes(of_stream(Settings(), near, np.eye(3))) >= {"not-separated"}
    assert of_stream(Settings(), replace(state, safe=1, changes=state.changes[:0]), 1e-4 * np.eye(3)) == ()
