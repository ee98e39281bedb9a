import numpy as np
import pytest

import vieta


@pytest.mark.slow
def test_the_covariance_stays_positive_definite_over_a_hundred_million_sets():
    rng = np.random.default_rng(0)
    psi = rng.standard_normal(1_000_000)
    sets = psi[:, None] * [1.0, 3.0] + 0.5 * rng.standard_normal((1_000_000, 2))
    stream = vieta.SymmetricFilter(2)
    for _ in range(100):
        stream.partial_fit(sets, psi)
    estimate = stream.estimate()
    assert estimate.n_sets == 100_000_000
    assert np.linalg.eigvalsh(stream._state.information)[0] > 0.0
    assert np.linalg.eigvalsh(estimate.cov)[0] > 0.0
    assert abs(estimate.theta.ravel() - [1.0, 3.0]).max() < 0.005
