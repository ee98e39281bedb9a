import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy import stats

from vieta.anonymity.reading_weights import log_weights
from vieta.laws.noise import Finite, Gaussian, Laplace


@pytest.mark.parametrize(
    ("law", "oracle"),
    [(Gaussian(4.0), stats.norm(scale=2.0)), (Laplace(2.0), stats.laplace(scale=1.0))],
    ids=["normal", "Laplace"],
)
def test_densities_pair_by_pair(law, oracle):
    rng = np.random.default_rng(0)
    y, m = rng.normal(size=(5, 3, 1)), rng.normal(size=(5, 3, 1))
    found = log_weights(law, y, m)
    for k in range(5):
        for i in range(3):
            for l in range(3):
                assert_allclose(found[k, i, l], oracle.logpdf(y[k, i, 0] - m[k, l, 0]))


def test_each_system_has_its_own_noise():
    found = log_weights(Gaussian([1.0, 9.0]), np.zeros((1, 2, 1)), np.zeros((1, 2, 1)))
    assert_allclose(found[0, 0], stats.norm(scale=[1.0, 3.0]).logpdf(0.0))


def test_without_noise_only_equal_readings_fit():
    y, m = np.array([[[1e6], [2e6]]]), np.array([[[2e6 * (1 + 1e-12)], [1e6 + 1.0]]])
    assert_array_equal(log_weights(Gaussian(0.0), y, m)[0], [[-np.inf, -np.inf], [0.0, -np.inf]])


def test_a_law_without_density_gives_probabilities_whatever_the_size_of_readings():
    law = Finite(1.0, values=(-1, 1), probabilities=(0.5, 0.5))
    for size in (1.0, 1e7):
        m = size + np.array([[[0.0], [0.5]]])
        y = m + np.array([[[1.0], [-1.0]]])
        expected = np.where(np.eye(2) > 0, np.log(0.5), -np.inf)
        assert_array_equal(log_weights(law, y, m)[0], expected)
