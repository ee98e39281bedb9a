"""What is printed arrives in full, or the exit code says that it did not, whatever the standard streams are."""

import json
import os
import re
import resource
import subprocess
import sys

import pytest

from tests.files import samples as files
from vieta.cli import streams

PROGRAM = [sys.executable, "-c", "from vieta.cli import main; main()"]
QUICK = ("--method", "least-squares")
WATCH = ("watch", "--method", "lms", "--step", "0.01")
ANSWERS = {
    "fit": ("fit", "a.csv", *QUICK),
    "watch": (*WATCH, "--json"),
    "simulate": ("simulate", "example-1", "-n", "9", "-o", "-"),
    "methods": ("methods",),
    "version": ("--version",),
}
LONG = ("simulate", "example-1", "-n", "20000", "-o", "-")


WAYS = ("buffered", "unbuffered")  # of Python's own streams
both = pytest.mark.parametrize("run", WAYS, indirect=True)


@pytest.fixture
def run(request, tmp_path, monkeypatch):
    """Runs a command in a folder with records, its streams redirected as a shell does."""
    sets, inputs = files.records(50)
    files.write(files.long_frame(sets, inputs), tmp_path / "a.csv")
    (tmp_path / "a.ndjson").write_text("".join(f"{row}\n" for row in sets.tolist()))
    monkeypatch.setenv("PYTHONUNBUFFERED", "1" if getattr(request, "param", "") == "unbuffered" else "")

    def done(arguments, redirection="", **options):
        script = f'exec "$@" {redirection}'
        streams = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE} | options
        with (tmp_path / "a.ndjson").open() as lines:
            command = ["sh", "-c", script, "sh", *PROGRAM, *arguments]
            return subprocess.run(command, check=False, cwd=tmp_path, stdin=lines, **streams)

    return done


@pytest.mark.parametrize(
    ("run", "name"),
    [(way, name) for way in WAYS for name in ANSWERS if (way, name) != ("unbuffered", "fit")],
    indirect=["run"],
)  # fit is written as methods are, and takes longest
def test_an_answer_that_cannot_be_printed_is_an_error(run, name):
    done = run(ANSWERS[name], ">&-")
    assert (done.returncode, done.stdout) == (2, b"")
    assert done.stderr.endswith(b"Error: standard output cannot be written: Bad file descriptor.\n")


@pytest.mark.parametrize(
    ("run", "name"), [("buffered", "fit"), ("buffered", "methods"), ("unbuffered", "methods")], indirect=["run"]
)
def test_an_output_that_is_full_from_the_beginning_is_an_error(run, name):
    done = run(ANSWERS[name], "> /dev/full")
    assert done.returncode == 2
    assert done.stderr.endswith(b"Error: standard output cannot be written: No space left on device.\n")


@both
def test_an_output_that_becomes_full_is_an_error(run, tmp_path):
    def limit():
        resource.setrlimit(resource.RLIMIT_FSIZE, (100_000, 100_000))

    done = run(LONG, f"> {tmp_path / 'out'}", preexec_fn=limit)
    assert (tmp_path / "out").stat().st_size == 100_000
    assert (done.returncode, done.stderr) == (2, b"Error: standard output cannot be written: File too large.\n")


@both
def test_a_reader_that_goes_amid_an_answer_ends_the_command_quietly(run):
    with subprocess.Popen([*PROGRAM, *LONG], stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:
        assert os.read(process.stdout.fileno(), 10)
        process.stdout.close()
        assert process.stderr.read() == b""
    assert process.returncode == 141


@both
@pytest.mark.parametrize("redirection", ["2>&-", "2> /dev/full"])
def test_an_answer_and_an_exit_code_do_not_depend_on_standard_error(run, redirection):
    done = run(ANSWERS["watch"], redirection)
    assert (done.returncode, done.stderr) == (0, b"")
    assert json.loads(done.stdout)["n_sets"] == 50
    for arguments in (("simulate", "nope", "-o", "-"), ("simulate",)):
        done = run(arguments, redirection)
        assert (done.returncode, done.stdout, done.stderr) == (2, b"", b"")


def test_commands_that_read_no_standard_input_do_without(run):
    assert run(ANSWERS["fit"], "<&-").returncode == 0
    for arguments in (("fit", "-"), WATCH):
        done = run(arguments, "<&-")
        assert (done.returncode, done.stdout) == (2, b"")
        assert re.fullmatch(rb"Error: standard input cannot be [\w ]+: Bad file descriptor\.\n", done.stderr)


def test_a_file_is_not_opened_in_the_place_of_a_closed_stream(run, tmp_path):
    done = run(("simulate", "example-1", "-n", "9", "-o", "out.csv"), ">&- 2>&- <&-")
    assert done.returncode == 0
    assert (tmp_path / "out.csv").read_text().startswith("set,y,psi\n1,")


def test_characters_that_the_encoding_lacks_are_escaped(run, tmp_path, monkeypatch):
    monkeypatch.setenv("PYTHONIOENCODING", "ascii")
    (tmp_path / "ä.csv").write_bytes((tmp_path / "a.csv").read_bytes())
    done = run(("fit", "ä.csv", *QUICK))
    assert (done.returncode, done.stderr) == (0, b"")
    assert rb"\xe4.csv: long" in done.stdout


def test_streams_that_somebody_has_replaced_stay(capsys):
    before = sys.stdout, sys.stderr
    streams.prepare()
    assert (sys.stdout, sys.stderr) == before
