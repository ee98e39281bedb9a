"""Passes over dask arrays: the same answers as in memory, whoever works, whatever dies; and what is refused."""

import os
import signal
import socket
import subprocess
import sys
import time
from collections import Counter

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

import vieta
from vieta.engines import dask_engine
from vieta.engines.dask_engine import (
    DaskRunner,
    connected,
    dask_passes,
    heeding_interrupts,
    is_dask,
    passes_over,
    require_same_versions,
)
from vieta.errors import ComputationError, InputError

dask = pytest.importorskip("dask", reason="the extra `cluster` (dask[distributed]) is not installed")
da = pytest.importorskip("dask.array", reason="the extra `cluster` (dask[distributed]) is not installed")
distributed = pytest.importorskip("distributed", reason="the extra `cluster` (dask[distributed]) is not installed")
cloudpickle = pytest.importorskip("cloudpickle", reason="the extra `cluster` (dask[distributed]) is not installed")

pytestmark = pytest.mark.filterwarnings("ignore")  # of dask, on whatever machine it meets

RECORDS = vieta.simulate("example-1", n=1200, seed=3)
CHUNKS = [(1200,), (500, 500, 200), (1, 399, 0, 800)]
METHODS = ["efficient", "least-squares", "em", "one-step", "rls"]


def chunked(array, sizes):
    return da.from_array(array, chunks=(1200, *array.shape[1:])).rechunk((sizes, *array.shape[1:]))


@pytest.fixture(scope="module")
def client():
    """Two workers in this process."""
    with (
        distributed.LocalCluster(n_workers=2, threads_per_worker=1, processes=False, dashboard_address=None) as cluster,
        distributed.Client(cluster) as client,
    ):
        yield client


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


def test_arrays_of_dask_are_known_without_importing_it():
    assert is_dask(da.zeros((2, 2)))
    assert not any(map(is_dask, (np.zeros(2), [1.0], None, 3)))


@pytest.mark.parametrize(
    ("method", "sizes"), [*(("efficient", sizes) for sizes in CHUNKS[:2]), *((name, CHUNKS[2]) for name in METHODS)]
)
def test_an_estimate_is_that_in_memory_however_sets_are_cut(client, method, sizes):
    found = vieta.fit(chunked(RECORDS.sets, sizes), chunked(RECORDS.inputs, sizes), method=method)
    expected = vieta.fit(RECORDS.sets, RECORDS.inputs, method=method)
    assert_allclose(found.theta, expected.theta, rtol=1e-9)
    assert_allclose(found.cov, expected.cov, rtol=1e-7, atol=1e-9 * abs(expected.cov).max())
    assert [one.code for one in found.findings] == [one.code for one in expected.findings]
    assert (found.n_sets, found.method) == (1200, method)


def test_incomplete_sets_and_answers_too(client):
    rng = np.random.default_rng(0)
    sets = np.where(rng.random(RECORDS.sets.shape) < 0.1, np.nan, RECORDS.sets)
    found, expected = (vieta.fit(one, RECORDS.inputs) for one in (chunked(sets, (500, 500, 200)), sets))
    assert found.method == expected.method == "adaptive"
    assert_allclose(found.theta, expected.theta, rtol=1e-8)
    psi = rng.standard_normal((600, 1))
    answers = (rng.random((600, 2)) < 1 / (1 + np.exp(-(psi * np.array([-2.0, 2.0]))))).astype(float)
    offset = 0.1 * rng.standard_normal(600)
    found, expected = (
        vieta.fit(one, psi, family="binary", offset=offset)
        for one in (da.from_array(answers, chunks=(250, 2)), answers)
    )
    assert_allclose(found.theta, expected.theta, rtol=1e-7)


def test_an_audit_is_that_in_memory(client):
    arrays = chunked(RECORDS.sets, (500, 500, 200)), chunked(RECORDS.inputs, (500, 500, 200))
    found, expected = (
        vieta.anonymity.audit(*one, added=[0.0, 1.0], draws=200) for one in (arrays, (RECORDS.sets, RECORDS.inputs))
    )
    assert_allclose(found.now.reidentification, expected.now.reidentification, atol=1e-6)
    assert_allclose(found.order, expected.order, atol=1e-6)
    assert [one.code for one in found.findings] == [one.code for one in expected.findings]


def test_vectors_and_no_inputs_and_a_known_number(client):
    planar = np.random.default_rng(0).standard_normal((600, 2, 2))
    planar = planar * 0.2 + np.array([[0.0, 0.0], [3.0, 1.0]])
    assert_allclose(
        vieta.fit(da.from_array(planar, chunks=(250, 2, 2))).theta, vieta.fit(planar).theta, rtol=1e-9, atol=1e-12
    )
    shifted = RECORDS.sets + np.arange(1200.0)[:, None] / 1200
    found = vieta.fit(
        chunked(shifted, (500, 500, 200)), RECORDS.inputs, offset=np.arange(1200.0) / 1200, method="least-squares"
    )
    assert_allclose(found.theta, vieta.fit(RECORDS.sets, RECORDS.inputs, method="least-squares").theta, rtol=1e-9)


def test_who_works_changes_no_bit(client):
    sizes = (300, 500, 400)
    arrays = chunked(RECORDS.sets, sizes), chunked(RECORDS.inputs, sizes)
    two = vieta.fit(*arrays)
    one = _with_client(None, lambda: vieta.fit(*arrays))
    assert_array_equal(one.theta, two.theta)
    assert_array_equal(one.cov, two.cov)


def _with_client(client, ask):
    """Ask while dask is given another client, or none: then its threads work."""
    kept, dask_engine.running_client = dask_engine.running_client, lambda: client
    try:
        with dask.config.set(scheduler="threads" if client is None else None):
            return ask()
    finally:
        dask_engine.running_client = kept


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
    monkeypatch.setattr(dask_engine, "running_client", lambda: None)
    sizes = []
    for n in (30_000, 90_000):
        largest.clear()
        records = vieta.simulate("example-1", n=n, seed=0)
        vieta.fit(da.from_array(records.sets, chunks=(n // 3, 3)), da.from_array(records.inputs, chunks=n // 3))
        sizes.append(max(largest))
    assert sizes[1] < 1.2 * sizes[0]
    assert sizes[1] < 400_000  # a sample of inputs, by whose ranks sets are sorted


def test_a_set_that_is_refused_is_named_by_its_number_among_all(client):
    bad = RECORDS.sets.copy()
    bad[777, 1] = np.inf
    with pytest.raises(InputError, match="777"):
        vieta.fit(chunked(bad, (500, 500, 200)), RECORDS.inputs)


@pytest.mark.parametrize(
    ("make", "code"),
    [
        (lambda: (da.zeros((100, 4), chunks=(50, 2)), None), "chunks-across-sets"),
        (lambda: (da.zeros((100, 4), chunks=(50, 4)), da.zeros((100, 2), chunks=(50, 1))), "chunks-across-sets"),
        (lambda: (da.zeros((100, 4), chunks=(50, 4))[da.arange(100, chunks=50) > 3], None), "chunks-unknown"),
        (lambda: (da.zeros((100, 4), chunks=(50, 4)), np.zeros(99)), "chunks-count"),
        (lambda: (da.zeros((100, 4, 2), chunks=(50, 4, 2)), np.zeros((100, 3, 2))), "inputs-shape"),
        (lambda: (da.zeros(100, chunks=50), None), "sets-shape"),
        (lambda: (da.zeros((100, 4), chunks=50, dtype=complex), None), "complex-numbers"),
    ],
)
def test_chunks_and_shapes_that_cannot_be_used_are_refused(make, code):
    with pytest.raises(InputError) as error:
        vieta.fit(*make())
    assert error.value.code == code
    assert "{" not in str(error.value).replace(": -1})", "").replace("rechunk({", "")


def test_another_number_of_systems_is_refused():
    with pytest.raises(InputError, match="n_systems=4"):
        vieta.fit(chunked(RECORDS.sets, (1200,)), RECORDS.inputs, n_systems=4)


def test_workers_of_another_version_are_refused(client, monkeypatch):
    require_same_versions(client)
    here = dask_engine.versions()
    monkeypatch.setattr(client, "run", lambda *_, **__: {"tcp://there": {**here, "vieta": "0.0.1"}})
    with pytest.raises(InputError, match=r"tcp://there has vieta 0\.0\.1") as error:
        vieta.fit(chunked(RECORDS.sets, (1200,)), RECORDS.inputs)
    assert error.value.code == "workers-differ"
    monkeypatch.setattr(client, "run", lambda *_, **__: {"tcp://there": ModuleNotFoundError("No module named 'vieta'")})
    with pytest.raises(InputError, match="cannot be imported") as error:
        require_same_versions(client)
    assert error.value.code == "workers-without-vieta"


def test_a_scheduler_that_is_not_there_is_refused_in_words():
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        address = f"tcp://127.0.0.1:{free.getsockname()[1]}"
    with pytest.raises(InputError, match="no scheduler at") as error:
        connected(address, seconds=1)
    assert error.value.code == "no-scheduler"
    assert dask_engine.SECONDS <= 10


def test_workers_that_a_user_started_and_one_that_is_killed_in_the_middle_of_a_pass(started, monkeypatch):
    client, workers = started
    arrays = [chunked(one, (200,) * 6) for one in (RECORDS.sets, RECORDS.inputs)]
    expected = _with_client(None, lambda: vieta.fit(*arrays))
    both = _with_client(client, lambda: vieta.fit(*arrays))
    assert_array_equal(both.theta, expected.theta)
    assert_array_equal(both.cov, expected.cov)
    monkeypatch.setattr(DaskRunner, "each", _killing(workers[0], DaskRunner.each))
    after = _with_client(client, lambda: vieta.fit(*arrays))
    assert workers[0].wait(20) == -signal.SIGKILL
    assert_array_equal(after.theta, expected.theta)
    assert_array_equal(after.cov, expected.cov)
    assert len(client.nthreads()) == 1


def _killing(worker, each):
    """The passes of a runner; in the third of them the worker is killed when the first sum has come."""
    passes = iter(range(10_000))

    def killed(self, read, on, **few):
        now = next(passes) == 2
        for i, part in enumerate(each(self, read, on, **few)):
            if now and i == 0:
                worker.kill()
            yield part

    return killed


def test_workers_that_die_again_and_again_end_in_words():
    class Lost:
        def result(self):
            raise distributed.CancelledError("a block")

    with pytest.raises(ComputationError, match="died again and again") as error:
        dask_engine.result_of(Lost())
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
    monkeypatch.setattr(dask_engine, "SMALL", 100)
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


def test_an_interrupt_that_python_drops_ends_the_pass_too(client):
    passes = dask_passes(chunked(RECORDS.sets, (100,) * 12), RECORDS.inputs)

    class Deleted:
        def __del__(self):
            signal.raise_signal(signal.SIGINT)

    before = signal.getsignal(signal.SIGINT)
    with heeding_interrupts():
        one = Deleted()
        del one  # the exception is raised here, and dropped
        with pytest.raises(KeyboardInterrupt):
            passes.total(lambda block, _: 1)
    assert signal.getsignal(signal.SIGINT) is before
    assert passes.total(lambda block, _: 1) == 12


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
    for small, most in ((1_000_000, 1), (100, dask_engine.AHEAD), (1, dask_engine.AHEAD)):
        monkeypatch.setattr(dask_engine, "SMALL", small)
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
    for limit in (dask_engine.LONG, 10**9):
        monkeypatch.setattr(dask_engine, "LONG", limit)
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
