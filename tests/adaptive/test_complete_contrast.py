"""The contrast with the complete sets: its level where one estimate uses more than the other, and sets that differ by their size."""

from dataclasses import replace

import numpy as np
import pytest

from tests.adaptive.cases import draw
from vieta.adaptive.adaptive_fit import fit
from vieta.adaptive.complete_contrast import LEVEL, against_complete, complete_sets, contrast, of_complete_sets


@pytest.mark.parametrize("seed", [0, 1])
def test_level(seed):
    """The mean of 300 numbers against that of the first 100: nested estimates of known covariance."""
    rng = np.random.default_rng(seed)
    draws = rng.normal(size=(2000, 300, 2))
    all_, some = draws.mean(axis=1), draws[:, :100].mean(axis=1)
    p = [contrast(a[:, None], np.eye(2) / 300, b[:, None], np.eye(2) / 100).p_value for a, b in zip(all_, some)]
    assert abs(np.mean(np.array(p) < 0.05) - 0.05) < 4.0 * np.sqrt(0.05 * 0.95 / 2000)


def test_complete_sets_are_those_of_full_size():
    drawn = draw(300, 0, rate=0.0)
    data = complete_sets(drawn.passes(3), 3)
    sets = np.concatenate([block.sets for block in data.blocks()])
    expected = [np.sort(one.ravel()) for one in drawn.sets if len(one) == 3]
    assert np.array_equal(sets[:, :, 0], expected)


@pytest.mark.parametrize("seed", [0, 1])
def test_agreement_and_disagreement(seed):
    drawn = draw(1000, seed, rate=0.0)
    told = against_complete(drawn.passes(), fit(drawn.passes()))
    assert told is not None
    assert told.p_value > LEVEL
    other = [one if len(one) == 3 else 0.9 * one for one in drawn.sets]  # incomplete sets come from smaller systems
    spoiled = replace(drawn, sets=other).passes()
    [finding] = of_complete_sets(spoiled, fit(spoiled))
    assert finding.code == "complete-sets-disagree"


def test_nothing_is_compared_with_clutter_or_few_complete_sets():
    for drawn in (draw(500, 0), draw(100, 0, rate=0.0)):
        assert against_complete(drawn.passes(), fit(drawn.passes())) is None
