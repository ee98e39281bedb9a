"""`vieta groups`: what `vieta.fit_groups` finds, in tables and as JSON."""

import json

import numpy as np
import pytest
from click.testing import CliRunner
from numpy.testing import assert_allclose

import vieta
from tests.files import samples as files
from vieta.cli.commands import vieta as command
from vieta.cli.groups import APART, TOGETHER

THETA = np.array([[0.0, 1.0], [2.0, -0.5], [4.0, 3.0]])


def run(*arguments):
    return CliRunner().invoke(command, [str(a) for a in arguments])


def records(levels, n=300, seed=0):
    rng = np.random.default_rng(seed)
    b = np.arange(n) % levels
    inputs = np.stack([np.ones(n), b], axis=1)
    return rng.permuted(inputs @ THETA.T + 0.1 * rng.standard_normal((n, 3)), axis=1), b.astype(float)


def written(tmp_path, levels):
    sets, b = records(levels)
    return sets, b, files.write(files.long_frame(sets, b), tmp_path / "a.csv")


def test_what_fit_refuses_is_estimated_in_each_group(tmp_path):
    *_, path = written(tmp_path, 2)
    refused = run("fit", path, "--intercept")
    assert refused.exit_code == 2
    assert "vieta groups" in refused.output
    result = run("groups", path, "--intercept")
    assert result.exit_code == 0
    assert "Values under intercept = 1, psi = 0, from 150 sets" in result.output
    assert "Values under intercept = 1, psi = 1, from 150 sets" in result.output
    assert APART in " ".join(result.output.split())


def test_json_holds_the_estimates_of_the_library(tmp_path):
    sets, b, path = written(tmp_path, 2)
    answer = json.loads(run("groups", path, "--intercept", "--json").output)
    expected = vieta.fit_groups(sets, np.stack([np.ones(len(b)), b], axis=1))
    assert answer["inputs"] == ["intercept", "psi"]
    assert [group["rows"] for group in answer["groups"]] == [[[1.0, 0.0]], [[1.0, 1.0]]]
    for group, one in zip(answer["groups"], expected, strict=True):
        assert_allclose(group["estimate"]["theta"], one.estimate.theta)


def test_inputs_that_tell_are_one_group(tmp_path):
    *_, path = written(tmp_path, 3)
    result = run("groups", path, "--intercept")
    assert result.exit_code == 0
    assert TOGETHER in " ".join(result.output.split())
    assert "Values under the inputs of a group" in result.output


@pytest.mark.parametrize("text", ["", "set,y\n1,2\n1,x\n"])
def test_a_file_that_cannot_be_used_is_refused(tmp_path, text):
    path = tmp_path / "bad.csv"
    path.write_text(text)
    result = run("groups", path)
    assert result.exit_code == 2
    assert result.output.startswith("Error: ")
