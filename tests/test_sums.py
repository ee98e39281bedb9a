"""Passes: the blocks in the order of time, what they give added up, and nothing that depends on how they were cut."""

import pickle
import threading
from dataclasses import dataclass, replace

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from vieta import sums
from vieta.errors import InputError
from vieta.sets import as_data
from vieta.sums import Passes, Sums, in_memory, on_threads

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


@pytest.mark.parametrize("threads", [1, 2, 3])
def test_threads_add_in_the_order_of_time_and_share_the_blocks(monkeypatch, threads):
    monkeypatch.setattr(sums, "PIECE", 2)
    passes, names, meeting = (
        on_threads(in_memory(DATA), threads),
        set(),
        threading.Barrier(max(threads - 1, 1), timeout=20),
    )

    def work(block, before):
        names.add(threading.current_thread().name)
        if before and threads == 3 and before < 6:
            meeting.wait()  # two blocks at once
        return f"[{before}+{len(block)}]"

    assert passes.total(work) == "[0+2][2+2][4+2][6+2][8+2]"
    assert len(names) > 1 or threads == 1
    assert_array_equal(passes.head(3).sets, DATA.sets[:3])
    assert_array_equal(passes.spread(4, 10).sets, in_memory(DATA).spread(4, 10).sets)


def test_an_error_on_a_thread_ends_the_pass_and_is_that_of_the_first_block_in_time(monkeypatch):
    monkeypatch.setattr(sums, "PIECE", 1)

    def work(block, before):
        if before in (4, 7):
            raise InputError("test", "block {before}", before=before)
        return 1

    with pytest.raises(InputError, match="block 4"):
        on_threads(in_memory(DATA), 2).total(work)


def test_threads_inherit_how_numpy_treats_errors(monkeypatch):
    monkeypatch.setattr(sums, "PIECE", 1)
    with np.errstate(divide="ignore"):
        assert on_threads(in_memory(DATA), 2).total(lambda block, _: np.float64(1.0) / np.float64(0.0)) == np.inf


def doubled(block):
    return replace(block, readings=2.0 * block.readings)


@pytest.mark.parametrize("threads", [None, 2])
def test_changes_are_made_where_blocks_are_and_sets_keep_their_numbers(monkeypatch, threads):
    monkeypatch.setattr(sums, "PIECE", 3)
    passes = on_threads(in_memory(DATA, 2), threads)
    twice = passes.changed(passes.like, doubled)
    assert_allclose(twice.total(moments).total, 2.0 * DATA.sets.sum(axis=0))
    cut = twice.cut(lambda block: [block.part(0, 1), block.part(1, len(block))])
    assert [k for at, n in cut.total(moments).names for k in range(at, at + n)] == list(range(10))
    odd = twice.resized(passes.like, lambda block: block.at(np.flatnonzero(block.inputs % 2)))
    assert odd.total(moments).count == 5
    assert [k for at, n in odd.total(moments).names for k in range(at, at + n)] == list(range(5))
    assert_array_equal(odd.spread(5, 5).inputs, [1, 3, 5, 7, 9])
    assert_array_equal(odd.head(2).inputs, [1, 3])
    assert_array_equal(np.concatenate([block.inputs for block in odd.blocks()]), [1, 3, 5, 7, 9])


@pytest.mark.parametrize("threads", [None, 1, 2])
def test_a_set_that_a_change_refuses_is_named_by_its_number_among_all(monkeypatch, threads):
    monkeypatch.setattr(sums, "PIECE", 2)

    def refuse(block):
        bad = np.flatnonzero(block.inputs == 7.0)
        if len(bad):
            raise InputError("test", "set {index}", index=int(bad[0]))
        return block

    passes = on_threads(in_memory(DATA, 3), threads)
    for ask in (
        lambda one: one.total(moments),
        lambda one: one.head(99),
        lambda one: one.spread(9, 10),
        lambda one: list(one.blocks()),
    ):
        with pytest.raises(InputError, match="set 7"):
            ask(passes.changed(passes.like, refuse))


def test_sets_do_not_travel_with_passes():
    there = pickle.loads(pickle.dumps(in_memory(DATA)))
    assert there.like.n_systems == 2
    with pytest.raises(InputError, match="not here"):
        there.total(moments)


class Elsewhere(sums.Runner):
    """Keeps blocks, as workers do, and counts what is asked of it."""

    def __init__(self, blocks):
        self.blocks, self.made = blocks, 0

    def each(self, read, on, *, few=False):
        before = 0
        for i, block in enumerate(self.blocks):
            yield on(block, before, i)
            before += len(block)

    def kept(self, read, changes):
        self.made += 1
        found = Elsewhere([sums.whole(block, changes, 0) for block in self.blocks])
        return (lambda: found.blocks), found


def test_changes_are_made_once_where_blocks_are_kept():
    asked = []

    def doubled(block):
        asked.append(len(block))
        return replace(block, readings=2.0 * block.readings)

    runner = Elsewhere([DATA.part(0, 4), DATA.part(4, 10)])
    for passes in (
        Passes(DATA.part(0, 0), lambda: runner.blocks, runner),
        in_memory(DATA, 2),
        on_threads(in_memory(DATA), 2),
    ):
        asked.clear()
        kept = passes.changed(passes.like, doubled).kept()
        for _ in range(3):
            assert_array_equal(kept.total(moments).total, 2.0 * DATA.sets.sum(axis=0))
        assert sum(asked) == 10
        assert_array_equal(kept.head(2).sets, 2.0 * DATA.sets[:2])
    assert runner.made == 1


def test_changes_are_made_anew_where_blocks_are_read_anew_or_sets_are_left_out():
    read = Passes(DATA.part(0, 0), lambda: [DATA]).changed(DATA.part(0, 0), lambda block: block)
    assert read.kept() is read
    assert in_memory(DATA).kept().changes == ()
    fewer = in_memory(DATA, 2).resized(DATA.part(0, 0), lambda block: block.part(1, len(block)))
    assert fewer.kept() is fewer


def test_an_error_of_a_change_has_the_number_of_the_set_among_all():
    def refused(block):
        raise InputError("test", "sets[{index}]", index=1)

    passes = Passes(DATA.part(0, 0), lambda: [DATA.part(4, 10)], sums.OneByOne(in_memory=True))
    with pytest.raises(InputError, match=r"sets\[1\]"):
        passes.changed(passes.like, refused).kept()


def test_pieces_that_are_worked_on_together_do_not_depend_on_threads(monkeypatch):
    monkeypatch.setattr(sums, "PIECE", 3)
    seen = [one.total(moments).names for one in (in_memory(DATA), on_threads(in_memory(DATA), 2))]
    assert seen[0] == seen[1] == ((0, 3), (3, 3), (6, 3), (9, 1))


@pytest.mark.parametrize("threads", [None, 1, 2])
def test_each_pass_is_told_of_from_its_beginning_to_its_end(threads, monkeypatch):
    monkeypatch.setattr(sums, "PIECE", 3)
    told = []
    passes = sums.watched(sums.on_threads(in_memory(DATA, 2), threads), told.append)
    plain = in_memory(DATA)
    for changed in (
        passes,
        passes.changed(DATA.part(0, 0), lambda block: block).kept(),
        passes.cut(lambda b: [b, b.part(0, 0)]),
    ):
        told.clear()
        assert changed.total(lambda block, _: len(block)) == len(DATA)
        assert (told[0], told[-1]) == (0.0, 1.0)
        assert told == sorted(set(told))
        assert len(told) == 1 + sum(1 for _ in passes.read())
    told.clear()
    assert len(passes.head(2)) == 2  # which is no pass
    assert told == []
    assert_array_equal(passes.spread(4, len(DATA)).readings, plain.spread(4, len(DATA)).readings)
    assert sum(len(block) for block in passes.blocks()) == len(DATA)
    assert told.count(0.0) == told.count(1.0) == 2


def test_passes_that_read_a_file_are_not_told_of():
    passes = Passes(DATA.part(0, 0), lambda: [DATA])
    assert sums.watched(passes, print) is passes
