"""`vieta demo`: it runs the commands that it shows, and the README shows the same."""

import shlex
from pathlib import Path

from click.testing import CliRunner

from vieta.cli.commands import vieta as command
from vieta.cli.demo import commands
from vieta.data import STORY


def test_the_demonstration_runs_and_says_where_its_pictures_are(tmp_path):
    folder = tmp_path / "a folder"
    result = CliRunner().invoke(command, ["demo", "-o", str(folder)], catch_exceptions=False)
    assert result.exit_code == 0
    for words in (
        STORY,
        "Kernels that no run on this machine has compiled yet are compiled now",
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


def test_a_folder_that_cannot_be_made_is_refused(tmp_path):
    (tmp_path / "file").write_text("")
    result = CliRunner().invoke(command, ["demo", "-o", str(tmp_path / "file" / "demo")])
    assert result.exit_code == 2
    assert "cannot be made: Not a directory" in result.stderr


def test_the_readme_shows_the_commands_of_the_demonstration():
    text = (Path(__file__).parents[2] / "README.md").read_text(encoding="utf-8")
    for words in commands(Path("demo")):
        assert f"    $ vieta {shlex.join(words)}\n" in text
    for line in ("vieta simulate example-1 -n 5000 -o records.csv --keep-truth truth.json", "make reproduce"):
        assert f"\n    {line}" in text
