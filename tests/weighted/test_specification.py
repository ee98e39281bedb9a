"""Residuals of sums against functions of the inputs: a naive regression, level and power by simulation."""

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy.stats import rankdata

from vieta.sets import as_data
from vieta.sums import in_memory
from vieta.tails import chi_square_tail
from vieta.weighted.specification import ENOUGH, Ranks, specification
from vieta.weighted.sum_regression import regress


def draw(seed, n, inputs="line", law="normal", size=None, curve=0.0):
    rng = np.random.default_rng(seed)
    x = rng.normal(size=(n, 2))
    rows = {
        "line": np.column_stack([np.ones(n), x[:, 0]]),
        "two": np.column_stack([np.ones(n), x]),
        "levels": np.column_stack([np.ones(n), rng.integers(0, 3, n)]),
        "one": x[:, :1],
    }[inputs]
    noise = {
        "normal": rng.standard_normal,
        "laplace": lambda s: rng.laplace(size=s),
        "t": lambda s: rng.standard_t(5, s),
    }
    v = noise[law]((n, 2)) * (1.0 if size is None else size(x[:, 0]))[:, None] if size else noise[law]((n, 2))
    theta = np.array([np.arange(1.0, rows.shape[1] + 1), -np.arange(rows.shape[1])])
    return as_data(rows @ theta.T + v + curve * (x[:, :1] ** 2 - 1.0), rows)


def tails(data, blocks=1):
    passes = in_memory(data, blocks)
    return specification(passes, regress(passes))


def naive(data):
    """Both statistics of all sets at once, for inputs of one column that varies."""
    rows, sums = data.inputs[:, 0] if data.inputs.ndim == 3 else data.inputs, data.sets.sum(axis=(1, 2))
    e = sums - rows @ np.linalg.lstsq(rows, sums)[0]
    u = (rankdata(rows[:, 1]) - 0.5) / len(rows) - 0.5
    f = np.column_stack([u, u**2])
    g = f - rows @ np.linalg.lstsq(rows, f)[0]
    w = e**2 - (e**2).mean()
    h = f - f.mean(axis=0)
    robust, pooled = (g * e[:, None] ** 2).T @ g, (w**2).mean() * h.T @ h
    parts = [(g.T @ e, robust), (h.T @ w, pooled)]
    return [chi_square_tail(2, float(U @ np.linalg.solve(W, U))) for U, W in parts]


@pytest.mark.parametrize("blocks", [1, 7])
@pytest.mark.parametrize("seed", range(3))
def test_it_is_the_test_of_all_sets_at_once(blocks, seed):
    data = draw(seed, 400)
    assert_allclose(tails(data, blocks), naive(data), rtol=1e-6)


@pytest.mark.parametrize("inputs", ["line", "two", "levels", "one"])
@pytest.mark.parametrize("law", ["normal", "laplace", "t"])
def test_probabilities_are_those_of_chance(inputs, law):
    runs = 60
    found = np.array([tails(draw(seed, 250, inputs, law)) for seed in range(runs)])
    for level in (0.02, 0.1):
        assert ((found < level).mean(axis=0) <= level + 4.0 * np.sqrt(level / runs)).all()
    assert ((found < 0.5).mean(axis=0) > 0.3).all()


def test_what_the_model_does_not_have_is_found():
    for seed in range(3):
        assert tails(draw(seed, 500, size=lambda x: np.exp(0.3 * x))).variance < 1e-4
        assert tails(draw(seed, 500, size=lambda x: 0.5 + abs(x))).variance < 1e-3
        assert tails(draw(seed, 500, curve=0.5)).mean < 1e-4


def test_systems_that_are_missing_now_and_then_are_found():
    """Three of four systems in each set: the variance of the sums is that of the system that is left out."""
    rng = np.random.default_rng(0)
    for _ in range(3):
        rows = np.column_stack([np.ones(500), rng.uniform(-1, 1, 500)])
        theta = np.array([[0.0, 1.0], [2.0, -0.5], [4.0, 3.0], [-2.0, -4.0]])
        readings = rng.permuted(rows @ theta.T + 0.5 * rng.normal(size=(500, 4)), axis=1)[:, :3]
        assert tails(as_data(readings, rows)).variance < 1e-6


def test_memory_is_no_dependence_on_the_input():
    from scipy.signal import lfilter

    rng = np.random.default_rng(1)
    found = []
    for _ in range(40):
        noise = lfilter([1.0], [1.0, -0.9], rng.normal(size=(700, 2)), axis=0)[200:]
        psi = rng.normal(size=500)
        found.append(min(tails(as_data(psi[:, None] * [1.0, 3.0] + noise, psi))) < 1e-3)
    assert sum(found) <= 1


def test_nothing_is_said_where_nothing_can_be_told():
    assert tails(draw(0, ENOUGH - 1)) is None
    constant = as_data(np.random.default_rng(0).normal(size=(200, 2)), np.ones((200, 1)))
    assert tails(constant) is None
    assert tails(as_data(np.random.default_rng(0).normal(size=(200, 2, 2)), None)) is None


def test_equal_values_share_a_rank():
    rows = np.array([[1.0, 5.0], [1.0, 5.0], [1.0, 7.0], [1.0, 9.0]])
    ranks = Ranks.among(rows)
    assert ranks.columns == (1,)
    assert_allclose(ranks.functions(rows)[:, 0], (rankdata(rows[:, 1]) - 0.5) / 4 - 0.5)
