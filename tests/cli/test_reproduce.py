"""`vieta reproduce`: tables, figures and JSON of the paper's Examples."""

import json

import pytest
from click.testing import CliRunner

from vieta.cli.commands import vieta as command


def run(*arguments):
    return CliRunner().invoke(command, arguments, catch_exceptions=False)


@pytest.fixture(scope="module")
def shown(tmp_path_factory):
    """What Example 1 prints, with the folder of its figure."""
    folder = tmp_path_factory.mktemp("figures")
    return run("reproduce", "1", "-o", str(folder)), folder


@pytest.fixture(scope="module")
def report():
    """Example 1 as JSON."""
    (found,) = json.loads(run("reproduce", "1", "--json").output)
    return found


def test_reproduce_prints_a_table_and_writes_the_figure(shown):
    result, folder = shown
    assert result.exit_code == 0
    assert "not reproduced" in result.output
    assert (folder / "example-1.png").read_bytes().startswith(b"\x89PNG")


def test_reproduce_as_json(report):
    assert report["example"] == 1
    assert report["rows"][0]["verdict"] == "reproduced"


def test_an_unknown_example_is_refused():
    result = run("reproduce", "5")
    assert result.exit_code == 2
    assert "'5' is not one of" in result.output


def test_the_table_shows_every_claim_with_its_verdict_and_why(shown, report):
    text = " ".join(shown[0].output.split())
    for row in report["rows"]:
        assert row["why"] in text
    for verdict in {row["verdict"] for row in report["rows"]}:
        assert verdict.split()[0] in text
