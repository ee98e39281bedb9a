"""What every run of the tests starts with."""

from pathlib import Path

import pytest

import vieta

PACKAGE = Path(vieta.__file__).parent


def pytest_sessionstart(session: pytest.Session) -> None:
    """Forget compiled kernels older than their sources.

    numba recompiles a function when its own file has changed, but not when the file of a function that it calls has:
    the kernels of one file would go on calling what another file said before. Workers leave this to the process that
    starts them, so that none deletes what another has just compiled.
    """
    if hasattr(session.config, "workerinput"):
        return
    for folder in {path.parent for path in PACKAGE.rglob("*.py") if "import njit" in path.read_text()}:
        caches = [*folder.glob("__pycache__/*.nbi"), *folder.glob("__pycache__/*.nbc")]
        sources = [path.stat().st_mtime for path in folder.glob("*.py") if "import njit" in path.read_text()]
        if caches and max(sources) > min(path.stat().st_mtime for path in caches):
            for path in caches:
                path.unlink(missing_ok=True)
