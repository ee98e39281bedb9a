"""Diagnostics: what they measure, and what chance makes of them."""

from dataclasses import replace

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from tests.coefficients.cases import CASES, shuffle
from vieta.sets import Data, as_data
from vieta.sums import in_memory
from vieta.weighted import diagnostics, solve
from vieta.weighted.misfit import Misfit
from vieta.weighted.sum_regression import SAMPLE, as_matrices, regress

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


def dependence(data, blocks=1):
    passes = in_memory(data, blocks)
    return diagnostics.dependence(passes, solve.fit(passes))


def input_dependence(data, blocks=1):
    passes = in_memory(data, blocks)
    return diagnostics.input_dependence(passes, regress(passes))


def change_point(data, blocks=1):
    passes = in_memory(data, blocks)
    return diagnostics.change_point(passes, solve.fit(passes))


@every_kind
def test_dependence_is_a_z_value_without_any_and_large_with_it(kind):
    runs = 60
    clean = [draw(kind, seed, n=600) for seed in range(runs)]
    z = np.array([dependence(data) for data in clean])
    directions = 2 if kind == "matrices" else 1  # the larger of two in absolute value
    assert abs(z).max() < 4.5
    assert abs(z.mean()) < 5 * np.sqrt(directions / runs)
    assert 0.4 < z.std() < 1.2 + 0.5 * (directions - 1)
    for seed in range(3):
        data = draw(kind, seed, n=3000, common=0.8)
        assert dependence(data) > 4.5


def test_dependence_cannot_be_told_under_one_input_or_from_one_system():
    rng = np.random.default_rng(0)
    data = as_data(shuffle(LINES + 0.3 * rng.normal(size=(500, 3, 1)) + rng.normal(size=(500, 1, 1)), rng), None)
    assert dependence(data) == 0.0
    one = as_data(rng.normal(size=(500, 1)), rng.normal(size=500))
    assert dependence(one) == 0.0
    few = draw("numbers", 0, n=diagnostics.ENOUGH - 1)
    assert dependence(few) == 0.0


@every_kind
def test_input_dependence_is_a_z_value_without_any_and_large_with_it(kind):
    z = np.array([input_dependence(draw(kind, seed)) for seed in range(200)])
    assert abs(z).max() < 4.5
    assert 0.8 < z.std() < 2.0  # the largest of two or three
    for seed in range(3):
        data = draw(kind, seed)
        psi = as_matrices(data)
        clean = np.einsum("npd,ld->nlp", psi, LINES if kind == "numbers" else VECTORS)
        size = np.sqrt((psi**2).sum(axis=(1, 2)))
        loud = clean + 0.3 * np.random.default_rng([seed, 1]).normal(size=clean.shape) * size[:, None, None]
        assert input_dependence(Data(loud, data.inputs, data.dim)) > 4.5
        biased = data.sets + 0.2 * (size**2)[:, None, None]
        assert abs(input_dependence(Data(biased, data.inputs, data.dim))) > 4.5


def test_input_dependence_cannot_be_told_under_one_input():
    data = as_data(np.random.default_rng(0).normal(size=(500, 2)), None)
    assert input_dependence(data) == 0.0
    assert input_dependence(draw("rows", 0, n=diagnostics.ENOUGH - 1)) == 0.0


@every_kind
@pytest.mark.parametrize("seed", range(3))
def test_a_change_is_dated(kind, seed):
    before, after = draw(kind, seed, n=1200), draw(kind, seed + 100, n=1800)
    moved = after.sets + 0.3 * as_matrices(after).sum(axis=2)[:, None]  # every parameter grows by 0.3
    both = Data(np.concatenate([before.sets, moved]), np.concatenate([before.inputs, after.inputs]), before.dim)
    change = change_point(both)
    assert change is not None
    assert abs(change.after - 1200) < 100
    assert change.excess > 0.0


@every_kind
def test_no_change_is_seen_without_one(kind):
    for seed in range(40):
        data = draw(kind, seed, n=500)
        assert change_point(data) is None
    few = draw(kind, 0, n=diagnostics.ENOUGH - 1)
    assert change_point(few) is None


def test_share_of_outliers():
    found = solve.fit(in_memory(draw("numbers", 0, n=400)))
    assert_allclose(diagnostics.outlier_share(replace(found, misfit=Misfit.of(np.ones(400)))), 2 / 400)
    assert_allclose(diagnostics.outlier_share(replace(found, misfit=Misfit.of(np.r_[np.ones(398), 199.0, 199.0]))), 0.5)
    assert diagnostics.outlier_share(replace(found, misfit=Misfit.of(np.zeros(400)))) == 0.0
    assert diagnostics.outlier_share(found) < 0.1


@pytest.mark.parametrize("case", CASES, ids=str)
def test_data_without_noise_are_recognized(case):
    assert diagnostics.is_exact(solve.fit(in_memory(case.data(100, noise=0.0))))
    assert not diagnostics.is_exact(solve.fit(in_memory(case.data(100, noise=1e-3))))


# --- against all sets at once ---------------------------------------------------------------------------------------


def naive_slope(response, regressor):
    x, y = regressor - regressor.mean(), response - response.mean()
    residual = y - x * (x @ y) / (x @ x)
    return (x @ y) / np.sqrt(((x * residual) ** 2).sum())


@every_kind
@pytest.mark.parametrize("blocks", [1, 7])
def test_input_dependence_is_a_regression_on_ranks(kind, blocks):
    data = draw(kind, 4, n=1500)
    psi, sums = as_matrices(data), data.sets.sum(axis=1)
    residuals = sums - psi @ np.linalg.lstsq(psi.reshape(-1, data.dim), sums.reshape(-1))[0]
    ranks = np.argsort(np.argsort((psi**2).sum(axis=(1, 2)))) / len(data) - 0.5
    values = [naive_slope(y, ranks) for y in ((residuals**2).sum(axis=1), *residuals.T)]
    assert_allclose(input_dependence(data, blocks), max(values, key=abs), rtol=1e-9)


def test_ranks_in_a_sample_serve_for_many_sets():
    rng = np.random.default_rng(0)
    n = 3 * SAMPLE
    psi = rng.uniform(0.5, 1.5, n)
    data = as_data(psi[:, None] * [-2.0, 4.0] + 0.3 * rng.normal(size=(n, 2)) * psi[:, None] ** 0.05, psi)
    exact = np.argsort(np.argsort(psi**2)) / n - 0.5
    sums = data.sets.sum(axis=(1, 2))
    residuals = sums - psi * (psi @ sums) / (psi @ psi)
    expected = naive_slope(residuals**2, exact)
    assert abs(expected) > 3.0
    for blocks in (1, 5):
        assert_allclose(input_dependence(data, blocks), expected, rtol=0.01)


def test_equal_sizes_share_a_rank():
    """Sizes that repeat, in the order of time, must not smuggle time in."""
    rng = np.random.default_rng(1)
    psi = np.repeat([1.0, -1.0, 2.0, -2.0], 300)
    sets = psi[:, None] * [-2.0, 4.0] + 0.3 * rng.normal(size=(1200, 2)) * np.linspace(1.0, 2.0, 1200)[:, None]
    forward = input_dependence(as_data(sets, psi))
    order = rng.permutation(1200)
    assert_allclose(input_dependence(as_data(sets[order], psi[order])), forward, rtol=1e-9)


def naive_change(data):
    """The bridge of all scores at once."""
    found = solve.fit(in_memory(data))
    values, vectors = np.linalg.eigh(found.outer)
    steps = solve.block_scores(data, found) @ (vectors / np.sqrt(values))
    length = np.linalg.norm(steps, axis=1)
    longest = 8.0 * np.sqrt(steps.shape[1] / len(steps))
    cut = steps * np.minimum(1.0, longest / length)[:, None]
    centred = cut - cut.mean(axis=0)
    edge = diagnostics.BEFORE_AND_AFTER
    bridge = abs(np.cumsum(centred / np.linalg.norm(centred, axis=0), axis=0))[edge - 1 : -edge]
    return int(bridge.max(axis=1).argmax()) + edge, bridge.max() - np.sqrt(0.5 * np.log(2.0 * len(values) / 1e-5))


@every_kind
@pytest.mark.parametrize("blocks", [1, 2, 7, 300])
def test_a_change_is_where_the_bridge_of_all_scores_has_it(kind, blocks):
    before, after = draw(kind, 0, n=400), draw(kind, 100, n=200)
    moved = after.sets + 0.3 * as_matrices(after).sum(axis=2)[:, None]
    moved[50] += 3.0  # a wild set
    both = Data(np.concatenate([before.sets, moved]), np.concatenate([before.inputs, after.inputs]), before.dim)
    change = change_point(both, blocks)
    after, excess = naive_change(both)
    assert change.after == after
    assert_allclose(change.excess, excess, rtol=1e-7)


@pytest.mark.parametrize("cuts", [(), (1,), (5, 8), (15,), (50, 51, 99)], ids=str)
def test_walks_join_and_leave_out_the_ends(cuts):
    steps = np.random.default_rng(3).normal(size=(100, 3))
    steps[:8] += 40.0  # the farthest points would lie near the ends
    steps[8] -= 320.0
    pieces = np.split(np.arange(100), cuts)
    walk = diagnostics.Walk.of(steps[pieces[0]], 0, 100)
    for piece in pieces[1:]:
        walk = walk + diagnostics.Walk.of(steps[piece], piece[0], 100)
    path = np.cumsum(steps, axis=0)
    inner = path[9:90]  # after 10 to 90 sets
    assert_allclose(walk.end, np.r_[path[-1], -path[-1]])
    assert_allclose(walk.top, np.r_[inner.max(axis=0), -inner.min(axis=0)], rtol=1e-12)
    assert_array_equal(walk.after, np.r_[inner.argmax(axis=0), inner.argmin(axis=0)] + 10)
    assert_allclose(walk.farthest, abs(inner).max(axis=0), rtol=1e-12)
    assert walk.top.max() < abs(path).max()


def naive_dependence(data):
    """The score test with one row a set, from the scores of single sets."""
    from vieta.weighted.dependence_kernel import dependence_sums

    found, values = solve.fit(in_memory(data)), []
    for q in range(data.reading_dim):
        y, rows, theta = data.sets[:, :, q].copy(), as_matrices(data)[:, q].copy(), found.theta
        for _ in range(3):
            each = [dependence_sums(y[k : k + 1], rows[k : k + 1], theta, found.noise[q, q]) for k in range(len(y))]
            scores, information = np.array([one[0] for one in each]), sum(one[2] for one in each)
            H = information[:-1, :-1]
            theta = theta + np.linalg.solve(H, scores[:, :-1].sum(axis=0)).reshape(theta.shape)
        effective = scores[:, -1] - scores[:, :-1] @ np.linalg.solve(H, information[:-1, -1])
        values.append(effective.sum() / np.sqrt((effective**2).sum()))
    return max(values, key=abs)


@every_kind
@pytest.mark.parametrize("blocks", [1, 7])
def test_dependence_is_the_score_test_on_all_sets(kind, blocks):
    data = draw(kind, 2, n=500, common=0.3)
    assert_allclose(dependence(data, blocks), naive_dependence(data), rtol=1e-8)
