import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy import stats

from vieta.errors import InputError
from vieta.laws.student_t import StudentT


@pytest.mark.parametrize("df", [2.1, 3.0, 5.0, 30.0])
def test_students_law_against_scipy(df):
    oracle = stats.t(df, scale=np.sqrt((df - 2) / df))
    u = np.linspace(-20, 20, 81)
    law = StudentT(4.0, df=df)
    assert_allclose(law.unit_log_density(u), oracle.logpdf(u), rtol=1e-10)
    assert_allclose(law.unit_below(u), oracle.cdf(u), rtol=1e-8)
    assert_allclose(law.unit_score(u), law.mixture_precision(u) * u)


def test_moments_that_are_infinite_and_those_that_are_not():
    assert StudentT(1.0, df=10).shape() == (0.0, 4.0)
    assert StudentT(1.0, df=4.0).shape() == (0.0, np.inf)
    assert_allclose(StudentT(1.0, df=1e9).shape(), (0.0, 3.0), rtol=1e-7)


def test_it_becomes_normal_with_many_degrees_of_freedom():
    t = np.linspace(-3, 3, 13)
    assert_allclose(StudentT(df=400).characteristic(t), np.exp(-0.5 * t**2), atol=5e-3)
    assert_allclose(StudentT(df=1e6).fisher_information(), 1.0, rtol=1e-5)


def test_a_variance_needs_more_than_two_degrees_of_freedom():
    with pytest.raises(InputError) as caught:
        StudentT(df=2)
    assert caught.value.code == "out-of-range"
    assert caught.value.facts["name"] == "df"
