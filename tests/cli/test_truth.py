"""`vieta fit --truth`: the known parameters beside the estimates."""

import json

import numpy as np
import pytest
from click.testing import CliRunner

from vieta.cli.commands import vieta as command


def run(*arguments):
    return CliRunner().invoke(command, [str(a) for a in arguments])


@pytest.fixture
def files(tmp_path):
    run("simulate", "lines", "-n", 800, "-o", tmp_path / "a.csv", "--keep-truth", tmp_path / "t.json")
    return tmp_path / "a.csv", tmp_path / "t.json"


def test_the_table_the_verdict_and_the_json_have_the_truth(files):
    records, truth = files
    shown = run("fit", records, "--truth", truth, "--method", "rls").output
    assert "truth" in shown
    assert "intervals; 5.7 are expected to hold it." in shown
    answer = json.loads(run("fit", records, "--truth", truth, "--method", "rls", "--json").output)
    assert answer["truth"] == [[0.0, 1.0], [4.0, -0.5], [10.0, -1.0]]
    assert answer["settings"]["command"].endswith(f"--truth {truth}")
    assert "truth" not in json.loads(run("fit", records, "--method", "rls", "--json").output)


def test_intervals_that_miss_are_counted(files):
    records, truth = files
    known = json.loads(truth.read_text())
    truth.write_text(json.dumps({"theta": (np.array(known["theta"]) + 5.0).tolist()}))
    asked = ("fit", records, "--truth", truth, "--method", "rls")
    assert "!! The truth lies in 0 of the 6 intervals" in run(*asked).output
    assert (run(*asked).exit_code, run(*asked, "--strict").exit_code) == (0, 1)


def test_intervals_that_hold_the_truth_pass_strictly(files):
    assert run("fit", files[0], "--truth", files[1], "--strict").exit_code == 0


@pytest.mark.parametrize(("at", "header"), [(400, "truth at the end"), (900, "truth")])
def test_the_truth_of_parameters_that_moved_is_that_at_the_end(tmp_path, at, header):
    (tmp_path / "s.toml").write_text(f"theta = [1, 9]\nmotion = {{ law = 'jump', at = {at}, to = [2, 7] }}")
    records, truth = tmp_path / "a.csv", tmp_path / "t.csv"
    run("simulate", tmp_path / "s.toml", "-n", 800, "-o", records, "--keep-truth", truth)
    shown = run("fit", records, "--truth", truth, "--method", "rls").output
    assert f"The {header} lies in" in shown
    assert ("truth at the end" in shown.split("interval")[0]) == (header == "truth at the end")


def test_the_truth_of_something_else_is_refused(files, tmp_path):
    records, truth = files
    truth.write_text('{"theta": [[1], [2]]}')
    result = run("fit", records, "--truth", truth, "--method", "rls")
    assert result.exit_code == 2
    assert (
        "has 2 systems of 1 parameter, and the estimate 3 systems of 2 parameters: it is not the truth" in result.stderr
    )
    assert "No such file" in run("fit", records, "--truth", tmp_path / "none.json", "--method", "rls").stderr
