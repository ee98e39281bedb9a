"""How commands end: a sentence or nothing, and the exit code that shells expect."""

import os
import select
import signal
import subprocess
import sys

import click
import pytest
from click.exceptions import Exit
from click.testing import CliRunner

from tests.files import samples as files
from vieta.cli.commands import vieta as command
from vieta.cli.process import RefusedError, exit_codes, interruption, message, refusing
from vieta.errors import ComputationError, InputError, MethodError
from vieta.wording import PYTHON

PROGRAM = [sys.executable, "-c", "from vieta.cli import main; main()"]
QUICK = ("--method", "least-squares")


def test_errors_of_the_library_are_said_from_their_facts():
    error = InputError(
        "memory-range", "{option.memory:{value}} must be above 1, in {file}.", value=0.5, file="memory=3.csv"
    )
    assert message(error) == "--memory 0.5 must be above 1, in memory=3.csv."
    assert message(error, PYTHON) == str(error) == "memory=0.5 must be above 1, in memory=3.csv."
    assert message(ValueError("memory=3 stays")) == "memory=3 stays"


@pytest.mark.parametrize(
    ("error", "said"),
    [
        (InputError("x", "give {option.noise_var}."), "give --noise-var."),
        (ComputationError("x", "use {call.fit}."), "use vieta fit."),
        (MethodError("x", "method {method!r} failed.", method="toy"), "method 'toy' failed."),
        (ValueError("plain"), "plain"),
        (OverflowError("large"), "large"),
        (MemoryError(), "too much"),
    ],
)
def test_bad_input_is_refused_with_code_2(error, said):
    with pytest.raises(RefusedError) as refused, refusing("too much"):
        raise error
    assert (refused.value.message, refused.value.exit_code) == (said, 2)


def test_faults_of_ours_are_not_refusals():
    for fault in (KeyError("x"), TypeError("x"), AssertionError()):
        with pytest.raises(type(fault)), refusing():
            raise fault


@pytest.mark.parametrize("arguments", [("methods",), ("--help",), ("--version",), ("simulate", "example-1", "-o", "-")])
def test_a_full_output_is_reported_in_a_sentence(arguments):
    with open("/dev/full", "wb") as full:
        done = subprocess.run([*PROGRAM, *arguments], check=False, stdout=full, stderr=subprocess.PIPE)
    assert done.returncode == 2
    assert done.stderr == b"Error: standard output cannot be written: No space left on device.\n"


@pytest.mark.parametrize(
    "arguments", [("methods", "--json"), ("methods",), ("fit", "a.csv", *QUICK)], ids=["by click", "by rich", "fit"]
)
def test_an_output_that_nobody_reads_ends_a_command_quietly(tmp_path, arguments):
    files.write(files.long_frame(*files.records(50)), tmp_path / "a.csv")
    words = [*PROGRAM, *arguments]
    process = subprocess.Popen(words, stdout=subprocess.PIPE, stderr=subprocess.PIPE, cwd=tmp_path)
    process.stdout.close()
    assert process.stderr.read() == b""
    process.stderr.close()
    assert process.wait() == 141


def interrupt(*_, **__):
    raise KeyboardInterrupt


def interrupt_compiled_code():
    try:
        raise KeyboardInterrupt
    except KeyboardInterrupt as error:
        raise SystemError("returned a result with an exception set") from error


@pytest.mark.parametrize("raised", [interrupt, interrupt_compiled_code])
def test_an_interruption_ends_a_command_with_its_code(raised, monkeypatch):
    monkeypatch.setattr("vieta.method.registry.methods", raised)
    result = CliRunner().invoke(command, ["methods"])
    assert (result.exit_code, result.output) == (130, "\n")


def test_the_demonstration_ends_when_one_of_its_commands_does(tmp_path, monkeypatch):
    monkeypatch.setattr("vieta.estimators.batch.fit_passes", interrupt)
    result = CliRunner().invoke(command, ["demo", "-o", str(tmp_path)])
    assert result.exit_code == 130
    assert "vieta audit" not in result.stdout


def test_other_ends_stay_what_they_are():
    with pytest.raises(SystemError), exit_codes():
        raise SystemError
    with pytest.raises(SystemExit), exit_codes():
        raise SystemExit(3)
    with pytest.raises(click.ClickException, match="there cannot be used: Is a directory"), exit_codes():
        raise IsADirectoryError(21, "Is a directory", "there")
    with pytest.raises(Exit), exit_codes():
        raise Exit(1)


def test_options_are_proposed_that_are_alike_in_more_than_their_dashes():
    assert "Did you mean" not in CliRunner().invoke(command, ["fit", "--nope"]).stderr
    assert "'--systems'" in CliRunner().invoke(command, ["fit", "--sytems", "3"]).stderr


def test_a_first_signal_can_be_read_and_a_second_has_its_usual_effect():
    before = signal.getsignal(signal.SIGTERM)
    with interruption() as descriptor:
        assert select.select([descriptor], [], [], 0)[0] == []
        os.kill(os.getpid(), signal.SIGTERM)
        assert select.select([descriptor], [], [], 5)[0] == [descriptor]
        assert signal.getsignal(signal.SIGTERM) is signal.SIG_DFL
    assert signal.getsignal(signal.SIGTERM) is before
