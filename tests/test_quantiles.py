"""Quantiles of intervals and regions, against scipy's distributions."""

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy import stats

from vieta.quantiles import planar_radius, two_sided


@pytest.mark.parametrize("level", [0.5, 0.95, 0.999])
@pytest.mark.parametrize("dof", [2.5, 12.0, 1e6])
def test_quantiles_of_the_t_law_and_of_the_f_law(level, dof):
    assert_allclose(two_sided(level, dof), stats.t.ppf(0.5 + level / 2, dof), rtol=1e-9)
    assert_allclose(planar_radius(level, dof), np.sqrt(2 * stats.f.ppf(level, 2, dof)), rtol=1e-9)


@pytest.mark.parametrize("level", [0.5, 0.95, 0.999])
def test_without_a_number_of_degrees_the_normal_law_holds(level):
    assert_allclose(two_sided(level), stats.norm.ppf(0.5 + level / 2))
    assert_allclose(planar_radius(level), np.sqrt(stats.chi2.ppf(level, 2)))
    assert two_sided(level, 30.0) > two_sided(level)
