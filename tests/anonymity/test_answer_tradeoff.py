"""Flips of answers: what they buy falls to chance, what they cost is what a simulation with flips has."""

import numpy as np
import pytest
from numpy.testing import assert_allclose

from tests.answers.cases import data
from tests.answers.test_answer_associations import MODELS
from vieta.anonymity import audit
from vieta.anonymity.answer_tradeoff import answer_tradeoff, answers_of, flip_levels
from vieta.errors import InputError
from vieta.laws import answers
from vieta.theory import answer_bound

THETA = np.array([[-2.0], [0.0], [2.0]])
ITEMS = np.linspace(-4.0, 4.0, 41)


@pytest.mark.parametrize("family", ["binary", "ordinal"])
def test_flips_buy_anonymity_and_cost_records(family):
    model = MODELS[family]
    shares = flip_levels(model, None)
    found = answer_tradeoff(
        model, THETA, np.ones((3, 1)), data(np.zeros((41, 3)), None, ITEMS), shares, draws=500, seed=0
    )
    assert np.all(np.diff(found.reidentification.mean(axis=1)) < 0.0)
    assert np.all(np.diff(found.analyst.max(axis=(1, 2))) > 0.0)
    assert_allclose(found.analyst[0], 1.0)
    assert found.reidentification[-1].mean() < 0.5


def test_the_cost_is_that_of_the_bound_with_flips():
    found = answer_tradeoff(
        MODELS["binary"],
        THETA,
        np.ones((3, 1)),
        data(np.zeros((41, 3)), None, ITEMS),
        np.array([0.1]),
        draws=10,
        seed=0,
    )
    bounds = [answer_bound(THETA, answers.Binary(flipped=r), offset=ITEMS).stderr(1) for r in (0.1, 0.0)]
    assert_allclose(found.analyst[0], bounds[0] / bounds[1], rtol=1e-9)


def test_flips_in_a_release_do_what_the_audit_says():
    """The records are flipped with the share that the audit was asked about, and audited again."""
    rng = np.random.default_rng(0)
    b = rng.normal(0.0, 2.0, 4000)
    eta = THETA[:, 0] + b[:, None]
    sets = (rng.random((4000, 3)) < 1.0 / (1.0 + np.exp(-eta))).astype(float)
    before = audit(rng.permuted(sets, axis=1), family="binary", offset=b, added=[0.0, 0.1])
    flipped = np.where(rng.random(sets.shape) < 0.1, 1.0 - sets, sets)
    after = audit(rng.permuted(flipped, axis=1), family="binary", offset=b, flipped=0.1, added=[0.0])
    assert before.tradeoff.flips
    assert abs(before.tradeoff.reidentification[1] - after.now.reidentification).max() < 0.02
    assert_allclose(after.tradeoff.analyst[0], before.tradeoff.analyst[1], rtol=0.1)
    assert "10%" in before.summary()
    assert "exchanged" in before.summary()


def test_families_without_end_have_no_flips():
    assert [answers_of(MODELS[name]) for name in ("binary", "ordinal", "count", "rounded")] == [2, 4, 0, 0]
    with pytest.raises(InputError) as caught:
        flip_levels(MODELS["binary"], [0.6])
    assert caught.value.code == "added-flips"
