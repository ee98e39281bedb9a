"""Estimates that `vieta fit --json` wrote, and the inputs of the records that they came from."""

import json
from pathlib import Path
from typing import Any

import numpy as np

from vieta.arrays import Floats
from vieta.errors import BadFileError
from vieta.estimators import Estimate
from vieta.files.layout import Wishes
from vieta.files.reader import reader
from vieta.files.source import HEAD, is_stream, opened

LONGEST = 256 << 20  # bytes of an estimate


def read_estimate(path: str) -> dict[str, Any] | None:
    """What `vieta fit --json` wrote to a file; None if the file holds something else, or can be read once only."""
    if is_stream(path):
        return None
    with opened(Path(path), path) as (file, _):
        head = file.read(HEAD).lstrip()
        first = _parsed(head.split(b"\n", 1)[0])
        if not head.startswith(b"{") or (first is not None and "theta" not in first):  # one object a line: records
            return None
        answer = _parsed(head + file.read(LONGEST))
    return answer if answer is not None and "theta" in answer else None


def _parsed(text: bytes) -> dict[str, Any] | None:
    try:
        value = json.loads(text)
    except (ValueError, RecursionError):
        return None
    return value if isinstance(value, dict) else None


def as_estimate(answer: dict[str, Any], path: str) -> Estimate:
    """The Estimate in what `vieta fit --json` wrote."""
    try:
        theta, noise_var = _array(answer["theta"], 2), np.array(answer["noise_var"], dtype=np.float64)
        return Estimate(
            theta=theta,
            cov=_array(answer["cov"], 2).reshape(theta.size, theta.size),
            noise_var=float(noise_var) if noise_var.ndim == 0 else _array(noise_var, 2),
            n_sets=int(answer["n_sets"]),
            method=str(answer["method"]),
            transform=str(answer["transform"]),
            imaginary=_array(answer["imaginary"], 2).reshape(theta.shape),
            condition=float("inf" if answer["condition"] is None else answer["condition"]),
            warnings=tuple(str(text) for text in answer["warnings"]),
        )
    except KeyError as error:
        raise _foreign(path, f"{error} is missing") from None
    except (TypeError, ValueError) as error:
        raise _foreign(path, str(error)) from None


def _array(items: Any, ndim: int) -> Floats:
    array = np.array(items, dtype=np.float64)
    if array.ndim != ndim or array.size == 0:
        raise ValueError(f"a table of numbers is needed, got one of shape {array.shape}")
    return array


def inputs_of(answer: dict[str, Any], path: str) -> Floats | None:
    """The inputs of the records behind an estimate, read from their files again; None if it had none."""
    settings = answer.get("settings")
    if not isinstance(settings, dict):
        raise _foreign(path, "'settings' is missing")
    if not settings.get("inputs"):
        return None
    if "-" in settings["files"]:
        raise BadFileError(
            "inputs-not-kept",
            "{file} was estimated from standard input, with inputs, which are not in it. " + _AUDIT_RECORDS,
            file=path,
        )
    named = ", ".join(settings["files"])
    try:
        wishes = Wishes(
            settings["layout"],
            settings["set"],
            tuple(settings["values"]),
            tuple(settings["inputs"]),
            len(answer["theta"]),
            settings["intercept"],
        )
        with reader(settings["files"], wishes, on_bad_set="drop", stream=False) as source:
            return source.all().data.inputs
    except KeyError as error:
        raise _foreign(path, f"{error} is missing") from None
    except BadFileError as error:
        raise BadFileError.wrap(
            error,
            "{file} was estimated with inputs, which are not in it, and cannot be taken from {named} again: {cause} "
            + _AUDIT_RECORDS,
            file=path,
            named=named,
        ) from None


_AUDIT_RECORDS = "What a reading tells depends on its input: audit the records themselves."


def _foreign(path: str, why: str) -> BadFileError:
    return BadFileError("no-estimate", "{file} is not an estimate: {why}.", file=path, why=why)
