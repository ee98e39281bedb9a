"""A constant that the inputs lack: against ordinary least squares with it, its level, and that every estimator reports it."""

import numpy as np
import pytest
from numpy.testing import assert_allclose

import vieta
from vieta.sets import as_data
from vieta.sums import in_memory
from vieta.weighted.missing_constant import missing_constant
from vieta.weighted.sum_regression import regress

THETA = np.array([1.0, 2.0, -0.5])


def seen(sets, inputs):
    passes = in_memory(as_data(sets, inputs))
    return missing_constant(passes, regress(passes))


def drawn(seed, n, constant, sd=0.3, middle=1.0):
    rng = np.random.default_rng(seed)
    x = middle + rng.normal(size=n)
    return rng.permuted(constant + np.outer(x, THETA) + sd * rng.normal(size=(n, 3)), axis=1), x


def first_code(estimate):
    return next((one.code for one in estimate.findings), None)


@pytest.mark.parametrize("seed", range(3))
def test_it_is_the_constant_of_least_squares_with_one(seed):
    sets, x = drawn(seed, 40, 0.05)
    X, sums = np.column_stack([x, np.ones(40)]), sets.sum(axis=1)
    both, inverse = np.linalg.lstsq(X, sums, rcond=None)[0], np.linalg.inv(X.T @ X)
    r = sums - X @ both
    white, plain = inverse @ (X.T * r**2) @ X @ inverse, inverse * (r @ r / 38)
    found = seen(sets, x)
    assert_allclose(found.size, both[1] / 3, rtol=1e-9)
    assert_allclose(found.z, abs(both[1]) / np.sqrt(max(white[1, 1], plain[1, 1])), rtol=1e-9)
    assert found.dof == 38


@pytest.mark.parametrize("seed", range(2))
def test_vectors_have_one_for_each_coordinate(seed):
    rng = np.random.default_rng(seed)
    psi, theta, constant = rng.normal(size=(60, 2, 3)), rng.normal(size=(4, 3)), np.array([0.1, -2.0])
    sets = np.einsum("kpd,ld->klp", psi, theta) + constant + 0.2 * rng.normal(size=(60, 4, 2))
    X = np.concatenate([psi, np.broadcast_to(np.eye(2), (60, 2, 2))], axis=2).reshape(120, 5)
    both = np.linalg.lstsq(X, sets.sum(axis=1).ravel(), rcond=None)[0]
    assert_allclose(seen(sets, psi).size, both[4] / 4, rtol=1e-9)


def test_it_has_its_level_whatever_the_noise():
    rng = np.random.default_rng(0)
    z = []
    for _ in range(1500):
        n = int(rng.choice([12, 60, 300]))
        x = rng.choice([0.0, 2.0]) + rng.normal(size=n)
        noise = rng.standard_t(4, size=(n, 3)) * (1.0 + rng.integers(2) * abs(x[:, None]))
        z.append(seen(np.outer(x, THETA) + noise, x).z)
    beyond = np.mean(np.array(z) > 2.2)
    assert beyond < 0.05 + 3.0 * np.sqrt(0.05 * 0.95 / 1500)
    assert beyond > 0.01
    assert max(z) < 4.5


def test_memory_is_allowed_for():
    alarms = {0.0: 0, 0.9: 0}
    for rho in alarms:
        for seed in range(60):
            rng = np.random.default_rng(seed)
            noise = rng.normal(size=(400, 3))
            for k in range(1, 400):
                noise[k] += rho * noise[k - 1]
            x = rng.normal(size=400)
            alarms[rho] += seen(np.outer(x, THETA) + noise, x).is_sure
    assert alarms[0.0] == 0
    assert alarms[0.9] <= 2  # without the allowance a third


@pytest.mark.parametrize("inputs", [None, np.column_stack([np.ones(50), np.arange(50.0)])])
def test_inputs_that_make_a_constant_lack_none(inputs):
    sets = 5.0 + np.random.default_rng(0).normal(size=(50, 3))
    assert seen(sets, inputs).z == 0.0


def test_categories_without_a_constant_make_one():
    which = np.arange(60) % 3
    sets = np.array([1.0, 5.0, 9.0])[which][:, None] + np.random.default_rng(0).normal(size=(60, 3))
    assert seen(sets, np.eye(3)[which]).z == 0.0


@pytest.mark.parametrize("method", [None, "efficient", "adaptive", "least-squares"])
@pytest.mark.parametrize("seed", range(2))
def test_a_fit_says_it_first(seed, method):
    for n in (12, 60, 500):
        if method == "least-squares" and n < 60:
            continue
        assert first_code(vieta.fit(*drawn(seed, n, 2.0), method=method)) == "constant-missing"
        assert first_code(vieta.fit(*drawn(seed, n, 0.0), method=method)) != "constant-missing"


@pytest.mark.parametrize("method", [None, "adaptive"])
@pytest.mark.parametrize("seed", range(2))
def test_a_filter_says_it_long_after(seed, method):
    for constant in (0.0, 2.0):
        filtered = vieta.SymmetricFilter(3, method=method).partial_fit(*drawn(seed, 6000, constant))
        codes = [one.code for one in filtered.estimate().findings]
        assert ("constant-missing" in codes) is (constant > 0.0)


def test_filters_that_are_merged_say_it():
    streams = [drawn(seed, 6000, -2.0) for seed in range(2)]
    both = vieta.merge([vieta.SymmetricFilter(3, shock="none").partial_fit(*one) for one in streams])
    (said,) = [one for one in both.estimate().findings if one.code == "constant-missing"]
    assert said.facts["size"] < -1.0
