import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy import stats

from vieta.errors import InputError
from vieta.laws.uniform import Uniform


def test_the_uniform_law_against_scipy():
    oracle = stats.uniform(-np.sqrt(3), 2 * np.sqrt(3))
    u = np.linspace(-2, 2, 41)
    assert_allclose(Uniform(4.0).unit_below(u), oracle.cdf(u), atol=1e-15)
    assert_allclose(Uniform(4.0).unit_log_density(u), oracle.logpdf(u))
    assert_allclose(Uniform().shape(), (0.0, oracle.stats("k") + 3.0), atol=1e-12)


def test_it_has_no_score_and_is_not_itself_with_noise_added():
    with pytest.raises(InputError) as caught:
        Uniform().unit_score(np.zeros(1))
    assert caught.value.code == "no-score"
    assert not Uniform.self_decomposable
    assert Uniform().kernel is None


def test_scaled_it_ends_where_it_should():
    r = np.array([[[2 * np.sqrt(3) - 1e-9]], [[2 * np.sqrt(3) + 1e-9]]])
    assert_array_equal(np.isfinite(Uniform(4.0).log_density(r)).ravel(), [True, False])
