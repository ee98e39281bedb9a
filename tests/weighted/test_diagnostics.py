"""Diagnostics: what they measure, and what chance makes of them."""

from dataclasses import replace

import numpy as np
import pytest
from numpy.testing import assert_allclose

from tests.coefficients.cases import CASES, shuffle
from vieta.sets import Data, as_data
from vieta.weighted import diagnostics, solve

LINES = np.array([[-2.0], [1.0], [4.0]])
VECTORS = np.array([[1.0, -2.0], [2.0, 1.0]])


def draw(kind, seed, n=2000, common=0.0):
    """Sets whose noises share a part `common` of their variance, and inputs."""
    rng = np.random.default_rng(seed)
    if kind == "numbers":
        psi = rng.uniform(0.5, 1.5, n)
        clean = psi[:, None, None] * LINES
    else:
        psi = rng.normal(size=(n, 1 if kind == "rows" else 2, 2))
        clean = np.einsum("npd,ld->nlp", psi, VECTORS)
    own, shared = rng.normal(size=clean.shape), rng.normal(size=(n, 1, clean.shape[2]))
    return as_data(shuffle(clean + 0.3 * (np.sqrt(1 - common) * own + np.sqrt(common) * shared), rng), psi)


every_kind = pytest.mark.parametrize("kind", ["numbers", "rows", "matrices"])


@every_kind
def test_dependence_is_a_z_value_without_any_and_large_with_it(kind):
    runs = 60
    clean = [draw(kind, seed, n=600) for seed in range(runs)]
    z = np.array([diagnostics.dependence(data, solve.fit(data)) for data in clean])
    directions = 2 if kind == "matrices" else 1  # the larger of two in absolute value
    assert abs(z).max() < 4.5
    assert abs(z.mean()) < 5 * np.sqrt(directions / runs)
    assert 0.4 < z.std() < 1.2 + 0.5 * (directions - 1)
    for seed in range(3):
        data = draw(kind, seed, n=3000, common=0.8)
        assert diagnostics.dependence(data, solve.fit(data)) > 4.5


def test_dependence_cannot_be_told_under_one_input_or_from_one_system():
    rng = np.random.default_rng(0)
    data = as_data(shuffle(LINES + 0.3 * rng.normal(size=(500, 3, 1)) + rng.normal(size=(500, 1, 1)), rng), None)
    assert diagnostics.dependence(data, solve.fit(data)) == 0.0
    one = as_data(rng.normal(size=(500, 1)), rng.normal(size=500))
    assert diagnostics.dependence(one, solve.fit(one)) == 0.0
    few = draw("numbers", 0, n=diagnostics.ENOUGH - 1)
    assert diagnostics.dependence(few, solve.fit(few)) == 0.0


@every_kind
def test_input_dependence_is_a_z_value_without_any_and_large_with_it(kind):
    z = np.array([diagnostics.input_dependence(draw(kind, seed)) for seed in range(200)])
    assert abs(z).max() < 4.5
    assert 0.8 < z.std() < 2.0  # the largest of two or three
    for seed in range(3):
        data = draw(kind, seed)
        psi = solve.as_matrices(data)
        clean = np.einsum("npd,ld->nlp", psi, LINES if kind == "numbers" else VECTORS)
        size = np.sqrt((psi**2).sum(axis=(1, 2)))
        loud = clean + 0.3 * np.random.default_rng([seed, 1]).normal(size=clean.shape) * size[:, None, None]
        assert diagnostics.input_dependence(Data(loud, data.inputs, data.dim)) > 4.5
        biased = data.sets + 0.2 * (size**2)[:, None, None]
        assert abs(diagnostics.input_dependence(Data(biased, data.inputs, data.dim))) > 4.5


def test_input_dependence_cannot_be_told_under_one_input():
    data = as_data(np.random.default_rng(0).normal(size=(500, 2)), None)
    assert diagnostics.input_dependence(data) == 0.0
    assert diagnostics.input_dependence(draw("rows", 0, n=diagnostics.ENOUGH - 1)) == 0.0


@every_kind
@pytest.mark.parametrize("seed", range(3))
def test_a_change_is_dated(kind, seed):
    before, after = draw(kind, seed, n=1200), draw(kind, seed + 100, n=1800)
    moved = after.sets + 0.3 * solve.as_matrices(after).sum(axis=2)[:, None]  # every parameter grows by 0.3
    both = Data(np.concatenate([before.sets, moved]), np.concatenate([before.inputs, after.inputs]), before.dim)
    change = diagnostics.change_point(both, solve.fit(both))
    assert change is not None
    assert abs(change.after - 1200) < 100
    assert change.excess > 0.0


@every_kind
def test_no_change_is_seen_without_one(kind):
    for seed in range(40):
        data = draw(kind, seed, n=500)
        assert diagnostics.change_point(data, solve.fit(data)) is None
    few = draw(kind, 0, n=diagnostics.ENOUGH - 1)
    assert diagnostics.change_point(few, solve.fit(few)) is None


def test_share_of_outliers():
    found = solve.fit(draw("numbers", 0, n=400))
    assert_allclose(diagnostics.outlier_share(replace(found, squares=np.ones(400))), 2 / 400)
    assert_allclose(diagnostics.outlier_share(replace(found, squares=np.r_[np.ones(398), 199.0, 199.0])), 0.5)
    assert diagnostics.outlier_share(replace(found, squares=np.zeros(400))) == 0.0
    assert diagnostics.outlier_share(found) < 0.1


@pytest.mark.parametrize("case", CASES, ids=str)
def test_data_without_noise_are_recognized(case):
    assert diagnostics.is_exact(solve.fit(case.data(100, noise=0.0)))
    assert not diagnostics.is_exact(solve.fit(case.data(100, noise=1e-3)))
