"""Memory of a worker while it works: what one array leaves, the next one takes.

The processes of dask give freed memory back to the system at once (`MALLOC_TRIM_THRESHOLD_`, which also fixes the size from which an array gets
pages of its own). Every array of a pass then begins with pages that the system has to clear, which took a fifth of a pass. Here they
do so after a task, not within it. Processes without that setting, and systems with another C library, are left as they are.
"""

import ctypes
import os
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from typing import Any

SETTING = "MALLOC_TRIM_THRESHOLD_"
TRIM, MAPPED = -1, -3  # M_TRIM_THRESHOLD and M_MMAP_THRESHOLD of malloc.h
KEPT, LARGEST = (
    1 << 28,
    1 << 25,
)  # bytes that are not given back, and of an array that gets no pages of its own: the most that can be set
USUAL = 1 << 17  # bytes of an array, from which it gets pages of its own, where nothing else is set

_lock, _working = threading.Lock(), [0]


@contextmanager
def reusing_memory() -> Iterator[None]:
    """Keep memory that is freed until this ends; then give it back."""
    given, library = os.environ.get(SETTING, ""), _library()
    if library is None or not given.isdecimal() or int(given) >= KEPT:
        yield
        return
    _count(library, 1, KEPT, LARGEST)
    try:
        yield
    finally:
        _count(library, -1, int(given), USUAL)


def _count(library: Any, change: int, kept: int, largest: int) -> None:
    """Count the threads that work; the first of them to begin, and the last to end, change the settings."""
    with _lock:
        before = _working[0]
        _working[0] += change
        if before and _working[0]:
            return
        library.mallopt(TRIM, kept)
        library.mallopt(MAPPED, largest)
        if not _working[0]:
            library.malloc_trim(0)


@cache
def _library() -> Any:
    """The C library, if it is the one that has these settings."""
    try:
        found = ctypes.CDLL(None)
        return found if hasattr(found, "gnu_get_libc_version") and hasattr(found, "mallopt") else None
    except OSError:
        return None
