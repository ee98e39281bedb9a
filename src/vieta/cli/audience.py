"""How the command spells what Python spells otherwise: options, flags and calls in the messages of the library."""

from dataclasses import replace

from vieta.wording import Audience

# What Python calls otherwise than the command does.
NAMES = {"n_systems": "systems"}
# Options of the command itself; those of the methods are asked of the registry.
OWN = (
    "systems",
    "method",
    "level",
    "layout",
    "set",
    "value",
    "input",
    "intercept",
    "on_bad_set",
    "delimiter",
    "stream",
)
OWN_OF_WATCH = ("state", "resume", "strict")
CALLS = {"fit": "vieta fit", "filter": "vieta watch", "simulate": "vieta simulate", "audit": "vieta audit"}


def spelled(name: str) -> str:
    """An option as it is typed.

    >>> spelled("noise_var"), spelled("n_systems")
    ('--noise-var', '--systems')
    """
    return f"--{NAMES.get(name, name).replace('_', '-')}"


def with_value(name: str, value: str) -> str:
    """An option as it is typed, with its value unless that is empty.

    >>> with_value("noise_var", "0.5"), with_value("memory", "")
    ('--noise-var 0.5', '--memory')
    """
    return f"{spelled(name)} {value}".rstrip()


def knows(name: str) -> bool:
    """Whether the command has an option of that name: its own, or one of a method that a command line can give."""
    if NAMES.get(name, name) in (*OWN, *OWN_OF_WATCH):
        return True
    from vieta.method import registry

    infos = (one.Options.infos().get(name) for one in registry.every().values())
    return any(info is not None and info.kind is not None for info in infos)


COMMAND = Audience(option=with_value, flag=spelled, calls=CALLS, knows=knows)

# For `vieta audit`, which estimates but has no options of methods: it advises the command that has them.
AUDIT = replace(
    COMMAND,
    option=lambda name, value: f"vieta fit {with_value(name, value)}",
    flag=lambda name: f"vieta fit {spelled(name)}",
)
