"""`vieta label`: guesses with probabilities, against the labels that a simulation kept, and against the library."""

import io
import json

import numpy as np
import polars as pl
import pytest
from click.testing import CliRunner
from numpy.testing import assert_allclose, assert_array_equal

import vieta
from tests.files import samples as files
from vieta.cli.commands import vieta as command
from vieta.sets import as_data

READERS = {
    "csv": pl.read_csv,
    "tsv": lambda path: pl.read_csv(path, separator="\t"),
    "csv.gz": lambda path: pl.read_csv(io.BytesIO(__import__("gzip").decompress(path.read_bytes()))),
    "ndjson": pl.read_ndjson,
    "parquet": pl.read_parquet,
}
LABELS = ["system", "probability", "probability_false", "joint_system"]


def run(*arguments):
    return CliRunner().invoke(command, [str(word) for word in arguments])


def made(*arguments):
    result = run(*arguments)
    assert result.exit_code == 0, result.output
    return result.output


@pytest.fixture(scope="module")
def radar(tmp_path_factory):
    folder = tmp_path_factory.mktemp("radar")
    made("simulate", "radar-like", "-n", 200, "-o", folder / "r.csv", "--keep-truth", folder / "truth.json")
    (folder / "e.json").write_text(made("fit", folder / "r.csv", "--systems", 3, "--json"))
    return folder


def test_labels_are_as_often_right_as_their_probabilities_say(radar, tmp_path):
    said = made("label", radar / "r.csv", "--systems", 3, "-o", tmp_path / "l.csv")
    for words in (
        "3 systems, method adaptive",
        "These are guesses with a probability",
        "readings labeled; by the probabilities, about",
    ):
        assert words in said
    table = pl.read_csv(tmp_path / "l.csv")
    records = pl.read_csv(radar / "r.csv").drop_nulls("y")
    assert table.columns == ["set", "y", *LABELS]
    assert_array_equal(table["set"], records["set"])
    assert_array_equal(table["y"], records["y"])
    owners = np.concatenate([row for row in json.loads((radar / "truth.json").read_text())["labels"] if row])
    chance, right = table["probability"].to_numpy(), table["system"].to_numpy() == owners
    spread = np.sqrt((chance * (1.0 - chance)).sum())
    assert abs(right.sum() - chance.sum()) < 4.0 * spread
    assert abs((owners == 0).sum() - table["probability_false"].sum()) < 4.0 * np.sqrt(len(table) / 4.0)
    shuffled = np.random.default_rng(0).permutation(owners)  # a negative control
    assert abs((table["system"].to_numpy() == shuffled).sum() - chance.sum()) > 4.0 * spread
    assert (table["joint_system"].to_numpy() == owners).mean() > 0.85
    named = table.filter(pl.col("joint_system") > 0)
    assert named.select("set", "joint_system").is_duplicated().sum() == 0


def test_labels_are_those_of_the_library(radar, tmp_path):
    made("label", radar / "r.csv", "--estimate", radar / "e.json", "-o", tmp_path / "l.parquet")
    table, records = pl.read_parquet(tmp_path / "l.parquet"), pl.read_csv(radar / "r.csv")
    groups = records.partition_by("set", maintain_order=True)
    sets = [one["y"].drop_nulls().to_numpy() for one in groups]
    psi = np.array([one.select("psi1", "psi2").row(0) for one in groups])
    estimate = vieta.fit(sets, psi, n_systems=3)
    found = estimate.associations(sets, psi)
    everyone = np.column_stack([found.clutter, found.systems])
    assert_array_equal(table["system"], everyone.argmax(axis=1))
    assert_allclose(table["probability"], everyone.max(axis=1), rtol=1e-9)
    assert_allclose(table["probability_false"], found.clutter, atol=1e-12)
    assert_array_equal(table["joint_system"], found.best + 1)


@pytest.mark.parametrize("ending", READERS)
def test_every_format_holds_the_same_table(radar, tmp_path, ending):
    path, plain = tmp_path / f"l.{ending}", tmp_path / "plain.csv"
    made("label", radar / "r.csv", "--estimate", radar / "e.json", "-o", path)
    made("label", radar / "r.csv", "--estimate", radar / "e.json", "-o", plain)
    table, expected = READERS[ending](path), pl.read_csv(plain)
    assert table.columns == expected.columns
    assert_allclose(table.to_numpy(), expected.to_numpy(), rtol=1e-12)


def test_complete_sets_of_two_files_and_names_that_are_text(tmp_path):
    sets, psi = files.records(60)
    frame = files.long_frame(sets, psi).with_columns(pl.format("day {}", pl.col("set")).alias("set"))
    first, second = files.write(frame, tmp_path / "a.csv"), files.write(frame, tmp_path / "b.parquet")
    said = made("label", first, second, "-o", tmp_path / "l.ndjson")
    assert "120 sets of 3 readings used" in said
    assert "method efficient" in said
    table = pl.read_ndjson(tmp_path / "l.ndjson")
    assert table.columns == ["file", "set", "y", *LABELS]
    assert table["file"].unique(maintain_order=True).to_list() == [str(first), str(second)]
    assert table["set"][:4].to_list() == ["day 0", "day 0", "day 0", "day 1"]
    assert_array_equal(table["y"][:180], sets.ravel())
    assert_array_equal(table["joint_system"][:180], np.concatenate([row.argsort().argsort() + 1 for row in sets]))
    assert (table["probability_false"] < 1e-3).all()


def test_vectors_in_wide_files_without_names_of_sets(tmp_path):
    rng = np.random.default_rng(0)
    sets = rng.permuted(np.array([[0.0, 1.0], [3.0, 5.0]]) + 0.1 * rng.normal(size=(50, 2, 2)), axis=1)
    frame = pl.DataFrame({f"y{i + 1}_{j + 1}": sets[:, i, j] for i in range(2) for j in range(2)})
    made("label", files.write(frame, tmp_path / "a.csv"), "-o", tmp_path / "l.csv")
    table = pl.read_csv(tmp_path / "l.csv")
    assert table.columns == ["set", "y1", "y2", *LABELS]
    assert table["set"].to_list() == np.repeat(np.arange(1, 51), 2).tolist()
    assert_allclose(table.select("y1", "y2").to_numpy(), sets.reshape(-1, 2), rtol=1e-12)


def test_columns_of_labels_do_not_replace_those_of_readings(tmp_path):
    sets, psi = files.records(60)
    frame = files.long_frame(sets, psi).rename({"y": "system"})
    path = files.write(frame, tmp_path / "a.csv")
    made("label", path, "--value", "system", "--input", "psi", "-o", tmp_path / "l.csv")
    table = pl.read_csv(tmp_path / "l.csv")
    assert table.columns == ["set", "system", "system_", *LABELS[1:]]
    assert_array_equal(table["system"], sets.ravel())


def test_an_input_is_never_overwritten_and_nothing_is_left_of_a_failure(radar, tmp_path):
    before = (radar / "r.csv").read_bytes()
    link = tmp_path / "link.csv"
    link.symlink_to(radar / "r.csv")
    for output in (radar / "r.csv", link):
        refused = run("label", radar / "r.csv", "--systems", 3, "-o", output)
        assert refused.exit_code == 2
        assert "which is an input: it would be lost" in refused.stderr
    assert (radar / "r.csv").read_bytes() == before
    refused = run("label", radar / "r.csv", "-o", tmp_path / "new.csv")
    assert refused.exit_code == 2
    assert "if --systems says how many systems there are, or auto, to count them" in refused.stderr
    assert not (tmp_path / "new.csv").exists()


@pytest.mark.parametrize(
    ("more", "words"),
    [
        (("--method", "em"), "--estimate is an estimate already: leave out --method"),
        (("--systems", "auto"), "leave out the options about columns and systems"),
        (("--systems", 3), "leave out the options about columns and systems"),
        (("--value", "y"), "leave out the options about columns and systems"),
    ],
)
def test_an_estimate_leaves_nothing_to_say(radar, tmp_path, more, words):
    refused = run("label", radar / "r.csv", "--estimate", radar / "e.json", "-o", tmp_path / "l.csv", *more)
    assert refused.exit_code == 2
    assert words in refused.stderr


def test_an_estimate_of_something_else_is_refused(radar, tmp_path):
    refused = run("label", radar / "r.csv", "--estimate", radar / "r.csv", "-o", tmp_path / "l.csv")
    assert refused.exit_code == 2
    assert "is not what vieta fit writes as JSON" in refused.stderr
    trend = tmp_path / "trend.json"
    sets, _ = files.records(60)
    path = files.write(files.long_frame(sets, np.ones(60)), tmp_path / "a.csv")
    trend.write_text(made("fit", path, "--value", "y", "--trend", "--json"))
    refused = run("label", path, "--estimate", trend, "-o", tmp_path / "l.csv")
    assert refused.exit_code == 2
    assert "made of times or categories" in refused.stderr
    other = run("label", path, "--estimate", radar / "e.json", "-o", tmp_path / "l.csv")
    assert other.exit_code == 2
    assert "no column 'psi1'" in other.stderr
    assert not (tmp_path / "l.csv").exists()


def test_associations_of_checked_sets_are_those_of_sets():
    sets, psi = files.records(40)
    estimate = vieta.fit(sets, psi)
    assert_array_equal(estimate.associations_in(as_data(sets, psi)).systems, estimate.associations(sets, psi).systems)
