import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal
from scipy.stats import chisquare

from vieta.laws.motion import Constant, Drift, Jump, Switching

THETA = np.array([[1.0, 2.0], [3.0, 4.0]])
Q = np.array([[-1.0, 0.75, 0.25], [1.0, -2.0, 1.0], [0.5, 0.5, -1.0]])
LAWS = [
    Jump(at=3, to=-THETA),
    Switching(others=[THETA + 1, THETA + 2], generator=Q, rate=0.2),
    Drift(variance=0.01),
    Drift(variance=[[1.0, 0.5], [0.5, 1.0]]),
]


@given(st.sampled_from(LAWS), st.integers(1, 10), st.integers(0, 99))
def test_a_path_begins_at_theta_and_with_the_shorter_path(law, n, seed):
    path = law.draw(np.random.default_rng(seed), THETA, 2 * n)
    assert path.shape == (2 * n, 2, 2)
    assert_array_equal(path[0], THETA)
    assert_array_equal(law.draw(np.random.default_rng(seed), THETA, n), path[:n])


def test_constant_parameters_have_no_path():
    assert Constant().draw(np.random.default_rng(0), THETA, 5) is None


def test_a_jump_keeps_theta_for_exactly_its_first_sets():
    path = Jump(at=3, to=-THETA).draw(np.random.default_rng(0), THETA, 7)
    assert_array_equal(path, np.concatenate([np.tile(THETA, (3, 1, 1)), np.tile(-THETA, (4, 1, 1))]))


@pytest.mark.parametrize("seed", [0, 1, 2])
def test_switching_follows_its_transition_matrix(seed):
    law = Switching(others=[[10.0], [20.0]], generator=Q, rate=0.1)
    path = law.draw(np.random.default_rng(seed), np.array([[0.0]]), 40_000)[:, 0, 0] / 10
    state = path.astype(int)
    counts = np.zeros((3, 3))
    np.add.at(counts, (state[:-1], state[1:]), 1)
    assert_allclose(law.transition, np.eye(3) + 0.1 * Q)
    for i in range(3):
        assert chisquare(counts[i], law.transition[i] * counts[i].sum()).pvalue > 1e-4
        assert chisquare(counts[i], (np.eye(3) + 0.15 * Q)[i] * counts[i].sum()).pvalue < 1e-4  # the test can fail


@pytest.mark.parametrize("seed", [0, 1, 2])
def test_steps_of_a_drift_have_the_declared_covariance(seed):
    n, C = 40_000, np.array([[1.0, 0.4], [0.4, 0.3]])
    steps = np.diff(Drift(C).draw(np.random.default_rng(seed), THETA, n), axis=0)
    products = steps[..., :, None] * steps[..., None, :]
    error = products.std(axis=0) / np.sqrt(n)
    assert np.all(np.abs(products.mean(axis=0) - C) < 5 * error)
    assert np.all(np.abs(products.mean(axis=0) - 1.25 * C) > 5 * error)  # the test can fail


@pytest.mark.parametrize(
    ("make", "text"),
    [
        (lambda: Jump(at=-1, to=[1.0]), "`at` must be an integer of at least 0, got -1"),
        (lambda: Jump(at=2.0, to=[1.0]), "`at` must be an integer"),
        (lambda: Jump(at=2, to=[np.nan]), "`to` must be finite"),
        (
            lambda: Jump(at=2, to=[1.0]).draw(np.random.default_rng(0), THETA, 5),
            r"shape \(2, 2\) of theta, got \(1, 1\)",
        ),
        (lambda: Switching([[1.0]], [[-1, 1], [1, -1]], rate=2.0), "negative. Use at most 1"),
        (lambda: Switching([[1.0]], [[-1, 1], [1, -1]], rate=0.0), "`rate` must be one number between 0"),
        (lambda: Switching([[1.0]], [[-1, 1.5], [1, -1]], rate=0.1), "rows that add up to 0"),
        (lambda: Switching([[1.0]], [[1, -1], [1, -1]], rate=0.1), "no negative entry off the diagonal"),
        (lambda: Switching([[1.0], [2.0]], [[-1, 1], [1, -1]], rate=0.1), "State 0 is theta itself"),
        (lambda: Drift(-1.0), "must not be negative"),
    ],
)
def test_bad_settings_are_refused(make, text):
    with pytest.raises(ValueError, match=text):
        make()


def test_when_the_parameters_begin_to_move():
    assert Jump(at=7, to=[1.0]).begins == 7
    assert Drift().begins is None
    assert Constant().begins is None
    assert Switching([[1.0]], [[-1, 1], [1, -1]], rate=0.1).begins is None
