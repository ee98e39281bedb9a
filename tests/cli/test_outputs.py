"""Files that commands write: the answer comes first, no input is lost, and what cannot be written is said before the work."""

import json

import pytest
from click.testing import CliRunner

from tests.files import samples as files
from vieta.cli.commands import vieta as command

QUICK = ("--method", "least-squares")


def run(*arguments):
    return CliRunner().invoke(command, [str(a) for a in arguments])


@pytest.fixture
def records(tmp_path):
    return files.write(files.long_frame(*files.records(60)), tmp_path / "a.csv")


@pytest.mark.parametrize(("option", "name"), [("--report", "r.html"), ("--plot", "p.png")])
def test_the_answer_is_shown_even_if_a_file_cannot_be_written(records, tmp_path, option, name):
    (tmp_path / name).symlink_to("/dev/full")
    for words in (("fit", records, *QUICK), ("audit", records, "--added", "1")):
        result = run(*words, option, tmp_path / name)
        assert result.exit_code == 2
        assert "What to make of it" in result.stdout
        assert "written" not in result.stdout
        assert result.stderr == f"Error: {tmp_path / name} cannot be written: No space left on device.\n"
    result = run("fit", records, *QUICK, option, tmp_path / name, "--json")
    assert json.loads(result.stdout)["n_sets"] == 60


@pytest.mark.parametrize("words", [("fit", *QUICK), ("audit", "--added", "1")])
@pytest.mark.parametrize(("option", "name"), [("--report", "b.html"), ("--plot", "c.png")])
@pytest.mark.parametrize("link", ["none", "symbolic", "hard"])
def test_an_input_is_never_overwritten(records, tmp_path, words, option, name, link):
    path = records.rename(tmp_path / name)
    target = path if link == "none" else tmp_path / f"other{path.suffix}"
    if link == "symbolic":
        target.symlink_to(path)
    elif link == "hard":
        target.hardlink_to(path)
    before = path.read_bytes()
    result = run(words[0], path, *words[1:], option, target)
    assert result.exit_code == 2
    assert (
        result.stderr
        == f"Error: {option} would write {target}, which is an input: it would be lost. Name another file.\n"
    )
    assert path.read_bytes() == before


def test_the_truth_and_a_scenario_are_inputs_and_outputs_are_apart(records, tmp_path, monkeypatch):
    truth = tmp_path / "t.html"
    truth.write_text("{}")
    assert "--report would write" in run("fit", records, *QUICK, "--truth", truth, "--report", truth).stderr
    scenario, link = tmp_path / "s.toml", tmp_path / "s.csv"
    scenario.write_text("theta = [1, 2]\nn = 5\n")
    link.symlink_to(scenario)
    assert "--output would write" in run("simulate", scenario, "-o", link).stderr
    monkeypatch.chdir(tmp_path)
    result = run("simulate", "example-1", "-n", 5, "-o", "x.csv", "--keep-truth", tmp_path / "x.csv")
    assert f"--keep-truth would write {tmp_path / 'x.csv'}, as --output does. Name another file." in result.stderr
    assert not (tmp_path / "x.csv").exists()


def test_a_folder_in_which_nothing_can_be_written_is_refused_before_the_work(records, tmp_path, monkeypatch):
    monkeypatch.setattr("os.access", lambda *_: False)
    result = run("fit", records, "--report", tmp_path / "r.html")
    assert result.exit_code == 2
    assert result.stdout == ""
    assert f"nothing can be written to the folder {tmp_path}." in " ".join(result.stderr.split())


@pytest.mark.parametrize("words", [("reproduce", "1"), ("demo",)])
def test_a_folder_that_cannot_be_made_is_refused_before_the_work(records, words):
    result = run(*words, "-o", records / "figures")
    assert result.exit_code == 2
    assert result.stdout == ""
    assert result.stderr == f"Error: the folder {records / 'figures'} cannot be made: Not a directory.\n"
