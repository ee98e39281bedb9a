"""The command: its list of commands, their help, and that help is fast."""

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


@pytest.mark.parametrize("name", COMMANDS)
def test_every_command_of_the_table_has_a_line_and_examples(name):
    loaded = command.get_command(None, name)
    assert loaded.name == name
    assert loaded.get_short_help_str()
    assert "Examples:" in loaded.help


def test_help_shows_examples_and_exit_codes():
    shown = run("--help").stdout
    assert "vieta fit records.csv" in shown
    assert "130  interrupted" in shown
    assert all(f"  {name} " in shown for name in COMMANDS)


@pytest.mark.parametrize("name", COMMANDS)
def test_every_command_has_a_module_of_its_own_and_help(name):
    assert COMMANDS[name] == f"vieta.cli.{name}"
    result = run(name, "--help")
    assert result.exit_code == 0
    assert "Usage" in result.output


def test_an_unknown_command_is_refused():
    result = run("nonsense")
    assert result.exit_code == 2
    assert "No such command 'nonsense'" in result.output


def test_help_imports_nothing_heavy():
    heavy = "'rich', 'polars', 'matplotlib', 'numba', 'numpy', 'scipy', 'vieta.method', 'vieta.estimators'"
    code = (
        "import sys; from vieta.cli.commands import vieta; vieta(['--help'], standalone_mode=False); "
        f"assert not {{{heavy}}} & set(sys.modules)"
    )
    subprocess.run([sys.executable, "-c", code], check=True, stdout=subprocess.DEVNULL)
