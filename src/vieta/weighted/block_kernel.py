r"""Running sums by which a filter judges itself: blocks of sets in information form, and batches of scores.

Sets have the score :math:`g = \sum J'V^{-1}r` and the information :math:`H = \sum J'V^{-1}J` at the running parameters :math:`\theta`.
To first order their score at a reference :math:`\bar\theta` is :math:`g + H(\theta - \bar\theta)`. Beside the n parameters there is one
more unknown, a covariance of the noises of every two systems (`vieta.weighted.diagnostics`). A block is an array (2 n + 3, n + 1): its
first n + 1 rows are the sum of the information, the next n + 1 the sum of the scores' outer products, both below the diagonal, and the
last row is the sum of the scores at the reference. New blocks have `BLOCK` sets; of each size, up to a factor of two, there are no more than
`ALIKE`, and the two oldest ones merge: so few blocks hold a long past, the latest in detail.

Batches of `BATCH` scores at the running parameters, and of twice as many, and so on, are compared with their neighbours: the sum of the
outer products of the differences is the variance of the scores' sum with its memory over time, and a lasting change cancels.

This module imports numba and is imported where it is needed only.
"""

import numpy as np

from vieta.arrays import Floats
from vieta.compiled import compile_now, inlined
from vieta.excitation import WINDOW
from vieta.weighted.scalar import whiten
from vieta.weighted.small_algebra import invert_positive

BLOCK = 256  # sets of a new block
ALIKE = 4  # blocks of one size
BATCH = 16  # scores of the shortest batch
RECENT = 4  # blocks before which a change is looked for whenever one ends; before the others it is at times that grow by GROWTH
GROWTH = 1.1
EXACT = 1e-6  # mean r'V⁻¹r / (L p) below which there is no noise, and nothing to test
SCREENED = 0.25  # of a limit: a statistic that is less than that by a simple account is not looked at
PAIRS = 16  # pairs of batches that an estimate of the memory needs
LONG, LONGEST = (
    256,
    0.97,
)  # scores of a batch, from which it is long enough; and the largest correlation that is allowed for
SUSPECTED = 3.0  # z-value of the correlation of neighbouring scores from which tests allow for memory
IN_BLOCK, SQUARES, LAG, LAG_SQUARES, BATCHES, BLOCKS, SETS, NEXT = range(8)  # of the tally
LATEST, WEIGHTS, SUM, ENTRY, MIDDLE, HELD = range(6)  # rows of `levels`


@inlined
def add_to_block(score: Floats, shared: Floats, forgetting: float, current: Floats) -> None:
    """Add a set to the sums about g of the block in progress; and, if sums forget, to the outer products.

    `shared` (n + 2,) is the information that ties g to the parameters, that about itself, and its score. The rest is added to the
    block when a window (`add_window`) or the block ends.
    """
    n = score.shape[0]
    cross, outer, of_g = current[n], current[2 * n + 1], shared[n + 1]
    for i in range(n):
        cross[i] += shared[i]
        outer[i] += of_g * score[i]
    cross[n] += shared[n]
    outer[n] += of_g * of_g
    current[2 * n + 2, n] += of_g
    if forgetting < 1.0:
        for i in range(n):
            for j in range(i + 1):
                current[n + 1 + i, j] += score[i] * score[j]


@inlined
def add_to_batch(score: Floats, levels: Floats) -> float:
    """Add a score to the batch in progress; returns its weighted product with the score before it."""
    product = 0.0
    for i in range(score.shape[0]):
        product += score[i] * levels[LATEST, i] * levels[WEIGHTS, i]
        levels[LATEST, i] = score[i]
        levels[SUM, i] += score[i]
    return product


@compile_now
def add_window(
    theta: Floats, reference: Floats, window_score: Floats, window_H: Floats, numbers: Floats, current: Floats, tally: Floats,
    levels: Floats,
) -> bool:  # fmt: skip
    r"""Add a window of sets to the block in progress, and count it; returns whether the block is complete.

    Its score at the reference is taken as :math:`g + H(\theta - \bar\theta)`, with the mean of the parameters before and after the window.
    """
    L, D = theta.shape
    n = L * D
    gap = np.empty(n)
    for l in range(L):
        for d in range(D):
            middle = 0.5 * (levels[ENTRY, l * D + d] + theta[l, d])
            levels[MIDDLE, l * D + d] += middle
            levels[ENTRY, l * D + d] = theta[l, d]
            gap[l * D + d] = middle - reference[l, d]
    for i in range(n):
        t = window_score[i]
        for j in range(n):
            t += (window_H[i, j] if j <= i else window_H[j, i]) * gap[j]
        for j in range(i + 1):
            current[i, j] += window_H[i, j]
        current[2 * n + 2, i] += t
    tally[IN_BLOCK] += WINDOW
    for q in range(3):
        tally[SQUARES + q] += numbers[2 + q]
    complete: bool = tally[IN_BLOCK] >= BLOCK
    return complete


@compile_now
def fold(tally: Floats, levels: Floats, contrasts: Floats) -> None:
    """At the end of a batch: compare it with its neighbour of the same length, join the two, and so on."""
    n = levels.shape[1]
    before = int(tally[BATCHES])
    tally[BATCHES] += 1.0
    for j in range(contrasts.shape[0] - 2):
        held = levels[HELD + j]
        if (before >> j) % 2 == 0:
            for i in range(n):
                held[i] = levels[SUM, i]
            break
        for i in range(n):
            a = held[i] - levels[SUM, i]
            for k in range(i + 1):
                contrasts[j, i, k] += a * (held[k] - levels[SUM, k])
        for i in range(n):
            levels[SUM, i] += held[i]
    for i in range(n):
        levels[SUM, i] = 0.0


@compile_now
def close_block(
    current: Floats, M: Floats, forgetting: float, reference: Floats, blocks: Floats, sizes: Floats, tally: Floats, levels: Floats,
    contrasts: Floats, limits: Floats,
) -> bool:  # fmt: skip
    """Put the block in progress among the others, and begin another. Returns whether the blocks speak of a change.

    Its outer products are what the filter's sum M has gained. `limits` (4,) are the statistics of `compare` beyond which there is a
    change, jointly and for one score: first those for the latest blocks, which are looked at every time, then those for all.
    """
    n = levels.shape[1]
    used, plain, before = int(tally[BLOCKS]), contrasts[contrasts.shape[0] - 2], contrasts[contrasts.shape[0] - 1]
    for i in range(n):
        for j in range(i + 1):
            if forgetting == 1.0:
                current[n + 1 + i, j] = M[i, j] - before[i, j]
            before[i, j] = M[i, j]
            plain[i, j] += current[n + 1 + i, j]
        own = current[n + 1 + i, i]
        levels[WEIGHTS, i] = tally[IN_BLOCK] / own if own > 0.0 else 0.0
        gap = levels[MIDDLE, i] * WINDOW / BLOCK - reference[i // reference.shape[1], i % reference.shape[1]]
        current[2 * n + 2, n] += current[n, i] * gap
        levels[MIDDLE, i] = 0.0
    for i in range(2 * n + 3):
        for j in range(n + 1):
            blocks[used, i, j] = current[i, j]
            current[i, j] = 0.0
    sizes[used, 0], sizes[used, 1] = tally[IN_BLOCK], tally[SQUARES]
    tally[SETS] += tally[IN_BLOCK]
    tally[IN_BLOCK], tally[SQUARES], tally[BLOCKS] = 0.0, 0.0, used + 1.0
    condense(blocks, sizes, tally)
    return is_changed(blocks, sizes, tally, contrasts, limits)


@inlined
def is_changed(blocks: Floats, sizes: Floats, tally: Floats, contrasts: Floats, limits: Floats) -> bool:
    """Whether some split of the blocks differs by more than the limits."""
    used = int(tally[BLOCKS])
    thorough = tally[SETS] >= tally[NEXT]
    if thorough:
        tally[NEXT] = GROWTH * tally[SETS]
        if limits[2] < 0.0:  # asked to stop
            return True
    if limits[0] == np.inf:
        return False
    depth, first = (used, 2) if thorough else (RECENT, 0)
    found = np.zeros((blocks.shape[0], 2))
    factor = memory_factor(tally, contrasts)
    compare(blocks, sizes, used, depth, SCREENED * factor * min(limits[2], limits[3]), found)
    changed = False
    for s in range(1, used):
        changed = changed or found[s, 0] > factor * limits[first] or found[s, 1] > factor * limits[first + 1]
    return changed


@inlined
def condense(blocks: Floats, sizes: Floats, tally: Floats) -> None:
    """Merge the two oldest of more than `ALIKE` blocks of one size, and the two oldest of all where the room ends."""
    used = int(tally[BLOCKS])
    end, level = used, 0
    while True:
        first = end
        while first > 0 and size_class(sizes[first - 1, 0]) <= level:
            first -= 1
        if end - first <= ALIKE:
            break
        used = merge(blocks, sizes, first, used)
        end, level = first + 1, level + 1
    if used == blocks.shape[0]:
        used = merge(blocks, sizes, 0, used)
    tally[BLOCKS] = used


@inlined
def size_class(sets: float) -> int:
    """The number of times that a new block was doubled."""
    level = 0
    while sets >= 2.0 * BLOCK:
        sets *= 0.5
        level += 1
    return level


@inlined
def merge(blocks: Floats, sizes: Floats, at: int, used: int) -> int:
    """Add the block after `at` to it, and move the later ones up; returns how many are left."""
    for s in range(at, used - 1):
        for i in range(blocks.shape[1]):
            for j in range(blocks.shape[2]):
                blocks[s, i, j] = blocks[s + 1, i, j] + (blocks[s, i, j] if s == at else 0.0)
        for q in range(2):
            sizes[s, q] = sizes[s + 1, q] + (sizes[s, q] if s == at else 0.0)
    return used - 1


@compile_now
def compare(blocks: Floats, sizes: Floats, used: int, depth: int, least: float, found: Floats) -> None:
    r"""Fill `found` (.., 2), row s, with statistics of a change between the blocks before s and those from s on.

    With sums of information A, B, of scores a, b and of their outer products :math:`M_A, M_B` on either side, and :math:`T = A + B`,

    .. math:: G = B T^{-1} a - A T^{-1} b, \qquad C = B T^{-1} M_A T^{-1} B + A T^{-1} M_B T^{-1} A,

    they are :math:`G'C^{-1}G` and the largest :math:`G_i^2 / C_{ii}`: the first part's score at the common estimate, in units of its error.
    The last `depth` splits are looked at; where :math:`G'B^{-1}G`, nearly the same if B is small and the model is right, is below `least`,
    they are left as they are.
    """
    n = blocks.shape[2] - 1
    total, late, room = np.zeros((2 * n + 3, n + 1)), np.zeros((2 * n + 3, n + 1)), np.empty((6, n, n))
    sets, squares, after = 0.0, 0.0, 0.0
    for s in range(used):
        sets += sizes[s, 0]
        squares += sizes[s, 1]
        for i in range(2 * n + 3):
            for j in range(n + 1):
                total[i, j] += blocks[s, i, j]
    if squares <= EXACT * sets:
        return
    inverse, C, G, none = room[0], room[5], np.empty(n), np.empty((n, 0))
    invert_positive(total[:n, :n], room[1], inverse)
    for s in range(used - 1, max(0, used - 1 - depth), -1):
        after += sizes[s, 0]
        for i in range(2 * n + 3):
            for j in range(n + 1):
                late[i, j] += blocks[s, i, j]
        if min(after, sets - after) < 8.0 * n:
            continue
        if least > 0.0 and 2.0 * after < sets and simple(total, late, inverse, C, G, none) < least:
            continue
        split(total, late, inverse, room[1], room[2], room[3], room[4], C, G)
        largest = 0.0
        for i in range(n):
            if C[i, i] > 0.0:
                largest = max(largest, G[i] * G[i] / C[i, i])
        found[s, 1] = largest
        found[s, 0] = whiten(C, G, none)


@inlined
def simple(total: Floats, late: Floats, inverse: Floats, C: Floats, G: Floats, none: Floats) -> float:
    """G'B⁻¹G, with G the late part's score at the common estimate; C and G are scratch."""
    n = G.shape[0]
    for i in range(n):
        t = 0.0
        for k in range(n):
            t += inverse[i, k] * total[2 * n + 2, k]
        C[0, i] = t
    for i in range(n):
        t = late[2 * n + 2, i]
        for k in range(n):
            t -= (late[i, k] if k <= i else late[k, i]) * C[0, k]
        G[i] = t
    for i in range(n):
        for k in range(i + 1):
            C[i, k] = late[i, k]
    return whiten(C, G, none)


@inlined
def split(
    total: Floats, late: Floats, inverse: Floats, KA: Floats, KB: Floats, PA: Floats, PB: Floats, C: Floats, G: Floats
) -> None:
    """Fill G (n,) and C (n, n), the latter below the diagonal; the other arrays (n, n) are scratch."""
    n = G.shape[0]
    for i in range(n):
        G[i] = 0.0
        for j in range(n):
            a, b = 0.0, 0.0
            for k in range(n):
                h = late[i, k] if k <= i else late[k, i]
                t = total[i, k] if k <= i else total[k, i]
                a += (t - h) * inverse[k, j]
                b += h * inverse[k, j]
            KA[i, j], KB[i, j] = a, b
            G[i] += b * (total[2 * n + 2, j] - late[2 * n + 2, j]) - a * late[2 * n + 2, j]
    for i in range(n):
        for j in range(n):
            a, b = 0.0, 0.0
            for k in range(n):
                h = late[n + 1 + k, j] if j <= k else late[n + 1 + j, k]
                t = total[n + 1 + k, j] if j <= k else total[n + 1 + j, k]
                a += KA[i, k] * h
                b += KB[i, k] * (t - h)
            PA[i, j], PB[i, j] = a, b
    for i in range(n):
        for j in range(i + 1):
            t = 0.0
            for k in range(n):
                t += PA[i, k] * KA[j, k] + PB[i, k] * KB[j, k]
            C[i, j] = t


@compile_now
def memory_factor(tally: Floats, contrasts: Floats) -> float:
    """The largest factor by which memory over time may raise the variance of a score's sum; one if neighbouring scores do not correlate.

    It is two of its standard errors larger than what the pairs of batches say.
    """
    if not tally[LAG] > SUSPECTED * np.sqrt(tally[LAG_SQUARES]):
        return 1.0
    last = contrasts.shape[0] - 2
    level = longest_level(tally, last)
    pairs = int(tally[BATCHES]) >> (level + 1)
    share = float(pairs << (level + 1)) / max(tally[BATCHES] - tally[IN_BLOCK] // BATCH, 1.0)
    if pairs == 0:
        return 1.0
    factor = 1.0
    for i in range(contrasts.shape[1]):
        if contrasts[last, i, i] > 0.0:
            factor = max(factor, contrasts[level, i, i] / (contrasts[last, i, i] * share))
    factor = 1.0 + (factor - 1.0) * shortness(tally, BATCH << level, contrasts.shape[1])
    return factor * (1.0 + 2.0 * np.sqrt(2.0 / pairs)) if factor > 1.0 else factor


@compile_now
def shortness(tally: Floats, length: int, unknowns: int) -> float:
    r"""By how much batches of a length understate what memory adds to a variance, for an AR(1) with the correlation of neighbouring scores.

    With b the length, the difference of neighbouring batches has the variance

    .. math:: 2b \Bigl(1 + 2\sum_{k<b} (1 - k/b) \rho^k - \tfrac1b \sum_{k \le b} k \rho^k - \tfrac1b \sum_{b<k<2b} (2b - k) \rho^k\Bigr)

    where long ones have :math:`2b (1 + \rho)/(1 - \rho)`.
    """
    rho = min(tally[LAG] / max(unknowns * BATCH * tally[BATCHES], 1.0), LONGEST)
    if length > LONG or rho <= 0.01:
        return 1.0
    power, added = 1.0, 0.0
    for k in range(1, 2 * length):
        power *= rho
        added += power * (2.0 * (length - k) - k if k < length else k - 2.0 * length) / length
    return max(2.0 * rho / (1.0 - rho) / added, 1.0) if added > 0.0 else 1.0


@compile_now
def longest_level(tally: Floats, levels: int) -> int:
    """The longest batches of which there are enough pairs, `PAIRS` or the root of the number of batches; the shortest if there are fewer."""
    level, enough = 0, max(float(PAIRS), np.sqrt(tally[BATCHES]))
    while level + 1 < levels and (int(tally[BATCHES]) >> (level + 2)) >= enough:
        level += 1
    return level
