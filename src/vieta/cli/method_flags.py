"""Flags made from the options of the methods: `--method`, and one flag for each option that a command line can give.

A command that has them is a `MethodCommand`. It asks the registry when its parameters are needed, not when it is imported, so that
help on all commands stays fast and the methods of other packages are there by themselves.
"""

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, ClassVar

import click

from vieta.cli.audience import spelled, with_value

if TYPE_CHECKING:
    from vieta.method.base import Method
    from vieta.options import OptionInfo

    _ParamType = click.ParamType[Any]
else:
    _ParamType = click.ParamType

PREFIX = "option_"  # of a parameter of the command that is an option of methods
PLACES = ("level", "help")  # parameters, before the first of which the flags of methods stand


class NumberOrAuto(_ParamType):
    """A number, or the word that leaves it to the method."""

    name = "number or auto"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        """The number, or the word."""
        from vieta.options import is_auto

        return value if is_auto(value) else click.FLOAT.convert(value, param, ctx)


class Decision(_ParamType):
    """Yes, no, or the word that leaves it to the method."""

    name = "decision"
    words: ClassVar[dict[str, bool | str]] = {"yes": True, "no": False, "auto": "auto"}

    def get_metavar(self, param: click.Parameter, ctx: click.Context) -> str:
        """The words."""
        return f"[{'|'.join(self.words)}]"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        """True, False, or the word."""
        if value not in self.words:
            self.fail(f"{value!r} is not one of {', '.join(self.words)}.", param, ctx)
        return self.words[value]


class MethodCommand(click.Command):
    """A command with `--method` and the options of the methods: all of them, or those that take sets as they come."""

    def __init__(self, *arguments: Any, online: bool = False, **attributes: Any) -> None:
        super().__init__(*arguments, **attributes)
        self.online = online

    def get_params(self, ctx: click.Context) -> list[click.Parameter]:
        """Its own parameters, with those of the methods among them."""
        own = super().get_params(ctx)
        at = next((k for k, one in enumerate(own) if one.name in PLACES), len(own))
        taken = {flag for one in own for flag in (*one.opts, *one.secondary_opts)} | {"--method"}
        made = method_options({**usable(online=self.online), **answering()})
        free = [one for one in made if not taken & set(one.opts)]
        return [*own[:at], method_option(online=self.online), family_option(), *free, *own[at:]]


class FamilyCommand(click.Command):
    """A command with `--family` and the options of the families, but for `HELD`."""

    HELD: ClassVar[tuple[str, ...]] = ("memory",)

    def get_params(self, ctx: click.Context) -> list[click.Parameter]:
        """Its own parameters, with those of the families among them."""
        own = super().get_params(ctx)
        at = next((k for k, one in enumerate(own) if one.name in (*PLACES, "added")), len(own))
        made = [one for one in method_options(answering()) if one.name not in [f"{PREFIX}{name}" for name in self.HELD]]
        return [*own[:at], family_option(), *made, *own[at:]]


def usable(*, online: bool) -> "dict[str, Method]":
    """The methods that a command can use."""
    from vieta.method import registry

    return {name: one for name, one in registry.every().items() if one.has_engine or not online}


def answering() -> "Mapping[str, Method]":
    """The families of answers, each of which is a method of its own."""
    from vieta.answers import families

    return families.every()


def family_option() -> click.Option:
    """`--family`."""
    from vieta.answers.families import NUMBER

    choice = click.Choice([NUMBER, *answering()])
    help_text = f"What readings are: measurements, or answers of a kind.  [default: {NUMBER}]"
    return click.Option(["--family", f"{PREFIX}family"], type=choice, default=None, help=help_text)


def method_option(*, online: bool) -> click.Option:
    """`--method`."""
    from vieta.method import registry

    names, first, other = list(usable(online=online)), registry.default(), registry.default(incomplete=True)
    where = "for incomplete sets" if online else "for incomplete sets and where it takes little time"
    more = f"{other} {where}, else " if other in names and other != first else ""
    choice = click.Choice(names)
    return click.Option(["--method"], type=choice, default=None, help=f"How to estimate.  [default: {more}{first}]")


def method_options(methods: "Mapping[str, Method]") -> list[click.Option]:
    """The union of the options of methods, in the order in which they are met, each naming the methods that have it."""
    owners: dict[str, dict[str, OptionInfo]] = {}
    for method, one in methods.items():
        for name, info in one.Options.infos().items():
            if info.kind is not None:
                owners.setdefault(name, {})[method] = info
    return [_option(name, infos) for name, infos in owners.items()]


def _option(name: str, infos: "dict[str, OptionInfo]") -> click.Option:
    """A flag for an option that several methods may have; where one of them takes several numbers, the flag does."""
    kinds = {info.kind for info in infos.values()}
    first = next(iter(infos.values()))
    flag = [spelled(name), f"{PREFIX}{name}"]
    if kinds == {"switch"}:
        return click.Option(flag, is_flag=True, default=None, help=_help(infos))
    if kinds == {"decision"}:
        return click.Option(flag, type=Decision(), default=None, help=_help(infos))
    numbers = kinds <= {"number", "numbers", "numbers-or-auto"}
    several = bool(kinds & {"numbers", "numbers-or-auto"})
    return click.Option(
        flag,
        type=(NumberOrAuto() if "numbers-or-auto" in kinds else float) if numbers else str,
        multiple=several,
        metavar=first.metavar or None,
        help=_help(infos),
    )


def _help(infos: "dict[str, OptionInfo]") -> str:
    """What the methods say about an option, each sentence with the names of those that say it."""
    said: dict[str, list[str]] = {}
    for method, info in infos.items():
        said.setdefault(info.help.rstrip("."), []).append(method)
    return " ".join(f"{text} ({', '.join(names)})." for text, names in said.items())


def given_options(given: Mapping[str, Any]) -> dict[str, Any]:
    """The options of methods among the parameters of a command, those that were given; a list of one number is that number.

    Whether the method that was chosen has them is for the method to say.

    >>> given_options({"files": (), "option_step": (0.1,), "option_drift": (), "option_memory": None})
    {'step': 0.1}
    """
    found = {name.removeprefix(PREFIX): value for name, value in given.items() if name.startswith(PREFIX)}
    return {
        name: _single(value) if isinstance(value, tuple) else value
        for name, value in found.items()
        if value is not None and value != ()
    }


def _single(numbers: tuple[float | str, ...]) -> float | str | list[float | str]:
    return numbers[0] if len(numbers) == 1 else list(numbers)


def option_words(options: Mapping[str, Any]) -> list[str]:
    """Options of methods as they are typed.

    >>> option_words({"robust": True, "step": [0.1, 0.2]})
    ['--robust', '--step', '0.1', '--step', '0.2']
    """
    words = []
    for name, value in options.items():
        if isinstance(value, bool):
            words += with_value(name, str(value)).split()
        else:
            items = value if isinstance(value, list) else [value]
            words += [word for item in items for word in (spelled(name), str(item))]
    return words
