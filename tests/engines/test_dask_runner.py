"""Passes on workers: few tasks, sums that travel, blocks that are kept; whatever dies, and whatever is interrupted."""

import os
import signal
import subprocess
import sys
import time
from collections import Counter

import numpy as np
import pytest
from numpy.testing import assert_array_equal

import vieta
from tests.engines.chunks import REASON, RECORDS, asking, chunked, killing_in_a_pass
from vieta.engines import dask_runner
from vieta.engines.dask_arrays import dask_passes
from vieta.engines.dask_clients import connected, heeding_interrupts
from vieta.engines.dask_runner import DaskRunner, passes_over
from vieta.errors import ComputationError, InputError

da = pytest.importorskip("dask.array", reason=REASON)
distributed = pytest.importorskip("distributed", reason=REASON)
cloudpickle = pytest.importorskip("cloudpickle", reason=REASON)

pytestmark = pytest.mark.filterwarnings("ignore")  # of dask, on whatever machine it meets


@pytest.fixture(scope="module")
def started(tmp_path_factory):
    """A scheduler and two workers, as a user starts them, each a process: the client, and the workers."""
    folder = tmp_path_factory.mktemp("cluster")
    file, words = folder / "scheduler.json", [sys.executable, "-m", "dask"]
    quiet = {"cwd": folder, "stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
    place = ["--host", "127.0.0.1", "--port", "0", "--no-dashboard", "--scheduler-file", str(file)]
    running = [subprocess.Popen([*words, "scheduler", *place], **quiet)]
    try:
        for _ in range(600):
            if file.exists():
                break
            time.sleep(0.1)
        worker = [*words, "worker", "--scheduler-file", str(file), "--no-dashboard", "--nthreads", "1", "--no-nanny"]
        running += [subprocess.Popen(worker, **quiet) for _ in range(2)]
        with distributed.Client(scheduler_file=str(file), timeout=60, set_as_default=False) as client:
            client.wait_for_workers(2, timeout=120)
            yield client, running[1:]
    finally:
        for one in reversed(running):
            one.kill()
            one.wait(20)


def test_what_travels_does_not_grow_with_the_number_of_sets(monkeypatch):
    """Work and sums of each pass, in bytes, for sets ten times as many; samples, which are bounded, are passed over."""
    largest = []
    each = DaskRunner.each

    def weighed(self, read, on, **few):
        if on.func.__name__ == "_summed":
            largest.append(len(cloudpickle.dumps(on)))
        for part in each(self, read, on, **few):
            if on.func.__name__ == "_summed":
                largest.append(len(cloudpickle.dumps(part)))
            yield part

    monkeypatch.setattr(DaskRunner, "each", weighed)
    monkeypatch.setattr(dask_runner, "running_client", lambda: None)
    sizes = []
    for n in (30_000, 90_000):
        largest.clear()
        records = vieta.simulate("example-1", n=n, seed=0)
        vieta.fit(da.from_array(records.sets, chunks=(n // 3, 3)), da.from_array(records.inputs, chunks=n // 3))
        sizes.append(max(largest))
    assert sizes[1] < 1.2 * sizes[0]
    assert sizes[1] < 400_000  # a sample of inputs, by whose ranks sets are sorted


def test_workers_that_a_user_started_and_one_that_is_killed_in_the_middle_of_a_pass(started, monkeypatch):
    client, workers = started
    with connected(client.scheduler.address) as other:
        assert len(other.nthreads()) == 2
    arrays = [chunked(one, (200,) * 6) for one in (RECORDS.sets, RECORDS.inputs)]
    with asking(None):
        expected = vieta.fit(*arrays)
    with asking(client):
        both = vieta.fit(*arrays)
    assert_array_equal(both.theta, expected.theta)
    assert_array_equal(both.cov, expected.cov)
    monkeypatch.setattr(DaskRunner, "each", killing_in_a_pass(workers[0].kill))
    with asking(client):
        after = vieta.fit(*arrays)
    assert workers[0].wait(20) == -signal.SIGKILL
    assert_array_equal(after.theta, expected.theta)
    assert_array_equal(after.cov, expected.cov)
    assert len(client.nthreads()) == 1


def test_workers_that_die_again_and_again_end_in_words():
    class Lost:
        def result(self):
            raise distributed.CancelledError("a block")

    with pytest.raises(ComputationError, match="died again and again") as error:
        dask_runner.result_of(Lost())
    assert error.value.code == "workers-lost"


def test_an_early_end_cancels_what_is_under_way(client):
    passes = dask_passes(chunked(RECORDS.sets, (100,) * 12), RECORDS.inputs)

    def work(block, before):
        if before == 100:
            raise InputError("test", "stop")
        return 1

    with pytest.raises(InputError, match="stop"):
        passes.total(work)
    assert len(passes.head(3)) == 3
    _require_idle(client)


def _require_idle(client):
    for _ in range(100):
        if not any(client.processing().values()):
            break
        time.sleep(0.05)
    assert not any(client.processing().values())


def test_an_interrupt_cancels_what_is_under_way(client, monkeypatch):
    monkeypatch.setattr(dask_runner, "SMALL", 100)
    passes = dask_passes(chunked(RECORDS.sets, (100,) * 12), RECORDS.inputs)
    begun = []

    def work(block, before):
        begun.append(before)
        if before == 0:
            os.kill(os.getpid(), signal.SIGINT)  # as by Ctrl-C; the workers are threads of this process
        time.sleep(0.2)
        return 1

    with heeding_interrupts(), pytest.raises(KeyboardInterrupt):
        passes.total(work)
    _require_idle(client)
    assert len(begun) < 12


MADE = []  # by workers that are threads of this process


def _noted(block):
    MADE.append(len(block))
    return block


def test_blocks_are_made_ready_once_and_kept_by_the_workers(client):
    passes = dask_passes(chunked(RECORDS.sets, (500, 500, 200)), RECORDS.inputs)
    changed = passes.changed(passes.like, _noted)
    kept = changed.kept()
    for times, one in ((1, kept), (4, changed)):
        MADE.clear()
        for _ in range(3):
            assert one.total(lambda block, _: len(block)) == 1200
        assert len(one.head(600)) == 600
        assert len(MADE) <= 3 * times
        assert sorted(set(MADE)) == [200, 500]


def test_a_pass_has_few_tasks_each_of_blocks_of_one_worker(client, monkeypatch):
    passes = dask_passes(chunked(RECORDS.sets, (100,) * 12), RECORDS.inputs)
    distributed.wait(passes.runner.blocks)
    where = client.who_has(passes.runner.blocks)
    for small, most in ((1_000_000, 1), (100, dask_runner.AHEAD), (1, dask_runner.AHEAD)):
        monkeypatch.setattr(dask_runner, "SMALL", small)
        groups = passes.runner._groups(client.nthreads())
        assert sorted(i for group in groups for i in group) == list(range(12))
        owners = [{min(where[passes.runner.blocks[i].key]) for i in group} for group in groups]
        assert all(len(one) == 1 for one in owners)
        assert max(Counter(one.pop() for one in owners).values()) <= most
        assert passes.total(lambda block, before: [before]) == list(range(0, 1200, 100))


def test_what_a_block_weighs_is_known_to_dask():
    from dask.sizeof import sizeof

    block = vieta.sets.as_data(RECORDS.sets, RECORDS.inputs)
    assert RECORDS.sets.nbytes < sizeof(block) < 2 * RECORDS.sets.nbytes


def test_long_requests_travel_apart(client, monkeypatch):
    passes = dask_passes(chunked(RECORDS.sets, (500, 500, 200)), RECORDS.inputs)
    weights = np.arange(40_000.0)
    for limit in (dask_runner.LONG, 10**9):
        monkeypatch.setattr(dask_runner, "LONG", limit)
        assert passes.total(lambda block, _: len(block) * weights[-1]) == 1200 * 39_999.0


def test_the_progress_of_each_pass_is_told_to_its_end():
    told = []
    arrays = dask_passes(chunked(RECORDS.sets, (100, 500, 600)), RECORDS.inputs)
    passes = passes_over(arrays.like, arrays.runner.blocks, (100, 500, 600), arrays.runner.client, told.append)
    assert passes.total(lambda block, _: len(block)) == 1200
    assert told == [0.0, 1 / 12, 1 / 2, 1.0]
    assert len(passes.head(1)) == 1  # which is no pass
    assert sum(len(block) for block in passes.blocks()) == 1200
    assert told == [0.0, 1 / 12, 1 / 2, 1.0] * 2
