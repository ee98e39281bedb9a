"""`vieta completion`: a script for each shell."""

import subprocess

import pytest
from click.testing import CliRunner

from vieta.cli.commands import vieta as command


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_completion_prints_a_script_for_the_shell(shell):
    result = CliRunner().invoke(command, ["completion", shell], catch_exceptions=False)
    assert result.exit_code == 0
    assert "_VIETA_COMPLETE" in result.output
    assert f"{shell}_complete" in result.output


def test_the_script_for_bash_is_bash():
    script = CliRunner().invoke(command, ["completion", "bash"]).output
    assert subprocess.run(["bash", "-n"], input=script.encode(), check=False).returncode == 0


def test_an_unknown_shell_is_refused():
    assert CliRunner().invoke(command, ["completion", "tcsh"]).exit_code == 2
