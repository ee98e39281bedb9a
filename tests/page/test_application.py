import json
import time
from importlib.resources import files

import pytest

from tests.page.few_tasks import NEEDED

pytest.importorskip("starlette", reason=NEEDED)
pytest.importorskip("httpx2", reason=NEEDED)

from vieta.page.application import MOST_ASKED, VENDORED
from vieta.page.workers import Job


def dropped(browser, name="a.csv", content=b"y1,y2\n1,2\n"):
    return browser.post("/api/files", params={"name": name}, content=content)


def test_the_page_and_its_parts_are_served(browser):
    assert "<script" in browser.get("/").text
    for name, kind in (
        ("page.css", "text/css"),
        ("records.js", "text/javascript"),
        ("uPlot.iife.min.js", "text/javascript"),
        ("inter-latin.woff2", "font/woff2"),
    ):
        assert browser.get(f"/static/{name}").headers["content-type"].startswith(kind)


def test_what_others_made_is_there_with_its_licence():
    static = files("vieta.page") / "static"
    for folder in VENDORED:
        assert "copyright" in (static / folder / "LICENSE").read_text().lower()


@pytest.mark.parametrize(
    "path",
    ["/static/../application.py", "/static/%2e%2e/application.py", "/static/..%2fapplication.py", "/static/uplot/LICENSE", "/static/uplot",
     "/static//etc/passwd", "/static/%2fetc%2fpasswd", "/static/.hidden.js", "/static/x%00.js"],
)  # fmt: skip
def test_no_path_leads_out_of_the_page(browser, path):
    assert browser.get(path).status_code == 404


def test_no_script_and_no_style_stands_in_the_page(browser):
    text = browser.get("/").text
    assert "<style" not in text
    assert "style=" not in text
    assert "onclick" not in text
    assert all('src="' in part.split(">")[0] for part in text.split("<script")[1:])
    assert "http" not in text.replace("http-equiv", "")


def test_what_answers_sliders_gets_ready_once_the_page_is_open(browser, made):
    for _ in range(2):
        browser.get("/api/about")
    (job,) = made.quick.jobs.values()
    assert job.finished.wait(60)
    assert job.status == "done"


def test_a_file_is_dropped_and_listed_and_used(browser):
    found = dropped(browser).json()
    assert found["name"] == "a.csv"
    assert browser.get("/api/about").json()["files"] == [found]
    answer = browser.post("/api/tasks/columns", json={"file": found["file"], "x": 1}).json()
    assert answer["result"]["asked"] == {"file": found["file"], "x": 1, "name": "a.csv"}


def test_no_file_is_read_by_its_path(browser):
    for asked in ({"name": "/etc/passwd"}, {"name": "../x", "file": dropped(browser).json()["file"]}):
        given = browser.post("/api/tasks/columns", json=asked).json()["result"]["asked"]
        assert given["name"] in ("", "a.csv")


def test_a_file_that_is_too_large_is_refused_whatever_it_says_of_its_size(browser):
    assert dropped(browser, content=b"x" * 1001).status_code == 413
    pieces = (b"x" * 100 for _ in range(20))  # no length is stated
    refused = browser.post("/api/files", params={"name": "a"}, content=pieces)
    assert refused.status_code == 413
    assert "larger than 1,000 bytes" in refused.json()["trouble"]
    assert browser.get("/api/about").json()["files"] == []


@pytest.mark.parametrize("body", [b"", b"[]", b"{", b"\xff", b"[" * 5000, b'"x"'])
def test_what_is_not_asked_properly_is_refused(browser, body):
    assert browser.post("/api/tasks/fit", content=body).status_code == 422


def test_too_much_at_once_is_refused(browser):
    assert browser.post("/api/tasks/fit", content=b'"' + b"x" * MOST_ASKED + b'"').status_code == 422


def test_a_task_or_a_file_that_is_not_there_is_not_found(browser):
    assert browser.post("/api/tasks/nothing", json={}).status_code == 404
    assert browser.post("/api/tasks/fit", json={"file": "../x"}).status_code == 404
    assert browser.get("/api/jobs/nothing").status_code == 404


def test_a_task_that_takes_long_is_followed_and_its_page_kept_apart(browser, made):
    job = browser.post("/api/tasks/report", json={}).json()["job"]
    assert made.slow.job(job).finished.wait(60)
    state = browser.get(f"/api/jobs/{job}").json()
    assert (state["status"], state["result"]) == ("done", {"more": 1})
    kept = browser.get(f"/api/jobs/{job}/page")
    assert kept.text == "<p>kept</p>"
    assert "attachment" in kept.headers["content-disposition"]
    assert "sandbox" in kept.headers["content-security-policy"]
    assert browser.post(f"/api/jobs/{job}/cancel").json()["status"] == "done"


def test_parts_of_a_result_come_one_a_line_and_then_how_it_ended(browser):
    lines = [json.loads(line) for line in browser.post("/api/parts/race", json={"upto": 3}).text.splitlines()]
    assert lines == [*({"part": {"k": k}} for k in range(3)), {"status": "done", "trouble": ""}]
    assert json.loads(browser.post("/api/parts/none", json={}).text) == {"status": "refused", "trouble": "no."}
    assert browser.post("/api/parts/fit", json={}).status_code == 404  # takes long, and is followed by its job


def test_a_run_does_not_wait_for_one_that_is_being_left(browser, made):
    first, second = made.runs
    with first._guard:
        first._current = Job("left")  # whose process goes on to its next report
    browser.post("/api/parts/race", json={"upto": 1})
    assert [len(one.jobs) for one in (first, second)] == [1, 1]  # to the first, that it get ready
    deadline = time.monotonic() + 60
    while first.is_busy and time.monotonic() < deadline:
        time.sleep(0.01)
    browser.post("/api/parts/race", json={"upto": 1})
    assert len(first.jobs) == 2


def test_the_demonstration_is_one_request_away_and_kept_once(browser):
    first, second = (browser.post("/api/demo").json() for _ in range(2))
    assert first == second
    assert first["name"] == "demo.csv"


def test_events_go_on_where_a_listener_was(browser, made):
    for k in range(3):
        made.live.publish("estimate", {"k": k})
    made.live.closed = False

    def first_events(**headers):
        import threading

        threading.Timer(0.3, made.live.close).start()
        text = browser.get("/api/live", headers=headers).text
        made.live.closed = False
        return [line for line in text.splitlines() if line.startswith("id: ")]

    assert first_events() == ["id: 1", "id: 2", "id: 3"]
    assert first_events(**{"last-event-id": "2"}) == ["id: 3"]
    assert first_events(**{"last-event-id": "x" * 40}) == ["id: 1", "id: 2", "id: 3"]
