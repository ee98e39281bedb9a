"""Laws by their names in files, and as codes: a name and numbers, in terms of JSON and TOML.

    {"law": "student-t", "variance": 0.04, "df": 5.0}

A law has the settings of its class, with the same defaults. A class of the modules named here is found by its `name`.
"""

from collections.abc import Iterable
from dataclasses import MISSING, Field, fields
from difflib import get_close_matches
from types import ModuleType
from typing import Any

import numpy as np

from vieta.errors import InputError
from vieta.laws import answers, clutter, detection, inputs, labels, motion, noise


def _named(module: ModuleType, base: type[Any]) -> dict[str, type[Any]]:
    """Classes of a module by the names that they have in files."""
    classes: list[Any] = [one for one in vars(module).values() if isinstance(one, type) and issubclass(one, base)]
    found = [one for one in classes if one.name and getattr(one, "writable", True)]
    return {
        one.name: one for one in sorted(found, key=lambda one: one.name != "gaussian")
    }  # the first serves as an example


LAWS: dict[str, dict[str, type[Any]]] = {
    "noise": _named(noise, noise.Scaled),
    "inputs": _named(inputs, inputs.Inputs),
    "labels": _named(labels, labels.Labels),
    "motion": _named(motion, motion.Motion),
    "detection": _named(detection, detection.Detection),
    "clutter": _named(clutter, clutter.Clutter),
    "answers": _named(answers, answers.Answers),
    "offset": _named(inputs, inputs.Numbers) | {"identity": inputs.Identity},
}


def to_code(law: Any) -> dict[str, Any]:
    """A law in terms of JSON: its name and its settings.

    >>> to_code(noise.StudentT(4.0, df=3))
    {'law': 'student-t', 'variance': 4.0, 'df': 3.0}
    """
    if not any(type(law) is one for kind in LAWS.values() for one in kind.values()):
        raise InputError(
            "law-not-writable",
            "{law} cannot be written to a file: only laws of these names can: {known}.",
            law=type(law).__name__, known=", ".join(sorted({name for kind in LAWS.values() for name in kind})),
        )  # fmt: skip
    return {"law": law.name} | {one.name: _plain(getattr(law, one.name)) for one in fields(law)}


def from_code(code: Any, kind: str = "noise", key: str | None = None) -> Any:
    """The law of a kind (a key of `LAWS`, as "noise") that a code describes; errors call the code `key`.

    >>> from_code({"law": "gaussian", "variance": 4})
    Gaussian(variance=4.0)
    """
    key = key or kind
    law = _class(code, kind, key)
    given = {name: _setting(value, kind, f"{key}.{name}") for name, value in code.items() if name != "law"}
    settings: tuple[Field[Any], ...] = fields(law)
    require_known(given, [one.name for one in settings], f"the law {law.name!r}", f"{key}.")
    for one in settings:
        if one.name not in given and one.default is MISSING and one.default_factory is MISSING:
            raise InputError(
                "law-setting-missing",
                "`{key}` is missing: the law {law!r} needs it.",
                key=f"{key}.{one.name}", law=law.name,
            )  # fmt: skip
    try:
        return law(**given)
    except InputError as error:
        raise InputError.wrap(error, "in `{key}`, {cause}", key=key) from None


def require_known(given: Iterable[str], known: Iterable[str], what: str, prefix: str = "") -> None:
    """Refuse settings that `what` does not have."""
    names = list(known)
    for key in given:
        if key not in names:
            near = get_close_matches(key, names, n=1)
            raise InputError(
                "setting-unknown",
                "`{key}` is no setting of {what}."
                + (" Perhaps `{near}` is meant." if near else "")
                + (" It has: {known}." if names else " It has none."),
                key=prefix + key, what=what, near=near[0] if near else None, known=quoted(names),
            )  # fmt: skip


def quoted(words: Iterable[str]) -> str:
    """Words in backquotes, with commas.

    >>> quoted(["low", "high"])
    '`low`, `high`'
    """
    return ", ".join(f"`{word}`" for word in words)


def _class(code: Any, kind: str, key: str) -> type[Any]:
    """The class that a code names."""
    known = LAWS[kind]
    if not isinstance(code, dict) or "law" not in code:
        raise InputError(
            "law-not-named",
            "`{key}` must be a table that names its law, for example {key} = {{ law = {example!r} }}, got {value!r}.",
            key=key, example=next(iter(known)), value=code,
        )  # fmt: skip
    if not isinstance(code["law"], str) or code["law"] not in known:
        raise InputError(
            "law-unknown",
            "`{key}.law` must be one of {known}, got {value!r}.",
            key=key, known=quoted(known), value=code["law"],
        )  # fmt: skip
    return known[code["law"]]


def _setting(value: Any, kind: str, key: str) -> Any:
    """A setting of a law, which may be a law itself."""
    return from_code(value, kind, key) if isinstance(value, dict) else value


def _plain(value: Any) -> Any:
    """A setting in terms of JSON."""
    if getattr(value, "name", ""):
        return to_code(value)
    return np.asarray(value).tolist() if isinstance(value, tuple | np.ndarray) else value
