"""How commands end that cannot go on: a sentence or nothing, and the exit code that shells expect."""

import subprocess
import sys

import click
import pytest
from click.exceptions import Exit
from click.testing import CliRunner

from tests.files import samples as files
from vieta.cli.commands import vieta as command
from vieta.cli.ending import ending

PROGRAM = [sys.executable, "-c", "from vieta.cli import main; main()"]
QUICK = ("--method", "least-squares")


@pytest.mark.parametrize("arguments", [("methods",), ("--help",), ("--version",), ("simulate", "example-1", "-o", "-")])
def test_a_full_output_is_told_in_a_sentence(arguments):
    with open("/dev/full", "wb") as full:
        done = subprocess.run([*PROGRAM, *arguments], check=False, stdout=full, stderr=subprocess.PIPE)
    assert done.returncode == 2
    assert done.stderr == b"Error: standard output cannot be written: No space left on device.\n"


@pytest.mark.parametrize("more", [("--json",), ()])  # written by click, and by rich
def test_an_output_that_nobody_reads_ends_a_command_quietly(tmp_path, more):
    path = files.write(files.long_frame(*files.records(50)), tmp_path / "a.csv")
    for arguments in (["fit", str(path), *QUICK, *more], ["methods", *more]):
        process = subprocess.Popen([*PROGRAM, *arguments], stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        process.stdout.close()
        assert process.stderr.read() == b""
        process.stderr.close()
        assert process.wait() == 141


def interrupt():
    raise KeyboardInterrupt


def interrupt_compiled_code():
    try:
        raise KeyboardInterrupt
    except KeyboardInterrupt as error:
        raise SystemError("returned a result with an exception set") from error


@pytest.mark.parametrize("raised", [interrupt, interrupt_compiled_code])
def test_an_interruption_ends_a_command_with_its_code(raised, monkeypatch):
    monkeypatch.setattr("vieta.estimators.names.methods", raised)
    result = CliRunner().invoke(command, ["methods"])
    assert (result.exit_code, result.output) == (130, "\n")


def test_the_demonstration_ends_when_one_of_its_commands_does(tmp_path, monkeypatch):
    monkeypatch.setattr("vieta.cli.fit._estimated", lambda *_, **__: interrupt())
    result = CliRunner().invoke(command, ["demo", "-o", str(tmp_path)])
    assert result.exit_code == 130
    assert "vieta audit" not in result.stdout


def test_faults_of_ours_stay_what_they_are():
    with pytest.raises(SystemError), ending():
        raise SystemError
    with pytest.raises(SystemExit), ending():
        raise SystemExit(3)
    with pytest.raises(click.ClickException, match="there cannot be used: Is a directory"), ending():
        raise IsADirectoryError(21, "Is a directory", "there")
    with pytest.raises(Exit), ending():
        raise Exit(1)


def test_options_are_proposed_that_are_alike_in_more_than_their_dashes():
    assert "Did you mean" not in CliRunner().invoke(command, ["fit", "--nope"]).stderr
    assert "'--systems'" in CliRunner().invoke(command, ["fit", "--sytems", "3"]).stderr


def test_help_shows_examples_and_exit_codes():
    shown = CliRunner().invoke(command, ["--help"]).stdout
    assert "vieta fit records.csv" in shown
    assert "130  interrupted" in shown
