"""The page without a socket: the application behind its gate, asked as a browser would ask."""

import pytest

pytest.importorskip("starlette", reason="the page needs its extra: pip install -e '.[page]'")
pytest.importorskip("httpx", reason="the test client of starlette needs httpx")

from starlette.testclient import TestClient

from tests.page import few_tasks
from vieta.page.application import Page, application
from vieta.page.broadcast import Broadcast
from vieta.page.gate import Gate
from vieta.page.uploads import Uploads
from vieta.page.workers import Worker

PORT = 8384
TOKEN = "the-right-token"
HOME = f"http://127.0.0.1:{PORT}"


@pytest.fixture
def made():
    """A page with tasks that take no time."""
    slow = Worker({"fit": few_tasks.echo, "report": few_tasks.write}, few_tasks.said)
    quick = Worker({"columns": few_tasks.echo}, few_tasks.said)
    return Page(Uploads(most_bytes=1000), slow, quick, Broadcast(), {"version": "x"}, lambda: ("demo.csv", b"y1,y2\n1,2\n"))


@pytest.fixture
def client(made):
    """A browser without a session."""
    with TestClient(Gate(application(made), PORT, TOKEN), base_url=HOME, follow_redirects=False) as one:
        yield one


@pytest.fixture
def browser(client):
    """A browser that has opened the link."""
    assert client.get("/", params={"token": TOKEN}).status_code == 303
    client.headers["origin"] = HOME
    return client
