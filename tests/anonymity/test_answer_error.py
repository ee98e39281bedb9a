"""The best guess of who gave which answer: all outcomes against closed forms and against simulated sets."""

import numpy as np
import pytest
from numpy.testing import assert_allclose

from tests.answers.cases import CUTS, data
from tests.answers.test_answer_associations import MODELS
from vieta.anonymity import answer_error as module
from vieta.anonymity.answer_error import answer_error

TWO = np.array([[-1.0], [1.5]])


def test_two_students_and_one_question():
    """Named if they differ, by the likelier way round; by chance if not."""
    found = answer_error(MODELS["binary"], TWO, data(np.zeros((1, 2)), None), draws=10, seed=0)
    p, q = 1.0 / (1.0 + np.exp(-TWO.ravel()))
    right = max(p * (1 - q), q * (1 - p)) + 0.5 * (p * q + (1 - p) * (1 - q))
    assert_allclose(1.0 - found.probability, right, rtol=1e-9)
    assert_allclose(found.reidentification, right, rtol=1e-9)
    assert found.method == "all outcomes"
    assert found.mc_error == 0.0


@pytest.mark.parametrize("family", ["binary", "ordinal"])
def test_all_outcomes_and_simulated_sets_agree(family, monkeypatch):
    theta, rng = np.array([[-1.0, 0.5], [0.3, 0.2], [1.5, -0.4]]), np.random.default_rng(0)
    psi = np.column_stack([np.ones(40), rng.standard_normal(40)])
    design = data(np.zeros((40, 3)), psi)
    exact = answer_error(MODELS[family], theta, design, draws=10, seed=0)
    monkeypatch.setattr(module, "OUTCOMES", 0)
    found = answer_error(MODELS[family], theta, design, draws=6000, seed=1)
    assert abs(found.probability - exact.probability) < 4.5 * found.mc_error
    assert abs(found.mutual_information - exact.mutual_information) < 4.5 * found.mutual_information_mc_error
    assert np.all(abs(found.reidentification - exact.reidentification) < 0.03)
    assert found.method == "simulated answers"


def test_equal_systems_are_not_told_apart_and_far_ones_are():
    design = data(np.zeros((1, 2)), None)
    same = answer_error(MODELS["binary"], np.zeros((2, 1)), design, draws=10, seed=0)
    assert_allclose([same.probability, same.anonymity, same.mutual_information], [0.5, 1.0, 0.0], atol=1e-9)
    far = answer_error(MODELS["count"], np.log([[1.0], [400.0]]), design, draws=500, seed=0)
    assert far.probability < 1e-6
    assert answer_error(MODELS["count"], TWO[:1], design, draws=10, seed=0).probability == 0.0
    assert len(CUTS) == 3
