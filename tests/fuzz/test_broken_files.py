"""A small share of the broken files, and that the fuzzer sees what it looks for."""

import pytest

from tests.fuzz import broken_files
from tests.fuzz.broken_files import Case, Outcome, case, failures, troubles

SHARES = 6


@pytest.mark.parametrize("share", range(SHARES))
def test_the_command_answers_or_refuses_broken_files_in_a_sentence(share):
    assert list(failures(seed=0, start=1 + 25 * share, count=25)) == []


@pytest.mark.slow
def test_many_broken_files():
    assert list(failures(seed=3, start=0, count=20_000)) == []


def test_a_case_is_the_same_whenever_it_is_asked_for():
    assert [case(1, k) for k in range(50)] == [case(1, k) for k in range(50)]
    assert len({case(1, k).content for k in range(50)}) > 40


@pytest.mark.parametrize(
    ("outcome", "seen"),
    [
        (Outcome(0, b"fine\n", b"", ""), ""),
        (Outcome(-1, b"", b"", "KeyError"), "KeyError"),
        (Outcome(3, b"x", b"", ""), "exit code 3"),
        (Outcome(1, b"x", b"", ""), "exit code 1"),
        (Outcome(2, b"", b"", ""), "without a reason"),
        (Outcome(0, b"", b"", ""), "no answer"),
        (Outcome(0, b"a\x1b[2J", b"", ""), "control characters on standard output"),
        (Outcome(2, b"", "Error: \u202e".encode(), ""), "control characters on standard error"),
        (Outcome(2, b"", b"Error: \xff\r", ""), "control characters on standard error"),
        (Outcome(0, b"x", b"UserWarning: y", ""), "standard error"),
    ],
)
def test_what_must_not_be_is_seen(tmp_path, outcome, seen):
    (tmp_path / "a.csv").write_bytes(b"y")
    found = list(troubles(Case("a.csv", b"y", ["fit"], False), outcome, tmp_path))
    assert bool(found) == bool(seen)
    assert not seen or seen in found[0]


def test_changed_and_stray_files_and_no_json_are_seen(tmp_path):
    (tmp_path / "a.csv").write_bytes(b"changed")
    (tmp_path / "b.csv").write_bytes(b"")
    found = list(troubles(Case("a.csv", b"y", ["fit", "--json"], False), Outcome(0, b"NaN", b"", ""), tmp_path))
    assert [text.split(":")[0] for text in found] == ["no JSON", "the input was changed", "stray files"]


def test_faults_and_waiting_are_seen(tmp_path, monkeypatch):
    def wait(*_, **__):
        while True:
            pass

    one = Case("a.csv", b"y", ["methods"], False)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("vieta.method.registry.methods", lambda: {}["x"])
    assert "KeyError" in broken_files.run(one, tmp_path).fault
    monkeypatch.setattr("vieta.method.registry.methods", wait)
    monkeypatch.setattr(broken_files, "SECONDS", 0.05)
    assert "seconds" in broken_files.run(one, tmp_path).fault
