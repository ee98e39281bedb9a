import json
import subprocess
import sys

import pytest
from click.testing import CliRunner

import vieta
from vieta.cli.commands import COMMANDS
from vieta.cli.commands import vieta as command


def run(*arguments):
    return CliRunner().invoke(command, arguments, catch_exceptions=False)


def test_version():
    assert run("--version").output == f"vieta, version {vieta.__version__}\n"


@pytest.mark.parametrize("arguments", [(), ("methods",), ("reproduce",)])
def test_every_command_has_help(arguments):
    result = run(*arguments, "-h")
    assert result.exit_code == 0
    assert "Usage" in result.output


def test_methods_lists_what_the_library_has():
    assert json.loads(run("methods", "--json").output) == vieta.methods()
    for name in vieta.methods():
        assert name in run("methods").output


def test_reproduce_prints_a_table_and_writes_the_figure(tmp_path):
    result = run("reproduce", "1", "-o", str(tmp_path / "figures"))
    assert result.exit_code == 0
    assert "not reproduced" in result.output
    assert (tmp_path / "figures" / "example-1.png").read_bytes().startswith(b"\x89PNG")


def test_reproduce_as_json():
    (report,) = json.loads(run("reproduce", "1", "--json").output)
    assert report["example"] == 1
    assert report["rows"][0]["verdict"] == "reproduced"


def test_an_unknown_example_is_refused():
    result = run("reproduce", "5")
    assert result.exit_code == 2
    assert "'5' is not one of" in result.output


@pytest.mark.parametrize("name", COMMANDS)
def test_every_command_of_the_table_has_a_line_and_examples(name):
    loaded = command.get_command(None, name)
    assert loaded.name == name
    assert loaded.get_short_help_str()
    assert "Examples:" in loaded.help


def test_an_unknown_command_is_refused():
    result = run("nonsense")
    assert result.exit_code == 2
    assert "No such command 'nonsense'" in result.output


def test_help_imports_nothing_heavy():
    heavy = "'rich', 'polars', 'matplotlib', 'numba', 'scipy.linalg'"
    code = (
        "import sys; from vieta.cli.commands import vieta; vieta(['--help'], standalone_mode=False); "
        f"assert not {{{heavy}}} & set(sys.modules)"
    )
    subprocess.run([sys.executable, "-c", code], check=True, stdout=subprocess.DEVNULL)


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_completion_prints_a_script_for_the_shell(shell):
    result = run("completion", shell)
    assert result.exit_code == 0
    assert "_VIETA_COMPLETE" in result.output
