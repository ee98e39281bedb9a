"""`vieta simulate`: what it writes, `vieta fit` reads and recovers; the truth stays apart."""

import gzip
import json

import numpy as np
import polars as pl
import pytest
from click.shell_completion import ShellComplete
from click.testing import CliRunner
from numpy.testing import assert_array_equal

import vieta
from vieta.cli import simulate as module
from vieta.cli.commands import vieta as command
from vieta.files import writer

FILES = ["a.csv", "a.tsv", "a.parquet", "a.ndjson", "a.csv.gz", "a.tsv.gz", "a.ndjson.gz"]
TOML = """
theta = [[0.5, 0.05], [0.3, 0.11], [0.9, 0.08]]
noise = { law = "student-t", variance = 0.01, df = 6 }
inputs = { law = "affine", x = { law = "uniform", low = 0, high = 30 } }
"""


def run(*arguments, stdin=None):
    return CliRunner().invoke(command, [str(a) for a in arguments], input=stdin)


def simulated(path, *arguments):
    result = run("simulate", *arguments, "-o", path)
    assert result.exit_code == 0, result.stderr
    return result


def fitted(path, *arguments):
    result = run("fit", path, "--json", *arguments)
    assert result.exit_code == 0, result.stderr
    return json.loads(result.stdout)


def recovers(answer, truth):
    return bool(np.all(abs(np.array(answer["theta"]) - truth) < 5.0 * np.array(answer["stderr"])))


@pytest.mark.parametrize("name", FILES)
@pytest.mark.parametrize("wide", [False, True])
def test_fit_reads_every_format_back_to_the_last_bit(tmp_path, name, wide):
    more = ("--layout", "wide") if wide and "ndjson" not in name else ()
    simulated(tmp_path / name, "example-1", "-n", 200, "--seed", 3, *more)
    records = vieta.simulate("example-1", n=200, seed=3)
    answer = fitted(tmp_path / name, "--method", "least-squares")
    assert_array_equal(answer["theta"], vieta.fit(records.sets, records.inputs, method="least-squares").theta)


@pytest.mark.parametrize("name", ["a.csv", "a.parquet", "a.ndjson"])
@pytest.mark.parametrize(
    ("scenario", "n"), [("lines", 2000), ("regressions", 1500), ("example-3", 1500), ("heavy-tails", 3000)]
)
def test_fit_recovers_the_parameters(tmp_path, scenario, n, name):
    layouts = ["long", "wide"] if "ndjson" not in name else [None]
    for layout in layouts:
        more = ("--layout", layout) if layout else ()
        simulated(tmp_path / name, scenario, "-n", n, "--keep-truth", tmp_path / "truth.json", *more)
        answer, truth = fitted(tmp_path / name), json.loads((tmp_path / "truth.json").read_text())
        assert recovers(answer, np.array(truth["theta"]))
        assert not recovers(answer, np.array(truth["theta"]) + 6.0 * np.max(answer["stderr"]))


def test_a_scenario_of_ones_own(tmp_path):
    (tmp_path / "flats.toml").write_text(TOML)
    said = simulated(tmp_path / "a.csv", tmp_path / "flats.toml", "-n", 1500, "--keep-truth", tmp_path / "t.json")
    assert "flats, seed 0: 1,500 sets of 3 readings, shuffled" in said.stderr
    assert f"written: {tmp_path / 'a.csv'}\nwritten: {tmp_path / 't.json'}\n" in said.stderr
    answer, truth = fitted(tmp_path / "a.csv"), json.loads((tmp_path / "t.json").read_text())
    assert truth["theta"] == [[0.3, 0.11], [0.5, 0.05], [0.9, 0.08]]
    assert recovers(answer, np.array(truth["theta"]))


def test_lines_are_what_a_stream_of_sets_is(tmp_path):
    simulated(tmp_path / "a.ndjson", "example-3", "-n", 3)
    records = vieta.simulate("example-3", n=3)
    objects = [json.loads(line) for line in (tmp_path / "a.ndjson").read_text().splitlines()]
    assert [set(one) for one in objects] == [{"y", "psi"}] * 3
    assert_array_equal([one["y"] for one in objects], records.sets)
    assert_array_equal([one["psi"] for one in objects], records.inputs)
    simulated(tmp_path / "a.ndjson", "crowd", "-n", 2)
    assert [set(json.loads(line)) for line in (tmp_path / "a.ndjson").read_text().splitlines()] == [{"y"}] * 2


def test_standard_output_is_lines_and_nothing_else(tmp_path):
    result = run("simulate", "example-1", "-n", 300, "-o", "-")
    assert len(result.stdout.splitlines()) == 300
    answer = json.loads(run("fit", "-", "--json", "--method", "rls", stdin=result.stdout).stdout)
    assert answer["n_sets"] == 300


@pytest.mark.parametrize("name", ["t.json", "t.json.gz", "t.csv", "t.csv.gz"])
@pytest.mark.parametrize("scenario", ["lines", "example-2"])
def test_the_truth_names_every_reading(tmp_path, name, scenario):
    (tmp_path / "s.toml").write_text("theta = [[9.0], [4.0]]\nnoise = { law = 'gaussian', variance = 1e-6 }\n"
                                     "motion = { law = 'jump', at = 10, to = [1, 7] }")  # fmt: skip
    path = tmp_path / "s.toml" if scenario == "example-2" else scenario
    simulated(tmp_path / "a.parquet", path, "-n", 20, "--keep-truth", tmp_path / name)
    rows = pl.read_parquet(tmp_path / "a.parquet")
    content = (tmp_path / name).read_bytes()
    content = gzip.decompress(content) if name.endswith(".gz") else content
    psi = rows.select(pl.col("^psi.*$")).to_numpy() if scenario == "lines" else np.ones((40, 1))
    if ".csv" in name:
        truth = pl.read_csv(content)
        assert truth["set"].to_list() == rows["set"].to_list()
        theta = truth.select(pl.col("^theta.*$")).to_numpy()
    else:
        truth = json.loads(content)
        first, last = np.array(truth["theta"]), np.array(truth.get("theta_last", truth["theta"]))
        labels = np.array(truth["labels"]) - 1
        theta = np.concatenate([first[labels[:10]], last[labels[10:]]]).reshape(-1, first.shape[1])
        assert ("theta_last" in truth) == (scenario == "example-2")
        assert_array_equal(first[:, 0], np.sort(first[:, 0]))
    left = rows["y"].to_numpy() - (psi * theta).sum(axis=1)
    assert abs(left).max() < (1.1 if scenario == "lines" else 0.01)  # five standard deviations
    assert "system" not in rows.columns


def test_sets_are_shuffled(tmp_path):
    simulated(tmp_path / "a.csv", "crowd", "-n", 500, "--layout", "wide")
    means = pl.read_csv(tmp_path / "a.csv").select(pl.col("^y.*$")).mean().to_numpy().ravel()
    assert abs(means).max() < 5.0 * 2.9 / np.sqrt(500)  # the systems reach from -4.5 to 4.5, with deviation 2.9


def test_the_same_seed_gives_the_same_file_and_another_does_not(tmp_path):
    contents = []
    for seed in (1, 1, 2):
        simulated(tmp_path / "a.csv.gz", "example-1", "-n", 50, "--seed", seed)
        contents.append((tmp_path / "a.csv.gz").read_bytes())
    assert contents[0] == contents[1] != contents[2]


@pytest.mark.parametrize(
    ("law", "said"),
    [
        ("shuffled", "1 set of 2 readings, shuffled\n"),
        ("labeled", "1 set of 2 readings, in the order of the systems, not shuffled\n"),
        ("sticky", "shuffled, in an order that may stay from set to set\n"),
        ("sorted", "sorted by size, not shuffled\n"),
    ],
)
def test_the_order_within_sets_is_said_as_it_is(tmp_path, law, said):
    (tmp_path / "s.toml").write_text(f"theta = [1, 2]\nlabels = {{ law = '{law}' }}")
    assert said in simulated(tmp_path / "a.csv", tmp_path / "s.toml", "-n", 1).stderr


def test_sets_that_end_before_the_jump_are_reported(tmp_path):
    (tmp_path / "s.toml").write_text("theta = [1, 2]\nmotion = { law = 'jump', at = 50, to = [3, 4] }")
    asked = ("simulate", tmp_path / "s.toml", "-o", tmp_path / "a.csv", "-n")
    assert "no jump: it follows set 50, and there are 50 sets. Ask for more with -n." in run(*asked, 50).stderr
    assert "no jump" not in run(*asked, 51).stderr


def test_the_list_as_json():
    for words in (("--list", "--json"), ("--json", "--list")):
        assert json.loads(run("simulate", *words).stdout) == vieta.scenarios.listing()
    result = run("simulate", "example-1", "-o", "-", "--json")
    assert result.exit_code == 2
    assert "--json needs --list." in result.stderr


def test_scenarios_are_completed_by_name_and_otherwise_as_files():
    words = ShellComplete(command, {}, "vieta", "_VIETA_COMPLETE")
    assert [item.value for item in words.get_completions(["simulate"], "example-")] == [
        name for name in vieta.scenarios.listing() if name.startswith("example-")
    ]
    assert [item.type for item in words.get_completions(["simulate"], "my/")] == ["file"]


def test_the_list_has_every_scenario():
    result = run("simulate", "--list")
    assert result.exit_code == 0
    assert all(name in result.output and line in result.output for name, line in vieta.scenarios.listing().items())


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("exampel-1", "-o", "a.csv"), "There is no scenario 'exampel-1'. Near it: 'example-1'"),
        (("none.toml", "-o", "a.csv"), "none.toml cannot be read: No such file"),
        (("example-1", "-o", "a.xlsx"), "the name must end in .csv, .tsv, .parquet, .ndjson"),
        (("example-1", "-o", "nowhere/a.csv"), "there is no folder nowhere"),
        (("example-1", "-o", "a.csv", "--keep-truth", "a.txt"), "the name must end in .json, .csv"),
        (("example-1", "-o", "a.csv", "--keep-truth", "./a.csv"), "as --output does"),
        (("example-1", "-o", "a.ndjson", "--layout", "wide"), "NDJSON has one set a line"),
        (("example-1", "-o", "a.csv", "-n", "0"), "0 is not in the range"),
        (("example-1",), "Missing option '-o'"),
        (("-o", "a.csv"), "Missing argument 'SCENARIO'"),
        (("bad.toml", "-o", "a.csv", "-n", "5"), "bad.toml: `theta` is missing"),
        (("short.toml", "-o", "a.csv"), "short.toml does not say how many sets: give -n N, or write n = N in it."),
    ],
)
def test_mistakes_are_reported_and_nothing_is_written(tmp_path, monkeypatch, arguments, message):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "bad.toml").write_text("n = 5")
    (tmp_path / "short.toml").write_text("theta = [1, 2]")
    result = run("simulate", *arguments)
    assert result.exit_code == 2
    assert message in " ".join(result.stderr.split())
    assert "Traceback" not in result.output
    assert {path.name for path in tmp_path.iterdir()} == {"bad.toml", "short.toml"}


def test_too_many_sets_for_the_memory_are_refused_in_words(tmp_path):
    result = run("simulate", "example-1", "-n", 10**15, "-o", tmp_path / "a.csv")
    assert result.exit_code == 2
    assert "-n" in result.stderr
    assert "1000000000000000 is not in the range 1<=x<=1000000000" in " ".join(result.stderr.split())


def test_the_command_knows_the_endings_of_the_library():
    assert sorted(module.ENDINGS) == sorted(writer.TABLES + writer.LINES)
    assert writer.TRUTHS == module.TRUTHS
