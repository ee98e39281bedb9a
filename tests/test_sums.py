"""Passes: the blocks in the order of time, what they give added up, and nothing that depends on how they were cut."""

from dataclasses import dataclass

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from vieta import sums
from vieta.errors import InputError
from vieta.sets import as_data
from vieta.sums import Passes, Sums, in_memory

DATA = as_data(np.arange(20.0).reshape(10, 2), np.arange(10.0))


@dataclass(frozen=True, slots=True, eq=False)
class Moments(Sums):
    count: int
    total: np.ndarray
    names: tuple


def moments(block, before):
    return Moments(len(block), block.sets.sum(axis=0), ((before, len(block)),))


@pytest.mark.parametrize("blocks", [1, 2, 3, 7, 10, 50])
def test_a_total_is_that_of_all_sets_in_the_order_of_time(blocks):
    total = in_memory(DATA, blocks).total(moments)
    assert total.count == 10
    assert_allclose(total.total, DATA.sets.sum(axis=0))
    assert len(total.names) == min(blocks, 10)
    at = 0
    for before, size in total.names:  # each block knows how many sets precede it
        assert (before, size > 0) == (at, True)
        at += size
    assert at == 10


def test_blocks_are_added_from_the_left_and_read_anew_by_each_pass():
    reads = []

    def read():
        reads.append(1)
        return [DATA.part(0, 4), DATA.part(4, 10)]

    passes = Passes(DATA.part(0, 0), read)
    assert passes.total(lambda block, before: f"[{before}+{len(block)}]") == "[0+4][4+6]"
    assert passes.total(lambda block, before: len(block)) == 10
    assert len(reads) == 2


@pytest.mark.parametrize("blocks", [1, 2, 7])
@pytest.mark.parametrize("most", [1, 3, 5, 6, 10, 99])
def test_the_head_is_the_first_sets(blocks, most):
    head = in_memory(DATA, blocks).head(most)
    assert_array_equal(head.sets, DATA.sets[:most])
    assert_array_equal(head.inputs, DATA.inputs[:most])
    assert head.dim == DATA.dim


def test_the_head_reads_no_further_than_it_must():
    def read():
        yield DATA.part(0, 4)
        yield DATA.part(4, 8)
        raise AssertionError("a block that nobody needs")

    assert len(Passes(DATA.part(0, 0), read).head(6)) == 6
    assert len(Passes(DATA.part(0, 0), read).head(8)) == 8


def test_one_block_in_memory_is_the_data_itself():
    assert next(iter(in_memory(DATA).read())) is DATA
    assert len(in_memory(DATA).like) == 0
    assert in_memory(DATA).like.n_systems == 2


def test_no_sets_are_an_error():
    nothing = Passes(DATA.part(0, 0), list)
    for ask in (lambda: nothing.total(moments), lambda: nothing.head(3)):
        with pytest.raises(InputError) as caught:
            ask()
        assert caught.value.code == "no-sets"


def test_very_many_sets_are_added_up_in_pieces_so_that_a_fit_can_be_interrupted(monkeypatch):
    data = as_data(np.ones((1000, 4)), None)
    assert [len(piece) for piece in sums.affordable(data)] == [1000]
    monkeypatch.setattr(sums, "WORK", 300 * (4**3 + 4**2))
    assert [len(piece) for piece in sums.affordable(data)] == [300, 300, 300, 100]
