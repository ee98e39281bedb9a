"""Whether parameters stay the same: sums of scores against all sets at once, levels and power by simulation."""

import numpy as np
import pytest
from numpy.testing import assert_allclose

from tests.coefficients.cases import shuffle
from vieta.sets import Data, as_data
from vieta.sums import in_memory
from vieta.weighted import constancy, solve
from vieta.weighted.sum_regression import as_matrices

LINES = np.array([[-2.0], [1.0], [4.0]])
VECTORS = np.array([[1.0, -2.0], [2.0, 1.0]])


def draw(kind, seed, n=2000):
    rng = np.random.default_rng(seed)
    if kind == "numbers":
        psi = rng.uniform(0.5, 1.5, n)
        clean = psi[:, None, None] * LINES
    else:
        psi = rng.normal(size=(n, 1 if kind == "rows" else 2, 2))
        clean = np.einsum("npd,ld->nlp", psi, VECTORS)
    return as_data(shuffle(clean + 0.3 * rng.normal(size=clean.shape), rng), psi)


def moved(kind, seed, before, after):
    """Every parameter grows by 0.3."""
    first, last = draw(kind, seed, n=before), draw(kind, seed + 100, n=after)
    late = last.sets + 0.3 * as_matrices(last).sum(axis=2)[:, None]
    return Data(np.concatenate([first.sets, late]), np.concatenate([first.inputs, last.inputs]), first.dim)


def change_point(data, blocks=1):
    passes = in_memory(data, blocks)
    return constancy.change_point(passes, solve.fit(passes))


def line(rng, n, inputs, noise=None, path=0.0):
    """One system with [1, x], whose level may move: its scores are those of least squares."""
    x = {"normal": rng.normal(size=n), "trend": np.linspace(-1.0, 1.0, n), "season": np.sin(np.arange(n) / 3.0)}[inputs]
    rows = np.column_stack([np.ones(n), x])
    v = rng.laplace(size=n) if noise is None else noise
    return as_data((rows @ [1.0, 2.0] + path + v)[:, None], rows)


def seen(data, blocks=1, count=constancy.STRETCHES):
    passes = in_memory(data, blocks)
    found = solve.fit(passes)
    scored = constancy.Scored(found.n_sets, found.outer, found.information, found.basis)
    steps = constancy.steps_of(scored, lambda block: solve.block_scores(block, found))
    sums = passes.total(lambda block, before: constancy._stretches(block, before, steps, count, len(data)))
    return sums, steps, found


def probabilities(data):
    count = int(np.clip(len(data) // constancy.SETS_A_STRETCH, 1, constancy.STRETCHES))
    sums, steps, _ = seen(data, count=count)
    ones = np.ones(sums.score.shape[1])
    return constancy.jump_probability(sums, steps, len(data), ones), constancy.walk_probability(sums, steps, ones)


every_kind = pytest.mark.parametrize("kind", ["numbers", "rows", "matrices"])


@every_kind
@pytest.mark.parametrize("seed", [0])
def test_a_change_is_dated(kind, seed):
    change = change_point(moved(kind, seed, 600, 900))
    assert change is not None
    assert abs(change.after - 600) < 100
    assert min(change.jumps, change.walks) < 1e-6
    passes = in_memory(moved(kind, seed, 600, 900))
    assert constancy.surely_changed(passes, solve.fit(passes))


@every_kind
def test_no_change_is_seen_without_one(kind):
    assert sum(change_point(draw(kind, seed, n=500)) is not None for seed in range(8)) == 0
    assert change_point(draw(kind, 0, n=constancy.ENOUGH - 1)) is None


@every_kind
def test_the_cut_into_blocks_does_not_matter(kind):
    data = moved(kind, 0, 400, 200)
    whole = change_point(data)
    for blocks in (2, 7, 300):
        cut = change_point(data, blocks)
        assert whole.after == cut.after
        assert_allclose([cut.jumps, cut.walks], [whole.jumps, whole.walks], rtol=1e-7)


@pytest.mark.parametrize("inputs", ["normal", "trend"])
def test_bridges_are_those_of_all_scores(inputs):
    """Each sum is of (1[k <= tau] - K) s_k, and its variance the sum of the squares of these."""
    rng = np.random.default_rng(1)
    data = line(rng, 120, inputs)
    sums, steps, _ = seen(data, count=6)
    values, variances = constancy.bridges(sums, steps, np.ones(2))
    scores, rows = steps(data), as_matrices(data)[:, 0]
    total = np.linalg.inv(rows.T @ rows)
    back = np.linalg.inv(steps.whiten)
    for b in range(5):
        early = np.arange(120) < 20 * (b + 1)
        K = steps.whiten.T @ (rows[early].T @ rows[early] @ total) @ back.T
        terms = (early[:, None] * scores - scores @ K.T) @ steps.towards
        assert_allclose(values[b], terms.sum(axis=0), atol=1e-9)
        stretches = scores.reshape(6, 20, -1)
        apart = (stretches - stretches.mean(axis=1, keepdims=True)).reshape(120, -1) * np.sqrt(20 / 19)
        terms = (early[:, None] * apart - apart @ K.T) @ steps.towards
        assert_allclose(variances[b], (terms**2).sum(axis=0), rtol=1e-6)
    assert_allclose(np.linalg.norm(steps.towards, axis=0), 1.0)


@pytest.mark.parametrize("inputs", ["normal", "trend", "season"])
@pytest.mark.parametrize("n", [60, 400])
def test_probabilities_are_no_smaller_than_chance_makes_them(inputs, n):
    rng = np.random.default_rng(n)
    found = np.array([probabilities(line(rng, n, inputs)) for _ in range(50)])
    for level in (0.02, 0.1):
        assert ((found < level).mean(axis=0) <= level + 4.0 * np.sqrt(level / 50)).all()
    assert (found[:, 1] < 0.5).mean() > 0.25  # and they are probabilities, not ones


def test_jumps_and_walks_are_found_and_heavy_tails_are_none():
    rng = np.random.default_rng(2)
    n = 600
    jumps = [probabilities(line(rng, n, "normal", path=0.6 * (np.arange(n) > n // 2)))[0] for _ in range(12)]
    walks = [probabilities(line(rng, n, "normal", path=0.05 * rng.normal(size=n).cumsum()))[1] for _ in range(12)]
    heavy = [min(probabilities(line(rng, n, "normal", noise=rng.standard_t(2, n)))) for _ in range(30)]
    assert np.mean(np.array(jumps) < constancy.JUMPS) > 0.7
    assert np.mean(np.array(walks) < constancy.WALKS) > 0.5
    assert np.mean(np.array(heavy) < constancy.JUMPS) < 0.05


def test_noise_with_memory_is_no_change():
    from scipy.signal import lfilter

    rng = np.random.default_rng(3)
    found = []
    for _ in range(12):
        noise = lfilter([1.0], [1.0, -0.7], rng.normal(size=800))[200:]
        found.append(change_point(line(rng, 600, "normal", noise=noise)) is not None)
    assert sum(found) <= 1


@pytest.mark.parametrize("cuts", [(), (1,), (5, 8), (15,), (50, 51, 99)], ids=str)
def test_walks_join_and_leave_out_what_does_not_count(cuts):
    steps = np.random.default_rng(3).normal(size=(100, 1))
    steps[:8] += 40.0  # the farthest points would lie near the ends
    steps[8] -= 320.0
    pieces = np.split(np.arange(100), cuts)
    walk = constancy.Walk.of(steps[pieces[0]], 0, 10, 90)
    for piece in pieces[1:]:
        walk = walk + constancy.Walk.of(steps[piece], piece[0], 10, 90)
    path = np.cumsum(steps[:, 0])
    inner = path[9:90]  # after 10 to 90 sets
    assert_allclose([walk.end, walk.top], [path[-1], inner.max()], rtol=1e-12)
    assert walk.after == inner.argmax() + 10


@pytest.mark.parametrize("after", [300, 500, 1000])
@pytest.mark.parametrize("sign", [1.0, -1.0])
def test_a_change_that_drowns_the_noise_is_found_and_dated(after, sign):
    """Its own stretch of time has most of the spread, so that the test of jumps alone is blind to it."""
    rng = np.random.default_rng(after)
    theta = np.array([[-2.0, 3.0]]) + sign * np.array([[1.5, -1.0]]) * (np.arange(1152) >= after)[:, None]
    found = change_point(as_data(theta + 0.02 * rng.standard_normal((1152, 2)), None))
    assert found is not None
    assert found.after == after
    assert change_point(as_data(np.array([[-2.0, 3.0]]) + 0.02 * rng.standard_normal((1152, 2)), None)) is None
