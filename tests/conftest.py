"""What every run of the tests starts with."""

import pytest

from studies.running.kernels import forget_old_kernels


def pytest_sessionstart(session: pytest.Session) -> None:
    """Forget compiled kernels older than their sources.

    Workers leave this to the process that starts them, so that none deletes what another has just compiled.
    """
    if not hasattr(session.config, "workerinput"):
        forget_old_kernels()
