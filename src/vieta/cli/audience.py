"""How the command spells what Python spells otherwise: options, flags and calls in the messages of the library."""

from collections.abc import Iterator
from typing import TYPE_CHECKING

from vieta.wording import Audience

if TYPE_CHECKING:
    from vieta.method.base import Method

# What Python calls otherwise than the command does.
NAMES = {"n_systems": "systems"}
# Options of the command itself; those of the methods are asked of the registry.
OF_RECORDS = (
    "systems", "layout", "set", "value", "input", "category", "time", "trend", "season", "harmonics", "intercept", "on_bad_set",
    "delimiter",
)  # fmt: skip
OWN = (*OF_RECORDS, "method", "level", "stream", "state", "resume", "strict", "family", "offset")
SWITCHED = {"True": "", "False": "no_"}  # values of switches, and what stands before their names
DECIDED = {"True": "yes", "False": "no"}  # values of options that may also be left to the method
CALLS = {
    "fit": "vieta fit",
    "fit_groups": "vieta groups",
    "filter": "vieta watch",
    "simulate": "vieta simulate",
    "audit": "vieta audit",
}


def spelled(name: str) -> str:
    """An option as it is typed.

    >>> spelled("noise_var"), spelled("n_systems")
    ('--noise-var', '--systems')
    """
    return f"--{NAMES.get(name, name).replace('_', '-')}"


def with_value(name: str, value: str) -> str:
    """An option as it is typed, with its value unless that is empty; one that the command does not have by its name alone.

    >>> with_value("noise_var", "0.5"), with_value("memory", ""), with_value("stream", "False"), with_value("prior", "")
    ('--noise-var 0.5', '--memory', '--no-stream', 'prior')
    """
    if not knows(name):
        return f"{name} {value}".rstrip()
    if value in DECIDED and _is_decision(name):
        return f"{spelled(name)} {DECIDED[value]}"
    if value in SWITCHED:
        return spelled(SWITCHED[value] + name)
    return f"{spelled(name)} {value}".rstrip()


def knows(name: str) -> bool:
    """Whether the command has an option of that name: its own, or one of a method that a command line can give."""
    if NAMES.get(name, name) in OWN:
        return True
    infos = (one.Options.infos().get(name) for one in _methods())
    return any(info is not None and info.kind is not None for info in infos)


def _methods() -> "Iterator[Method]":
    """The methods, and the families of answers."""
    from vieta.answers import families
    from vieta.method import registry

    yield from registry.every().values()
    yield from families.every().values()


def _is_decision(name: str) -> bool:
    """Whether it is an option of methods that takes yes, no or auto."""
    infos = (one.Options.infos().get(name) for one in _methods())
    return any(info is not None and info.kind == "decision" for info in infos)


COMMAND = Audience(option=with_value, flag=spelled, calls=CALLS, knows=knows)


def _of_fit(name: str) -> str:
    """The command to name before an option that `vieta audit` does not have."""
    from vieta.answers import families

    of_families = {option for one in families.every().values() for option in one.Options.infos()} - {"memory"}
    own = {*OF_RECORDS, "family", "offset", "added", *of_families}
    return "vieta fit " if knows(name) and NAMES.get(name, name) not in own else ""


# For `vieta audit`, which estimates but has no options of methods, only of families: it advises the command that has them.
AUDIT = COMMAND._replace(
    option=lambda name, value: _of_fit(name) + with_value(name, value),
    flag=lambda name: _of_fit(name) + spelled(name),
)
