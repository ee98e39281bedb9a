from functools import cache

import numpy as np
import pytest
from numpy.testing import assert_allclose

import vieta
from vieta.laws import inputs, noise


@cache
def fitted(seed, n=400):
    records = vieta.simulate((-1.0, 0.5, 2.0), n=n, seed=seed, noise=noise.Gaussian(0.04), inputs=inputs.Gaussian())
    return vieta.fit(records.sets, records.inputs)


def test_named_functions_are_what_they_say():
    estimate = fitted(0)
    for name, value in {"sum": 1.5, "mean": 0.5, "spread": 3.0, "largest": 2.0, "smallest": -1.0}.items():
        assert_allclose(estimate.derived(name).value, value, atol=0.1)
    ones = np.ones(3)
    assert_allclose(estimate.derived("sum").stderr, np.sqrt(ones @ estimate.cov @ ones), rtol=1e-6)
    assert_allclose(estimate.derived("largest").stderr, estimate.stderr[-1], rtol=1e-6)


def test_any_symmetric_function():
    estimate = fitted(1)
    product = estimate.derived(lambda theta: theta.prod(axis=0))
    gradient = np.array([np.delete(estimate.theta.ravel(), l).prod() for l in range(3)])
    assert_allclose(product.stderr, np.sqrt(gradient @ estimate.cov @ gradient), rtol=1e-5)


def test_intervals_cover():
    """Errors in terms of the standard error that is claimed have variance one, within 4.5 standard errors sqrt(2 / runs)."""
    truth, runs = {"sum": 1.5, "spread": 3.0, "largest": 2.0}, 60
    off = np.empty((runs, len(truth)))
    for seed in range(runs):
        estimate = fitted(seed)
        for k, (name, value) in enumerate(truth.items()):
            low, high = estimate.derived(name).conf_int(0.95)[0]
            off[seed, k] = 1.96 * (value - (low + high) / 2) / ((high - low) / 2)
    mean, tolerance = (off**2).mean(axis=0), 4.5 * np.sqrt(2 / runs)
    assert np.all(abs(mean - 1.0) < tolerance)
    assert not np.all(abs(mean / 0.43 - 1.0) < tolerance)  # the control: intervals of 80 %


def test_unknown_names_are_refused():
    with pytest.raises(ValueError, match=r"not known\. Choose one of sum, mean"):
        fitted(0).derived("median")
