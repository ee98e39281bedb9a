"""Sets from a broker, each once, whatever is delivered again; against a mosquitto on this machine."""

import json
import shutil
import signal
import socket
import subprocess
import sys
import threading
import time

import numpy as np
import pytest
from numpy.testing import assert_array_equal

import vieta

mqtt = pytest.importorskip("vieta.integrations.mqtt", reason="the extra `mqtt` (paho-mqtt) is not installed")

from paho.mqtt.client import Client  # noqa: E402
from paho.mqtt.enums import CallbackAPIVersion  # noqa: E402

from vieta.errors import BadFileError, InputError  # noqa: E402

MOSQUITTO = shutil.which("mosquitto") or shutil.which("mosquitto", path="/usr/sbin")
needs_broker = pytest.mark.skipif(
    MOSQUITTO is None, reason="mosquitto, a broker, is not installed (apt-get install mosquitto)"
)
RECORDS = vieta.simulate("example-1", n=120, seed=0)


@pytest.fixture(scope="module")
def port(tmp_path_factory):
    """Of a broker on this machine alone, that forgets everything when it ends."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        number = free.getsockname()[1]
    settings = tmp_path_factory.mktemp("broker") / "mosquitto.conf"
    settings.write_text(f"listener {number} 127.0.0.1\nallow_anonymous true\npersistence false\n")
    broker = subprocess.Popen([MOSQUITTO, "-c", settings], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    try:
        for _ in range(200):
            with socket.socket() as line:
                if line.connect_ex(("127.0.0.1", number)) == 0:
                    break
            time.sleep(0.05)
        yield number
    finally:
        broker.terminate()
        broker.wait(20)


def message(k, **more):
    return json.dumps({"n": k, "y": RECORDS.sets[k].tolist(), "psi": float(RECORDS.inputs[k]), **more})


def publish(port, topic, texts):
    client = Client(CallbackAPIVersion.VERSION2)
    client.connect("127.0.0.1", port)
    client.loop_start()
    for text in texts:
        client.publish(topic, text, qos=1).wait_for_publish(20)
    client.disconnect()
    client.loop_stop()


def consumer(port, topic, state=None, name=None):
    made = mqtt.Consumer(vieta.SymmetricFilter(3), [topic], mqtt.mqtt_client(name or topic), state)
    return made.__enter__().connect("127.0.0.1", port)


def settled(one):
    """Once it is subscribed: the broker keeps messages from then on."""
    for _ in range(5):
        one.step(0.05)
    return one


def expected(n):
    return vieta.SymmetricFilter(3).partial_fit(RECORDS.sets[:n], RECORDS.inputs[:n]).estimate()


@needs_broker
def test_sets_are_absorbed_and_what_comes_twice_counts_once(port, tmp_path):
    one = settled(consumer(port, "twice", tmp_path / "a.npz"))
    publish(port, "twice", [*map(message, range(60)), *map(message, range(50, 62)), message(64)])
    one.run(63, seconds=10)
    assert (one.filter.n_sets, one.repeated, one.missing) == (63, 10, 2)
    one.__exit__()


@needs_broker
def test_a_crash_before_the_state_is_written_loses_nothing(port, tmp_path, monkeypatch):
    first = settled(consumer(port, "before", tmp_path / "a.npz"))
    publish(port, "before", map(message, range(30)))
    first.run(30, seconds=10)
    publish(port, "before", map(message, range(30, 50)))

    def crash(*_):
        raise KeyboardInterrupt

    monkeypatch.setattr(mqtt.Checkpoint, "save", crash)
    with pytest.raises(KeyboardInterrupt):
        first.run(50, seconds=10)
    monkeypatch.undo()
    first._stack.close()
    first.client._sock_close()  # as if the process had ended
    second = consumer(port, "before", tmp_path / "a.npz").run(50, seconds=10)
    assert (second.filter.n_sets, second.missing) == (50, 0)
    assert_array_equal(second.filter.estimate().theta, expected(50).theta)
    second.__exit__()


@needs_broker
def test_a_crash_before_the_acknowledgement_counts_nothing_twice(port, tmp_path, monkeypatch):
    first = settled(consumer(port, "after", tmp_path / "a.npz"))
    publish(port, "after", map(message, range(15)))
    monkeypatch.setattr(mqtt.Consumer, "_acknowledge", lambda *_: None)
    first.run(15, seconds=10)
    monkeypatch.undo()
    first._stack.close()
    first.client._sock_close()
    second = consumer(port, "after", tmp_path / "a.npz")
    publish(port, "after", map(message, range(15, 40)))
    second.run(40, seconds=10)
    assert second.repeated == 15  # delivered again, and passed over
    assert_array_equal(second.filter.estimate().theta, expected(40).theta)
    second.__exit__()


CONSUMER = """
import sys
import vieta
from vieta.integrations.mqtt import Consumer, mqtt_client

port, topic, state, n_sets = int(sys.argv[1]), *sys.argv[2:4], int(sys.argv[4])
with Consumer(vieta.SymmetricFilter(3), [topic], mqtt_client(topic), state).connect("127.0.0.1", port) as consumer:
    while not consumer.client.is_connected():
        consumer.step(0.05)
    consumer.step(0.2)
    print("ready", flush=True)
    while consumer.filter.n_sets < n_sets:
        consumer.step(0.2)
"""


def started(port, topic, state, n_sets):
    """A process that absorbs so many sets of a topic, once it listens."""
    words = [sys.executable, "-c", CONSUMER, str(port), topic, str(state), str(n_sets)]
    found = subprocess.Popen(words, stdout=subprocess.PIPE, text=True)
    with found.stdout as told:
        assert told.readline() == "ready\n"
    return found


def kept_sets(state):
    return vieta.SymmetricFilter.load(state).n_sets if state.exists() else 0


@needs_broker
def test_a_process_that_is_killed_in_the_middle_ends_where_an_unbroken_one_does(port, tmp_path):
    state, total, gate = tmp_path / "a.npz", len(RECORDS.sets), threading.Event()
    running = started(port, "killed", state, total)
    sender = threading.Thread(
        target=publish, args=(port, "killed", slowly(map(message, range(total)), gate)), daemon=True
    )
    sender.start()
    for least in (20, 60):  # while messages keep coming, some not acknowledged
        until = time.monotonic() + 60
        while kept_sets(state) < least and time.monotonic() < until:
            time.sleep(0.01)
        running.kill()
        assert running.wait(20) == -signal.SIGKILL
        assert least <= kept_sets(state) < total
        running = started(port, "killed", state, total)
    gate.set()
    sender.join(60)
    assert running.wait(60) == 0
    broken = vieta.SymmetricFilter.load(state)
    whole = vieta.SymmetricFilter(3).partial_fit(RECORDS.sets, RECORDS.inputs)
    whole.save(tmp_path / "whole.npz")
    assert broken.notes["mqtt"]["missing"] == 0
    with np.load(state) as one, np.load(tmp_path / "whole.npz") as two:
        arrays = [name for name in two.files if two[name].dtype.kind in "fiu"]
        assert len(arrays) > 10
        for name in arrays:
            assert_array_equal(one[name], two[name], err_msg=name)
    assert_array_equal(broken.estimate().cov, whole.estimate().cov)


def slowly(texts, gate):
    """One after another, the last ones when the gate is open."""
    for k, text in enumerate(texts):
        time.sleep(0.01)
        if k == 100:
            gate.wait(120)
        yield text


@needs_broker
def test_messages_that_hold_no_set_are_counted_and_hold_up_nothing(port):
    one = settled(consumer(port, "odd"))
    odd = ["nothing", json.dumps({"y": [1.0, 2.0, 3.0]}), message(1, y=[1.0, 2.0]), message(2, y="many")]
    publish(port, "odd", [message(0), *odd, message(3)])
    one.run(2, seconds=10)
    assert one.filter.n_sets == 2
    assert one.left_out[mqtt.UNNUMBERED] == 2
    assert sum(one.left_out.values()) == 4
    one.__exit__()


@needs_broker
def test_a_connection_that_breaks_is_made_again(port):
    one = settled(consumer(port, "broken"))
    publish(port, "broken", map(message, range(10)))
    one.run(10, seconds=10)
    one.client._sock.shutdown(socket.SHUT_RDWR)
    publish(port, "broken", map(message, range(10, 20)))
    one.run(20, seconds=10)
    assert (one.filter.n_sets, one.missing) == (20, 0)
    one.__exit__()


def test_a_broker_that_is_not_there_is_refused_in_words():
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        number = free.getsockname()[1]
    with pytest.raises(InputError, match="no broker at") as error:
        mqtt.Consumer(vieta.SymmetricFilter(3), ["a"], mqtt.mqtt_client("a")).connect("127.0.0.1", number)
    assert error.value.code == "no-broker"


def test_states_of_others_are_refused(tmp_path):
    running = vieta.SymmetricFilter(3).partial_fit(RECORDS.sets, RECORDS.inputs)
    running.save(tmp_path / "a.npz")
    for L, code in ((3, "no-mqtt-state"), (4, "other-filter")):
        with pytest.raises(BadFileError) as error:
            mqtt.Consumer(vieta.SymmetricFilter(L), ["a"], mqtt.mqtt_client("a"), tmp_path / "a.npz").__enter__()
        assert error.value.code == code
