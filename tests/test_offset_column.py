"""`vieta fit` of answers: the family, its link, and a column of known numbers."""

import json
import shlex

import numpy as np
import pytest
from click.testing import CliRunner
from numpy.testing import assert_allclose

import vieta
from tests.answers.cases import drawn
from vieta.anonymity import audit
from vieta.cli.commands import vieta as command
from vieta.file_fit import names_without

THETA = np.array([[-1.2], [1.2]])


def run(*arguments):
    return CliRunner().invoke(command, ["fit", *map(str, arguments)])


@pytest.fixture
def quiz(tmp_path):
    sets, psi, b = drawn("binary", 200, 0, np.array([[-1.2, 0.4], [1.2, -0.3]]))
    path = tmp_path / "quiz.csv"
    lines = [f"{k},{y:g},{float(b[k])!r},{float(psi[k, 1])!r}" for k, row in enumerate(sets) for y in row]
    path.write_text("\n".join(["item,answer,easiness,weeks", *lines]))
    return sets, psi, b, path


def test_the_command_gives_what_python_gives(quiz):
    sets, psi, b, path = quiz
    base = (path, "--set", "item", "--value", "answer", "--family", "binary", "--offset", "easiness", "--json")
    alone = json.loads(run(*base).output)
    assert_allclose(alone["theta"], vieta.fit(sets, family="binary", offset=b).theta, rtol=1e-9)
    result = json.loads(run(*base, "--input", "weeks", "--intercept", "--link", "probit").output)
    expected = vieta.fit(sets, psi, family="binary", offset=b, link="probit")
    assert_allclose(result["theta"], expected.theta, rtol=1e-7)
    assert result["answers"]["link"] == "probit"
    assert len(result["names"]) == 2
    again = json.loads(run(*shlex.split(result["settings"]["command"])[2:], "--json").output)
    assert_allclose(again["theta"], expected.theta, rtol=1e-7)


def test_a_report_of_answers_is_written(quiz, tmp_path):
    path = quiz[3]
    more = ("--set", "item", "--value", "answer", "--family", "binary", "--offset", "easiness")
    result = run(path, *more, "--report", tmp_path / "a.html", "--plot", tmp_path / "a.png")
    assert result.exit_code == 0
    assert "binary" in (tmp_path / "a.html").read_text()


@pytest.mark.parametrize(
    ("flags", "words"),
    [
        (("--family", "binary", "--link", "log"), "--link 'log' is not a link"),
        (("--family", "binary", "--method", "lms"), "--family binary"),
        (("--family", "count", "--drift", "0.1"), "--drift"),
        (("--family", "binary", "--offset", "none"), "none"),
    ],
)
def test_what_does_not_fit_is_refused(quiz, flags, words):
    result = run(quiz[3], "--set", "item", "--value", "answer", *flags)
    assert result.exit_code == 2
    assert words in result.output


def test_names_lose_that_of_the_offset():
    assert names_without(["1"], "1") == ["1"]
    assert names_without(["a", "b"], None) == ["a", "b"]


def test_frames_take_families_and_offsets_as_files_do(quiz):
    import polars

    sets, psi, b, path = quiz
    frame = polars.read_csv(path)
    named = {"set": "item", "value": "answer", "family": "binary", "offset": "easiness"}
    assert_allclose(vieta.fit_frame(frame, **named).theta, vieta.fit(sets, family="binary", offset=b).theta, rtol=1e-9)
    found = vieta.fit_frame(frame, **named, inputs="weeks", intercept=True)
    assert_allclose(found.theta, vieta.fit(sets, psi, family="binary", offset=b).theta, rtol=1e-7)
    assert len(found.names) == 2


def test_answers_are_labeled_and_audited_as_python_does(quiz, tmp_path):
    sets, psi, b, path = quiz
    base = (path, "--set", "item", "--value", "answer", "--family", "binary", "--offset", "easiness")
    inputs = ("--input", "weeks", "--intercept")
    estimate = tmp_path / "e.json"
    estimate.write_text(run(*base, *inputs, "--json").output)
    found = vieta.fit(sets, psi, family="binary", offset=b)
    result = CliRunner().invoke(command, ["audit", str(estimate), "--json"])
    assert result.exit_code == 0, result.output
    expected = audit(found, psi, offset=b)
    assert_allclose(json.loads(result.output)["now"]["reidentification"], expected.now.reidentification, rtol=1e-6)
    told = found.associations(sets, psi, offset=b)
    for first, more in ((base, inputs), ((path, "--estimate", estimate), ())):
        output = tmp_path / "labeled.ndjson"
        result = CliRunner().invoke(command, ["label", *map(str, first), *more, "-o", str(output)])
        assert result.exit_code == 0, result.output
        rows = [json.loads(line) for line in output.read_text().splitlines()]
        assert_allclose([row["probability"] for row in rows], told.systems.max(axis=1), rtol=1e-6)
