"""Links: means, slopes and the way back."""

import numpy as np
import pytest
from numpy.testing import assert_allclose

from vieta.answers.links import LINKS

ETA = np.linspace(-3.0, 3.0, 13)


@pytest.mark.parametrize("name", LINKS)
def test_the_slope_is_the_derivative_and_the_predictor_the_inverse(name):
    link = LINKS[name]
    assert_allclose((link.mean(ETA + 1e-6) - link.mean(ETA - 1e-6)) / 2e-6, link.slope(ETA), rtol=1e-6)
    assert_allclose(link.predictor(link.mean(ETA)), ETA, atol=1e-9)
    assert link.name == name
