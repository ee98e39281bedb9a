"""Signals that ask a command to come to an end."""

import os
import signal
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any


@contextmanager
def interruption() -> Iterator[int]:
    """A descriptor from which something can be read once SIGINT or SIGTERM has come; a second one ends the process at once."""
    read, write = os.pipe()

    def note(number: int, _: Any) -> None:
        os.write(write, b"!")
        signal.signal(number, signal.SIG_DFL)

    before = {number: signal.signal(number, note) for number in (signal.SIGINT, signal.SIGTERM)}
    try:
        yield read
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
        os.close(read)
        os.close(write)
