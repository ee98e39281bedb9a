"""Clients: versions, schedulers that are not there, interrupts, and workers on this machine."""

import os
import signal
import socket

import pytest
from numpy.testing import assert_array_equal

import vieta
from tests.engines.chunks import REASON, RECORDS, asking, chunked, killing_in_a_pass
from vieta.engines import dask_clients
from vieta.engines.dask_arrays import dask_passes
from vieta.engines.dask_clients import CALM, connected, heeding_interrupts, local_cluster, require_same_versions
from vieta.engines.dask_runner import DaskRunner
from vieta.errors import InputError

dask = pytest.importorskip("dask", reason=REASON)
pytest.importorskip("dask.array", reason=REASON)
pytest.importorskip("distributed", reason=REASON)

pytestmark = pytest.mark.filterwarnings("ignore")  # of dask, on whatever machine it meets


def test_workers_of_another_version_are_refused(client, monkeypatch):
    require_same_versions(client)
    here = dask_clients.versions()
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
    assert dask_clients.SECONDS <= 10


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


def _calm():
    return {name: dask.config.get(name) for name in CALM}


def test_processes_on_this_machine_are_calm_and_one_that_is_killed_costs_a_retry(monkeypatch):
    arrays = [chunked(one, (200,) * 6) for one in (RECORDS.sets, RECORDS.inputs)]
    with asking(None):
        expected = vieta.fit(*arrays)
    before = _calm()
    with local_cluster(2) as client, asking(client):
        assert client.run(_calm) == dict.fromkeys(client.nthreads(), CALM)
        processes = client.run(os.getpid)
        victim = min(processes.values())
        monkeypatch.setattr(DaskRunner, "each", killing_in_a_pass(lambda: os.kill(victim, signal.SIGKILL)))
        found = vieta.fit(*arrays)
    assert_array_equal(found.theta, expected.theta)
    assert_array_equal(found.cov, expected.cov)
    assert _calm() == before != CALM
