"""What a filter remembers of its inputs, in memory that does not grow: moments of scalars, a sample of matrices."""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace

import numpy as np

from vieta.arrays import Floats
from vieta.coefficients.design import Design
from vieta.engine import growing, require_state

LANES = 8  # sums are kept for each time modulo 8: fast, and the same bits however a stream is cut
PAGE = 256  # scalar inputs are counted page by page: the first 256 pages all, then one page in 16
SAMPLE = 1024


@dataclass(frozen=True, slots=True, eq=False)
class State:
    """Statistics of the inputs that are not zero.

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
    sample: Floats = field(metadata=growing(SAMPLE))
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
        from vieta.coefficients.power_sums import power_sums

        counted = state.counted + power_sums()(lanes, inputs, state.count)
        return replace(state, count=count, counted=counted, lanes=lanes)
    first = -state.count % state.stride
    sample, stride = np.concatenate([state.sample, inputs[first :: state.stride]]), state.stride
    while len(sample) > SAMPLE:
        sample, stride = sample[::2], 2 * stride
    return replace(state, count=count, sample=sample, stride=stride)


def merged(states: Sequence[State]) -> State:
    """Those of inputs of several streams, one stream after another."""
    count, stride = sum(one.count for one in states), max(one.stride for one in states)
    sample = np.concatenate([one.sample[:: stride // one.stride] for one in states])
    while len(sample) > SAMPLE:
        sample, stride = sample[::2], 2 * stride
    lanes = np.sum([one.lanes for one in states], axis=0)
    return State(count, sum(one.counted for one in states), lanes, sample[: -(-count // stride)], stride)


def check(state: State, inputs: str) -> None:
    """Refuse statistics of scalar or other `inputs` (the kind of a design) of the right shapes that no stream leaves."""
    scalar = inputs == "scalar"
    sampled = 0 if scalar else -(-state.count // max(state.stride, 1))
    whole = state.stride > 0 and state.stride.bit_count() == 1 and len(state.sample) == sampled
    require_state(whole, "the sample of its inputs is not of so many inputs")
    require_state(state.counted <= (state.count if scalar else 0), "it counts more inputs than it has seen")
    require_state(
        state.lanes.min() >= 0.0 and (scalar or not state.lanes.any()), "the sums of squares of its inputs are negative"
    )


def moments(state: State) -> Floats:
    """(2L + 1,) means of c^0, c², c⁴, .., c^(4L)."""
    return np.concatenate([[1.0], state.lanes.sum(axis=0) / max(state.counted, 1)])
