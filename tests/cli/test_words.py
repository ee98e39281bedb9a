"""What the library says in terms of Python, the command says in its own."""

import json
import re

import numpy as np
import pytest
from click.testing import CliRunner

from tests.files import samples as files
from vieta.cli.commands import vieta as command
from vieta.cli.words import in_words
from vieta.estimators import fit_findings
from vieta.options import BELONGS, require_belongs

PYTHON = re.compile(r"\w=|SymmetricFilter|vieta\.|`")


def run(*arguments):
    return CliRunner().invoke(command, [str(a) for a in arguments])


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (fit_findings.of_changes(np.array([7]))[0], "give --drift or --memory."),
        (fit_findings.of_mixed_changes(np.array([7]))[0], "Give --step, or use method 'efficient'"),
        (fit_findings.of_unsafe_start(False, False)[0], "Check with vieta fit on stored sets"),
        ("or use SymmetricFilter, which follows changes.", "or use vieta watch, which follows changes."),
        ("use method 'efficient', or another law=, or leave out noise_var=.", "or another --law, or leave out --noise-var."),
        ("sets of 3 readings came, and n_systems=7 was asked for.", "and --systems 7 was asked for."),
        ("About the estimate: some. Use robust=True to bound.", "About the estimate: some. Use vieta fit --robust to bound."),
    ],
)  # fmt: skip
def test_findings(text, said):
    assert PYTHON.search(text)
    assert said in in_words(text)
    assert not PYTHON.search(in_words(text))


def test_no_option_is_advised_that_was_given():
    (text,) = fit_findings.of_changes(np.array([7]))
    assert in_words(text, ["memory"]).endswith("The estimate is of the sets since then.")


@pytest.mark.parametrize("method", BELONGS)
def test_every_option_that_a_message_names_is_one_of_the_command(method):
    known = {option for param in command.get_command(None, "fit").params for option in param.opts}
    for name in {"memory", "drift", "robust", "step", "law", "noise_var"} - BELONGS[method]:
        with pytest.raises(ValueError, match="belongs to") as refused:
            require_belongs(method, {name})
        said = in_words(str(refused.value))
        assert not PYTHON.search(said)
        assert set(re.findall(r"--[\w-]+", said)) <= known


def test_tables_and_pages_have_the_words_of_the_command_and_json_those_of_the_library(tmp_path):
    sets, psi = files.records(400)
    sets[::80] *= 40.0
    path = files.write(files.long_frame(sets, psi), tmp_path / "a.csv")
    table, answer = run("fit", path, "--report", tmp_path / "r.html"), json.loads(run("fit", path, "--json").stdout)
    assert any("Use robust=True" in text for text in answer["warnings"])
    assert "Use --robust to bound" in table.stdout
    assert "robust=True" not in table.stdout + (tmp_path / "r.html").read_text()
    audited = run("audit", path, "--added", "1")
    assert "Use vieta fit --robust to bound" in audited.stdout
