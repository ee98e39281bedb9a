import numpy as np
import pytest
from numpy.testing import assert_array_equal
from scipy.stats import chisquare

from vieta.laws.chains import independent, markov

P = np.array([[0.7, 0.2, 0.1], [0.0, 0.5, 0.5], [0.3, 0.3, 0.4]])


def naive_markov(initial, transition, uniforms):
    path, law = [], initial
    for u in uniforms:
        state = next(j for j in range(len(law)) if u < sum(law[: j + 1]))
        path.append(state)
        law = transition[state]
    return path


def test_path_is_the_definition():
    u = np.random.default_rng(0).random(500)
    initial = np.array([0.2, 0.3, 0.5])
    assert_array_equal(markov(initial, P, u), naive_markov(initial, P, u))


@pytest.mark.parametrize("seed", [0, 1, 2])
def test_transition_frequencies(seed):
    path = markov(np.ones(3) / 3, P, np.random.default_rng(seed).random(50_000))
    counts = np.zeros((3, 3))
    np.add.at(counts, (path[:-1], path[1:]), 1)
    assert counts[1, 0] == 0  # impossible
    for i, row in enumerate(P):
        seen, law = counts[i][row > 0], row[row > 0]
        assert chisquare(seen, law * seen.sum()).pvalue > 1e-4
        assert chisquare(seen, np.roll(law, 1) * seen.sum()).pvalue < 1e-4 or np.ptp(law) == 0  # the test can fail


def test_states_of_probability_zero_are_never_drawn():
    u = np.array([0.0, 0.5, np.nextafter(1.0, 0.0)])
    assert_array_equal(independent(np.array([0.0, 1.0, 0.0]), u), [1, 1, 1])
    assert_array_equal(independent(np.array([0.1] * 10 + [0.0]), u[2:]), [9])
