"""The server: a free port of the loopback address, the link with its token, and an end at the first Ctrl-C."""

import secrets
import socket
import threading
from collections.abc import Callable
from contextlib import suppress
from types import FrameType
from typing import NamedTuple

import uvicorn

from vieta.errors import InputError
from vieta.page.application import Page, application
from vieta.page.gate import Gate

LOOPBACK = "127.0.0.1"
FIRST_PORT = 8384  # taken unless another is wanted
TRIED = 100  # ports after it
GRACE = 2  # seconds that connections get to end


class Door(NamedTuple):
    """A socket that listens, its port, and the link to it."""

    socket: socket.socket
    port: int
    token: str

    @property
    def link(self) -> str:
        """The address to open, once."""
        return f"http://{LOOPBACK}:{self.port}/?token={self.token}"


def opened(port: int | None = None, before: int | None = None) -> Door:
    """Listen on a port of this machine alone: the one that is wanted, or that of `before`, or the first that is free."""
    usual = range(FIRST_PORT, FIRST_PORT + TRIED)
    wanted = [port] if port is not None else [*([before] if before else []), *usual]
    for number in wanted:
        listening = socket.socket(socket.AF_INET, socket.SOCK_STREAM, socket.IPPROTO_TCP)
        listening.setsockopt(
            socket.IPPROTO_TCP, socket.TCP_NODELAY, 1
        )  # else an answer in two pieces waits 40 ms between them
        listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            listening.bind((LOOPBACK, number))
            listening.listen()
        except OSError:
            listening.close()
            continue
        return Door(listening, listening.getsockname()[1], secrets.token_urlsafe(24))
    if port is None:
        raise InputError("no-free-port", "no port from {first} to {last} is free.", first=FIRST_PORT, last=usual[-1])
    raise InputError(
        "port-taken", "port {port} is not free on this machine. Take another, or none, to have one chosen.", port=port
    )


class Server(uvicorn.Server):
    """A server that lets go of whoever listens to events, or waits for an answer, when it is to end."""

    def __init__(self, config: uvicorn.Config, page: Page) -> None:
        super().__init__(config)
        self.page = page

    def handle_exit(self, sig: int, frame: FrameType | None) -> None:
        """Begin to end: nobody is to wait for what will not come."""
        if self.page.live is not None:
            self.page.live.close()
        for worker in (self.page.quick, *self.page.runs):
            worker.let_go()
        super().handle_exit(sig, frame)

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        """Listen; the worker that a slider waits for starts meanwhile."""
        await super().startup(sockets)
        threading.Thread(target=self._warm, daemon=True).start()

    def _warm(self) -> None:
        self.page.slow.warm()
        self.page.quick.warm()


def serve(page: Page, door: Door, begun: Callable[[], None] = lambda: None) -> None:
    """Answer until Ctrl-C; `begun` is called when the server is about to listen."""
    gate = Gate(application(page), door.port, door.token, page.rejoin)
    config = uvicorn.Config(
        gate, log_level="warning", access_log=False, server_header=False, timeout_graceful_shutdown=GRACE, lifespan="on"
    )
    server = Server(config, page)
    begun()
    with suppress(KeyboardInterrupt):
        server.run([door.socket])
