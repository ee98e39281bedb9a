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
    names = {"ready": "echo", "columns": "echo", "race": "count", "none": "refuse"}
    quick = Worker({name: getattr(few_tasks, of) for name, of in names.items()}, few_tasks.said)
    uploads, about = Uploads(most_bytes=1000), {"version": "x"}
    return Page(uploads, slow, quick, Broadcast(), about, lambda: ("demo.csv", b"y1,y2\n1,2\n"))


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
