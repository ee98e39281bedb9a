import json
import pickle
import shlex

import click
import pytest
from click.testing import CliRunner

from vieta.cli import page_tasks
from vieta.cli.commands import vieta
from vieta.errors import InputError


def quiet(phrase, share):
    pass


@pytest.fixture
def here(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    CliRunner().invoke(vieta, ["simulate", "example-1", "-n", "200", "-o", "one.csv"], catch_exceptions=False)
    return tmp_path


def test_the_fit_is_that_of_the_command_and_progress_is_reported(here):
    told = []
    found = page_tasks.fit(lambda *said: told.append(said), {"name": "one.csv", "choices": {}})
    words = found["command"].split()[1:]
    expected = json.loads(CliRunner().invoke(vieta, [*words, "--json"]).stdout)
    assert json.loads(json.dumps(found["answer"], allow_nan=False)) == expected
    assert any(phrase == "estimating" for phrase, _ in told)
    assert [len(row) for row in found["table"]["rows"]] == [len(found["table"]["header"])] * 3


@pytest.mark.parametrize("choices", [{}, {"systems": "3"}], ids=["efficient", "adaptive"])
def test_each_pass_over_the_sets_is_reported_to_its_end_and_never_goes_back(here, choices, monkeypatch):
    monkeypatch.setattr("vieta.sums.PIECE", 10)
    told, scenario = [], "radar-like" if choices else "example-1"
    CliRunner().invoke(vieta, ["simulate", scenario, "-n", "80", "-o", "one.csv"], catch_exceptions=False)
    page_tasks.fit(lambda *said: told.append(said), {"name": "one.csv", "choices": choices})
    passes = {}
    for phrase, share in told:
        if phrase.startswith("estimating, pass"):
            passes.setdefault(phrase, []).append(share)
    assert list(passes) == [f"estimating, pass {k + 1}" for k in range(len(passes))]
    assert len(passes) > 5
    for shares in passes.values():
        assert list(dict.fromkeys(shares)) == [k / 8 for k in range(9)]  # told again while something is compiled


QUIZ = 'theta = [[-1.5], [1.0]]\nanswers = { law = "binary" }\noffset = { law = "gaussian", mean = 0, variance = 1 }\n'


@pytest.mark.parametrize(
    ("scenario", "choices", "method"),
    [("radar-like", {"systems": "3"}, "adaptive"), ("quiz.toml", {"family": "binary", "offset": "offset", "values": ["y"]}, "binary")],
)  # fmt: skip
def test_sets_of_any_size_and_answers_are_fitted_as_the_command_and_python_fit_them(here, scenario, choices, method):
    (here / "quiz.toml").write_text(QUIZ)
    CliRunner().invoke(vieta, ["simulate", scenario, "-n", "100", "-o", "some.csv"], catch_exceptions=False)
    found = page_tasks.fit(quiet, {"name": "some.csv", "choices": choices})
    given = json.loads(json.dumps(found["answer"], allow_nan=False))
    assert given["method"] == method
    assert given == json.loads(CliRunner().invoke(vieta, [*shlex.split(found["command"])[1:], "--json"]).stdout)
    names = {}
    exec(found["python"].rpartition("print(")[0], names)
    assert names["estimate"].theta.tolist() == given["theta"]
    assert names["estimate"].stderr.tolist() == given["stderr"]


def test_findings_name_what_is_on_the_page_and_the_answer_what_the_command_has(here):
    (here / "quiz.toml").write_text(QUIZ)
    CliRunner().invoke(vieta, ["simulate", "quiz.toml", "-n", "100", "-o", "some.csv"], catch_exceptions=False)
    found = page_tasks.fit(quiet, {"name": "some.csv", "choices": {"values": ["y"], "inputs": []}})
    text = " ".join(one["text"] for one in found["verdict"])
    assert "“Readings are”: right or wrong (0, 1)" in text
    assert "--family binary" in json.dumps(found["answer"])


def test_what_is_chosen_becomes_words_and_none_of_them_another_option():
    choices = {
        "set": "--json",
        "values": ["-y", "a b"],
        "inputs": [],
        "intercept": False,
        "systems": "auto",
        "trend": True,
    }
    assert page_tasks.column_choices({"choices": choices}) == [
        "--set=--json", "--systems=auto", "--value=-y", "--value=a b", "--no-intercept", "--trend",
    ]  # fmt: skip
    assert page_tasks.column_choices({"choices": "x"}) == []


def test_columns_are_recognised_with_a_preview(here):
    found = page_tasks.columns(quiet, {"name": "one.csv"})
    assert found["settings"]["values"] == ["y"]
    assert found["settings"]["inputs"] == ["psi"]
    assert len(found["rows"]) == 8


def test_columns_that_are_not_recognised_are_listed_with_the_reason(here):
    (here / "bad.csv").write_text("name,colour\nanna,red\n")
    found = page_tasks.columns(quiet, {"name": "bad.csv"})
    assert found["columns"] == ["name", "colour"]
    assert "“reading”" in found["trouble"]


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("a.parquet", b"PAR1" + bytes(range(1, 200)) + b"PAR1"),
        ("b.csv.gz", b"\x1f\x8b\x08\x00cut"),
        ("c.ndjson", b"[" * 20_000),
        ("d.csv", bytes(500)),
        ("e.csv", b""),
    ],
)
def test_a_file_that_is_malformed_is_refused_with_its_name(here, name, content):
    (here / name).write_bytes(content)
    for task in (page_tasks.columns, page_tasks.fit):
        with pytest.raises(Exception, match=r".") as found:
            task(quiet, {"name": name, "choices": {}})
        assert (page_tasks.said(found.value) or "").startswith(name)


def test_the_audit_is_that_of_the_command_and_rounding_makes_readings_harder_to_name(here):
    (here / "two.toml").write_text("theta = [[1.0], [3.0]]\n")
    CliRunner().invoke(vieta, ["simulate", "two.toml", "-n", "60", "-o", "one.csv"], catch_exceptions=False)
    plain = page_tasks.audit(quiet, {"name": "one.csv", "choices": {}})
    expected = json.loads(CliRunner().invoke(vieta, ["audit", "one.csv", "--json"]).stdout)
    assert plain["answer"]["now"] == expected["now"]
    coarse = page_tasks.audit(quiet, {"name": "one.csv", "choices": {}, "rounding": 4.0})
    assert coarse["answer"]["now"]["error_probability"] > plain["answer"]["now"]["error_probability"]
    assert "rounded to multiples of 4" in coarse["description"][-1]


def test_errors_of_the_input_are_said_and_faults_of_ours_are_not():
    with pytest.raises(click.BadParameter) as wrong:
        page_tasks.columns(quiet, {"name": "one.csv", "choices": {"systems": "two"}})
    assert page_tasks.said(wrong.value).startswith("“Systems”: 'two' is neither")
    assert page_tasks.said(InputError("x-y", "give {option.memory}.")) == "give --memory."
    assert page_tasks.said(KeyError("x")) is None


def test_the_quick_tasks_get_ready_without_a_file(here):
    assert page_tasks.ready(quiet, {}) == page_tasks.rehearse(quiet, {}) == {}


@pytest.mark.parametrize("altered", [{"rounding": 0.0123}, {"rounding": 0.5, "dropping": 0.05, "added": [1.5]}])
def test_the_audit_is_that_of_the_command_also_of_records_that_are_rounded_or_thinned(here, altered):
    found = page_tasks.audit(quiet, {"name": "one.csv", "choices": {}, **altered})
    words = shlex.split(found["command"])[1:]
    assert json.loads(json.dumps(found["answer"])) == json.loads(CliRunner().invoke(vieta, [*words, "--json"]).stdout)
    assert "as they would be released" in str(found["description"])


@pytest.mark.parametrize("wrong", [{"dropping": 0.95}, {"rounding": -1}, {"rounding": "x"}, {"rounding": ["--json"]}])
def test_an_audit_of_what_makes_no_sense_is_refused(here, wrong):
    with pytest.raises((InputError, click.ClickException)):
        page_tasks.audit(quiet, {"name": "one.csv", "choices": {}, **wrong})


@pytest.mark.parametrize("ending", ["csv", "ndjson", "parquet", "csv.gz"])
def test_columns_of_every_format_are_recognised_and_again_when_another_choice_is_made(here, ending):
    CliRunner().invoke(vieta, ["simulate", "lines", "-n", "50", "-o", f"some.{ending}"], catch_exceptions=False)
    first = page_tasks.columns(quiet, {"name": f"some.{ending}"})
    again = page_tasks.columns(quiet, {"name": f"some.{ending}", "choices": {"intercept": True}})
    assert first["columns"] == again["columns"]
    assert first["rows"] == again["rows"]
    assert len(first["rows"]) == page_tasks.PREVIEW
    assert (first["settings"]["intercept"], again["settings"]["intercept"]) == (False, True)


def test_a_file_that_changes_is_looked_at_again(here):
    assert page_tasks.columns(quiet, {"name": "one.csv"})["columns"] == ["set", "y", "psi"]
    (here / "one.csv").write_text("a,b\n1,2\n3,4\n")
    assert page_tasks.columns(quiet, {"name": "one.csv"})["columns"] == ["a", "b"]


def test_the_filters_on_an_example_are_told_as_they_run(here):
    class Told(list):
        part = list.append

    told = Told()
    assert page_tasks.race(told, {"example": 1, "n": 200}) == {}
    assert told[-1]["reached"] == 200


def test_tasks_can_be_sent_to_another_process():
    assert set(pickle.loads(pickle.dumps(page_tasks.tasks()))) == {"fit", "report", "audit", "decision"}
    assert set(pickle.loads(pickle.dumps(page_tasks.quick_tasks()))) == {"ready", "columns", "polynomial"}
    assert set(pickle.loads(pickle.dumps(page_tasks.run_tasks()))) == {"ready", "race"}
