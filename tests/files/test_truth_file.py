"""The truth beside an estimate."""

import gzip
import json
from itertools import permutations

import numpy as np
import pytest
from click.testing import CliRunner
from numpy.testing import assert_array_equal

from vieta.cli.commands import vieta as command
from vieta.errors import BadFileError
from vieta.files.truth_file import beside, read_truth


def run(*arguments):
    return CliRunner().invoke(command, [str(a) for a in arguments])


@pytest.fixture
def files(tmp_path):
    run("simulate", "lines", "-n", 800, "-o", tmp_path / "a.csv", "--keep-truth", tmp_path / "t.json")
    return tmp_path / "a.csv", tmp_path / "t.json"


@pytest.mark.parametrize("seed", range(5))
def test_rows_are_put_beside_the_nearest_in_all_against_every_order(seed):
    rng = np.random.default_rng(seed)
    theta = rng.standard_normal((4, 2)) * [1.0, 1000.0]
    rows = rng.permuted(theta, axis=0) + 0.3 * rng.standard_normal((4, 2)) * [1.0, 1000.0]
    unit = np.ptp(theta, axis=0)
    best = min(permutations(range(4)), key=lambda order: (((rows[list(order)] - theta) / unit) ** 2).sum())
    assert_array_equal(beside(rows, theta), rows[list(best)])


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
    assert "! The truth lies in 0 of the 6 intervals" in run(*asked).output
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


def test_parameters_that_moved_are_compared_at_the_end(tmp_path):
    (tmp_path / "t.json.gz").write_bytes(gzip.compress(b'{"theta": [[1], [2]], "theta_last": [[3], [4]]}'))
    found = read_truth(tmp_path / "t.json.gz")
    assert_array_equal(found.theta, [[3.0], [4.0]])
    assert found.moved


@pytest.mark.parametrize("name", ["t.json", "t.json.gz", "t.csv", "t.csv.gz"])
@pytest.mark.parametrize("motion", ["", "motion = { law = 'jump', at = 10, to = [[1, 2], [7, 8]] }"])
def test_the_truth_is_read_in_every_form_in_which_it_is_written(tmp_path, name, motion):
    (tmp_path / "s.toml").write_text(f"theta = [[9.0, 1.0], [4.0, 2.0]]\n{motion}")
    run("simulate", tmp_path / "s.toml", "-n", 20, "-o", tmp_path / "a.csv", "--keep-truth", tmp_path / name)
    found = read_truth(tmp_path / name)
    assert found.moved == bool(motion)
    assert_array_equal(found.theta, [[7.0, 8.0], [1.0, 2.0]] if motion else [[4.0, 2.0], [9.0, 1.0]])


@pytest.mark.parametrize(
    "text",
    [
        "",
        "[1, 2]",
        "{}",
        "system,x\n1,2\n",
        "system,theta1\n1,a\n",
        "theta1\n2\n",
        '{"theta": 3}',
        '{"theta": [["a"]]}',
        '{"theta": [[1], [2, 3]]}',
        "3",
    ],
)
def test_files_that_hold_no_truth_are_refused(tmp_path, text):
    (tmp_path / "t.json").write_text(text)
    with pytest.raises(BadFileError, match="is not what vieta simulate --keep-truth writes"):
        read_truth(tmp_path / "t.json")


def test_the_truth_of_something_else_is_refused(files, tmp_path):
    records, truth = files
    truth.write_text('{"theta": [[1], [2]]}')
    result = run("fit", records, "--truth", truth, "--method", "rls")
    assert result.exit_code == 2
    assert (
        "has 2 systems of 1 parameter, and the estimate 3 systems of 2 parameters: it is not the truth" in result.stderr
    )
    assert "No such file" in run("fit", records, "--truth", tmp_path / "none.json", "--method", "rls").stderr
