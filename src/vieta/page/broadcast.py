"""Events of a live watch for any number of listeners: a bounded history that each reads at its own pace.

There is no queue for each listener: who is slow misses what the history has forgotten, and slows nobody.
"""

import asyncio
import json
import threading
from collections import deque
from collections.abc import AsyncIterator
from itertools import islice
from typing import Any, NamedTuple

HISTORY = 1000  # events
BEAT = 10.0  # seconds of silence, after which a listener is shown that the connection lives


class Numbered(NamedTuple):
    """An event as it is sent: its number, kind, and content as JSON."""

    number: int
    kind: str
    content: str

    def encoded(self) -> bytes:
        """As a server-sent event."""
        return f"id: {self.number}\nevent: {self.kind}\ndata: {self.content}\n\n".encode()


class Broadcast:
    """The latest events, and who waits for the next."""

    def __init__(self, history: int = HISTORY) -> None:
        self._events: deque[Numbered] = deque(maxlen=history)
        self._lock = threading.RLock()  # a signal may close it in the midst of a call
        self._number = 0
        self._waiting: dict[asyncio.Event, asyncio.AbstractEventLoop] = {}
        self.closed = False

    def publish(self, kind: str, content: dict[str, Any]) -> None:
        """Add an event, from any thread; its content must be ready for JSON."""
        text = json.dumps(content, allow_nan=False)
        with self._lock:
            self._number += 1
            self._events.append(Numbered(self._number, kind, text))
            self._wake()

    def close(self) -> None:
        """Let all listeners go; from any thread."""
        with self._lock:
            self.closed = True
            self._wake()

    def since(self, number: int) -> list[Numbered]:
        """The events after a number, as far as they are remembered; all of them if that number is yet to come."""
        with self._lock:
            if number > self._number:  # of a page that was started before this one
                return list(self._events)
            fresh = min(self._number - number, len(self._events))
            return list(islice(self._events, len(self._events) - fresh, None))

    async def listen(self, after: int = 0, beat: float = BEAT) -> AsyncIterator[bytes]:
        """Server-sent events after a number, for as long as somebody listens."""
        woken, loop = asyncio.Event(), asyncio.get_running_loop()
        with self._lock:
            self._waiting[woken] = loop
        try:
            yield b"retry: 1000\n\n"
            while not self.closed:
                woken.clear()
                found = self.since(after)
                if found:
                    after = found[-1].number
                    yield b"".join(event.encoded() for event in found)
                    continue
                try:
                    await asyncio.wait_for(woken.wait(), beat)
                except TimeoutError:
                    yield b": still here\n\n"
        finally:
            with self._lock:
                self._waiting.pop(woken, None)

    @property
    def listeners(self) -> int:
        """How many listen."""
        return len(self._waiting)

    def _wake(self) -> None:
        for woken, loop in list(self._waiting.items()):
            if not loop.is_closed():
                loop.call_soon_threadsafe(woken.set)
