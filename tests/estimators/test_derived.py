import numpy as np
import pytest
from numpy.testing import assert_allclose

import vieta
from vieta.laws import inputs, noise


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


@pytest.mark.parametrize(
    ("name", "truth"),
    [
        ("sum", 1.5),
        pytest.param("spread", 3.0, marks=pytest.mark.slow),
        pytest.param("largest", 2.0, marks=pytest.mark.slow),
    ],
)
def test_intervals_cover(name, truth):
    runs = 100
    hits, narrow = 0, 0
    for seed in range(runs):
        derived = fitted(seed).derived(name)
        low, high = derived.conf_int(0.95)[0]
        hits += low <= truth <= high
        low, high = derived.conf_int(0.80)[0]
        narrow += low <= truth <= high
    tolerance = 4.0 * np.sqrt(0.95 * 0.05 / runs)
    assert abs(hits / runs - 0.95) < tolerance
    assert not abs(narrow / runs - 0.95) < tolerance  # the control


def test_unknown_names_are_refused():
    with pytest.raises(ValueError, match=r"not known\. Choose one of sum, mean"):
        fitted(0).derived("median")
