"""The page without a socket: the application behind its gate, asked as a browser would ask."""

import pytest

from tests.page import few_tasks
from tests.page.few_tasks import HOME, PORT, TOKEN


@pytest.fixture
def made():
    """A page with tasks that take no time."""
    from vieta.page.application import Page
    from vieta.page.broadcast import Broadcast
    from vieta.page.uploads import Uploads
    from vieta.page.workers import Worker

    slow = Worker({"fit": few_tasks.echo, "report": few_tasks.write}, few_tasks.said)
    quick = Worker({"ready": few_tasks.echo, "columns": few_tasks.echo}, few_tasks.said)
    shown = {"ready": few_tasks.echo, "race": few_tasks.count, "none": few_tasks.refuse}
    runs = tuple(Worker(shown, few_tasks.said) for _ in range(2))
    uploads, about = Uploads(most_bytes=1000), {"version": "x"}
    return Page(uploads, slow, quick, Broadcast(), about, lambda: ("demo.csv", b"y1,y2\n1,2\n"), runs=runs)


@pytest.fixture
def client(made):
    """A browser without a session."""
    from starlette.testclient import TestClient

    from vieta.page.application import application
    from vieta.page.gate import Gate

    with TestClient(Gate(application(made), PORT, TOKEN), base_url=HOME, follow_redirects=False) as one:
        yield one


@pytest.fixture
def browser(client):
    """A browser that has opened the link."""
    assert client.get("/", params={"token": TOKEN}).status_code == 303
    client.headers["origin"] = HOME
    return client
