"""What a filter remembers of its inputs, in memory that does not grow: moments of scalars, a sample of matrices."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cache

import numpy as np

from vieta.estimation.design import Design
from vieta.symmetric.arrays import Floats
from vieta.symmetric.compiled import compile_now

LANES = 8  # sums are kept for each time modulo 8: fast, and the same bits however a stream is cut
PAGE = 256  # scalar inputs are counted page by page: the first 256 pages all, then one page in 16
SAMPLE = 1024


@dataclass(frozen=True, slots=True, eq=False)
class State:
    """Statistics of the inputs.

    Attributes
    ----------
    count : int
        Inputs seen.
    counted : int
        Scalar inputs that entered the sums.
    lanes : (8, 2L)
        Scalar inputs: sums of c², c⁴, .., c^(4L).
    sample : (S, p, D)
        Matrix inputs: every `stride`-th of them, at most 1024.
    stride : int
    """

    count: int
    counted: int
    lanes: Floats
    sample: Floats
    stride: int


def init(design: Design) -> State:
    """Nothing seen."""
    shape = (0, design.reading_dim, design.transform.dim)
    return State(0, 0, np.zeros((LANES, 2 * design.n_systems)), np.zeros(shape), 1)


def update(state: State, inputs: Floats) -> State:
    """Absorb inputs (n,) or (n, p, D)."""
    count = state.count + len(inputs)
    if inputs.ndim == 1:
        lanes = state.lanes.copy()
        counted = state.counted + _power_sums()(lanes, inputs, state.count)
        return replace(state, count=count, counted=counted, lanes=lanes)
    first = -state.count % state.stride
    sample, stride = np.concatenate([state.sample, inputs[first :: state.stride]]), state.stride
    while len(sample) > SAMPLE:
        sample, stride = sample[::2], 2 * stride
    return replace(state, count=count, sample=sample, stride=stride)


def moments(state: State) -> Floats:
    """(2L + 1,) means of c^0, c², c⁴, .., c^(4L)."""
    return np.concatenate([[1.0], state.lanes.sum(axis=0) / max(state.counted, 1)])


@cache
def _power_sums() -> Callable[[Floats, Floats, int], int]:
    from numba.cpython.unsafe.tuple import tuple_setitem

    zeros = (0.0,) * LANES

    def run(lanes: Floats, c: Floats, count: int) -> int:
        square, power = np.empty(PAGE), np.empty(PAGE)
        at, counted = 0, 0
        while at < c.shape[0]:
            page, inside = divmod(count + at, PAGE)
            n = min(PAGE - inside, c.shape[0] - at)
            if page < PAGE or page % 16 == 0:
                counted += n
                for k in range(n):
                    square[k] = c[at + k] * c[at + k]
                    power[k] = 1.0
                for i in range(lanes.shape[1]):
                    for k in range(n):
                        power[k] *= square[k]
                    sums = zeros  # in registers, as an array would not be
                    for j in range(LANES):
                        sums = tuple_setitem(sums, j, lanes[(inside + j) % LANES, i])
                    for k in range(0, n - n % LANES, LANES):
                        for j in range(LANES):
                            sums = tuple_setitem(sums, j, sums[j] + power[k + j])
                    for j in range(LANES):
                        lanes[(inside + j) % LANES, i] = sums[j]
                    for k in range(n - n % LANES, n):
                        lanes[(inside + k) % LANES, i] += power[k]
            at += n
        return counted

    return compile_now(run)
