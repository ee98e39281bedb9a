"""Linear algebra on one thread while sets are worked on.

A pass multiplies tall, narrow arrays: products of some microseconds, for which the library of linear algebra keeps a thread of its own on every
core. These spin while they wait for the next one, in the way of the threads that share the passes: a fit of 500,000 sets took half
as much processor time again, on one thread as on two.
"""

import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from typing import Any

_limited = threading.Lock()


@contextmanager
def one_blas_thread() -> Iterator[None]:
    """One thread for linear algebra in the whole process; as many as before afterwards.

    Whoever comes while another has set it leaves it to that one: the number that it would set back is not the caller's.
    """
    if not _limited.acquire(blocking=False):
        yield
        return
    try:
        with _libraries(with_scipy="scipy.linalg" in sys.modules).limit(limits=1, user_api="blas"):
            yield
    finally:
        _limited.release()


@cache
def _libraries(*, with_scipy: bool) -> Any:
    """Those of linear algebra that are loaded. SciPy brings another; to look for them takes a millisecond, a tenth of a small fit."""
    from threadpoolctl import ThreadpoolController

    return ThreadpoolController()
