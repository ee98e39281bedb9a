"""`vieta methods`: what the registry knows, with the options of each method."""

import json

from click.testing import CliRunner

import vieta
from vieta.cli.commands import vieta as command
from vieta.method import registry


def run(*arguments):
    return CliRunner().invoke(command, ["methods", *arguments], catch_exceptions=False)


def test_every_method_has_its_line_in_columns():
    lines = run().stdout.splitlines()
    assert len(lines) == len(vieta.methods())
    starts = {line.index(text) for line, text in zip(lines, vieta.methods().values(), strict=True)}
    assert len(starts) == 1
    assert [line.split()[0] for line in lines] == list(vieta.methods())


def test_json_has_the_options_of_each_method():
    listing = json.loads(run("--json").stdout)
    assert {name: one["line"] for name, one in listing.items()} == vieta.methods()
    for name, one in registry.every().items():
        infos = one.Options.infos()
        assert listing[name]["online"] is one.has_engine
        assert {option: told["help"] for option, told in listing[name]["options"].items()} == {
            option: info.help for option, info in infos.items()
        }
    assert listing["rls"]["options"]["memory"]["flag"] == "--memory"
    assert listing["rls"]["options"]["start"]["flag"] is None


def test_a_method_that_could_not_be_loaded_is_reported(monkeypatch):
    monkeypatch.setattr(registry, "broken", lambda: {"toy": "toys: ImportError: no"})
    result = run()
    assert result.exit_code == 0
    assert result.stderr == "method 'toy' could not be loaded: toys: ImportError: no\n"
