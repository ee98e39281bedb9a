"""Flags that say which columns are what: they reach the reader, are spelled out in the answer, and name the places of bad sets."""

from collections import Counter

import click
import pytest
from click.testing import CliRunner

from tests.files import samples as files
from vieta.cli.column_flags import (
    COLUMNS,
    column_words,
    columns,
    columns_of_any_size,
    counted,
    description,
    settings_of,
    wishes,
)
from vieta.cli.commands import vieta as command
from vieta.files.layout import Layout
from vieta.files.reader import reader


def parsed(*words):
    """What the flags give."""
    given = {}
    command = columns(click.command()(lambda **told: given.update(told)))
    result = CliRunner().invoke(command, [str(word) for word in words])
    return given if result.exit_code == 0 else result.output


def test_flags_become_wishes():
    given = parsed(
        "--layout", "wide", "--set", "t", "--value", "a", "--value", "b", "--input", "x", "--systems", 2, "--intercept"
    )
    assert set(given) == set(COLUMNS)
    asked = wishes(given)
    assert (asked.layout, asked.set, asked.value, asked.input, asked.systems, asked.intercept) == (
        "wide", "t", ("a", "b"), ("x",), 2, True,
    )  # fmt: skip
    nothing = wishes(parsed())
    assert (nothing.layout, nothing.value, nothing.systems, nothing.intercept) == (None, (), None, None)


@pytest.mark.parametrize(
    ("word", "character"), [(";", ";"), ("tab", "\t"), ("\\t", "\t"), ("space", " "), ("::", None), ('"', None)]
)
def test_delimiters(word, character):
    given = parsed("--delimiter", word)
    if character is None:
        assert "one character is needed" in given
    else:
        assert given["delimiter"] == character


def test_words_say_again_what_was_recognised():
    layout = Layout("long", "set", ("y", "z"), ("psi",), None, True)
    words = column_words(layout, 3, {"on_bad_set": "drop", "delimiter": "\t"})
    given = parsed(*words)
    assert wishes(given).value == ("y", "z")
    assert (wishes(given).set, wishes(given).input, wishes(given).systems, wishes(given).intercept) == (
        "set",
        ("psi",),
        3,
        True,
    )
    assert (given["on_bad_set"], given["delimiter"]) == ("drop", "\t")


def test_what_was_read_is_described(tmp_path):
    path = files.write(files.long_frame(*files.records(20)), tmp_path / "a.csv")
    with reader([str(path)], stream=True) as source:
        lines = description(source, 1, 3, Counter({"wrong-count": 1200}))
    assert lines[0].startswith(f"{path}: long (one row a reading")
    assert lines[1:] == ["1 set of 3 readings used, read in pieces", "left out for a wrong number of readings: 1,200"]
    assert counted(0, "set") == "0 sets"


@pytest.mark.parametrize("stream", [False, True])
@pytest.mark.parametrize("first", ["fit", "audit"])
def test_incomplete_sets_are_refused_with_their_place(tmp_path, monkeypatch, stream, first):
    monkeypatch.setattr("vieta.files.text_pieces.SIZE", 2000)
    frame = files.long_frame(*files.records(300))
    path = files.write(frame.filter((frame["set"] != 250) | (frame["y"] != frame["y"][751])), tmp_path / "a.csv")
    line = (
        path.read_text()
        .splitlines()
        .index(next(row for row in path.read_text().splitlines() if row.startswith("250,")))
        + 1
    )
    words = [first, str(path), *(["--stream"] if stream and first == "fit" else [])]
    result = CliRunner().invoke(command, words)
    assert result.exit_code == 2
    assert f"line {line} of {path}: set 250 has 2 reading(s) where 3 were expected" in result.stderr
    assert "--on-bad-set drop" in result.stderr
    assert "--systems" in result.stderr


def test_flags_of_time_and_categories_come_back_in_words():
    asked = ("--input", "x", "--input", "g", "--category", "g", "--trend", "--season", "year", "--season", "12")
    asked += ("--harmonics", 2, "--time", "when", "--no-intercept")
    given = wishes(parsed(*asked))
    assert (given.category, given.trend, given.season, given.harmonics) == (("g",), True, ("year", "12"), 2)
    assert (given.time, given.intercept) == ("when", False)
    layout = Layout(
        "long", "set", ("y",), ("x", "g"), 3, False, categories=("g",), time="when", trend=True, season=("year", "12"), harmonics=2
    )  # fmt: skip
    again = wishes(parsed(*column_words(layout, 3, {"on_bad_set": "error", "delimiter": None})))
    assert (again.input, again.category, again.season) == (("x", "g"), ("g",), ("year", "12"))
    assert (again.trend, again.harmonics, again.time, again.intercept) == (True, 2, "when", False)
    assert settings_of(layout)["season"] == ["year", "12"]


@pytest.mark.parametrize(
    ("words", "needed"), [(("--time", "t"), "--trend or --season"), (("--harmonics", 2), "--season")]
)
def test_flags_that_mean_nothing_alone_are_refused(words, needed):
    with pytest.raises(click.UsageError, match=f"{words[0]} needs {needed}"):
        wishes(parsed(*words))


def test_a_number_of_systems_may_be_left_to_the_method():
    given = {}
    chosen = columns_of_any_size(click.command()(lambda **told: given.update(told)))
    assert CliRunner().invoke(chosen, ["--systems", "auto"]).exit_code == 0
    assert (given["systems"], wishes(given).systems) == ("auto", None)
    layout = Layout("long", "set", ("y",), (), None)
    words = column_words(layout, 3, given)
    assert words[words.index("--systems") + 1] == "auto"
    assert CliRunner().invoke(chosen, ["--systems", "4"]).exit_code == 0
    assert wishes(given).systems == 4
