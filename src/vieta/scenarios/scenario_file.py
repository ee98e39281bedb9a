"""A scenario from a small TOML file: the parameters, and a law for each of noise, inputs, labels and motion.

    theta = [[0.5, 0.05], [0.3, 0.11]]   # one row a system; [1, 2, 3] for systems of one parameter
    n = 2000                             # how many sets; optional, as is all that follows
    name = "flats"
    description = "Two flats."
    noise = { law = "student-t", variance = 0.04, df = 5 }
    inputs = { law = "affine", x = { law = "uniform", low = 0, high = 30 } }
    labels = { law = "sticky", stay = 0.5 }
    motion = { law = "drift", variance = 1e-8 }

A law has the settings of the class of its name in `vieta.laws`, with the same defaults; `LAWS` names them all.
"""

import tomllib
from collections.abc import Iterable
from dataclasses import MISSING, Field, fields
from difflib import get_close_matches
from pathlib import Path
from typing import Any

from vieta.checks import as_theta
from vieta.errors import BadFileError, InputError
from vieta.laws import inputs, labels, motion, noise
from vieta.scenarios import Scenario

LAWS: dict[str, dict[str, Any]] = {
    "noise": {
        "gaussian": noise.Gaussian,
        "laplace": noise.Laplace,
        "uniform": noise.Uniform,
        "student-t": noise.StudentT,
        "skewed": noise.Skewed,
        "finite": noise.Finite,
    },
    "inputs": {
        "identity": inputs.Identity,
        "constant": inputs.Constant,
        "gaussian": inputs.Gaussian,
        "uniform": inputs.Uniform,
        "sign": inputs.Sign,
        "rows": inputs.Rows,
        "affine": inputs.Affine,
        "line": inputs.Line,
        "matrices": inputs.Matrices,
        "given": inputs.Given,
    },
    "labels": {
        "shuffled": labels.Shuffled,
        "labeled": labels.Labeled,
        "sticky": labels.Sticky,
        "weighted": labels.Weighted,
        "markov": labels.Markov,
        "sorted": labels.Sorted,
        "adversarial": labels.Adversarial,
    },
    "motion": {
        "constant": motion.Constant,
        "jump": motion.Jump,
        "switching": motion.Switching,
        "drift": motion.Drift,
    },
}
KEYS = ("theta", "n", "name", "description", *LAWS)


def read_scenario(path: Path) -> Scenario:
    """The scenario in a TOML file; an error names the key that is wrong."""
    try:
        return as_scenario(tomllib.loads(path.read_text(encoding="utf-8")), path.stem)
    except OSError as error:
        reason = error.strerror or str(error)
        raise BadFileError("unreadable", "{file} cannot be read: {reason}.", file=str(path), reason=reason) from None
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise BadFileError("not-toml", "{file} is not TOML: {reason}.", file=str(path), reason=str(error)) from None
    except ValueError as error:
        raise BadFileError.wrap(error, "{file}: {cause}", file=str(path)) from None


def as_scenario(table: dict[str, Any], name: str) -> Scenario:
    """The scenario that a table describes, called `name` unless it says otherwise."""
    _require_known(table, KEYS, "a scenario")
    if "theta" not in table:
        raise InputError(
            "no-theta", "`theta` is missing. Give the parameters, one row a system, for example theta = [-2, 5, 8]."
        )
    texts = {"name": name, "description": "From a file."}
    texts |= {key: table[key] for key in texts if key in table}
    for key, text in texts.items():
        if not isinstance(text, str):
            raise InputError("not-text", "`{key}` must be text in quotes, got {text!r}.", key=key, text=text)
    laws: dict[str, Any] = {kind: _law(kind, table[kind], kind) for kind in LAWS if kind in table}
    return Scenario(texts["name"], texts["description"], as_theta(table["theta"]), n=table.get("n"), **laws)


def _law(kind: str, table: Any, key: str) -> Any:
    """The law of a kind that a table under `key` describes."""
    known = LAWS[kind]
    if not isinstance(table, dict) or "law" not in table:
        raise InputError(
            "no-law",
            "`{key}` must be a table that names its law, for example {key} = {{ law = {example!r} }}, got {table!r}.",
            key=key,
            example=next(iter(known)),
            table=table,
        )
    if not isinstance(table["law"], str) or table["law"] not in known:
        raise InputError(
            "unknown-law",
            "`{key}.law` must be one of {known}, got {law!r}.",
            key=key,
            known=_quoted(known),
            law=table["law"],
        )
    law = known[table["law"]]
    given = {name: _setting(kind, value, f"{key}.{name}") for name, value in table.items() if name != "law"}
    settings: tuple[Field[Any], ...] = fields(law)
    _require_known(given, [one.name for one in settings], f"the law {table['law']!r}", f"{key}.")
    for one in settings:
        if one.name not in given and one.default is MISSING and one.default_factory is MISSING:
            template = "`{key}.{setting}` is missing: the law {law!r} needs it."
            raise InputError("no-setting", template, key=key, setting=one.name, law=table["law"])
    try:
        return law(**given)
    except ValueError as error:
        raise InputError.wrap(error, "in `{key}`, {cause}", key=key) from None


def _setting(kind: str, value: Any, key: str) -> Any:
    """A setting of a law, which may be a law itself."""
    return _law(kind, value, key) if isinstance(value, dict) else value


def _require_known(given: Iterable[str], known: Iterable[str], what: str, prefix: str = "") -> None:
    names = list(known)
    for key in given:
        if key not in names:
            near = get_close_matches(key, names, n=1)
            hint = " Perhaps `{near}` is meant." if near else ""
            has = "It has: {names}." if names else "It has none."
            raise InputError(
                "unknown-setting",
                f"`{{key}}` is no setting of {{owner}}.{hint} {has}",
                key=f"{prefix}{key}",
                owner=what,
                near="".join(near),
                names=_quoted(names),
            )


def _quoted(words: Iterable[str]) -> str:
    return ", ".join(f"`{word}`" for word in words)
