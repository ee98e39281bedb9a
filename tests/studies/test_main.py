"""`python -m studies`."""

import pytest

from studies import __main__ as module
from studies.running.results import opened
from studies.running.stamp import OLDER
from tests.studies.toys import Toy


@pytest.fixture
def run(tmp_path, monkeypatch):
    """The command in a folder, with toy studies only."""
    toys = {"toy": Toy()}
    monkeypatch.setattr(module, "every", lambda: toys)
    folders = ["--results", str(tmp_path / "validate"), "--output", str(tmp_path / "docs"), "--workers", "1"]
    return lambda *words: module.main([*folders, *words])


def test_a_study_is_run_listed_forgotten_and_stamped(run, tmp_path, capsys, monkeypatch):
    assert run("--list") == 0
    assert "toy          12 runs a row; 6 of 6 tasks left, not known how long" in capsys.readouterr().out
    assert run("--only", "toy", "--runs", "4") == 0
    assert "0 target(s) missed, 0 task(s) failed" in capsys.readouterr().out
    assert run("--list") == 0
    assert "4 of 6 tasks left, about 0 s" in capsys.readouterr().out
    assert run("--list", "--fresh") == 0
    assert "6 of 6 tasks left, about 0 s" in capsys.readouterr().out
    assert run("--stamp") == 0
    assert "All stamps are true." in capsys.readouterr().out
    monkeypatch.setattr(module, "every", lambda: {"toy": Toy("two")})
    assert run("--stamp") == 0
    assert "toy.md now says how old its figures are." in capsys.readouterr().out
    assert OLDER in (tmp_path / "docs" / "toy.md").read_text()


@pytest.mark.usefixtures("run")
def test_a_small_run_leaves_the_pages_in_docs_alone(tmp_path, monkeypatch):
    monkeypatch.setattr(module, "ROOT", tmp_path / "root")
    assert module.main(["--results", str(tmp_path / "results"), "--runs", "2", "--workers", "1"]) == 0
    assert (tmp_path / "results" / "toy.md").exists()
    assert not (tmp_path / "root").exists()
    assert module.main(["--results", str(tmp_path / "results"), "--workers", "1"]) == 0
    assert (tmp_path / "root" / "docs" / "toy.md").exists()


def test_a_task_that_fails_gives_an_exit_code(run, monkeypatch, capsys):
    monkeypatch.setattr(module, "every", lambda: {"toy": Toy(bad=(0,))})
    assert run("--runs", "4") == 1
    printed = capsys.readouterr().out
    assert "FAILED toy: a [0:4]: ArithmeticError: a bad seed\n" in printed
    assert "0 target(s) missed, 2 task(s) failed" in printed


def test_what_cannot_be_run_is_refused(run, tmp_path, capsys):
    for words in (["--runs", "1"], ["--only", "nothing"]):
        with pytest.raises(SystemExit, match="2"):
            run(*words)
    with opened(tmp_path / "validate"):
        assert run() == 2
    assert "Error: another process uses" in capsys.readouterr().err


def test_an_interruption_says_how_to_go_on(run, monkeypatch, capsys):
    def interrupted(*_):
        raise KeyboardInterrupt

    monkeypatch.setattr(module.Run, "__call__", interrupted)
    assert run() == 130
    assert "the same command goes on from here" in capsys.readouterr().err
