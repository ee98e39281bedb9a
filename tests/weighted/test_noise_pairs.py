"""Second moments of scores: exact for every law, derivatives by enumeration, level and power by simulation."""

from itertools import combinations, product

import numpy as np
import pytest
from numpy.testing import assert_allclose

from vieta.sets import as_data
from vieta.sums import in_memory
from vieta.tails import chi_square_tail
from vieta.weighted import noise_pairs as pairs_module
from vieta.weighted import solve
from vieta.weighted.equations import each_score
from vieta.weighted.noise_pairs import noise_pairs, pair_products, scores, with_memory

THETA = np.array([[0.0, 1.0], [2.0, -0.5], [4.0, 3.0]])


def outcomes(variances, skew=0.6):
    """Every outcome of independent noises that take two values each, with its probability; the law is skewed."""
    high, low = np.sqrt((1 - skew) / skew), -np.sqrt(skew / (1 - skew))
    for which in product([0, 1], repeat=len(variances)):
        values = np.array([(high, low)[w] for w in which]) * np.sqrt(variances)
        yield values, float(np.prod([(skew, 1 - skew)[w] for w in which]))


def expected_outer(means, true_means, variances, true_variances):
    """E s s' at means and variances, where others are true; and I."""
    total = np.zeros((len(means), len(means)))
    for noise, chance in outcomes(true_variances):
        s, I = scores((true_means + noise)[:, None], means[:, None], variances)
        total += chance * np.outer(s[:, 0], s[:, 0])
    return total, I[:, :, 0] + np.tril(I[:, :, 0], -1).T


def draw(seed, n, sd=0.4, law="normal", common=0.0, input_error=0.0):
    rng = np.random.default_rng(seed)
    x = rng.uniform(-1.0, 1.0, n)
    rows = np.column_stack([np.ones(n), x])
    noise = {"normal": rng.standard_normal, "laplace": lambda size: rng.laplace(size=size) / np.sqrt(2.0)}[law]((n, 3))
    y = rows @ THETA.T + sd * (np.sqrt(1 - common) * noise + np.sqrt(common) * rng.standard_normal((n, 1)))
    recorded = rows + input_error * np.column_stack([np.zeros(n), rng.standard_normal(n)])
    return as_data(rng.permuted(y, axis=1), recorded)


def looked_at(data, blocks=1):
    passes = in_memory(data, blocks)
    found = solve.fit(passes)
    return noise_pairs(passes, len(data), found.theta, np.full(len(found.theta), float(found.noise[0, 0])))


@pytest.mark.parametrize("L", [1, 2, 3, 5])
def test_scores_are_those_of_the_equations(L):
    rng = np.random.default_rng(L)
    theta, rows = 2.0 * rng.normal(size=(L, 2)), rng.normal(size=(60, 2))
    y = rows @ theta.T + 0.3 * rng.normal(size=(60, L))
    s, _ = scores(y.T, theta @ rows.T, np.full(L, 0.09))
    expected = each_score(y[:, :, None], rows[:, None, :], theta, np.array([[0.09]]))
    assert_allclose((s.T[:, :, None] * rows[:, None]).reshape(60, -1), expected, rtol=1e-9, atol=1e-9)


def test_constants_are_those_of_the_kernels():
    from vieta.weighted import scalar

    assert (pairs_module.SEPARATION, pairs_module.NEGLIGIBLE) == (scalar.SEPARATION, scalar.NEGLIGIBLE)


@pytest.mark.parametrize("means", [(0.0, 1.0, 3.0), (0.0, 0.1, 0.3), (-1.0, 2.0), (0.0, 0.4, 5.0, 6.0)], ids=str)
def test_the_mean_of_the_outer_product_is_the_information_for_a_skewed_law(means):
    m = np.array(means)
    variances = np.linspace(0.2, 0.5, len(m))
    total, I = expected_outer(m, m, variances, variances)
    assert_allclose(total, I, rtol=1e-8, atol=1e-9 * abs(I).max())
    wrong, _ = expected_outer(m, m, variances, 2.0 * variances)
    assert abs(wrong - I).max() > 0.1 * abs(I).max()


def test_derivatives_are_those_of_enumeration():
    """By variances and by parameters; covariances are had from a factor that all systems share."""
    m, variances, L, h = np.array([0.0, 1.0, 2.5]), np.array([0.2, 0.3, 0.25]), 3, 1e-5
    data = as_data(m[None], np.ones((1, 1)))
    found = pairs_module._slopes(data, m[:, None], variances)
    places = [*((l, l) for l in range(L)), *combinations(range(L), 2)]

    def entries(total, I):
        return np.array([(total - I)[a, b] for a, b in places])

    for c in range(L):
        more = variances + h * np.eye(L)[c]
        assert_allclose(found[:, c], entries(*expected_outer(m, m, variances, more)) / h, rtol=1e-3, atol=1e-4)
        further = entries(*expected_outer(m, m + h * np.eye(L)[c], variances, variances)) / h
        assert_allclose(found[:, L + 3 + c], -further, rtol=1e-3, atol=1e-3)
    loadings, size = np.array([1.0, -0.5, 2.0]), 0.01
    total = np.zeros((L, L))
    for sign in (-1.0, 1.0):
        one, I = expected_outer(m, m + sign * size * loadings, variances, variances)
        total += 0.5 * one
    slope = found[:, :L] @ loadings**2 + found[:, L : L + 3] @ pair_products(loadings)
    assert_allclose(entries(total, I) / size**2, slope, rtol=0.02, atol=0.02 * abs(slope).max())


@pytest.mark.parametrize("law", ["normal", "laplace"])
def test_the_statistic_is_chi_square_without_dependence_and_large_with_it(law):
    runs = 25
    values = [looked_at(draw(seed, 300, law=law)).statistic() for seed in range(runs)]
    assert {freedom for _, freedom in values} == {3}
    assert abs(np.mean([value for value, _ in values]) - 3.0) < 5.0 * np.sqrt(6.0 / runs)
    tails = np.array([chi_square_tail(3, value) for value, _ in values])
    assert (tails < 0.01).sum() <= 3
    for seed in range(3):
        shared = looked_at(draw(seed, 600, law=law, common=0.4))
        assert chi_square_tail(3, shared.statistic()[0]) < 1e-4
        assert shared.along(np.ones(3)) > 4.0


def test_errors_of_an_input_show_in_its_direction():
    z = [looked_at(draw(seed, 600, input_error=0.2)).along(pair_products(THETA[:, 1])) for seed in range(5)]
    clean = [looked_at(draw(seed, 600)).along(pair_products(THETA[:, 1])) for seed in range(12)]
    assert min(z) > 3.0
    assert max(clean) < 3.3


@pytest.mark.parametrize("n", [300, 2500])
def test_neither_blocks_nor_the_order_within_sets_matter(n):
    data = draw(0, n)
    one, many = looked_at(data), looked_at(data, 7)
    assert_allclose(many.value, one.value, rtol=1e-7, atol=1e-7)
    assert_allclose(many.cov, one.cov, rtol=1e-7)
    mixed = as_data(np.random.default_rng(1).permuted(data.sets[:, :, 0], axis=1), data.inputs)
    assert_allclose(looked_at(mixed).value, one.value, rtol=1e-6, atol=1e-6)


def test_there_are_no_pairs_of_one_system_of_vectors_or_of_few_sets():
    rng = np.random.default_rng(0)
    alone = as_data(rng.normal(size=(100, 1)), np.ones((100, 1)))
    assert noise_pairs(in_memory(alone), 100, np.zeros((1, 1)), np.ones(1)) is None
    vectors = as_data(rng.normal(size=(100, 2, 2)), None)
    assert noise_pairs(in_memory(vectors), 100, np.zeros((2, 2)), np.ones(2)) is None
    few = draw(0, pairs_module.ENOUGH - 1)
    assert noise_pairs(in_memory(few), len(few), THETA, np.ones(3)) is None


def test_memory_makes_covariances_larger():
    from scipy.signal import lfilter

    rng = np.random.default_rng(0)
    n = 1500
    x = rng.uniform(-1.0, 1.0, n)
    rows = np.column_stack([np.ones(n), x])
    noise = lfilter([1.0], [1.0, -0.8], rng.normal(size=(n, 3)), axis=0) * np.sqrt(1 - 0.64)
    passes = in_memory(as_data(rows @ (2.0 * THETA).T + 0.3 * noise, rows))
    found = noise_pairs(passes, n, 2.0 * THETA, np.full(3, 0.09))
    grown = np.diag(with_memory(passes, found, n).cov) / np.diag(found.cov)
    assert 2.0 < grown.mean() < 9.0  # (1 + 0.64) / (1 - 0.64) is 4.6
    clean = draw(0, 600)
    seen = looked_at(clean)
    assert_allclose(with_memory(in_memory(clean), seen, 600).cov, seen.cov)
