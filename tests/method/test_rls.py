"""`rls`: least squares with weights that fade, one set at a time."""

import numpy as np
import pytest
from numpy.testing import assert_allclose

from tests.method.cases import coefficients, draw, passes, roots
from vieta.method.rls import METHOD, RlsOptions


@pytest.mark.parametrize("memory", [None, 50.0, 500.0])
def test_against_least_squares_with_fading_weights(memory):
    records = draw()
    z, a = coefficients(records)
    f = 1.0 if memory is None else 1.0 - 1.0 / memory
    w = f ** np.arange(len(z))[::-1, None]
    lam = (w * a * z).sum(axis=0) / (w * a**2).sum(axis=0)
    found = METHOD.fit(passes(records, 4), RlsOptions(memory=memory))
    assert_allclose(found.theta.ravel(), roots(lam), rtol=1e-6)


def test_a_large_regularization_holds_it_at_its_start():
    records = draw(n=50)
    start = [0.0, 5.0]
    held = METHOD.fit(passes(records), RlsOptions(start=start, regularization=1e9))
    free = METHOD.fit(passes(records), RlsOptions(start=start))
    assert_allclose(held.theta.ravel(), start, atol=1e-4)
    assert abs(free.theta.ravel() - start).min() > 0.5
