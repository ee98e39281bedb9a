"""`vieta merge`: states of watches, made into one."""

import json

import pytest
from click.testing import CliRunner
from numpy.testing import assert_array_equal

import vieta
from vieta.cli.commands import vieta as command


def run(*arguments):
    return CliRunner().invoke(command, [str(a) for a in arguments])


def saved(path, seed, theta=(-2.0, 5.0, 8.0), n=2500):
    records = vieta.simulate(theta, n=n, seed=seed)
    vieta.SymmetricFilter(3).partial_fit(records.sets, records.inputs).save(path)
    return path


def test_states_become_one_that_python_gives_too(tmp_path):
    paths = [saved(tmp_path / f"{seed}.npz", seed) for seed in range(2)]
    out = tmp_path / "all.npz"
    result = run("merge", *paths, "-o", out)
    assert result.exit_code == 0, result.output
    assert "2 states, 5,000 sets" in result.output
    assert f"written: {out}" in result.output.replace("\n", "")
    expected = vieta.merge(vieta.SymmetricFilter.load(path) for path in paths).estimate()
    assert_array_equal(vieta.SymmetricFilter.load(out).estimate().theta, expected.theta)
    answer = json.loads(run("merge", *paths, "-o", out, "--json").output)
    assert answer["theta"] == expected.theta.tolist()


def test_states_of_other_systems_are_refused_and_nothing_is_written(tmp_path):
    one, other = saved(tmp_path / "a.npz", 0), saved(tmp_path / "b.npz", 1, (-2.0, 4.0, 8.0))
    result = run("merge", one, other, "-o", tmp_path / "all.npz")
    assert result.exit_code == 2
    assert "contradict each other" in result.output
    assert not (tmp_path / "all.npz").exists()


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["gone.npz", "-o", "all.npz"], "there is no file"),
        (["bad.npz", "-o", "all.npz"], "damaged"),
        (["a.npz", "-o", "a.npz"], "which is an input"),
        (["a.npz", "-o", "nowhere/all.npz"], "there is no folder"),
        (["a.npz", "-o", "all.csv"], "must end in .npz"),
        (["a.npz", "-o", "all.npz", "--level", "2"], "--level"),
    ],
)
def test_what_cannot_be_used_is_refused(tmp_path, monkeypatch, words, said):
    monkeypatch.chdir(tmp_path)
    saved(tmp_path / "a.npz", 0, n=50)
    (tmp_path / "bad.npz").write_bytes(b"nothing")
    result = run("merge", *words)
    assert result.exit_code == 2
    assert said in " ".join(result.output.split())
