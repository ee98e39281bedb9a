"""One sentence for two audiences: whoever calls Python, and whoever types the command.

A message is a template and facts. Where a template names an option, a flag or a call, it leaves the spelling to the audience:

    {option.memory}            memory=            --memory
    {option.memory:{value}}    memory=0.5         --memory 0.5
    {flag.robust}              robust=True        --robust
    {call.fit}                 vieta.fit          vieta fit

Everything else between braces is a fact, formatted as `str.format` does. Facts are never read as templates, so that a path or a
column name comes out as it is. A fact that is a message itself (anything with a method `say`) is said to the same audience.
"""

from collections.abc import Callable, Iterable, Mapping
from string import Formatter
from typing import Any, NamedTuple

LONGEST = 200  # characters of a value that are shown


class Audience(NamedTuple):
    """How options, flags and calls are spelled.

    Attributes
    ----------
    option : callable
        Name and value (empty for none) of an option to how it is written.
    flag : callable
        Name of an option that is switched on to how that is written.
    calls : mapping
        Name of a call to how it is written.
    knows : callable
        Whether the audience can set an option of that name.
    """

    option: Callable[[str, str], str]
    flag: Callable[[str], str]
    calls: Mapping[str, str]
    knows: Callable[[str], bool]


PYTHON = Audience(
    option=lambda name, value: f"{name}={value}",
    flag=lambda name: f"{name}=True",
    calls={
        "fit": "vieta.fit",
        "fit_groups": "vieta.fit_groups",
        "filter": "SymmetricFilter",
        "simulate": "vieta.simulate",
        "audit": "vieta.anonymity.audit",
    },
    knows=lambda name: True,
)


def render(template: str, facts: Mapping[str, Any], audience: Audience = PYTHON) -> str:
    """The sentence that a template and facts make for an audience.

    >>> render("{option.memory:{value}} must be above 1, in {file}.", {"value": 0.5, "file": "step={3}.csv"})
    'memory=0.5 must be above 1, in step={3}.csv.'
    """
    said = {name: fact.say(audience) if hasattr(fact, "say") else fact for name, fact in facts.items()}
    return _Brief().format(
        template,
        **said,
        option=_Spelled(lambda name: _Option(audience, name)),
        flag=_Spelled(audience.flag),
        call=_Spelled(audience.calls.__getitem__),
    )


def short(value: object) -> str:
    """`repr` of a value that a caller gave, cut where it is long.

    >>> short([0.5]), len(short([0.5] * 1000)), short(10**5000)
    ('[0.5]', 200, '<int>')
    """
    try:
        text = repr(value)
    except Exception:  # Python prints no integer of more than 4300 digits, and a caller's object may do anything
        return f"<{type(value).__name__}>"
    return text if len(text) <= LONGEST else f"{text[: LONGEST - 3]}..."


class _Brief(Formatter):
    """`str.format` with `short` for `!r`."""

    def convert_field(self, value: Any, conversion: str | None) -> Any:
        return short(value) if conversion == "r" else super().convert_field(value, conversion)


class OptionNames(NamedTuple):
    """Names of options as a fact: those that the audience knows, listed.

    >>> OptionNames(["memory", "robust"]).say(PYTHON)
    'memory=, robust='
    """

    names: Iterable[str]
    joint: str = ", "

    def say(self, audience: Audience) -> str:
        """The list; "none" where there is nothing to list."""
        return self.joint.join(audience.option(name, "") for name in self.names if audience.knows(name)) or "none"


class _Spelled:
    """Attribute access that spells a name: what `{option.memory}` in a template asks for."""

    def __init__(self, spell: Callable[[str], Any]) -> None:
        self._spell = spell

    def __getattr__(self, name: str) -> Any:
        return self._spell(name)


class _Option(NamedTuple):
    audience: Audience
    name: str

    def __format__(self, value: str) -> str:
        return self.audience.option(self.name, value)
