"""The standard streams of the process, such that no answer is lost in silence.

Python leaves a closed stream out, so that what is written to it vanishes; and with PYTHONUNBUFFERED it takes a write that the system
did in part for a whole one. Here a write to standard output is done in full or raises OSError, and so does reading from
an input that is closed.
"""

import io
import os
import sys
from typing import Any

# How /dev/null is opened in the place of a closed stream: the wrong way, so that every use of it fails.
WAYS = (os.O_WRONLY, os.O_RDONLY, os.O_RDONLY)


def prepare() -> None:
    """Take the place of closed descriptors, and make both outputs anew; streams that somebody has replaced stay."""
    for descriptor, way in enumerate(WAYS):
        _occupy(descriptor, way)
    if sys.stdin is None:
        sys.stdin = io.TextIOWrapper(io.BufferedReader(io.FileIO(0, "r", closefd=False)))
    if sys.stdout is sys.__stdout__:
        sys.stdout = _writer(io.FileIO(1, "w", closefd=False), sys.stdout)
    if sys.stderr is sys.__stderr__:
        sys.stderr = _writer(_Unheard(2, "w", closefd=False), sys.stderr)


def _occupy(descriptor: int, way: int) -> None:
    """Open something at a descriptor that is closed; otherwise the next file would be opened there, and take what is printed."""
    try:
        os.fstat(descriptor)
    except OSError:
        nowhere = os.open(os.devnull, way)
        if nowhere != descriptor:
            os.dup2(nowhere, descriptor)
            os.close(nowhere)


def _writer(raw: io.FileIO, before: Any) -> io.TextIOWrapper:
    """Text to a file, which takes characters that the encoding does not have as escapes."""
    encoding = "utf-8" if before is None else before.encoding
    return io.TextIOWrapper(io.BufferedWriter(raw), encoding, "backslashreplace", line_buffering=True)


class _Unheard(io.FileIO):
    """Standard error. Where it cannot be written, remarks are lost; the exit code still says how the command ended."""

    def write(self, data: Any, /) -> int:
        """Write as much as can be written, and pass for having written all."""
        try:
            return super().write(data) or 0
        except OSError:
            return memoryview(data).nbytes
