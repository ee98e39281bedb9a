"""`vieta doctor`: what is installed and where kernels are kept, in words and in JSON; and that it compiles."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from click.testing import CliRunner

import vieta
from vieta import cache_directory, installation
from vieta.cache_directory import Place
from vieta.cli import commands
from vieta.cli.commands import vieta as command
from vieta.warm_up import Job


def run(*arguments):
    return CliRunner().invoke(command, arguments, catch_exceptions=False)


@pytest.fixture
def healthy(monkeypatch):
    """An installation with which nothing is wrong."""
    known = installation.facts()
    known |= {
        "packages": {"numpy": "2.0"},
        "kernels": {"known": 3, "compiled": 3, "missing": []},
        "encoding": {"stdout": "utf-8", "locale": "utf-8"},
        "temporary": "/tmp",
    }
    monkeypatch.setattr(installation, "facts", lambda: known)
    monkeypatch.setattr(installation, "chosen", lambda: Place("user", Path("/somewhere")))
    return known


def test_all_is_well(healthy):
    healthy["extras"] = {"app": [], "docs": ["sphinx", "furo"]}
    result = run("doctor", "--strict")
    assert result.exit_code == 0
    for words in (
        vieta.__version__,
        "numpy 2.0",
        "3 of 3 compiled\n",
        "extra app        installed",
        "not installed: sphinx, furo. To get it: pip install 'vieta[docs]'",
        "- All is well.",
    ):
        assert words in result.stdout


def test_json_has_the_facts_and_the_findings(healthy):
    healthy["kernels"] = {"known": 3, "compiled": 1, "missing": ["a", "b"]}
    told = json.loads(run("doctor", "--json").stdout)
    assert told["vieta"] == vieta.__version__
    assert told["kernels"]["missing"] == ["a", "b"]
    assert [(one["code"], one["severity"]) for one in told["findings"]] == [("kernels-not-compiled", "note")]
    assert "--compile" in run("doctor").stdout


@pytest.mark.parametrize(
    ("place", "words"),
    [(Place("temporary", Path("/tmp/vieta-1")), "/tmp/vieta-1, which the system may empty"), (None, "cannot be kept")],
)
def test_what_is_wrong_is_said_and_counts_with_strict(healthy, monkeypatch, place, words):
    monkeypatch.setattr(installation, "chosen", lambda: place)
    healthy["packages"]["polars"] = None
    result = run("doctor", "--strict")
    assert result.exit_code == 1
    assert words in result.stdout
    assert "Not installed: polars. Install vieta[app]" in result.stdout
    assert run("doctor").exit_code == 0


def test_a_computing_command_says_once_that_kernels_do_not_stay(monkeypatch):
    monkeypatch.setattr(cache_directory, "chosen", lambda: Place("temporary", Path("/tmp/vieta-1")))
    commands.say_where_kernels_are.cache_clear()
    said = "! Compiled kernels are kept in /tmp/vieta-1"
    assert said not in run("methods").stderr
    first, second = run("fit", "/no/such/file.csv"), run("fit", "/no/such/file.csv")
    assert said in first.stderr
    assert said not in second.stderr
    commands.say_where_kernels_are.cache_clear()


def test_it_says_nothing_where_they_stay(monkeypatch):
    monkeypatch.setattr(cache_directory, "chosen", lambda: Place("user", Path("/home")))
    commands.say_where_kernels_are.cache_clear()
    assert "ernels" not in run("fit", "/no/such/file.csv").stderr
    commands.say_where_kernels_are.cache_clear()


def test_compile_runs_every_job_and_shows_how_far_it_is(healthy, monkeypatch):
    ran = []
    jobs = [Job(name, lambda name=name: ran.append(name)) for name in ("one", "two")]
    monkeypatch.setattr("vieta.warm_up.jobs", lambda: iter(jobs))
    result = run("doctor", "--compile", "--json")
    assert ran == ["one", "two"]
    assert "2/2  two" in result.stderr
    json.loads(result.stdout)


def test_it_runs_in_a_bare_environment(tmp_path):
    """No home, no locale, no terminal."""
    env = {"PYTHONPATH": os.environ.get("PYTHONPATH", ""), "LC_ALL": "C", "PYTHONUTF8": "0", "PATH": os.environ["PATH"]}
    code = "from vieta.cli import main; main()"
    done = subprocess.run(
        [sys.executable, "-c", code, "doctor"], capture_output=True, env=env, cwd=tmp_path, check=False
    )
    assert done.returncode == 0, done.stderr
    assert b"Traceback" not in done.stderr
