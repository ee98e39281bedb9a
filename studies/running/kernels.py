"""Compiled kernels that are older than their sources."""

from pathlib import Path

import vieta

PACKAGE = Path(vieta.__file__).parent


def forget_old_kernels() -> None:
    """Delete them.

    numba recompiles a function when its own file has changed, but not when the file of a function that it calls has:
    the kernels of one file would go on calling what another file said before.
    """
    kernels = [path for path in PACKAGE.rglob("*.py") if "import njit" in path.read_text()]
    newest = max(path.stat().st_mtime for path in kernels)
    for folder in {path.parent for path in kernels}:
        for cache in [*folder.glob("__pycache__/*.nbi"), *folder.glob("__pycache__/*.nbc")]:
            if cache.stat().st_mtime < newest:
                cache.unlink(missing_ok=True)
