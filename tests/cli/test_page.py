import sys

import pytest
from click.testing import CliRunner

from vieta.cli.commands import vieta
from vieta.cli.page import watch_words


def test_a_state_needs_a_stream():
    found = CliRunner().invoke(vieta, ["page", "--state", "x.npz", "--no-browser"])
    assert found.exit_code == 2
    assert "--state needs --watch" in found.output


@pytest.mark.parametrize("package", ["starlette", "uvicorn"])
def test_without_its_extra_the_page_says_what_to_install(monkeypatch, package):
    pytest.importorskip("starlette", reason="the page is behind the extra `page`")
    monkeypatch.setitem(sys.modules, package, None)
    found = CliRunner().invoke(vieta, ["page", "--no-browser"])
    assert found.exit_code == 2
    assert "vieta[page]" in found.output


def test_a_stream_is_followed_by_the_watch_that_was_asked_for():
    given = {"systems": 3, "method": "lms", "option_step": (0.1,), "state": "s.npz", "resume": "continue"}
    words = watch_words(given)
    assert words[:6] == ["watch", "--json", "--seconds", "0.5", "--innovations", "12"]
    assert words[6:] == [
        "--systems",
        "3",
        "--method",
        "lms",
        "--step",
        "0.1",
        "--state",
        "s.npz",
        "--resume",
        "continue",
    ]
    empty = {"systems": None, "method": None, "state": None, "resume": "replay"}
    assert watch_words(empty) == ["watch", "--json", "--seconds", "0.5", "--innovations", "12"]
