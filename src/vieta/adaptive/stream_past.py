r"""What the filter of incomplete sets keeps of its past: blocks of sets in information form, as `vieta.weighted.record` has them.

A block of sets has the score :math:`g` about :math:`\theta`, freed of what other parameters explain, and the information
:math:`H = \sum g g'` at the running parameters. To first order its score at a reference :math:`\bar\theta` is
:math:`g + H(\theta - \bar\theta)`.
"""

import numpy as np

from vieta.arrays import Floats
from vieta.weighted import record
from vieta.weighted.record import Record


def begun(theta: Floats, scores: Floats) -> tuple[Record, bool]:
    """A record that begins with sets whose scores (N, n) at parameters (L, D) are known, in blocks; and whether they speak of a change."""
    from vieta.weighted.block_kernel import BLOCK

    first, changed = scores[:BLOCK], False
    products = first.T @ first
    found = record.of_scores(theta, products, products, float(len(first)), first)
    for at in range(BLOCK, len(scores), BLOCK):
        some = scores[at : at + BLOCK]
        found, surprising = added(found, theta, some, some.T @ some)
        changed = changed or surprising
    return found, changed


def added(
    before: Record, theta: Floats, scores: Floats, products: Floats, *, walks: bool = False
) -> tuple[Record, bool]:
    """The record after some sets with scores (N, n) at the parameters (L, D), and the sum (n, n) of their products.

    Also whether a block has ended, and the blocks speak of a change; or for parameters that walk, whether it is time to look at that again.
    """
    from vieta.weighted.block_kernel import BLOCK, IN_BLOCK, SQUARES, close_block

    n, new = theta.size, record.copied(before, len(scores))
    new.current[:n, :n] += products
    new.current[n + 1 : 2 * n + 1, :n] += products
    new.current[2 * n + 2, :n] += scores.sum(axis=0) + products @ (theta - before.reference).ravel()
    new.tally[IN_BLOCK] += len(scores)
    new.tally[SQUARES] += len(scores)
    record.add_batches(new, scores)
    if new.tally[IN_BLOCK] < BLOCK:
        return new, False
    limits = np.array([np.inf, np.inf, -1.0, -1.0] if walks else record.limits(n))
    return new, bool(
        close_block(
            new.current, np.zeros((n, n)), 0.0, new.reference, new.blocks, new.sizes, new.tally, new.levels, new.contrasts,
            limits,
        )
    )  # fmt: skip
