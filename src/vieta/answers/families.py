"""The families by name: each is a module of this room that ends in `FAMILY`."""

from functools import cache
from importlib import import_module
from pkgutil import iter_modules
from typing import Any

from vieta import answers as room
from vieta.answers.family import Family
from vieta.errors import InputError

NUMBER = "number"  # readings that are measurements: no family of this room, but the methods


@cache
def every() -> dict[str, Family]:
    """All families by name."""
    modules = (import_module(f"{room.__name__}.{one.name}") for one in iter_modules(room.__path__))
    found = [module.FAMILY for module in modules if hasattr(module, "FAMILY")]
    return {one.name: one for one in sorted(found, key=lambda one: one.name)}


def get(name: str) -> Family | None:
    """The family of that name; None for numbers."""
    if name == NUMBER:
        return None
    if isinstance(name, str) and name in every():
        return every()[name]
    raise InputError(
        "unknown-family",
        "family {family!r} is not known. Choose one of: {known}.",
        family=name,
        known=", ".join([NUMBER, *every()]),
    )


def of_options(options: dict[str, Any], method: str | None = None) -> tuple[Family | None, dict[str, Any]]:
    """The family that options ask for, None for numbers, and the other options. Families have no `method` but their own.

    >>> of_options({"family": "number", "memory": 100})
    (None, {'memory': 100})
    """
    rest = {name: value for name, value in options.items() if name != "family"}
    found = get(options.get("family") or NUMBER)
    if found is None and rest.get("link") == "identity":
        del rest["link"]
    if found is not None and method not in (None, found.name):
        raise InputError(
            "family-method",
            "method {method!r} is for measurements, and {option.family:{family}} has a method of its own: give one of the two.",
            method=method,
            family=found.name,
        )
    return found, rest
