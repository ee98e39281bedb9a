"""Running sums of a filter, against the same sums of all sets in plain numpy; and what they say of changes and memory."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from vieta.weighted import block_kernel as kernel
from vieta.weighted.dependence_kernel import dependence_sums
from vieta.weighted.equations import mirrored
from vieta.weighted.number_equations import share_of_numbers
from vieta.weighted.number_tracking import share_of_dependence


def blocks_of(rng, n, count, shift=0.0, sets=256):
    """Blocks (count, 2 n + 3, n + 1) of scores with unit information a set, the later half shifted; and their sizes."""
    blocks, sizes = np.zeros((count, 2 * n + 3, n + 1)), np.zeros((count, 2))
    for b in range(count):
        scores = rng.normal(size=(sets, n)) + shift * (b >= count // 2)
        blocks[b, :n, :n] = sets * np.eye(n)
        blocks[b, n + 1 : 2 * n + 1, :n] = np.tril(scores.T @ scores)
        blocks[b, 2 * n + 2, :n] = scores.sum(axis=0)
        sizes[b] = sets, sets
    return blocks, sizes


def compared(blocks, sizes, least=0.0):
    found = np.zeros((len(blocks), 2))
    kernel.compare(blocks, sizes, len(blocks), len(blocks), least, found)
    return found


@pytest.mark.parametrize("seed", range(3))
def test_a_comparison_is_the_wald_test_of_two_estimates(seed):
    """With information A, B: the difference of the two estimates over its sandwich covariance is the same statistic."""
    rng, n = np.random.default_rng(seed), 3
    blocks, sizes = blocks_of(rng, n, 6, 0.1)
    root = rng.normal(size=(6, n, n))
    blocks[:, :n, :n] += np.tril(30.0 * root @ np.swapaxes(root, 1, 2))
    found = compared(blocks, sizes)
    for s in range(1, 6):
        parts = []
        for part in (blocks[:s].sum(axis=0), blocks[s:].sum(axis=0)):
            inverse = np.linalg.inv(mirrored(np.tril(part[:n, :n])))
            meat = mirrored(np.tril(part[n + 1 : 2 * n + 1, :n]))
            parts.append((inverse @ part[2 * n + 2, :n], inverse @ meat @ inverse))
        gap, cov = parts[0][0] - parts[1][0], parts[0][1] + parts[1][1]
        assert_allclose(found[s, 0], gap @ np.linalg.solve(cov, gap), rtol=1e-8)
        assert found[s, 1] <= found[s, 0] * (1 + 1e-9)


def test_comparisons_have_their_law_without_a_change_and_grow_with_one():
    rng, n, runs = np.random.default_rng(0), 3, 400
    middle = np.array([compared(*blocks_of(rng, n, 4, sets=64))[2, 0] for _ in range(runs)])
    assert abs(middle.mean() - n) < 5 * np.sqrt(2 * n / runs)
    changed = compared(*blocks_of(rng, n, 8, 0.3))
    assert changed[:, 0].argmax() == 4
    assert changed[4, 0] > 100.0


def test_directions_without_information_say_nothing():
    """Inputs that did not move in the later part: the estimates cannot be compared there, and the statistic stays small."""
    rng, n = np.random.default_rng(1), 2
    blocks, sizes = blocks_of(rng, n, 6)
    blocks[4:, 1], blocks[4:, n + 2], blocks[4:, 2 * n + 2, 1] = 0.0, 0.0, 0.0
    blocks[:4, 2 * n + 2, 1] += 500.0  # far from the reference, and the same all the time
    found = compared(blocks, sizes)
    assert np.isfinite(found).all()
    assert found[4:].max() < 20.0


def test_a_small_statistic_may_be_left_out_and_exact_sets_are():
    rng = np.random.default_rng(2)
    blocks, sizes = blocks_of(rng, 2, 8, 0.3)
    assert_array_equal(compared(blocks, sizes, 1e9)[5:], np.zeros((3, 2)))
    assert_allclose(compared(blocks, sizes, 1.0)[5], compared(blocks, sizes)[5])
    sizes[:, 1] = 0.0
    assert not compared(blocks, sizes).any()


def test_blocks_merge_by_size_and_lose_nothing():
    n = 1
    blocks, sizes, tally = np.zeros((24, 2 * n + 3, n + 1)), np.zeros((24, 2)), np.zeros(8)
    levels, contrasts = np.zeros((kernel.HELD + 2, n)), np.zeros((4, n, n))
    M, current = np.zeros((n, n)), np.zeros((2 * n + 3, n + 1))
    for k in range(1, 400):
        M += 1.0
        current[0, 0], tally[kernel.IN_BLOCK], tally[kernel.SQUARES] = k, kernel.BLOCK, 2.0
        kernel.close_block(
            current, M, 1.0, np.zeros((n, 1)), blocks, sizes, tally, levels, contrasts, np.full(4, np.inf)
        )
        used = int(tally[kernel.BLOCKS])
        assert used < len(blocks)
        assert blocks[:used, 0, 0].sum() == k * (k + 1) / 2
        assert_array_equal(sizes[:used].sum(axis=0), [kernel.BLOCK * k, 2.0 * k])
        assert blocks[:used, n + 1, 0].sum() == k  # what M gained
        assert (np.diff(sizes[:used, 0]) <= 0).all()
        assert sizes[used - 1, 0] == kernel.BLOCK
    assert used <= kernel.ALIKE * 9


def test_room_that_ends_is_made_by_the_oldest():
    blocks, sizes, tally = np.ones((6, 5, 2)), np.array([[256.0 * 2**k, 1.0] for k in range(5, -1, -1)]), np.zeros(8)
    tally[kernel.BLOCKS] = 6
    kernel.condense(blocks, sizes, tally)
    assert tally[kernel.BLOCKS] == 5
    assert_array_equal(sizes[:5, 0] / 256.0, [48, 8, 4, 2, 1])
    assert blocks[0, 0, 0] == 2.0


def folded(scores, levels=6):
    """Tally, levels and contrasts of scores (N, n)."""
    n = scores.shape[1]
    tally, rows, contrasts = np.zeros(8), np.zeros((kernel.HELD + levels, n)), np.zeros((levels + 2, n, n))
    rows[kernel.WEIGHTS] = 1.0
    for at in range(0, len(scores), kernel.BATCH):
        for score in scores[at : at + kernel.BATCH]:
            product = kernel.add_to_batch(score, rows)
            tally[kernel.LAG] += product
            tally[kernel.LAG_SQUARES] += product**2
        kernel.fold(tally, rows, contrasts)
    contrasts[-2] = np.tril(scores.T @ scores)
    return tally, rows, contrasts


def test_contrasts_are_those_of_neighbouring_batches():
    scores = np.random.default_rng(3).normal(size=(512, 2))
    tally, _, contrasts = folded(scores)
    assert tally[kernel.BATCHES] == 32
    for level in range(5):
        batches = scores.reshape(-1, kernel.BATCH << level, 2).sum(axis=1)
        gaps = batches[0::2] - batches[1::2]
        assert_allclose(contrasts[level], np.tril(gaps.T @ gaps), rtol=1e-10)
    assert_allclose(tally[kernel.LAG], (scores[1:] * scores[:-1]).sum(), rtol=1e-10)


@pytest.mark.parametrize(("rho", "low", "high"), [(0.0, 1.0, 1.0), (0.5, 2.3, 7.5), (0.8, 6.0, 20.0)])
def test_memory_raises_the_variance_by_its_factor(rho, low, high):
    """An AR(1) has the factor (1 + rho) / (1 - rho); what the kernel allows for lies between it and twice as much."""
    rng = np.random.default_rng(4)
    noise = rng.normal(size=(20_480, 2))
    for k in range(1, len(noise)):
        noise[k] = rho * noise[k - 1] + np.sqrt(1 - rho**2) * noise[k]
    tally, _, contrasts = folded(noise, 8)
    assert low <= kernel.memory_factor(tally, contrasts) <= high
    assert kernel.longest_level(tally, 8) > 2


def test_a_lasting_change_is_no_memory():
    scores = np.random.default_rng(5).normal(size=(20_480, 2))
    scores[10_240:] += 1.0
    tally, _, contrasts = folded(scores, 8)
    assert tally[kernel.LAG] > kernel.SUSPECTED * np.sqrt(tally[kernel.LAG_SQUARES])  # neighbours do correlate
    assert kernel.memory_factor(tally, contrasts) < 2.5
    jumping = scores.copy()
    jumping += np.repeat(np.random.default_rng(6).choice([-1.0, 1.0], size=320), 64)[:, None]
    assert kernel.memory_factor(*folded(jumping, 8)[::2]) > 15.0  # the control: what comes and goes


@pytest.mark.parametrize(("L", "D"), [(1, 1), (2, 2), (4, 1)])
def test_shares_about_a_covariance_are_those_of_the_batch(L, D):
    rng = np.random.default_rng([L, D])
    theta, rows, variance = 2.0 * rng.normal(size=(L, D)), rng.normal(size=(5, D)), 0.3
    sets = rows @ theta.T + np.sqrt(variance) * rng.normal(size=(5, L))
    n = L * D
    total, outer, information = np.zeros(n + 1), np.zeros((n + 1, n + 1)), np.zeros((n + 1, n + 1))
    score, own, shared, work = np.empty(n), np.empty((n, n)), np.empty(n + 2), np.empty((4 + 4 * L, L))
    for y, row in zip(sets, rows, strict=True):
        share_of_numbers(y, row, theta, variance, np.inf, np.empty(L, np.int64), work, score, own)
        share_of_dependence(row, variance, 1.0, work, shared)
        joint = np.append(score, shared[n + 1])
        total += joint
        outer += np.outer(joint, joint)
        information[n] += shared[: n + 1]
    expected = dependence_sums(sets, rows, theta, variance)
    assert_allclose(total, expected[0], rtol=1e-8)
    assert_allclose(outer, expected[1], rtol=1e-8)
    assert_allclose(information[n], expected[2][n], rtol=1e-8, atol=1e-12)


@pytest.mark.parametrize("rho", [0.3, 0.9])
@pytest.mark.parametrize("length", [16, 64])
def test_short_batches_understate_an_autoregression(rho, length):
    lags = np.arange(2 * length)
    C = rho ** abs(lags[:, None] - lags)
    sign = np.repeat([1.0, -1.0], length)
    seen = sign @ C @ sign / (2 * length)
    tally = np.zeros(8)
    tally[kernel.LAG], tally[kernel.BATCHES] = rho * 2 * kernel.BATCH * 100, 100
    expected = ((1 + rho) / (1 - rho) - 1) / (seen - 1)
    assert_allclose(kernel.shortness(tally, length, 2), expected, rtol=1e-9)
    assert kernel.shortness(tally, 2 * kernel.LONG, 2) == 1.0
    tally[kernel.LAG] = 0.0
    assert kernel.shortness(tally, length, 2) == 1.0
