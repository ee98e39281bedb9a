"""A client for all tests of the room."""

import pytest

from tests.engines.chunks import REASON


@pytest.fixture(scope="package")
def client():
    """Two workers in this process."""
    distributed = pytest.importorskip("distributed", reason=REASON)
    with (
        distributed.LocalCluster(n_workers=2, threads_per_worker=1, processes=False, dashboard_address=None) as cluster,
        distributed.Client(cluster) as client,
    ):
        yield client
