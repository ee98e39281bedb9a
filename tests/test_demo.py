"""The data that come with the package are what their script makes, and the demonstration says what is true of them."""

import gzip
import json
import shlex
from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner
from numpy.testing import assert_allclose, assert_array_equal

import vieta
from vieta.anonymity.order_evidence import guessed_labels
from vieta.cli.commands import vieta as command
from vieta.cli.demo import commands
from vieta.data import FILES, STORY, content, meters
from vieta.laws.noise import Gaussian
from vieta.sets import as_data


@pytest.fixture(scope="module")
def records():
    return meters.records()


def test_the_files_are_what_the_script_makes(records):
    assert gzip.decompress(content("meters.csv.gz")).decode() == meters.as_csv(records)
    truth = json.loads(content("meters-truth.json"))
    assert_array_equal(truth["theta"], meters.FLATS)
    assert_array_equal(np.array(truth["labels"]) - 1, records.labels)
    assert f"{len(records.sets):,} hours" in STORY
    assert sum(len(content(name)) for name in FILES) < 300_000


def test_readings_are_such_as_meters_give(records):
    assert records.sets.min() >= 0.0
    assert_allclose(records.sets * 100, (records.sets * 100).round(), atol=1e-9)
    cold = records.inputs[:, 1]
    assert 0.0 < cold.min() < 10.0
    assert 30.0 < cold.max() < 40.0


def test_the_estimate_is_right_and_has_no_findings(records):
    estimate = vieta.fit(records.sets, records.inputs)
    z = (estimate.theta - np.array(meters.FLATS)) / estimate.stderr
    assert estimate.warnings == ()
    assert abs(z).max() < 4.0
    assert abs((estimate.theta * 1.1 - np.array(meters.FLATS)) / estimate.stderr).max() > 4.0  # the test can fail


def test_readings_are_named_about_as_often_as_the_audit_says(records):
    """The audit takes the noise for Gaussian; here it is skewed."""
    found = vieta.anonymity.audit(records, added=[0.0], draws=2000)
    law = Gaussian(found.noise.variance)
    guess = guessed_labels(as_data(records.sets, records.inputs), found.theta, law)
    labels = records.labels[: len(guess)]
    hits = np.array([(guess == labels)[labels == l].mean() for l in range(5)])
    assert_allclose(hits, found.now.reidentification, atol=0.06)
    assert int(hits.argmax()) == 2
    assert "System 3 stands out" in found.warnings[0]
    assert not found.serious


def test_the_demonstration_runs_and_says_where_its_pictures_are(tmp_path):
    folder = tmp_path / "a folder"
    result = CliRunner().invoke(command, ["demo", "-o", str(folder)], catch_exceptions=False)
    assert result.exit_code == 0
    for words in (
        STORY,
        "The first run on a machine compiles its kernels, for about a minute",
        "$ vieta fit '",
        "truth",
        "No findings: nothing in the sets speaks against this estimate",
        "The truth lies in",
        "$ vieta audit '",
        "! System 3 stands out",
        f"Open {folder / 'fit.html'} and {folder / 'audit.html'}",
    ):
        assert words in result.output
    for words in commands(folder):
        for path in (words[words.index("--plot") + 1], words[words.index("--report") + 1]):
            assert f"written: {path}" in result.output
    assert sorted(path.name for path in folder.iterdir()) == [
        "audit.html", "audit.png", "fit.html", "fit.png", "meters-truth.json", "meters.csv.gz",
    ]  # fmt: skip


def test_a_folder_that_cannot_be_made_is_told(tmp_path):
    (tmp_path / "file").write_text("")
    result = CliRunner().invoke(command, ["demo", "-o", str(tmp_path / "file" / "demo")])
    assert result.exit_code == 2
    assert "cannot be made: Not a directory" in result.stderr


def test_the_readme_shows_the_commands_of_the_demonstration():
    text = (Path(__file__).parents[1] / "README.md").read_text(encoding="utf-8")
    for words in commands(Path("demo")):
        assert f"    $ vieta {shlex.join(words)}\n" in text
    for line in ("vieta simulate example-1 -n 5000 -o records.csv --keep-truth truth.json", "make reproduce"):
        assert f"\n    {line}" in text
