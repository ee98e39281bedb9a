"""The sums of a stream are those of a pass."""

from dataclasses import replace

import numpy as np
import pytest
from numpy.testing import assert_allclose

from tests.adaptive.cases import TRACKS, draw, model_of
from vieta.adaptive import stream_scoring, stream_state
from vieta.adaptive.set_model import by_set, expect
from vieta.adaptive.set_sums import set_scores, set_sums
from vieta.adaptive.sieve import UnitLaw, begun
from vieta.adaptive.stream_start import OWN
from vieta.sums import in_memory

LAWS = [UnitLaw(), begun(UnitLaw(), 0.25), UnitLaw(name="laplace")]


def blank(drawn, model):
    state = stream_state.with_model(stream_state.init(drawn.data.part(0, 0)), model)
    usual = np.append(model.detection, model.rate)
    return replace(state, running=1, false=np.zeros_like(state.clutter_heights), recent=usual, usual=usual)


@pytest.mark.parametrize("law", LAWS, ids=["normal", "sieve", "laplace"])
@pytest.mark.parametrize("tracks", [False, True])
def test_sums_are_those_of_a_pass(law, tracks):
    drawn = draw(60, 3, theta=TRACKS, tracks=True) if tracks else draw(60, 3)
    model = model_of(drawn, sd=0.6, seen=0.6, law=law)
    if tracks:
        model = replace(model, shape=np.array([[1.1, 0.3], [0.3, 0.9]]))
    state, slope, scores = stream_scoring.summed(blank(drawn, model), drawn.data)
    sums = set_sums(in_memory(drawn.data), model, OWN)
    assert_allclose(scores, set_scores(drawn.data, model, expect(drawn.data, model), OWN), rtol=1e-6, atol=5e-4)
    got = {
        "slope": slope,
        "products": state.information,
        "seen": state.seen,
        "residuals": state.histogram,
        "moments": state.moments,
        "clutter": state.false.T,
        "gram": state.gram,
    }
    for name, value in got.items():
        assert_allclose(value, getattr(sums, name), rtol=1e-4, atol=1e-3, err_msg=name)  # pairs far apart are left out
    assert state.weight == len(drawn.data)


def test_what_was_seen_of_late_is_weighed_as_if_its_probability_were_the_models():
    drawn = draw(1, 8)
    model, other = model_of(drawn, seen=0.7), np.array([0.2, 0.4, 0.9])
    state = replace(blank(drawn, model), recent=np.append(other, 5.0))
    after, _, _ = stream_scoring.summed(state, drawn.data)
    for l in range(3):
        alone = replace(model, detection=np.where(np.arange(3) == l, other, model.detection))
        w = by_set(expect(drawn.data, alone).pairs, drawn.data.flat[1])[0, l]
        assert_allclose(after.recent[l], other[l] + stream_scoring.LATELY * (w - other[l]), rtol=1e-6)
    false = expect(drawn.data, model).false.sum()
    assert_allclose(after.recent[3], 5.0 + stream_scoring.LATELY * (false - 5.0), rtol=1e-6)


def test_empty_sets_say_that_all_were_missed():
    drawn = draw(5, 1)
    data = drawn.data.part(0, 0)
    empty = replace(data, inputs=np.ones(4), offsets=np.zeros(5, dtype=np.int64), size=3)
    state, slope, _ = stream_scoring.summed(blank(drawn, model_of(drawn, seen=0.7, rate=1.0)), empty)
    assert_allclose(slope, [0.0] * 6 + [-2.8] * 3 + [-4.0])
    assert_allclose(state.seen, 0.0)
