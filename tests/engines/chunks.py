"""Records as arrays of dask, and clients to ask."""

from contextlib import contextmanager

import pytest

import vieta
from vieta.engines import dask_runner

REASON = "the extra `cluster` (dask[distributed]) is not installed"
RECORDS = vieta.simulate("example-1", n=1200, seed=3)


def chunked(array, sizes):
    from dask import array as da

    return da.from_array(array, chunks=(1200, *array.shape[1:])).rechunk((sizes, *array.shape[1:]))


@contextmanager
def asking(client):
    """Dask is given another client, or none: then its threads work."""
    import dask

    with pytest.MonkeyPatch.context() as patched, dask.config.set(scheduler="threads" if client is None else None):
        patched.setattr(dask_runner, "running_client", lambda: client)
        yield


def killing_in_a_pass(kill):
    """What a runner does in its passes; in the third of them something is killed when the first sum has come."""
    each, passes = dask_runner.DaskRunner.each, iter(range(10_000))

    def killed(self, read, on, **few):
        now = next(passes) == 2
        for i, part in enumerate(each(self, read, on, **few)):
            if now and i == 0:
                kill()
            yield part

    return killed
