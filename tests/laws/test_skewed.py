import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy import stats

from vieta.errors import InputError
from vieta.laws.skewed import Skewed


@pytest.mark.parametrize("skewness", [0.5, 1.0, 2.0, 3.0])
def test_gamma_laws_against_scipy_and_their_mirror_images(skewness):
    a = 4.0 / skewness**2
    oracle = stats.gamma(a, loc=-np.sqrt(a), scale=1 / np.sqrt(a))
    u = np.linspace(-5.01, 8, 79)
    right, left = Skewed(4.0, skewness=skewness), Skewed(4.0, skewness=-skewness)
    assert_allclose(right.unit_log_density(u), oracle.logpdf(u), rtol=1e-9)
    assert_allclose(right.unit_below(u), oracle.cdf(u), atol=1e-12)
    assert_allclose(left.unit_below(-u), oracle.sf(u), atol=1e-12)
    assert_array_equal(left.unit_score(-u), -right.unit_score(u))
    t = np.linspace(-3, 3, 7)
    assert_allclose(left.characteristic(t), right.characteristic(-t))
    assert_allclose(right.shape(), (skewness, oracle.stats("k") + 3.0))


def test_information_is_finite_for_mild_skewness_only():
    assert_allclose(Skewed(skewness=1.0).fisher_information(), 2.0)  # a = 4
    for skewness in (1.5, -2.0):
        with pytest.raises(InputError, match="no bound") as caught:
            Skewed(skewness=skewness).fisher_information()
        assert caught.value.facts == {"skewness": abs(skewness)}


def test_reach_follows_the_long_side():
    assert Skewed(skewness=1.0).reach() == (-7.2, 17.2)
    assert Skewed(skewness=-1.0).reach() == (-17.2, 7.2)
    assert Skewed(skewness=2.5).reach() is None


def test_a_skewness_of_zero_is_refused():
    with pytest.raises(InputError) as caught:
        Skewed(skewness=0.0)
    assert caught.value.code == "skewness-zero"
