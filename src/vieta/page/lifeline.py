"""A process that ends with whoever reads what it prints, however that one ends; also while it has nothing to print."""

import os
import select
import signal
import threading

OUTPUT = 1  # the descriptor of standard output


def hold(descriptor: int = OUTPUT) -> None:
    """Ask this process to end, as a SIGTERM does, once nobody reads from the pipe that it writes to."""
    threading.Thread(target=_wait, args=(descriptor,), daemon=True).start()


def _wait(descriptor: int) -> None:
    """Wait for the other end to be closed; errors are reported of a descriptor of which nothing else is asked."""
    poll = select.poll()
    poll.register(descriptor, 0)
    poll.poll()
    os.kill(os.getpid(), signal.SIGTERM)
