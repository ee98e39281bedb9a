"""The page's server as it runs, asked over sockets: many listeners and slow ones, a kill, and attacks."""

import http.client
import json
import os
import signal
import socket
import subprocess
import sys
import threading
import time
from contextlib import closing, contextmanager
from urllib.parse import urlsplit

import numpy as np
import pytest

from tests.page.few_tasks import NEEDED

pytest.importorskip("uvicorn", reason=NEEDED)

RUN = [sys.executable, "-c", "from vieta.cli import main; main()"]
TABS = 50
WAIT = 120


class Visit:
    """A browser that has opened the link."""

    def __init__(self, link):
        self.port = urlsplit(link).port
        self.cookie = ""
        with self._asked(f"/?{urlsplit(link).query}") as answer:
            assert answer.status == 303
            self.cookie = answer.headers["set-cookie"].split(";")[0]

    @contextmanager
    def _asked(self, path):
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=WAIT)
        connection.request("GET", path, headers={"Cookie": self.cookie})
        with closing(connection), connection.getresponse() as answer:
            yield answer

    def about(self):
        """What the page says of itself, if it answers."""
        with self._asked("/api/about") as answer:
            assert answer.status == 200
            return json.loads(answer.read())

    def raw(self, text, size=None):
        """A socket to which a request was written."""
        one = socket.socket()
        if size is not None:
            one.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, size)
        one.settimeout(WAIT)
        one.connect(("127.0.0.1", self.port))
        one.sendall(text.replace("\n", "\r\n").encode())
        return one

    @property
    def head(self):
        return f"Host: 127.0.0.1:{self.port}\nOrigin: http://127.0.0.1:{self.port}\nCookie: {self.cookie}\n"

    def heard(self, wanted):
        """The first event of the stream for which `wanted` holds."""
        kind = ""
        with self._asked("/api/live") as events:
            for line in events:
                if line.startswith(b"event: "):
                    kind = line[7:].strip().decode()
                elif line.startswith(b"data: ") and wanted(kind, found := json.loads(line[6:])):
                    return found
        raise AssertionError(kind)


@contextmanager
def serving(*words):
    """A page and its process, which is ended by Ctrl-C unless it was killed."""
    words = [*RUN, "page", "--no-browser", "--port", "0", *map(str, words)]
    server = subprocess.Popen(words, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    try:
        yield server, Visit(server.stdout.readline().strip())
    finally:
        if server.poll() is None:
            server.send_signal(signal.SIGINT)
        _, errors = server.communicate(timeout=WAIT)
    assert "Traceback" not in errors


def lines(n, seed=0):
    rng = np.random.default_rng(seed)
    sets = rng.permuted([1.0, 4.0] + 0.1 * rng.normal(size=(n, 2)), axis=1)
    return "".join(json.dumps(row) + "\n" for row in sets.tolist())


@pytest.mark.browser
def test_fifty_listeners_hear_the_end_and_those_who_never_read_hold_nobody_up(tmp_path):
    (tmp_path / "sets").write_text(lines(20_000))
    os.mkfifo(tmp_path / "start")
    with serving("--watch", f"read _ < {tmp_path / 'start'}; cat {tmp_path / 'sets'}") as (server, visit):
        deaf = [visit.raw(f"GET /api/live HTTP/1.1\n{visit.head}\n", size=2048) for _ in range(5)]
        found = []
        tabs = [
            threading.Thread(target=lambda: found.append(visit.heard(lambda kind, _: kind == "final")["n_sets"]))
            for _ in range(TABS)
        ]
        for one in tabs:
            one.start()
        (tmp_path / "start").write_text("go\n")
        for one in tabs:
            one.join(WAIT)
        assert found == [20_000] * TABS
        assert visit.about()
        for one in deaf:
            one.close()
    assert server.returncode == 0


@pytest.mark.browser
def test_a_page_that_is_killed_goes_on_where_the_filter_was(tmp_path):
    pipe, state = tmp_path / "sets", tmp_path / "watch.npz"
    os.mkfifo(pipe)
    words = ("--watch", pipe, "--state", state, "--resume", "continue")
    with serving(*words) as (server, visit):
        with pipe.open("w") as writer:
            writer.write(lines(1000))
        before = visit.heard(lambda kind, event: kind == "estimate" and event["n_sets"] == 1000)
        server.kill()
        server.wait()
    with serving(*words) as (_, visit):
        with pipe.open("w") as writer:
            writer.write(lines(500, seed=1))
        after = visit.heard(lambda kind, event: kind == "estimate" and event["n_sets"] == 1500)
    assert np.all(abs(np.array(after["theta"]) - before["theta"]) < 5 * np.array(before["stderr"]))
    assert after["stderr"][0][0] < before["stderr"][0][0]


def test_the_page_ends_at_once_while_a_run_is_shown():
    asked = json.dumps({"example": 4, "n": 100_000})
    with serving() as (server, visit):
        text = f"POST /api/parts/race HTTP/1.1\n{visit.head}Content-Length: {len(asked)}\n\n{asked}"
        with visit.raw(text) as one:
            assert b"200 OK" in one.recv(1000)
            server.send_signal(signal.SIGINT)
            assert server.wait(WAIT) == 0  # and no traceback, as the context looks for


@pytest.fixture(scope="module")
def visit():
    with serving() as (_, one):
        yield one


def test_requests_that_are_never_finished_hold_nobody_up(visit):
    unknown = [visit.raw("GET / HTTP/1.1\nHost: 127.0.0.1\nX: ") for _ in range(100)]
    known = [
        visit.raw(f"POST /api/files?name=a.csv HTTP/1.1\n{visit.head}Content-Length: 100\n\ny1,y2") for _ in range(20)
    ]
    asked = [visit.raw(f"POST /api/tasks/fit HTTP/1.1\n{visit.head}Content-Length: 100\n\n{{") for _ in range(20)]
    assert visit.about()
    for one in (*unknown, *known, *asked):
        one.close()
    deadline = time.monotonic() + WAIT
    while visit.about()["files"] and time.monotonic() < deadline:
        time.sleep(0.05)
    assert visit.about()["files"] == []  # what did not arrive is not kept


@pytest.mark.parametrize(
    ("request_text", "expected"),
    [
        ("GET /../../etc/passwd HTTP/1.1\n{head}\n", (400, 404)),
        ("GET /static/../../../../etc/passwd HTTP/1.1\n{head}\n", (400, 404)),
        ("GET http://evil.example/api/about HTTP/1.1\n{head}\n", (400, 403, 404)),
        ("GET /api/about HTTP/1.1\nHost: evil.example:{port}\nCookie: {cookie}\n\n", (403,)),
        ("GET /api/about HTTP/1.1\nHost: evil.example:{port}\n{head}\n", (400, 403)),
        ("GET /api/about HTTP/1.1\nCookie: {cookie}\n\n", (400, 403)),
        ("GET /api/about HTTP/1.0\nCookie: {cookie}\n\n", (400, 403)),
        ("POST /api/demo HTTP/1.1\nHost: 127.0.0.1:{port}\nCookie: {cookie}\nContent-Length: 0\n\n", (403,)),
        ("POST /api/demo HTTP/1.1\n{head}Sec-Fetch-Site: cross-site\nContent-Length: 0\n\n", (403,)),
        ("POST /api/files?name=a HTTP/1.1\n{head}Content-Length: 99999999999999\n\n", (413,)),
        ("POST /api/files?name=a HTTP/1.1\n{head}Content-Length: -1\n\n", (400, 413)),
        ("POST /api/files?name=a HTTP/1.1\n{head}Content-Length: 3\nTransfer-Encoding: chunked\n\n0\n\n", (200, 400)),
        ("GET /api/about HTTP/1.1\n{head}Cookie: vieta-{port}=forged\n\n", (200, 403)),
        ("GET /" + "x" * 100_000 + " HTTP/1.1\n{head}\n", (400, 404, 414)),
        ("\x00\x01\x02\n\n", (400,)),
    ],
    ids=range(15),
)  # fmt: skip
def test_what_is_written_by_hand_is_refused(visit, request_text, expected):
    words = {"head": visit.head, "port": visit.port, "cookie": visit.cookie}
    with visit.raw(request_text.format(**words)) as one:
        answer = one.recv(65536).decode()
    assert int(answer.split()[1]) in expected
    assert "root:" not in answer
    assert visit.about()
