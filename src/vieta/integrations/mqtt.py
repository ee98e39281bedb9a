"""MQTT: sets from the topics of a broker into a filter, each of them once. Extra `mqtt`.

A message is a line of `vieta watch` with a number: {"n": 17, "y": [1.2, 3.4], "psi": 0.5}. A broker delivers a message at least once, and again
after whatever broke; `n`, which its publisher counts up in each topic, makes that once. The state holds the filter and the last number of each
topic, in one file, and a message is acknowledged when that file is written:

    a crash before the file is written   the broker delivers again, and the filter of the file has not seen the sets
    a crash after it                     the broker delivers again, and numbers up to the last one are passed over

Where the connection, its encryption and passwords are concerned, the client is one of paho's, made by `mqtt_client` and set up as paho does.
"""

import json
from collections import Counter
from collections.abc import Iterable
from contextlib import ExitStack
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Self

from vieta.errors import BadFileError, InputError
from vieta.estimators import SymmetricFilter
from vieta.files.reasons import NOT_ABSORBED
from vieta.live.checkpoint import Checkpoint, checkpoint
from vieta.live.set_lines import Form, Found, find_sets, form_of
from vieta.method import registry

try:
    from paho.mqtt.client import MQTT_ERR_SUCCESS, Client, MQTTMessage
    from paho.mqtt.enums import CallbackAPIVersion
except ImportError as error:
    raise ImportError("vieta.integrations.mqtt needs paho-mqtt: install vieta[mqtt].") from error

NUMBER = "n"  # the key of a message's number
QOS = 1  # at least once
PAUSE = 0.05  # seconds without a message after which those that arrived are absorbed
MOST = 1000  # messages that are absorbed together
UNNUMBERED = "no-number"


def mqtt_client(name: str) -> Client:
    """A client of paho whose session the broker keeps under this name, and whose messages are acknowledged by whoever absorbs them."""
    return Client(CallbackAPIVersion.VERSION2, client_id=name, clean_session=False, manual_ack=True)


@dataclass(slots=True, eq=False)
class Consumer:
    """Absorbs the sets of some topics, each once.

    Attributes
    ----------
    filter : SymmetricFilter
        Replaced by that of the state, if there is one.
    topics : list of str
        As MQTT has them, with + and #.
    client : paho.mqtt.client.Client
        Made by `mqtt_client`.
    state : path, optional
        The file of the filter and of the numbers; without one nothing is kept when the process ends.
    last : dict
        The number of the last message absorbed of each topic.
    left_out : Counter
        Messages without a set, by code (`vieta.files.reasons`), or without a number.
    repeated, missing : int
        Messages that came again, and numbers that never came.
    """

    filter: SymmetricFilter
    topics: list[str]
    client: Client
    state: str | Path | None = None
    last: dict[str, int] = field(default_factory=dict)
    left_out: Counter[str] = field(default_factory=Counter)
    repeated: int = 0
    missing: int = 0
    _form: Form | None = None
    _waiting: list[MQTTMessage] = field(default_factory=list)
    _stack: ExitStack = field(default_factory=ExitStack)
    _kept: Checkpoint | None = None

    def __enter__(self) -> Self:
        if self.state is not None:
            with ExitStack() as stack:
                self._kept = stack.enter_context(checkpoint(Path(self.state)))
                self._resume(self._kept.load())
                self._stack = stack.pop_all()
        self.client.on_message = lambda client, data, message: self._waiting.append(message)
        self.client.on_connect = lambda client, *_: self._subscribe()
        self.client.on_disconnect = lambda *_: self._waiting.clear()  # they come again
        return self

    def __exit__(self, *_: object) -> None:
        self.client.disconnect()
        self._stack.close()

    def connect(self, host: str = "localhost", port: int = 1883) -> Self:
        """Connect to a broker; refused in words if there is none."""
        try:
            self.client.connect(host, port)
        except (OSError, ValueError) as error:
            raise InputError(
                "no-broker",
                "there is no broker at {host}:{port}, or it does not answer ({cause}).",
                host=host,
                port=port,
                cause=str(error)[:200],
            ) from None
        return self

    def step(self, seconds: float = 1.0) -> int:
        """Wait at most so long for messages, absorb those that arrive, keep the state, acknowledge: how many sets were absorbed."""
        before, wait = self.filter.n_sets, seconds
        while len(self._waiting) < MOST:
            count = len(self._waiting)
            if self.client.loop(wait) != MQTT_ERR_SUCCESS:
                self._reconnect()
            if len(self._waiting) > count:
                wait = PAUSE
            elif count or wait == seconds:
                break
        self._absorb(self._waiting[:MOST])
        return self.filter.n_sets - before

    def run(self, n_sets: int, seconds: float = 60.0) -> Self:
        """Absorb until the filter has so many sets, or for so long nothing new arrives."""
        import time

        end = time.monotonic() + seconds
        while self.filter.n_sets < n_sets and time.monotonic() < end:
            if self.step(min(1.0, seconds)):
                end = time.monotonic() + seconds
        return self

    def _subscribe(self) -> None:
        self.client.subscribe([(topic, QOS) for topic in self.topics])

    def _reconnect(self) -> None:
        """Connect again; the broker has kept the session, and delivers what was not acknowledged."""
        from contextlib import suppress
        from time import sleep

        sleep(PAUSE)
        with suppress(OSError):
            self.client.reconnect()

    def _absorb(self, messages: list[MQTTMessage]) -> None:
        """Absorb messages, keep the state, and acknowledge them; in this order."""
        if not messages:
            return
        fresh = [bytes(message.payload) for message in messages if self._is_new(message)]
        if self._form is None:
            any_size = registry.get(self.filter.method_name).takes_incomplete
            _, self._form = form_of(fresh, self.filter.n_systems, any_size=any_size)
        self._take(fresh)
        if self._kept is not None:
            self._kept.save(self.filter, {"mqtt": self._noted()})
        del self._waiting[: len(messages)]
        self._acknowledge(messages)

    def _acknowledge(self, messages: Iterable[MQTTMessage]) -> None:
        for message in messages:
            self.client.ack(message.mid, message.qos)

    def _is_new(self, message: MQTTMessage) -> bool:
        """Whether a message was not absorbed before, by its number; those without one cannot be told apart, and are left out."""
        number = _number(bytes(message.payload))
        if number is None:
            self.left_out[UNNUMBERED] += 1
            return False
        last = self.last.get(message.topic)
        if last is not None and number <= last:
            self.repeated += 1
            return False
        self.missing += 0 if last is None else number - last - 1
        self.last[message.topic] = number
        return True

    def _take(self, lines: list[bytes]) -> None:
        """Sets into the filter; one that it refuses is left out."""
        found = find_sets(lines, self._form or Form(self.filter.n_systems, 1, ()))
        self.left_out.update(code for _, code in found.faults)
        try:
            self._fit(found, slice(None))
        except (ValueError, ArithmeticError):
            for k in range(len(found.at)):
                try:
                    self._fit(found, slice(k, k + 1))
                except (ValueError, ArithmeticError):
                    self.left_out[NOT_ABSORBED] += 1

    def _fit(self, found: Found, some: slice) -> None:
        if len(found.at[some]):
            self.filter.partial_fit(found.sets[some], found.inputs[some])

    def _noted(self) -> dict[str, Any]:
        counts = {"repeated": self.repeated, "missing": self.missing}
        return {"last": dict(self.last), "left_out": dict(self.left_out), "form": self._form, **counts}

    def _resume(self, saved: SymmetricFilter | None) -> None:
        """Go on from a filter that was saved."""
        if saved is None:
            return
        if (saved.n_systems, saved.dim, saved.method_name) != (
            self.filter.n_systems, self.filter.dim, self.filter.method_name,
        ):  # fmt: skip
            raise BadFileError(
                "other-filter", "{file} holds a filter of another shape or method.", file=str(self.state)
            )
        noted = saved.notes.get("mqtt")
        if not isinstance(noted, dict):
            raise BadFileError("no-mqtt-state", "{file} was not saved by a consumer of MQTT.", file=str(self.state))
        self.filter, self.last = saved, {str(topic): int(n) for topic, n in noted["last"].items()}
        self.left_out.update(noted["left_out"])
        self.repeated, self.missing = int(noted["repeated"]), int(noted["missing"])
        if noted["form"] is not None:
            L, p, inputs, any_size = noted["form"][:4]
            self._form = Form(int(L), int(p), tuple(map(int, inputs)), any_size=bool(any_size))


def _number(payload: bytes) -> int | None:
    """The number of a message, if it has one."""
    try:
        record = json.loads(payload)
    except ValueError:
        return None
    found = record.get(NUMBER) if isinstance(record, dict) else None
    return found if type(found) is int else None
