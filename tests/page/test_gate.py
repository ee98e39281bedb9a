import pytest

from tests.page.few_tasks import HOME, NEEDED, PORT, TOKEN

pytest.importorskip("starlette", reason=NEEDED)
pytest.importorskip("httpx2", reason=NEEDED)

from vieta.page.gate import POLICY


def test_the_link_opens_one_session_once(client):
    first = client.get("/", params={"token": TOKEN})
    assert first.status_code == 303
    cookie = first.headers["set-cookie"].lower()
    assert "httponly" in cookie
    assert "samesite=strict" in cookie
    assert client.get("/").status_code == 200
    client.cookies.clear()
    assert client.get("/", params={"token": TOKEN}).status_code == 403


@pytest.mark.parametrize("token", ["", "wrong", TOKEN[:-1], TOKEN + "x", "ü"])
def test_a_wrong_token_is_refused_and_does_not_spend_the_right_one(client, token):
    assert client.get("/", params={"token": token}).status_code == 403
    assert client.get("/", params={"token": TOKEN}).status_code == 303


@pytest.mark.parametrize("path", ["/", "/api/about", "/api/live", "/static/page.js", "/api/jobs/x", "/nothing"])
def test_without_a_session_everything_is_refused(client, path):
    assert client.get(path).status_code == 403
    client.cookies.set(f"vieta-{PORT}", "forged")
    assert client.get(path).status_code == 403


@pytest.mark.parametrize(
    "host", ["evil.example", f"evil.example:{PORT}", "127.0.0.1", "127.0.0.1:1", f"127.0.0.1.evil.example:{PORT}", ""]
)
def test_a_foreign_name_of_this_machine_is_refused(browser, host):
    """DNS rebinding: a name of theirs that resolves to the loopback address."""
    assert browser.get("/api/about", headers={"host": host}).status_code == 403
    assert browser.get("/api/about").status_code == 200


def test_localhost_is_a_name_of_this_machine(browser):
    own = f"localhost:{PORT}"
    assert browser.get("/api/about", headers={"host": own, "origin": f"http://{own}"}).status_code == 200
    assert (
        browser.get("/api/about", headers={"host": own}).status_code == 403
    )  # from 127.0.0.1, which is another origin


@pytest.mark.parametrize(
    "origin", ["https://evil.example", "null", f"https://127.0.0.1:{PORT}", "http://127.0.0.1:1", HOME + "/"]
)
def test_another_origin_is_refused(browser, origin):
    assert browser.post("/api/demo", headers={"origin": origin}).status_code == 403
    assert browser.get("/api/about", headers={"origin": origin}).status_code == 403


@pytest.mark.parametrize("site", ["cross-site", "same-site"])
def test_a_request_for_another_page_is_refused(browser, site):
    assert browser.get("/", headers={"sec-fetch-site": site}).status_code == 403


def test_what_changes_something_says_where_it_comes_from(browser):
    del browser.headers["origin"]
    assert browser.post("/api/demo").status_code == 403
    assert browser.get("/api/about").status_code == 200


@pytest.mark.parametrize("method", ["PUT", "DELETE", "OPTIONS", "PATCH", "TRACE"])
def test_other_methods_are_refused(browser, method):
    assert browser.request(method, "/api/about").status_code == 405


@pytest.mark.parametrize("path", ["/", "/api/about", "/nothing", "/static/none.js"])
def test_every_answer_binds_the_browser(browser, path):
    headers = browser.get(path).headers
    assert headers["content-security-policy"] == POLICY
    assert headers["x-content-type-options"] == "nosniff"
    assert headers["cross-origin-resource-policy"] == "same-origin"
    assert headers["cache-control"] == "no-store"
    assert "unsafe" not in POLICY


def test_a_websocket_is_not_answered(browser):
    with pytest.raises(Exception), browser.websocket_connect("/api/live"):  # noqa: B017, PT011
        pass
