"""Filters on disk: arrays and JSON in one file, written whole or not at all; no pickle.

The header names the method, its options and the kind of its state by codes, and has a format number. No path of a module is in it, so
that moving code breaks no file.
"""

import json
import os
from dataclasses import dataclass, fields, is_dataclass, replace
from os import PathLike
from pathlib import Path
from typing import Any, TypeVar

import numpy as np

from vieta.atomic import replacing
from vieta.errors import InputError

FORMAT = 2
LAW = "law"  # the key that marks a law among the options

_State = TypeVar("_State")


@dataclass(frozen=True, slots=True, eq=False)
class Saved:
    """What a file holds.

    Attributes
    ----------
    n_systems, dim, method, options
        As the filter's constructor takes them.
    shape : tuple, optional
        p, then the shape of an input; None before any set.
    code : str
        The kind of the state.
    state : object
        A tree of frozen dataclasses to write; the arrays by name when it was read.
    notes : dict
    """

    n_systems: int
    dim: int
    method: str
    options: dict[str, Any]
    shape: tuple[int, ...] | None
    code: str
    state: Any
    notes: dict[str, Any]


def save(path: str | PathLike[str], saved: Saved) -> None:
    """Write a filter to `path`, replacing it at once."""
    header: dict[str, object] = {
        "format": FORMAT,
        "n_systems": saved.n_systems,
        "dim": saved.dim,
        "method": saved.method,
        "options": {name: _encoded(value) for name, value in saved.options.items()},
        "shape": None if saved.shape is None else list(saved.shape),
        "state": saved.code,
        "notes": saved.notes,
    }
    arrays = {} if saved.state is None else flatten(saved.state)
    text = np.array(json.dumps(header))
    with replacing(Path(path)) as file:
        np.savez(file, allow_pickle=False, header=text, **arrays)


def load(path: str | PathLike[str]) -> Saved:
    """What a file holds that `save` wrote."""
    with open(path, "rb") as handle:  # opened here, because np.load leaves a damaged file open
        try:
            with np.load(handle, allow_pickle=False) as file:
                header = json.loads(str(file["header"]))
                arrays = {name: file[name] for name in file.files if name != "header"}
        except Exception as error:
            raise not_ours(path, error) from None
    if not isinstance(header, dict) or "format" not in header:
        raise not_ours(path, "its header names no format")
    if header["format"] != FORMAT:
        raise InputError(
            "file-format",
            "{path} has format {given}; this version of vieta reads {format}. Load it with the version that saved it, or run the filter "
            "over its sets again.",
            path=os.fspath(path),
            given=header["format"],
            format=FORMAT,
        )
    try:
        shape = header["shape"]
        return Saved(
            n_systems=header["n_systems"],
            dim=header["dim"],
            method=header["method"],
            options={name: _decoded(value) for name, value in header["options"].items()},
            shape=None if shape is None else tuple(shape),
            code=header["state"],
            state=arrays,
            notes=header["notes"],
        )
    except (KeyError, TypeError, ValueError, AttributeError) as error:
        raise not_ours(path, f"its header is incomplete: {error}") from None


def not_ours(path: str | PathLike[str], reason: object) -> InputError:
    """The error for a file that cannot be a filter."""
    return InputError(
        "not-a-filter",
        "{path} is damaged, or not a filter that vieta saved: {reason}.",
        path=os.fspath(path),
        reason=str(reason).rstrip("."),
    )


def flatten(state: Any, prefix: str = "") -> dict[str, Any]:
    """Arrays and numbers of a tree of dataclasses and tuples, by dotted name."""
    if is_dataclass(state):
        parts = {f.name: getattr(state, f.name) for f in fields(state)}
    elif isinstance(state, tuple):
        parts = {str(i): item for i, item in enumerate(state)}
    else:
        return {prefix: np.asarray(state)}
    return {k: v for name, part in parts.items() for k, v in flatten(part, f"{prefix}.{name}".lstrip(".")).items()}


def restored(blank: _State, arrays: dict[str, Any]) -> _State:
    """A state of the kind of `blank` with the values of `arrays`."""
    filled: _State = _fill(blank, arrays, "")
    return filled


def _fill(blank: Any, arrays: dict[str, Any], prefix: str) -> Any:
    if is_dataclass(blank) and not isinstance(blank, type):
        names = [f.name for f in fields(blank)]
        return replace(blank, **{n: _fill(getattr(blank, n), arrays, f"{prefix}.{n}".lstrip(".")) for n in names})
    if isinstance(blank, tuple):
        return tuple(_fill(item, arrays, f"{prefix}.{i}") for i, item in enumerate(blank))
    value = arrays[prefix]
    if np.ndim(value) != np.ndim(blank) or np.shape(value)[1:] != np.shape(blank)[1:] or value.dtype.kind not in "if":
        raise InputError(
            "state-shape",
            "{name} has shape {given} where {needed} was expected",
            name=prefix,
            given=np.shape(value),
            needed=np.shape(blank),
        )
    return value.item() if isinstance(blank, int | float) else value


def _encoded(value: Any) -> Any:
    """An option in terms of JSON; a law by its name and numbers."""
    from vieta.laws import codes

    if hasattr(value, "draw"):
        code = codes.to_code(value)
        kind = next(kind for kind, known in codes.LAWS.items() if type(value) in known.values())
        return {LAW: code, "kind": kind}
    return value if isinstance(value, str | bool | int | float | None) else np.asarray(value).tolist()


def _decoded(value: Any) -> Any:
    from vieta.laws import codes

    return codes.from_code(value[LAW], value["kind"]) if isinstance(value, dict) else value
