"""Flags made from the options of the methods: all of them, each once, naming its methods; also those of other packages."""

from dataclasses import dataclass

import click
import pytest
from click.testing import CliRunner

from vieta.cli.commands import vieta as command
from vieta.cli.method_flags import MethodCommand, given_options, method_options, option_words, usable
from vieta.method import registry
from vieta.method.base import BatchMethod, Method
from vieta.options import Options, option


@dataclass(frozen=True, eq=False)
class ToyOptions(Options):
    memory: float = option(9.0, "How long a toy remembers.", "number", "DAYS")
    shape: str = option("round", "The shape of the toy.", "text")
    sizes: object = option(None, "Sizes, one or more.", "numbers", "SIZE")
    loud: bool = option(False, "Whether it is loud.", "switch")
    hidden: object = option(None, "Of Python alone.")
    plot: str = option("", "Not what the command calls so.", "text")


class Toy(BatchMethod):
    name = "toy"
    line = "A toy."
    Options = ToyOptions

    def fit(self, passes, options):
        raise NotImplementedError


def flags(methods):
    return {one.opts[0]: one for one in method_options(methods)}


def test_every_option_of_every_method_has_one_flag_that_names_its_methods():
    found = flags(registry.every())
    for name, one in registry.every().items():
        for option_name, info in one.Options.infos().items():
            flag = f"--{option_name.replace('_', '-')}"
            assert (flag in found) == (info.kind is not None)
            if info.kind is not None:
                assert name in found[flag].help
                assert info.help.rstrip(".") in found[flag].help
    assert found["--memory"].help.endswith("(efficient, adaptive, rls).")


def test_kinds_become_types():
    found = flags({"toy": Toy()})
    assert set(found) == {"--memory", "--shape", "--sizes", "--loud", "--plot"}
    assert (found["--memory"].type, found["--memory"].metavar) == (click.FLOAT, "DAYS")
    assert found["--shape"].type is click.STRING
    assert found["--sizes"].multiple
    assert found["--loud"].is_flag
    assert not found["--memory"].multiple


def test_one_flag_serves_methods_that_say_different_things():
    found = flags(registry.every() | {"toy": Toy()})
    assert "(efficient, adaptive, rls)" in found["--memory"].help
    assert "How long a toy remembers (toy)." in found["--memory"].help


@pytest.mark.parametrize("online", [False, True])
def test_a_command_has_the_flags_of_the_methods_that_it_can_use(monkeypatch, online):
    methods = {"efficient": registry.get("efficient"), "toy": Toy()}
    monkeypatch.setattr(registry, "every", lambda: methods)
    given = {}

    @click.command(cls=MethodCommand, online=online)
    @click.option("--level", type=float)
    @click.option("--plot")
    def run(**told):
        given.update(told)

    assert list(usable(online=online)) == (["efficient"] if online else ["efficient", "toy"])
    words = ["--method", "toy", "--sizes", "1", "--sizes", "2", "--loud", "--plot", "mine", "--memory", "3"]
    result = CliRunner().invoke(run, words)
    assert result.exit_code == (2 if online else 0)
    if not online:
        assert given["method"] == "toy"
        assert given["plot"] == "mine"  # the command's own comes first
        assert given_options(given) == {"sizes": [1.0, 2.0], "loud": True, "memory": 3.0}
    shown = CliRunner().invoke(run, ["--help"]).stdout
    assert ("toy" in shown) is not online
    assert shown.index("--memory") < shown.index("--level") < shown.index("--plot")


def test_a_method_of_another_package_is_a_choice_of_the_commands(monkeypatch):
    every = registry.every()
    monkeypatch.setattr(registry, "every", lambda: every | {"toy": Toy()})
    shown = CliRunner().invoke(command, ["fit", "--help"]).stdout
    assert "toy" in shown
    assert "--shape" in shown
    assert "toy" not in CliRunner().invoke(command, ["watch", "--help"]).stdout
    assert "A toy." in CliRunner().invoke(command, ["methods"]).stdout


def test_only_what_was_given_is_an_option():
    given = {
        "method": None,
        "level": 0.9,
        "option_memory": None,
        "option_step": (),
        "option_robust": None,
        "option_law": "gaussian",
    }
    assert given_options(given) == {"law": "gaussian"}
    assert given_options({"option_step": (0.1,)}) == {"step": 0.1}


def test_words_give_the_options_again():
    options = {"memory": 5000.0, "robust": True, "step": [0.1, 0.2], "law": "laplace", "noise_var": 1e-12}
    found = click.Command("none", params=method_options(registry.every()))
    with found.make_context("none", option_words(options)) as ctx:
        assert given_options(ctx.params) == options


def test_methods_are_asked_for_when_flags_are_needed(monkeypatch):
    asked = []
    monkeypatch.setattr(registry, "every", lambda: asked.append(1) or {})
    MethodCommand("none", params=[])
    assert not asked
    assert issubclass(Toy, Method)


def test_decisions_are_yes_no_or_auto_and_come_back_in_words():
    found = flags(registry.every())["--misses"]
    context = click.Context(command)
    assert [found.type.convert(word, found, context) for word in ("yes", "no", "auto")] == [True, False, "auto"]
    with pytest.raises(click.BadParameter, match="is not one of yes, no, auto"):
        found.type.convert("maybe", found, context)
    assert option_words({"misses": False, "clutter": "auto"}) == ["--misses", "no", "--clutter", "auto"]
    assert "[yes|no|auto]" in CliRunner().invoke(command, ["fit", "--help"]).output
