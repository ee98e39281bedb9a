"""Nothing foreign reaches the terminal raw, whichever way it came in and whichever way it goes out."""

import csv
import json
import os
import re
from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner

import vieta.cli
from vieta.characters import visible
from vieta.cli import terminal
from vieta.cli.commands import vieta as command

BAD = "\x1b]0;x\x07\r\x9b1m\u202e\u200b\x7f[red]"
SOURCES = sorted(Path(vieta.cli.__file__).parent.glob("*.py"))
QUICK = ("--method", "least-squares")


def run(*arguments, code=0, **options):
    result = CliRunner().invoke(command, list(map(str, arguments)), **options)
    assert result.exit_code == code, (result.output, result.exception)
    for shown in (result.stdout, result.stderr):
        assert all(line.isprintable() for line in shown.split("\n"))
    return result


def written(path, *names):
    """A file of pairs of readings of two numbers, in columns of these names; and the flags that name them."""
    readings = np.random.default_rng(0).normal([[[1.0, 2.0], [5.0, 3.0]]], 0.1, (60, 2, 2))
    with path.open("w", newline="") as file:
        rows = csv.writer(file, quoting=csv.QUOTE_ALL)
        rows.writerow(["set", *names])
        rows.writerows([k, *reading] for k, pair in enumerate(readings.tolist()) for reading in pair)
    return path, "--set", "set", "--value", names[0], "--value", names[1]


def test_names_of_columns_and_files_are_shown_as_escapes(tmp_path):
    given = written(tmp_path / f"a{BAD}\n.csv", f"u{BAD}", f"v{BAD}")
    shown = run("fit", *given, *QUICK, "--plot", tmp_path / f"{BAD}.png").stdout
    assert rf"{visible(BAD)}\n.csv: long" in shown
    assert f"│ v{visible(BAD)} │" in shown
    assert f"{visible(BAD)}.png" in shown
    assert f"v{visible(BAD)}" in re.sub("[^!-~]", "", run("audit", *given).stdout)


def test_json_has_the_names_as_they_are(tmp_path):
    given = written(tmp_path / "a.csv", f"u{BAD}", f"v{BAD}")
    shown = run("fit", *given, *QUICK, "--json").stdout
    assert shown.isascii()
    assert json.loads(shown)["parameter_names"] == [f"u{BAD}", f"v{BAD}"]


def test_a_page_shows_names_and_runs_no_script_in_them(tmp_path):
    name, page = "<script>alert(1)</script>\x1b&", tmp_path / "page.html"
    run("fit", *written(tmp_path / "<img src=x>.csv", name, "v"), *QUICK, "--report", page)
    text = page.read_text()
    assert "<script" not in text
    assert "<img src=x" not in text
    assert r"&lt;script&gt;alert(1)&lt;/script&gt;\x1b&amp;" in text


def test_very_long_names_are_cut_in_tables(tmp_path):
    shown = run("fit", *written(tmp_path / "a.csv", "u" * 20_000, "v"), *QUICK).stdout
    assert max(map(len, shown.split("\n"))) < 250
    assert "uuu…uuu" in shown


@pytest.mark.parametrize(
    "arguments",
    [
        ("fit", f"no{BAD}\n.csv"),
        ("fit", os.fsdecode(b"no\xff\x1b.csv")),
        ("audit", f"no{BAD}.csv"),
        ("simulate", f"no{BAD}", "-o", "-"),
        ("simulate", f"no{BAD}.toml", "-o", "-"),
        ("fit", "a.csv", "--plot", f"no{BAD}/a.png"),
        ("fit", "a.csv", f"--no{BAD}"),
        ("fit", "a.csv", "--layout", BAD),
        (f"no{BAD}",),
    ],
    ids=range(9),
)
def test_errors_show_what_was_typed_as_escapes(arguments):
    shown = run(*arguments, code=2).stderr
    assert r"\x1b" in shown


def test_an_error_about_a_cell_or_a_set_shows_it_as_escapes(tmp_path):
    (tmp_path / "a.csv").write_text("set,y\n1,2\n1,3\n\x1b[2J,\x1b[2J\n")
    assert r"\x1b[2J" in run("fit", tmp_path / "a.csv", code=2).stderr


def test_names_in_a_scenario_and_in_an_estimate_are_shown_as_escapes(tmp_path):
    (tmp_path / "a.toml").write_text('theta = [[1.0, 2.0], [3.0, 5.0]]\nname = "\\u001b\\n[red]"\nn = 30\n')
    shown = run("simulate", tmp_path / "a.toml", "-o", tmp_path / "a.csv")
    assert r"\x1b\n[red], seed 0" in shown.stderr
    answer = json.loads(run("fit", tmp_path / "a.csv", *QUICK, "--json").stdout)
    (tmp_path / "a.json").write_text(json.dumps(answer | {"parameter_names": [BAD, "\ud800"]}))
    assert r"\ud800" in run("audit", tmp_path / "a.json", "--report", tmp_path / "a.html").stdout
    for names in ("no list", [1, 2]):
        (tmp_path / "a.json").write_text(json.dumps(answer | {"parameter_names": names}))
        assert "'parameter_names'" in run("audit", tmp_path / "a.json", code=2).stderr


def test_choices_of_a_missing_argument_stay_in_lines():
    assert "\tbash,\n" in CliRunner().invoke(command, ["completion"]).stderr


def test_json_is_printable_and_the_same(capsys):
    terminal.put_json({"\x7f\x1b": "\u202e\ud800"})
    shown = capsys.readouterr().out
    assert all(line.isprintable() for line in shown.split("\n"))
    assert json.loads(shown) == {"\x7f\x1b": "\u202e\ud800"}


def test_a_text_for_a_program_is_not_changed(capsys):
    terminal.put_whole("\ta\n")
    assert capsys.readouterr().out == "\ta\n"


@pytest.mark.parametrize("path", SOURCES, ids=lambda path: path.stem)
def test_no_command_prints_past_the_terminal(path):
    """Only `terminal` and `console` call what prints, or make text for tables."""
    if path.stem in {"terminal", "console"}:
        pytest.skip("the ways out")
    shown = ["print("] if path.stem == "page_tasks" else []  # a program that the page shows
    ways = r"click\.s?echo|\bprint_json\(|(?<![.\w])print\(|\bText\(|sys\.std\w+\.write"
    assert re.findall(ways, path.read_text()) == shown
