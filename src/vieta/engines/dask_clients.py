"""Clients of dask: the one that runs, one of processes on this machine, one of a scheduler elsewhere; their versions, and interrupts."""

import platform
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import Any

from vieta.errors import InputError

SECONDS = 6  # to wait for a scheduler
# What processes on this machine do when they start: Ctrl-C on a terminal reaches all of them, and ours ends the others.
UNINTERRUPTED = "import signal; signal.signal(signal.SIGINT, signal.SIG_IGN)"
# What a scheduler and workers on this machine look after, and how often: by default that takes 2 % of a core here, and as much of each worker.
CALM = {
    "distributed.admin.tick.interval": "1s",
    "distributed.admin.system-monitor.interval": "5s",
    "distributed.worker.profile.enabled": False,
    "distributed.worker.profile.interval": "1s",
    "distributed.worker.profile.cycle": "10s",
    "distributed.worker.memory.monitor-interval": "500ms",
    "distributed.scheduler.work-stealing-interval": "1s",
    "distributed.scheduler.active-memory-manager.start": False,
}
_interrupts: list[int] = []  # signals that came, and were perhaps lost


def running_client() -> Any:
    """The client that was made last; None if there is none."""
    try:
        from distributed import default_client
    except ImportError:
        return None
    with suppress(ValueError):
        return default_client()
    return None


@contextmanager
def heeding_interrupts() -> Iterator[None]:
    """Whatever happens to the exception that an interrupt raises: passes end.

    Python drops an exception that is raised while an object is deleted, and futures are deleted all the time.
    """
    import signal

    before = signal.getsignal(signal.SIGINT)

    def heed(number: int, frame: Any) -> None:
        _interrupts.append(number)
        raise KeyboardInterrupt

    signal.signal(signal.SIGINT, heed)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)
        _interrupts.clear()


def require_uninterrupted() -> None:
    """End a pass after an interrupt."""
    if _interrupts:
        raise KeyboardInterrupt


@contextmanager
def local_cluster(workers: int | None) -> Iterator[Any]:
    """A client of so many processes on this machine, one for each core if None; they end with it.

    What dask reports about processes that end is not shown: what matters of it is an error here.
    """
    import logging
    import os

    from dask import config
    from distributed import Client, LocalCluster

    for name in ("distributed", "asyncio", "tornado"):
        logging.getLogger(name).setLevel(logging.CRITICAL + 1)
    given = {
        "threads_per_worker": 1,
        "dashboard_address": None,
        "silence_logs": logging.CRITICAL,
        "preload": UNINTERRUPTED,
    }
    with (
        config.set(CALM),
        LocalCluster(n_workers=workers or os.cpu_count() or 1, processes=True, **given) as cluster,
        Client(cluster) as client,
    ):
        yield client


def require_dask() -> None:
    """Refuse to go on without the extra."""
    try:
        import cloudpickle  # noqa: F401
        import distributed  # noqa: F401
    except ImportError:
        raise InputError(
            "no-dask", "dask is needed, with its scheduler, which is not installed: pip install 'vieta[cluster]'."
        ) from None


def connected(address: str, seconds: float = SECONDS) -> Any:
    """A client of the scheduler at an address; one that does not answer is refused within some seconds."""
    from distributed import Client

    try:
        return Client(address, timeout=seconds)
    except (OSError, ValueError, TimeoutError) as error:
        raise InputError(
            "no-scheduler",
            "there is no scheduler at {address}, or it does not answer within {seconds:g} seconds ({cause}). Start one, or check the address: "
            "tcp://host:8786.",
            address=address,
            seconds=seconds,
            cause=" ".join(str(error).split())[:200],
        ) from None


def versions() -> dict[str, str]:
    """What must be the same here and on the workers."""
    from importlib import import_module

    return {"vieta": str(import_module("vieta").__version__), "Python": ".".join(platform.python_version_tuple()[:2])}


def require_same_versions(client: Any) -> None:
    """Refuse workers with another version of vieta or of Python; none yet is no trouble, they may come."""
    here = versions()
    try:
        there = client.run(versions, on_error="return")
    except Exception as error:  # of whatever kind a worker without vieta makes of it
        there = {"the workers": error}
    for worker, found in there.items():
        if not isinstance(found, dict):
            raise InputError(
                "workers-without-vieta",
                "vieta cannot be imported on {worker}: {cause}. Install the same version there.",
                worker=worker if worker == "the workers" else f"the worker {worker}",
                cause=" ".join(str(found).split())[:200],
            )
        for name, version in here.items():
            if found.get(name) != version:
                raise InputError(
                    "workers-differ",
                    "the worker {worker} has {name} {there}, and here it is {here}. Use the same version everywhere.",
                    worker=worker,
                    name=name,
                    there=found.get(name),
                    here=version,
                )
