r"""Tabs that stay open while the page is started again: they come back by themselves, without a new link.

A cookie alone must not let them in: while the page is down, another process of this machine may listen on its port, and the browser would show
it the cookie. Tabs are given a key instead, which they keep in memory and never send. To come back, a tab asks for a nonce and answers with

.. math:: \mathrm{HMAC}_{key}(\text{port}, \text{nonce}),

which is good once, for this process and this port. The key is kept in a file beside the state of the stream that only its owner may read.
"""

import hmac
import json
import os
import secrets
import stat
import time
from collections import OrderedDict
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path

from vieta.errors import InputError

SUFFIX = ".page"  # of the file beside the state
KEY = 32  # bytes
PATIENCE = 30.0  # seconds in which a nonce is to be answered
MOST_NONCES = 64


@dataclass(slots=True)
class Rejoin:
    """Who may come back: those who have the key."""

    key: bytes
    port: int | None = None  # of the page that was here before
    nonces: "OrderedDict[str, float]" = field(default_factory=OrderedDict)

    def nonce(self) -> str:
        """A number to be answered once, and soon."""
        found = secrets.token_hex(16)
        self.nonces[found] = time.monotonic() + PATIENCE
        while len(self.nonces) > MOST_NONCES:
            self.nonces.popitem(last=False)
        return found

    def accepts(self, port: int, nonce: str, proof: str) -> bool:
        """Whether a nonce is answered with the key; it is spent then, and when the answer is wrong."""
        until = self.nonces.pop(nonce, None)
        right = hmac.compare_digest(proof.encode(errors="replace"), proof_of(self.key, port, nonce).encode())
        return until is not None and time.monotonic() < until and right


def proof_of(key: bytes, port: int, nonce: str) -> str:
    """What a tab answers.

    >>> proof_of(b"k" * 32, 8384, "00")[:16]
    '6ddf8596ce8e03f6'
    """
    return hmac.new(key, f"{port} {nonce}".encode(), "sha256").hexdigest()


def kept_beside(state: Path) -> Rejoin:
    """The key that stands beside a state; a new one if there is none that only this user can read."""
    return _read(_place(state)) or Rejoin(secrets.token_bytes(KEY))


def keep_beside(state: Path, rejoin: Rejoin, port: int) -> None:
    """Write the key and the port beside a state, for this user alone."""
    place = _place(state)
    content = json.dumps({"format": 1, "port": port, "key": rejoin.key.hex()}) + "\n"
    temporary = place.with_name(f".{place.name}.{secrets.token_hex(4)}")
    try:
        handle = os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
        with os.fdopen(handle, "w") as file:
            file.write(content)
        os.replace(temporary, place)
    except OSError as error:
        with suppress(OSError):
            temporary.unlink()
        raise InputError(
            "page-key-unwritable",
            "{file} cannot be written: {reason}. It keeps what open tabs need to come back when the page is started again.",
            file=str(place),
            reason=error.strerror or str(error),
        ) from None


def _place(state: Path) -> Path:
    return state.with_name(state.name + SUFFIX)


def _read(place: Path) -> Rejoin | None:
    """What a file holds, None unless it is a regular one, of this user, that nobody else can read, and whole."""
    try:
        handle = os.open(place, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK)
    except OSError:
        return None
    with os.fdopen(handle, "rb") as file:
        about = os.fstat(handle)
        if not stat.S_ISREG(about.st_mode) or about.st_uid != os.geteuid() or about.st_mode & 0o077:
            return None
        try:
            found = json.loads(file.read(1000))
            key, port = bytes.fromhex(found["key"]), int(found["port"])
        except (ValueError, KeyError, TypeError):
            return None
    return Rejoin(key, port) if len(key) == KEY and found.get("format") == 1 and 0 < port < 65536 else None
