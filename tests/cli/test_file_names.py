"""Names of files that are no text, and links that lead nowhere: escaped or said in a sentence, never a traceback."""

import os
import subprocess
import sys

import pytest
from click.testing import CliRunner

from tests.files import samples as files
from vieta.cli.commands import vieta as command

PROGRAM = [sys.executable, "-c", "from vieta.cli import main; main()"]
STRICT = {"PYTHONIOENCODING": "utf-8:strict", "LC_ALL": "C.UTF-8"}
QUICK = ("--method", "least-squares")


def run(*words, text=b"", folder=None):
    """The command in a process of its own, whose standard output takes nothing but text."""
    return subprocess.run(
        [*PROGRAM, *words], input=text, capture_output=True, env=os.environ | STRICT, cwd=folder, check=False
    )


def ended(done, code):
    assert b"Traceback" not in done.stderr, done.stderr.decode()
    assert done.returncode == code, done.stderr.decode()
    return (done.stdout + done.stderr).decode()


@pytest.fixture
def strange(tmp_path):
    """A file of records whose name is not UTF-8."""
    sets, psi = files.records(60)
    path = os.fsencode(tmp_path) + b"/a\xff.csv"
    os.rename(files.write(files.long_frame(sets, psi), tmp_path / "a.csv"), path)
    return path


def test_a_name_that_is_no_text_is_printed_escaped(tmp_path, strange):
    report = os.fsencode(tmp_path) + b"/r\xff.html"
    done = run("fit", strange, *QUICK, "--report", report)
    assert r"a\udcff.csv" in ended(done, 0)
    with open(report, encoding="utf-8") as page:
        assert r"a\udcff.csv" in page.read()
    assert r"x\udcff cannot be read: No such file" in ended(run("fit", b"x\xff"), 2)


def test_a_state_may_have_a_name_that_is_no_text(tmp_path):
    lines = b"".join(b"[%d.0, %d.5]\n" % (k % 2, 4 + k % 3) for k in range(40))
    for words in (r"s\udcff is new", r"s\udcff: 40 sets"):
        assert words in ended(run("watch", "--state", b"s\xff", "--method", "rls", text=lines, folder=tmp_path), 0)


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("fit", "one.html"), "one.html cannot be read: Too many levels"),
        (("audit", "one.html"), "one.html cannot be read: Too many levels"),
        (("fit", "a.csv", *QUICK, "--truth", "one.html"), "one.html cannot be read: Too many levels"),
        (("fit", "a.csv", *QUICK, "--report", "one.html"), "one.html cannot be written: Too many levels"),
        (("watch", "--state", "one.html"), "one.html cannot be written: Too many levels"),
    ],
    ids=lambda given: "-".join(given).replace("--", "") if isinstance(given, tuple) else "",
)  # fmt: skip
def test_links_that_lead_in_a_circle_are_said_in_a_sentence(tmp_path, monkeypatch, words, said):
    monkeypatch.chdir(tmp_path)
    files.write(files.long_frame(*files.records(60)), tmp_path / "a.csv")
    (tmp_path / "one.html").symlink_to("two.html")
    (tmp_path / "two.html").symlink_to("one.html")
    result = CliRunner().invoke(command, words)
    assert (result.exit_code, type(result.exception)) == (2, SystemExit)
    assert said in result.stderr
