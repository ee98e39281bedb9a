"""A scenario from a small TOML file: the parameters, and a law for each of noise, inputs, labels, motion and more.

    theta = [[0.5, 0.05], [0.3, 0.11]]   # one row a system; [1, 2, 3] for systems of one parameter
    n = 2000                             # how many sets; optional, as is all that follows
    name = "flats"
    description = "Two flats."
    noise = { law = "student-t", variance = 0.04, df = 5 }
    inputs = { law = "affine", x = { law = "uniform", low = 0, high = 30 } }
    labels = { law = "sticky", stay = 0.5 }
    motion = { law = "drift", variance = 1e-8 }
    detection = { law = "independent", probability = 0.9 }
    clutter = { law = "uniform", rate = 2, low = -5, high = 5 }
    answers = { law = "binary", link = "logit" }
    offset = { law = "gaussian", variance = 4 }

A law has the settings of the class of its name in `vieta.laws`, with the same defaults; `vieta.laws.codes.LAWS` names them all.
"""

import tomllib
from pathlib import Path
from typing import Any

from vieta.checks import as_theta
from vieta.errors import BadFileError, InputError
from vieta.laws.codes import LAWS, from_code, require_known
from vieta.scenarios import Scenario

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
    require_known(table, KEYS, "a scenario")
    if "theta" not in table:
        raise InputError(
            "no-theta", "`theta` is missing. Give the parameters, one row a system, for example theta = [-2, 5, 8]."
        )
    texts = {"name": name, "description": "From a file."}
    texts |= {key: table[key] for key in texts if key in table}
    for key, text in texts.items():
        if not isinstance(text, str):
            raise InputError("not-text", "`{key}` must be text in quotes, got {text!r}.", key=key, text=text)
    laws: dict[str, Any] = {kind: from_code(table[kind], kind) for kind in LAWS if kind in table}
    return Scenario(texts["name"], texts["description"], as_theta(table["theta"]), n=table.get("n"), **laws)
