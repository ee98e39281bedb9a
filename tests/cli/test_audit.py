"""`vieta audit`: the library's audit, of records or of an estimate, in words, as JSON and as a page."""

import json
import shlex

import click
import numpy as np
import pytest
from click.testing import CliRunner
from numpy.testing import assert_allclose

import vieta
from tests.files import samples as files
from tests.report.cases import Page
from vieta.cli.column_flags import COLUMNS, columns
from vieta.cli.commands import vieta as command
from vieta.laws import inputs, labels, noise

LEVELS = ("--added", "0", "--added", "0.5")


def run(*arguments, stdin=None):
    return CliRunner().invoke(command, [str(a) for a in arguments], input=stdin)


def records(theta=(0.0, 1.0, 2.0), variance=0.6, n=600, order=None, law=None):
    return vieta.simulate(
        theta,
        n=n,
        noise=noise.Gaussian(variance),
        inputs=law or inputs.Constant(1.0),
        labels=order or labels.Shuffled(),
    )


def written(made, path):
    return files.write(files.long_frame(made.sets, made.inputs), path)


@pytest.fixture
def hidden(tmp_path):
    made = records()
    return made, written(made, tmp_path / "a.csv")


def test_the_tables_say_who_what_and_how_much(hidden):
    result = run("audit", hidden[1], *LEVELS)
    assert result.exit_code == 0
    for words in (
        "a.csv: long (one row a reading, sets by 'set'), readings y, inputs psi",
        "600 sets of 3 readings used",
        "Whose reading is whose, in one record? The best guess is right",
        "of the time (by pure chance 1 in 6)",
        "Who can be named now",
        "look-alikes",
        "What an analyst learns of the parameters, without any name",
        "6,000",
        "60,000",
        "If noise were added to every reading before release",
        "times as many",
        "What to make of it",
        "- The parameters themselves are no secret",
        "Taken for granted: the guesser knows",
    ):
        assert words in result.output
    assert result.stderr == ""


def test_json_is_the_audit_of_the_library(hidden):
    made, path = hidden
    answer = json.loads(run("audit", path, "--json", *LEVELS).output)
    expected = vieta.anonymity.audit(made, added=[0.0, 0.5]).to_dict()
    assert {name: answer[name] for name in expected} == json.loads(json.dumps(expected))
    assert [one["code"] for one in answer["findings"]] == ["parameters-learned"]
    assert answer["parameter_names"] == ["1"]
    words = shlex.split(answer["settings"]["command"])
    assert words[:2] == ["vieta", "audit"]
    assert json.loads(run(*words[1:], "--json").output) == answer


@pytest.mark.parametrize("compact", [False, True])
def test_an_estimate_is_audited_with_the_inputs_of_its_records(tmp_path, compact):
    law = inputs.Affine(inputs.Uniform(0.0, 10.0))
    made = records([[0.0, 1.0], [2.0, 1.2], [1.0, 0.5]], 0.25, law=law)
    path = files.write(files.long_frame(made.sets, made.inputs[:, 1]), tmp_path / "a.csv")
    text = run("fit", path, "--intercept", "--json").output
    estimate = tmp_path / "estimate.json"
    estimate.write_text(json.dumps(json.loads(text)) if compact else text)
    answer = json.loads(run("audit", estimate, "--json", *LEVELS).output)
    expected = vieta.anonymity.audit(vieta.fit(made.sets, made.inputs), made.inputs, added=[0.0, 0.5])
    assert_allclose(answer["now"]["reidentification"], expected.now.reidentification)
    assert answer["order"] is None
    assert answer["parameter_names"] == ["intercept", "psi"]
    shown = run("audit", estimate, *LEVELS).output
    assert "an estimate by the method adaptive from 600 sets" in shown
    assert "parameters (intercept, psi)" in shown
    path.unlink()
    refused = run("audit", estimate)
    assert refused.exit_code == 2
    assert "was estimated with inputs, which are not in it" in refused.stderr
    assert "audit the records themselves" in refused.stderr


def test_an_estimate_without_inputs_needs_no_records(tmp_path):
    made = vieta.simulate([0.0, 1.0, 4.0], n=500, noise=noise.Gaussian(0.3))
    path = files.write(files.long_frame(made.sets, np.ones(500)).drop("psi"), tmp_path / "a.csv")
    estimate = tmp_path / "estimate.json"
    estimate.write_text(run("fit", path, "--json").output)
    path.unlink()
    assert run("audit", estimate, *LEVELS).exit_code == 0
    for option, value in (("--systems", "2"), ("--on-bad-set", "error"), ("--value", "y")):
        refused = run("audit", estimate, option, value, *LEVELS)
        assert refused.exit_code == 2
        assert refused.stderr == (
            f"Error: {estimate} is an estimate, and {option} says how to read records. Leave it out, or audit the records.\n"
        )


def test_the_options_that_say_how_to_read_records_are_known():
    names = {param.name for param in columns(click.Command("none")).params}
    assert names == set(COLUMNS)


@pytest.mark.parametrize(
    ("theta", "order", "code"),
    [((0.0, 1.0, 2.0), None, 0), ((0.0, 9.0, 20.0), None, 1), ((0.0, 1.0, 2.0), labels.Labeled(), 1)],
)
def test_strict_turns_what_is_serious_into_an_exit_code(tmp_path, theta, order, code):
    path = written(records(theta, order=order), tmp_path / "a.csv")
    assert run("audit", path, *LEVELS).exit_code == 0
    assert run("audit", path, "--strict", *LEVELS).exit_code == code


def test_the_page_and_the_picture(hidden, tmp_path):
    page, picture = tmp_path / "audit.html", tmp_path / "noise.png"
    result = run("audit", hidden[1], "--report", page, "--plot", picture, *LEVELS)
    assert f"written: {picture}\nwritten: {page}\n" in result.output
    assert picture.read_bytes().startswith(b"\x89PNG")
    text = page.read_text()
    found = Page(text)
    assert found.open == []
    assert len(found.sources) == 2
    assert all(source.startswith("data:image/svg+xml;base64,") for source in found.sources)
    answer = json.loads(run("audit", hidden[1], "--json", *LEVELS).output)
    for words in (
        "How anonymous are these 600 records?",
        "Who can be named now",
        "for a single reading",
        "What an analyst learns, without any name",
        "What more noise would change",
        "Taken for granted",
        answer["settings"]["command"],
        *answer["warnings"],
    ):
        assert words in found.text
    assert run("audit", hidden[1], "--report", page, *LEVELS).exit_code == 0
    assert page.read_text() == text


def test_standard_input_and_lines_of_sets(hidden, tmp_path):
    made, path = hidden
    expected = json.loads(run("audit", path, "--json", *LEVELS).output)["now"]
    assert json.loads(run("audit", "-", "--json", *LEVELS, stdin=path.read_bytes()).output)["now"] == expected
    lines = tmp_path / "a.ndjson"
    pairs = zip(made.sets.tolist(), made.inputs.tolist())
    lines.write_text("".join(json.dumps({"y": y, "psi": psi}) + "\n" for y, psi in pairs))
    assert json.loads(run("audit", lines, "--json", *LEVELS).output)["now"] == expected


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("none.csv",), "none.csv cannot be read: No such file"),
        (("a.csv", "--added", "-1"), "-1.0 is not in the range x>=0"),
        (("a.csv", "--report", "a.pdf"), "the name must end in .html, .htm"),
        (("a.csv", "--value", "nothing"), "has no column 'nothing'"),
        ((), "Missing argument 'FILE...|ESTIMATE'"),
    ],
)
def test_mistakes_are_reported(hidden, tmp_path, monkeypatch, arguments, message):
    monkeypatch.chdir(tmp_path)
    result = run("audit", *arguments)
    assert result.exit_code == 2
    assert message in " ".join(result.stderr.split())


def test_files_with_missed_and_false_readings(tmp_path):
    rng = np.random.default_rng(0)
    lines = []
    for x in rng.normal(size=400):
        own = np.array([-2.0, 5.0, 8.0])[rng.random(3) < 0.8] * x
        there = np.append(own + rng.normal(size=len(own)), rng.uniform(-9.0, 9.0, size=rng.poisson(0.5)))
        lines.append(json.dumps({"y": there.tolist(), "psi": x}))
    path = tmp_path / "lines.ndjson"
    path.write_text("\n".join(lines) + "\n")
    found = run("audit", path, "--systems", "3", "--added", "0", "--json")
    assert found.exit_code == 0, found.output
    answer = json.loads(found.stdout)
    assert_allclose(answer["detection"], 0.8, atol=0.08)
    assert_allclose(answer["clutter_rate"], 0.5, atol=0.2)
    assert "seen with probability" in run("audit", path, "--systems", "3", "--added", "0").output
    estimate = tmp_path / "estimate.json"
    estimate.write_text(run("fit", path, "--systems", "3", "--method", "adaptive", "--json").stdout)
    again = json.loads(run("audit", estimate, "--added", "0", "--json").stdout)
    assert_allclose(again["now"]["reidentification"], answer["now"]["reidentification"], atol=1e-9)


@pytest.mark.parametrize("names", [["a", "b", "c"], [1002, 1000, 1001]])
def test_a_column_that_names_the_systems_is_found(tmp_path, names):
    import polars as pl

    made = records(order=labels.Labeled())
    frame = files.long_frame(made.sets, made.inputs).with_columns(pl.Series("who", names * len(made.sets)))
    path = files.write(
        frame.sample(fraction=1.0, shuffle=True, seed=3).sort("set", maintain_order=True), tmp_path / "a.csv"
    )
    words = "Column 'who' has the same 3 values in every set: it names the systems. Remove it before release."
    page = tmp_path / "a.html"
    result = run("audit", path, *LEVELS, "--report", page, "--strict")
    assert result.exit_code == 1
    assert f"!! {words}" in result.stdout
    assert "not used: who" in result.stdout
    assert "it names the systems. Remove it before release." in page.read_text()
    answer = json.loads(run("audit", path, *LEVELS, "--json").stdout)
    assert (answer["warnings"][0], answer["serious"], answer["naming_columns"]) == (words, True, ["who"])
    assert (answer["findings"][0]["code"], answer["findings"][0]["facts"]["column"]) == ("column-names-systems", "who")


@pytest.fixture
def quiz(tmp_path):
    rng, path = np.random.default_rng(0), tmp_path / "quiz.csv"
    b = rng.normal(0.0, 2.0, 300).round(3)
    sets = rng.permuted(rng.random((300, 2)) < 1.0 / (1.0 + np.exp(-np.array([-2.0, 2.0]) - b[:, None])), axis=1)
    rows = [f"{k},{int(y)},{b[k]}" for k in range(300) for y in sets[k]]
    path.write_text("\n".join(["item,answer,easiness", *rows]) + "\n")
    return path


def test_answers_in_files_are_audited_with_flips(quiz):
    words = ("--set", "item", "--value", "answer", "--family", "binary", "--offset", "easiness")
    found = run("audit", quiz, *words, "--added", "0", "--added", "0.2", "--json")
    assert found.exit_code == 0, found.output
    answer = json.loads(found.stdout)
    assert answer["answers"]["family"] == "binary"
    assert answer["tradeoff"]["added"] == [0.0, 0.2]
    now, flipped = answer["tradeoff"]["reidentification"]
    assert sum(flipped) < sum(now)
    assert "--family binary" in answer["settings"]["command"]
    assert "--offset easiness" in answer["settings"]["command"]
    again = run(*shlex.split(answer["settings"]["command"])[1:])
    assert "answers flipped" in again.stdout
    estimate = quiz.parent / "quiz.json"
    estimate.write_text(run("fit", quiz, *words, "--json").stdout)
    same = json.loads(run("audit", estimate, "--added", "0", "--json").stdout)
    assert_allclose(same["now"]["reidentification"], answer["now"]["reidentification"], rtol=1e-6)
    assert "is an estimate, and --family says" in run("audit", estimate, "--family", "binary").output


@pytest.mark.parametrize(
    ("words", "text"),
    [
        (("--family", "binary", "--added", "0.5"), "from 0 to less than 0.5"),
        (("--family", "count", "--added", "0.1"), "noise was given for count answers"),
        (("--family", "binary", "--flipped", "0.6"), "--flipped must be a probability"),
        (("--family", "binary", "--link", "log"), "--link 'log' is not a link"),
    ],
)
def test_what_does_not_suit_answers_is_refused(quiz, words, text):
    found = run("audit", quiz, "--set", "item", "--value", "answer", "--offset", "easiness", *words)
    assert found.exit_code == 2
    assert text in " ".join(found.output.split())
    assert "vieta fit --" not in found.output
