"""What the command writes for other programs is what the schemas in docs say: JSON as it comes out, and columns of Parquet."""

import copy
import json
import re
from pathlib import Path

import numpy as np
import polars as pl
import pytest
from click.testing import CliRunner

from tests.cli.test_watch import LINES, events, run
from vieta.cli.commands import vieta as command
from vieta.paper.verdicts import REPRODUCED, Report, Row
from vieta.report.watch_report import Account

jsonschema = pytest.importorskip("jsonschema", reason="jsonschema is not installed: pip install '.[dev]'")
referencing = pytest.importorskip("referencing", reason="it comes with jsonschema: pip install '.[dev]'")

DOCS = Path(__file__).parents[2] / "docs"
SCHEMAS = {path.name.split(".")[0]: json.loads(path.read_text("utf-8")) for path in sorted((DOCS / "schema").iterdir())}
PART = "part of others"  # marks definitions that others add to


def closed(schema):
    """The same schema, with nothing allowed that it does not name: answers may get more keys, but not without a word in docs."""
    if isinstance(schema, list):
        return [closed(one) for one in schema]
    if not isinstance(schema, dict):
        return schema
    found = {name: closed(one) for name, one in schema.items()}
    has_names = isinstance(schema.get("properties"), dict) or "allOf" in schema
    if has_names and schema.get("$comment") != PART and "additionalProperties" not in schema:
        found["unevaluatedProperties"] = False
    return found


def checker(name, *, strict=True):
    made = {one: closed(schema) if strict else schema for one, schema in SCHEMAS.items()}
    resources = [(f"{one}.schema.json", referencing.Resource.from_contents(schema)) for one, schema in made.items()]
    return jsonschema.Draft202012Validator(made[name], registry=referencing.Registry().with_resources(resources))


def written(*words):
    result = CliRunner().invoke(command, [str(word) for word in words])
    assert result.exit_code in {0, 1}, result.output
    return json.loads(result.stdout)


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """Records: numbers with an input, vectors, incomplete ones with a category and a date, and groups."""
    place = tmp_path_factory.mktemp("records")
    simulate = ["simulate", "example-1", "-n", 80, "--seed", 1]
    for more in (
        ["-o", place / "a.parquet", "--keep-truth", place / "truth.json"],
        ["-o", place / "wide.parquet", "--layout", "wide"],
    ):
        assert CliRunner().invoke(command, [str(word) for word in [*simulate, *more]]).exit_code == 0
    words = ["simulate", "example-3", "-n", "60", "--seed", "1", "-o", str(place / "plane.parquet")]
    assert CliRunner().invoke(command, words).exit_code == 0
    rng = np.random.default_rng(0)
    day = np.repeat(np.datetime64("2024-01-01") + np.arange(60), 2)
    kind = np.repeat(rng.permutation(["a", "b"] * 30), 2)
    y = rng.normal(size=120) * 0.3 + np.tile([0.0, 5.0], 60) + (kind == "b") * np.tile([0.0, 2.0], 60)
    frame = pl.DataFrame({"day": day, "y": y, "kind": kind})
    frame.write_parquet(place / "groups.parquet")
    frame.filter(rng.random(120) < 0.9).write_parquet(place / "some.parquet")
    return place


@pytest.mark.parametrize("name", SCHEMAS)
def test_schemas_are_schemas_and_every_key_is_described_or_plain(name):
    jsonschema.Draft202012Validator.check_schema(SCHEMAS[name])
    assert SCHEMAS[name]["$id"] == f"{name}.schema.json"
    assert SCHEMAS[name]["title"]


FITS = {
    "numbers": ("a.parquet", "--method", "least-squares", "--truth", "truth.json"),
    "vectors": ("plane.parquet", "--method", "rls"),
    "terms": ("groups.parquet", "--trend", "--method", "least-squares"),
    "left out": ("some.parquet", "--on-bad-set", "drop", "--method", "least-squares"),
    "incomplete": ("some.parquet", "--systems", 2, "--misses", "yes", "--clutter", "no"),
}


@pytest.mark.parametrize("name", FITS)
def test_answers_of_fit(folder, monkeypatch, name):
    monkeypatch.chdir(folder)
    answer = written("fit", *FITS[name], "--json")
    checker("fit").validate(answer)
    assert (name == "incomplete") == (answer["readings"] is not None)
    (folder / f"{name}.json").write_text(json.dumps(answer))


@pytest.mark.parametrize("name", ["numbers", "incomplete"])
def test_answers_of_audit(folder, monkeypatch, name):
    monkeypatch.chdir(folder)
    words = FITS[name][:1] if name == "numbers" else FITS[name][:3]
    checker("audit").validate(written("audit", *words, "--json", "--added", "1"))


def test_an_estimate_that_was_written_is_audited(folder, monkeypatch):
    monkeypatch.chdir(folder)
    (folder / "estimate.json").write_text(json.dumps(written("fit", *FITS["numbers"], "--json")))
    checker("audit").validate(written("audit", "estimate.json", "--json", "--added", "1"))


def test_lines_of_watch():
    sets = [json.loads(line) for line in LINES]
    changed = [json.dumps(one | {"y": [7.0 * y for y in one["y"]]}) for one in sets]
    found = events(run("\n".join(["oops", *LINES, *changed]).encode(), "--json", "--every", 250, "--innovations", 4))
    assert [len(one["innovations"]) for one in found if one["event"] == "estimate"] == [0, 8, 8]
    found.append({"event": "estimate"} | Account(None, "too few sets", [], 0.95, 1, 2).brief())
    check = checker("watch")
    for line in found:
        check.validate(line)
    assert {line["event"] for line in found} == {"estimate", "change", "final"}


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("methods", ["methods"]),
        ("scenarios", ["simulate", "--list"]),
        ("doctor", ["doctor"]),
        ("groups", ["groups", "groups.parquet", "--category", "kind"]),
    ],
)
def test_other_answers(folder, monkeypatch, name, words):
    monkeypatch.chdir(folder)
    checker(name).validate(written(*words, "--json"))


def test_truths_and_reproductions(folder):
    checker("truth").validate(json.loads((folder / "truth.json").read_text()))
    report = Report(1, "A title", ("a setting",), (Row("claim", "paper", "ours", REPRODUCED, "why"),), None, {})
    checker("reproduce").validate([report.to_dict()])


def test_a_key_that_is_missing_or_not_described_is_noticed_and_new_ones_are_allowed_to_come(folder, monkeypatch):
    monkeypatch.chdir(folder)
    answer = written("fit", *FITS["numbers"], "--json")
    for change in (lambda a: a.pop("theta"), lambda a: a["settings"].pop("version"), lambda a: a.update(theta=[1.0])):
        broken = copy.deepcopy(answer)
        change(broken)
        assert not checker("fit", strict=False).is_valid(broken)
    more = {**answer, "surprise": 1}
    assert checker("fit", strict=False).is_valid(more)
    assert not checker("fit").is_valid(more)


# --- Parquet --------------------------------------------------------------------------------------------------------

KINDS = {pl.Int64(): "int64", pl.Float64(): "double", pl.String(): "string"}


def documented(heading):
    """Columns and types of the table under a heading."""
    page = (DOCS / "howto" / "schema.md").read_text(encoding="utf-8")
    section = page.split(f"### {heading}\n")[1].split("\n#")[0]
    return dict(re.findall(r"^\| `(\w+)` \| (\w+) \|", section, flags=re.MULTILINE))


@pytest.mark.parametrize(("heading", "file"), [("Simulated, long", "a.parquet"), ("Simulated, wide", "wide.parquet")])
def test_columns_of_simulated_records(folder, heading, file):
    found = pl.read_parquet_schema(folder / file)
    assert documented(heading) == {name: KINDS[kind] for name, kind in found.items()}


def test_columns_of_labels(folder, monkeypatch):
    monkeypatch.chdir(folder)
    words = ["label", "a.parquet", "--method", "least-squares", "-o", "labels.parquet"]
    result = CliRunner().invoke(command, words)
    assert result.exit_code == 0, result.output
    found = pl.read_parquet_schema("labels.parquet")
    assert documented("Labels") == {name: KINDS[kind] for name, kind in found.items()}
