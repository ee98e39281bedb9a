import hashlib
import hmac
import os
import stat

import pytest

from tests.page.few_tasks import HOME, NEEDED, PORT, TOKEN

pytest.importorskip("starlette", reason=NEEDED)
pytest.importorskip("httpx2", reason=NEEDED)

from starlette.testclient import TestClient

from vieta.errors import InputError
from vieta.page import rejoin
from vieta.page.application import application
from vieta.page.gate import Gate
from vieta.page.rejoin import Rejoin, keep_beside, kept_beside

KEY = bytes(range(32))


def answered(nonce, key=KEY, port=PORT):
    """What a browser computes, written out."""
    return hmac.new(key, f"{port} {nonce}".encode(), hashlib.sha256).hexdigest()


@pytest.fixture
def tab(made):
    """A tab of a page that was here before, with a cookie of it."""
    made.rejoin = Rejoin(KEY)
    gate = Gate(application(made), PORT, TOKEN, made.rejoin)
    with TestClient(gate, base_url=HOME, headers={"origin": HOME}, follow_redirects=False) as one:
        one.cookies.set(f"vieta-{PORT}", "of-the-page-before")
        yield one


def nonce_of(tab):
    return tab.get("/api/rejoin").json()["nonce"]


def comes_back(tab, nonce, proof):
    return tab.post("/api/rejoin", params={"nonce": nonce, "proof": proof}).status_code == 200


def test_a_tab_with_the_key_comes_back_and_one_with_a_cookie_does_not(tab):
    assert tab.get("/api/about").status_code == 403
    nonce = nonce_of(tab)
    tab.cookies.clear()
    assert comes_back(tab, nonce, answered(nonce))
    assert tab.get("/api/about").json()["key"] == KEY.hex()


@pytest.mark.parametrize("other", [{"key": bytes(32)}, {"port": PORT + 1}, {}])
def test_another_key_another_port_and_another_nonce_are_refused_and_spend_it(tab, other):
    nonce = nonce_of(tab)
    proof = answered(nonce if other else "00", **other)
    assert not comes_back(tab, nonce, proof)
    assert not comes_back(tab, nonce, answered(nonce))


def test_an_answer_is_good_once_and_for_a_nonce_of_this_page(tab):
    nonce = nonce_of(tab)
    assert comes_back(tab, nonce, answered(nonce))
    tab.cookies.clear()
    assert not comes_back(tab, nonce, answered(nonce))
    assert not comes_back(tab, "made-up", answered("made-up"))
    assert not comes_back(tab, "", "")


def test_two_parts_of_a_browser_come_back_at_the_same_time(tab):
    """The session is of both once it is of one, who then must not be told that there is no way back."""
    first, second = nonce_of(tab), nonce_of(tab)
    assert comes_back(tab, first, answered(first))
    assert comes_back(tab, second, answered(second))
    third = nonce_of(tab)
    assert comes_back(tab, third, answered(third))


def test_an_answer_that_comes_late_is_refused_and_nonces_are_bounded(tab, monkeypatch):
    monkeypatch.setattr(rejoin, "PATIENCE", -1.0)
    nonce = nonce_of(tab)
    assert not comes_back(tab, nonce, answered(nonce))
    one = Rejoin(KEY)
    for _ in range(1000):
        one.nonce()
    assert len(one.nonces) == rejoin.MOST_NONCES


@pytest.mark.parametrize(
    "headers", [{"origin": "https://evil.example"}, {"host": "evil.example"}, {"sec-fetch-site": "cross-site"}]
)
def test_no_other_page_can_come_back(tab, headers):
    nonce = nonce_of(tab)
    assert tab.get("/api/rejoin", headers=headers).status_code == 403
    given = {"nonce": nonce, "proof": answered(nonce)}
    assert tab.post("/api/rejoin", params=given, headers=headers).status_code == 403


def test_without_a_state_there_is_no_way_back(client):
    assert client.get("/api/rejoin").status_code == 403


def test_the_key_is_kept_for_its_owner_alone_and_with_the_port(tmp_path):
    state = tmp_path / "watch.npz"
    first = kept_beside(state)
    assert first.port is None
    keep_beside(state, first, 8390)
    assert stat.S_IMODE((tmp_path / "watch.npz.page").stat().st_mode) == 0o600
    again = kept_beside(state)
    assert (again.key, again.port) == (first.key, 8390)
    assert list(tmp_path.iterdir()) == [tmp_path / "watch.npz.page"]


def _open_to_all(path):
    path.chmod(0o644)


def _linked(path):
    path.rename(path.with_name("elsewhere"))
    path.symlink_to("elsewhere")


def _cut(path):
    path.write_bytes(path.read_bytes()[:40])


def _short(path):
    path.write_text('{"format": 1, "port": 8384, "key": "00"}')


def _pipe(path):
    path.unlink()
    os.mkfifo(path, 0o600)


@pytest.mark.parametrize("spoil", [_open_to_all, _linked, _cut, _short, _pipe])
def test_a_key_that_others_may_have_read_or_made_is_not_used(tmp_path, spoil):
    state = tmp_path / "watch.npz"
    keep_beside(state, Rejoin(KEY), 8390)
    spoil(tmp_path / "watch.npz.page")
    found = kept_beside(state)
    assert found.key != KEY
    keep_beside(state, found, 8391)
    assert kept_beside(state).key == found.key


def test_a_key_that_cannot_be_kept_is_said(tmp_path):
    with pytest.raises(InputError, match="cannot be written"):
        keep_beside(tmp_path / "none" / "watch.npz", Rejoin(KEY), 1)
