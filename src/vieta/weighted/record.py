r"""What a filter keeps of its past to judge itself: blocks of sets in information form (`block_kernel`), and what they say.

The sums of blocks give the estimate from any stretch of time, :math:`\bar\theta + (\sum H_b)^{-1} \sum g_b`, so that a change needs no sets
to be kept: the blocks before it are left out.
"""

from dataclasses import dataclass, replace
from functools import lru_cache
from typing import NamedTuple

import numpy as np

from vieta.arrays import Floats
from vieta.engine import require_positive, require_state
from vieta.weighted.equations import mirrored
from vieta.weighted.scaled_inverse import scaled_inverse
from vieta.weighted.solve import Fit

LEVELS, FEW_LEVELS = 12, 4  # lengths of batches, each twice the one before; and for many unknowns
MOST_BLOCKS, FEWEST_BLOCKS, ROOM = 64, 6, 1024  # blocks that are kept: fewer where there are many unknowns
MANY = 64  # unknowns
OFTEN, SELDOM, AGAIN = (
    1e-9,
    3e-7,
    1e-4,
)  # levels of a comparison: of the latest blocks, of all, and of all once a change was found
AMBIGUOUS = 8.0  # below the largest statistic: a split that may be the one as well
SHORTEST = 8  # sets for each unknown after a change


@dataclass(frozen=True, slots=True, eq=False)
class Record:
    """Running sums since the start of a filter; of fixed size. n = L D parameters.

    Attributes
    ----------
    reference : (L, D)
        Parameters at which the blocks' scores are taken.
    current : (2 n + 3, n + 1)
        The block in progress, as `block_kernel` has it.
    tally : (8,)
        Sets and their r'V⁻¹r in that block; products of neighbouring scores, and their squares; numbers of batches, of blocks and of
        sets; and the number of sets at which all blocks are compared next.
    levels : (5 + K, n)
        The latest score, weights of the scores, the batch in progress; the parameters before the window in progress, and the sum of those
        in the middle of the windows of the block in progress; and the last batch of each length that has no neighbour yet.
    contrasts : (K + 2, n, n)
        Sums of outer products, below the diagonal: of the differences of neighbouring batches of each length; then of the scores of
        all blocks; and last what the filter's own sum was when the block in progress began.
    blocks : (B, 2 n + 3, n + 1)
        Blocks, the oldest first.
    sizes : (B, 2)
        Their numbers of sets, and sums of r'V⁻¹r / (L p).
    """

    reference: Floats
    current: Floats
    tally: Floats
    levels: Floats
    contrasts: Floats
    blocks: Floats
    sizes: Floats

    @property
    def n_blocks(self) -> int:
        """Blocks that are complete."""
        return int(self.tally[5])


def blank(L: int, D: int) -> Record:
    """Nothing recorded."""
    n = L * D
    most = int(np.clip(ROOM // n, FEWEST_BLOCKS, MOST_BLOCKS))
    levels = LEVELS if n <= MANY else FEW_LEVELS
    return Record(
        reference=np.zeros((L, D)),
        current=np.zeros((2 * n + 3, n + 1)),
        tally=np.zeros(8),
        levels=np.zeros((5 + levels, n)),
        contrasts=np.zeros((levels + 2, n, n)),
        blocks=np.zeros((most, 2 * n + 3, n + 1)),
        sizes=np.zeros((most, 2)),
    )


def of_fit(found: Fit, scores: Floats) -> Record:
    """A record that begins with the sets of a fit, as its first block; `scores` (N, n) are those of its sets, in the order of time."""
    return of_scores(found.theta, found.information, found.outer, float(found.misfit.totals.sum()), scores)


def of_scores(theta: Floats, information: Floats, outer: Floats, squares: float, scores: Floats) -> Record:
    """The same from parameters (L, D), sums (n, n) of information and of outer products, and the sum of r'V⁻¹r / (L p)."""
    new = blank(*theta.shape)
    n, N = theta.size, len(scores)
    new.blocks[0, :n, :n] = information
    new.blocks[0, n + 1 : 2 * n + 1, :n] = outer
    new.sizes[0] = N, squares
    own = np.diag(outer)
    new.levels[1] = np.where(own > 0.0, N / np.where(own > 0.0, own, 1.0), 0.0)
    new.levels[3] = theta.ravel()
    new.contrasts[-1] = outer
    new.contrasts[-2] = outer
    add_batches(new, scores)
    new.tally[5:] = 1.0, N, N
    return replace(new, reference=theta.copy())


def add_batches(record: Record, scores: Floats) -> None:
    """Add scores (N, n), of which batches begin with the first, to the products of neighbours and to the batches; in place."""
    from vieta.weighted.block_kernel import BATCH, fold

    before = np.concatenate([record.levels[:1], scores[:-1]])
    products = (scores * before) @ record.levels[1]
    record.tally[2:4] += products.sum(), (products**2).sum()
    for at in range(0, len(scores) - BATCH + 1, BATCH):
        record.levels[2] = scores[at : at + BATCH].sum(axis=0)
        fold(record.tally, record.levels, record.contrasts)
    record.levels[0] = scores[-1]


def copied(record: Record, sets: int) -> Record:
    """A record that a kernel may change by so many sets: blocks are copied only if one ends meanwhile."""
    from vieta.weighted.block_kernel import BLOCK

    new = {name: getattr(record, name).copy() for name in ("current", "tally", "levels", "contrasts")}
    if record.tally[0] + sets >= BLOCK:
        new |= {"blocks": record.blocks.copy(), "sizes": record.sizes.copy()}
    return replace(record, **new)


def check(record: Record) -> None:
    """Refuse a record of the right shapes that no stream leaves: above all numbers that are used as an index."""
    from vieta.weighted.block_kernel import BLOCK

    inside, squares, _, lag_squares, batches, blocks, sets, after = record.tally
    require_state(inside in range(BLOCK) and squares >= 0.0, "its block of sets is longer than a block")
    require_state(
        lag_squares >= 0.0 and 0.0 <= batches <= 2.0**53 and batches == int(batches), "its batches are not counted"
    )
    require_state(blocks in range(len(record.blocks)) and sets >= 0.0 and after >= 0.0, "its blocks are not counted")
    require_state((record.sizes >= 0.0).all(), "its blocks have negative sizes")
    n = record.reference.size
    for part in (record.blocks[:, :n, :n].sum(axis=0), record.contrasts.sum(axis=0)):
        require_positive(_full(part), "record")


@lru_cache
def limits(unknowns: int) -> tuple[float, float, float, float]:
    """Statistics of `block_kernel.compare` beyond which there is a change: jointly and for one score, often and seldom."""
    from scipy.special import chdtri

    return (
        float(chdtri(unknowns, OFTEN)),
        float(chdtri(1, OFTEN / unknowns)),
        float(chdtri(unknowns, SELDOM)),
        float(chdtri(1, SELDOM / unknowns)),
    )


class BlockSums(NamedTuple):
    """Sums over some blocks: their number of sets, information (n, n), scores' outer products (n, n), and estimate (L, D)."""

    n_sets: float
    information: Floats
    meat: Floats
    theta: Floats


def block_sums(record: Record, first: int = 0) -> BlockSums:
    """The sets of the blocks from one of them on."""
    sums = record.blocks[first : record.n_blocks].sum(axis=0)
    n = record.reference.size
    H, M, g = _full(sums[:n, :n]), _full(sums[n + 1 : 2 * n + 1, :n]), sums[2 * n + 2, :n]
    sets = float(record.sizes[first : record.n_blocks, 0].sum())
    return BlockSums(sets, H, M, record.reference + (scaled_inverse(H) @ g).reshape(record.reference.shape))


def since(record: Record, first: int) -> Record:
    """The record without the blocks before one of them."""
    blocks, sizes, tally = np.zeros_like(record.blocks), np.zeros_like(record.sizes), record.tally.copy()
    left = record.n_blocks - first
    blocks[:left], sizes[:left] = record.blocks[first : record.n_blocks], record.sizes[first : record.n_blocks]
    tally[5:] = left, sizes[:left, 0].sum(), sizes[:left, 0].sum()
    return replace(record, blocks=blocks, sizes=sizes, tally=tally)


def continued(record: Record, theta: Floats, meat: Floats) -> Record:
    """The record at the end of a block, as it goes on from other parameters (L, D) and another sum of outer products (n, n)."""
    contrasts, levels = record.contrasts.copy(), record.levels.copy()
    contrasts[-1], levels[3] = meat, theta.ravel()
    return replace(record, contrasts=contrasts, levels=levels)


def comparisons(record: Record, share: float = 0.0) -> Floats:
    """(blocks, 2) the statistics of `block_kernel.compare` for a change before each block, freed of memory over time.

    Zero for a change after which there is less than a share of all sets.
    """
    from vieta.weighted.block_kernel import compare

    found = np.zeros((len(record.blocks), 2))
    compare(record.blocks, record.sizes, record.n_blocks, record.n_blocks, 0.0, found)
    counted = sets_from(record) >= share * record.sizes[: record.n_blocks, 0].sum()
    return np.asarray(found[: record.n_blocks] * counted[:, None] / largest_factor(record))


def sets_from(record: Record) -> Floats:
    """(blocks,) the number of sets from each block on."""
    return np.asarray(np.cumsum(record.sizes[: record.n_blocks, 0][::-1])[::-1])


class Split(NamedTuple):
    """A change: the block before which it most likely is, and the last one before which it may be."""

    likeliest: int
    last: int


def find_split(record: Record, level: float, share: float = 0.0) -> Split | None:
    """The likeliest place of a change, if the blocks speak of one at a level; and the last block before which it may be."""
    from scipy.special import chdtrc

    found = comparisons(record, share)
    if len(found) < 2:
        return None
    n = record.reference.size
    by_one = n * chdtrc(1, found[:, 1].max()) < chdtrc(n, found[:, 0].max())
    statistic = found[:, int(by_one)]
    p_value = n * chdtrc(1, statistic.max()) if by_one else chdtrc(n, statistic.max())
    if not p_value < level:
        return None
    at = int(statistic.argmax())
    close = (statistic > max(statistic[at] - AMBIGUOUS, 0.0)) & (sets_from(record) >= SHORTEST * n)
    return Split(at, max(int(np.flatnonzero(close).max(initial=at)), at))


def homogeneous(record: Record) -> tuple[Record, list[int]]:
    """The record since its last change, and the changes: how many sets of the record were before each."""
    times: list[int] = []
    before, level = 0.0, SELDOM
    while True:
        found = find_split(record, level)
        if found is None:
            return record, times
        times.append(int(before + record.sizes[: found.likeliest, 0].sum()))
        before += float(record.sizes[: found.last, 0].sum())
        record, level = since(record, found.last), AGAIN


def suspicion(record: Record, share: float) -> float:
    """The smallest probability, by chance, of a comparison of the blocks with a share of all sets after it; one if there is none."""
    from scipy.special import chdtrc

    found = comparisons(record, share)
    if len(found) < 2:
        return 1.0
    n = record.reference.size
    return float(min(chdtrc(n, found[:, 0].max()), n * chdtrc(1, found[:, 1].max()), 1.0))


class Memory(NamedTuple):
    """Memory over time: z-value of the correlation of neighbouring scores, and factors (n,) by which it raises the estimate's variances."""

    z: float
    factors: Floats


def memory(record: Record, information: Floats) -> Memory:
    """What batches of scores say about memory over time, for an estimate with that information (n, n); it never helps."""
    from vieta.weighted.block_kernel import BATCH, longest_level, shortness

    batches, n = int(record.tally[4]), record.reference.size
    if not record.tally[3] > 0.0 or batches < 2:
        return Memory(0.0, np.ones(n))
    level = longest_level(record.tally, len(record.contrasts) - 2)
    share = ((batches >> (level + 1)) << (level + 1)) / (batches - int(record.tally[0]) // BATCH)
    inverse = scaled_inverse(information)
    long_run, plain = (np.diag(inverse @ _full(record.contrasts[at]) @ inverse) for at in (level, -2))
    factors = long_run / (max(share, 1e-9) * np.where(plain > 0.0, plain, np.inf))
    factors = 1.0 + np.maximum(factors - 1.0, 0.0) * shortness(record.tally, BATCH << level, n)
    return Memory(float(record.tally[2] / np.sqrt(record.tally[3])), factors)


def largest_factor(record: Record) -> float:
    """The largest factor by which memory over time may raise variances (`block_kernel.memory_factor`)."""
    from vieta.weighted.block_kernel import memory_factor

    return float(memory_factor(record.tally, record.contrasts))


def dependence(record: Record) -> float:
    """z-value for noise that is correlated across systems, as `diagnostics.dependence` has it; zero where that cannot be told."""
    sums = record.blocks[: record.n_blocks].sum(axis=0)
    n = record.reference.size
    H, M, g = _full(sums[: n + 1]), _full(sums[n + 1 : 2 * n + 2]), sums[2 * n + 2]
    cross, own = H[:n, n], H[n, n]
    projection = scaled_inverse(H[:n, :n]) @ cross
    if not own - cross @ projection > 1e-3 * own:
        return 0.0
    effective = np.append(-projection, 1.0)
    spread = float(effective @ M @ effective) * largest_factor(record)
    return float(effective @ g / np.sqrt(spread)) if spread > 0.0 else 0.0


def misfit(record: Record) -> float:
    """A typical block's mean of r'V⁻¹r / (L p), the median over sets: about one when all is well."""
    sets, squares = record.sizes[: record.n_blocks].T
    means = squares / np.maximum(sets, 1.0)
    order = np.argsort(means)
    half = np.searchsorted(np.cumsum(sets[order]), 0.5 * sets.sum())
    return float(means[order][min(int(half), len(means) - 1)])


def _full(lower: Floats) -> Floats:
    """The symmetric matrix of which the lower triangle counts."""
    return mirrored(np.tril(lower))
