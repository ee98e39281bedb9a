"""Decorrelated sets: covariances and joint cumulants by tensors, and nothing that depends on the order within sets."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from tests.weighted.shocks import draw
from vieta.sets import as_data
from vieta.sums import in_memory
from vieta.weighted.decorrelation import (
    decorrelate,
    decorrelated,
    independent_law,
    joint_law,
    mean_residuals,
    mean_variance,
    own_variances,
    removed_share,
    rows_of,
)
from vieta.weighted.sum_regression import regress

SHARES = [-0.4, 0.3, 0.9]


def mixing(L, share):
    """v' = mixing @ u + (1 - share) c."""
    return np.eye(L) - share / L


@pytest.mark.parametrize("L", [2, 3, 5])
@pytest.mark.parametrize("share", SHARES)
def test_noise_that_is_left_has_the_covariance_of_the_docstring(L, share):
    variances = np.linspace(0.5, 1.5, L)
    level = variances.mean()
    g = level / L / (1.0 - share) ** 2 - level / L
    A = mixing(L, share)
    covariance = A @ np.diag(variances) @ A.T + (1.0 - share) ** 2 * g
    delta = variances - level
    expected = -share / L * (delta[:, None] + delta)
    off = ~np.eye(L, dtype=bool)
    assert_allclose(covariance[off], expected[off], atol=1e-12)
    assert_allclose(np.diag(covariance), level + (1.0 - 2.0 * share / L) * delta)
    assert_allclose(own_variances(np.diag(covariance), share), variances)
    assert not np.allclose((mixing(L, 0.9 * share) @ np.diag(variances) @ mixing(L, 0.9 * share).T)[off], expected[off])


@pytest.mark.parametrize("L", [4, 5])
@pytest.mark.parametrize("share", SHARES)
def test_joint_cumulants_are_those_of_the_mixture(L, share):
    """Cumulants of a sum of independent parts are sums over the parts of the products of their weights."""
    own, shock, sd = (1.3, 2.5), (0.7, -0.4), 0.8  # cumulants of u in units of sd; of c as they are
    A, left = mixing(L, share), 1.0 - share
    third = own[0] * sd**3 * np.einsum("ai,bi,ci->abc", A, A, A) + left**3 * shock[0]
    fourth = own[1] * sd**4 * np.einsum("ai,bi,ci,di->abcd", A, A, A, A) + left**4 * shock[1]
    R = sd**2 / L / left**2
    mean = (
        (shock[0] + own[0] * sd**3 / L**2) / R**1.5,
        (shock[1] + own[1] * sd**4 / L**3) / R**2,
    )
    law = joint_law(share, L, unequal=False, own=own, mean=mean)
    assert law[0] == 0.0
    assert_allclose(law[3:5] * sd**3, [third[0, 1, 2], third[0, 0, 1]])
    assert_allclose(law[8:11] * sd**4, [fourth[0, 1, 2, 3], fourth[0, 0, 1, 2], fourth[0, 0, 1, 1]])
    more = joint_law(share, L, unequal=False, own=(own[0] + 1.0, own[1] + 1.0), mean=mean)
    assert_allclose(more[3:5] - law[3:5], law[1:3])
    assert_allclose(more[8:11] - law[8:11], law[5:8])


@pytest.mark.parametrize("L", [3, 5])
@pytest.mark.parametrize("share", SHARES)
def test_unequal_variances_enter_by_what_is_left_of_them(L, share):
    """Cov = -a (s_j + s_k - 2 mean) with the variances s of v'."""
    a = joint_law(share, L, unequal=True, own=(0.0, 0.0), mean=(0.0, 0.0))[0]
    assert_allclose(a * (1.0 - 2.0 * share / L), share / L)


def test_independent_noises_have_nothing_in_common():
    assert not independent_law().any()
    law = joint_law(0.0, 3, unequal=True, own=(1.3, 2.5), mean=(1.3 / np.sqrt(3), 2.5 / 3))
    assert_allclose(law[[0, 3, 4, 8, 9, 10]], 0.0, atol=1e-15)


def test_the_right_share_leaves_uncorrelated_noise():
    theta, n = np.array([[1.0], [3.0], [6.0]]), 20_000
    sets, rows, noise = draw(theta, 0.5, 0.6, n, 0, shuffle=False)
    regression = regress(in_memory(as_data(sets, rows)))
    share = removed_share(0.25, regression)
    left = noise - share * noise.mean(axis=1, keepdims=True)
    correlation = np.corrcoef(left.T)[~np.eye(3, dtype=bool)]
    assert abs(correlation).max() < 5.0 / np.sqrt(n)
    assert np.corrcoef(noise.T)[0, 1] > 0.5
    assert_allclose(mean_variance(regression), 0.25 / 3 + 0.25 * 1.5, rtol=5 * np.sqrt(2 / n))


def test_the_order_within_sets_does_not_matter_to_the_last_bit():
    sets, rows, _ = draw(np.array([[1.0, 2.0], [-1.0, 0.5], [0.0, 3.0]]), 0.5, 0.6, 200, 1)
    data = as_data(sets, rows)
    regression = regress(in_memory(data))
    other = as_data(sets[:, ::-1].copy(), rows)
    assert_array_equal(decorrelate(data, regression, 0.6), decorrelate(other, regression, 0.6))
    made = decorrelated(in_memory(data, 3), regression, 0.6)
    assert_array_equal(made.head(200).sets[:, :, 0], decorrelate(data, regression, 0.6))
    assert_array_equal(made.head(200).sets, made.head(200).sets)  # it can be gone through again
    assert_allclose(made.head(200).sets.mean(axis=(1, 2)), sets.mean(axis=1) - 0.6 * mean_residuals(data, regression))
    assert rows_of(data).shape == (200, 2)
