"""Filters on disk: arrays and JSON in one file, written whole or not at all; no pickle.

The header names the method, its options and the kind of its state by codes, and has a format number. No path of a module is in it, so
that moving code breaks no file. A file may come from anywhere: what is in it is compared with the state that a filter of that method, of
those options and for sets of that shape has before any set, before anything is computed with it.
"""

import json
import os
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, fields, is_dataclass, replace
from os import PathLike
from pathlib import Path
from typing import Any, TypeVar
from zipfile import BadZipFile

import numpy as np

from vieta.atomic import replacing
from vieta.engine import LONGEST
from vieta.errors import BadFileError, InputError
from vieta.estimators.archive import Archive, opened

FORMAT = 2
HEADER = "header"  # the name of its array
LAW = "law"  # the key that marks a law among the options
KINDS = {"n_systems": int, "dim": int, "method": str, "options": dict, "state": str, "notes": dict}
WORDS = {int: "a whole number", str: "a text", dict: "an object"}
MOST_COUNTED = 2**53  # sets; beyond it numbers that are not whole cannot be told from those that are
LONGEST_REASON = 300  # characters

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
        A tree of frozen dataclasses to write; an `Archive` of its arrays when it is read.
    notes : dict
    names : tuple of str
        Of the D parameters, or empty; files that were written before there were names have none.
    """

    n_systems: int
    dim: int
    method: str
    options: dict[str, Any]
    shape: tuple[int, ...] | None
    code: str
    state: Any
    notes: dict[str, Any]
    names: tuple[str, ...] = ()


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
        "names": list(saved.names),
    }
    arrays = {} if saved.state is None else flatten(saved.state)
    text = np.array(json.dumps(header))
    with replacing(Path(os.path.realpath(path))) as file:  # a link stays
        np.savez(file, allow_pickle=False, **{HEADER: text}, **arrays)


@contextmanager
def loading(path: str | PathLike[str]) -> Iterator[Saved]:
    """What a file holds that `save` wrote, its arrays to be read by `restored`; it is refused for whatever goes wrong on the way."""
    os.stat(path)  # a file that is not there is no damaged one
    try:
        with opened(path) as archive:
            yield _saved(path, archive)
    except (BadFileError, IsADirectoryError):
        raise
    except Exception as error:  # of zipfile, JSON or a method that meets what it has never written
        raise _not_ours(path, error) from None


def _saved(path: str | PathLike[str], archive: Archive) -> Saved:
    header = json.loads(archive.text(HEADER))
    _require(isinstance(header, dict) and "format" in header, "its header names no format")
    if type(header["format"]) is not int or header["format"] != FORMAT:
        raise BadFileError(
            "file-format",
            "{path} has format {given}; this version of vieta reads {format}. Load it with the version that saved it, or run the filter "
            "over its sets again.",
            path=os.fspath(path),
            given=str(header["format"])[:20],
            format=FORMAT,
        )
    for name, kind in KINDS.items():
        _require(name in header, f"its header lacks {name!r}")
        _require(type(header[name]) is kind, f"{name!r} in its header is not {WORDS[kind]}")
    L, D = header["n_systems"], header["dim"]
    _require(L > 0 and D > 0, "the sizes in its header are not positive")
    shape = _shape(header.get("shape"), D)
    _require(L * max((D, *(shape or ()))) <= archive.size, "it is too small for the sizes in its header")
    _require(shape is not None or archive.names == {HEADER}, "it holds a state and no shape of its sets")
    return Saved(
        n_systems=L,
        dim=D,
        method=header["method"],
        options={name: _decoded(value) for name, value in header["options"].items()},
        shape=shape,
        code=header["state"],
        state=archive,
        notes=header["notes"],
        names=_names(header.get("names", []), D),
    )


def _names(names: Any, dim: int) -> tuple[str, ...]:
    texts = isinstance(names, list) and all(isinstance(name, str) for name in names)
    _require(texts and len(names) in (0, dim), "'names' in its header does not name its parameters")
    return tuple(names)


def _shape(shape: Any, dim: int) -> tuple[int, ...] | None:
    """p, or p and the shape (p, D) of an input; None before any set."""
    if shape is None:
        return None
    sizes = isinstance(shape, list) and all(type(n) is int and n > 0 for n in shape)
    fits = sizes and (shape == [dim] or (len(shape) == 3 and shape[1:] == [shape[0], dim]))
    _require(fits, "'shape' in its header does not fit its sizes")
    return tuple(shape)


def _require(fits: bool, reason: str) -> None:
    if not fits:
        raise InputError("bad-header", "{reason}", reason=reason)


def _not_ours(path: str | PathLike[str], error: Exception) -> BadFileError:
    """The error for a file that cannot be a filter."""
    known = isinstance(error, ValueError | BadZipFile) and str(error)
    reason = " ".join((str(error) if known else f"{type(error).__name__} {error}").split()).rstrip(". ")
    return BadFileError(
        "not-a-filter",
        "{path} is damaged, or not a filter that vieta saved: {reason}.",
        path=os.fspath(path),
        reason=reason if len(reason) <= LONGEST_REASON else f"{reason[:LONGEST_REASON]}..",
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


def restored(blank: _State, archive: Archive) -> _State:
    """A state of the kind of `blank` with the arrays of a file, which must be those of `blank` in name, shape and dtype.

    Only what a field declares to grow (`vieta.engine.growing`) may be of another length, and numbers must be finite.
    """
    strange = archive.names - flatten(blank).keys() - {HEADER}
    _require(not strange, f"{min(strange, default='')[:60]!r} is in it, which such a filter does not have")
    filled: _State = _fill(blank, archive, "", None)
    return filled


def _fill(blank: Any, archive: Archive, prefix: str, longest: int | None) -> Any:
    if is_dataclass(blank) and not isinstance(blank, type):
        parts = {f.name: (getattr(blank, f.name), f.metadata.get(LONGEST)) for f in fields(blank)}
        return replace(
            blank, **{n: _fill(part, archive, f"{prefix}.{n}".lstrip("."), most) for n, (part, most) in parts.items()}
        )
    if isinstance(blank, tuple):
        return tuple(_fill(item, archive, f"{prefix}.{i}", longest) for i, item in enumerate(blank))
    _require_form(prefix, np.asarray(blank), archive, longest)
    array = archive.array(prefix)
    _require(bool(np.isfinite(array).all()), f"{prefix} holds numbers that are not finite")
    if not isinstance(blank, int | float):
        return array
    number = array.item()
    _require(isinstance(blank, float) or 0 <= number <= MOST_COUNTED, f"{prefix} is {number}, which is no count")
    return number


def _require_form(name: str, blank: Any, archive: Archive, longest: int | None) -> None:
    """Refuse an array whose shape or dtype is not that of `blank`; a first axis that grows may have up to `longest` entries."""
    form = archive.form(name)
    grown = longest is not None and len(form.shape) == blank.ndim and form.shape[0] <= longest
    fits = form.shape[1:] == blank.shape[1:] if grown else form.shape == blank.shape
    if not fits or form.dtype != blank.dtype.str:
        needed = (
            blank.shape if longest is None else f"(n, {', '.join(map(str, blank.shape[1:]))}) with n up to {longest}"
        )
        raise InputError(
            "state-shape",
            "{name} has shape {given} and dtype {dtype} where {needed} and {needed_dtype} were expected",
            name=name,
            given=form.shape,
            dtype=form.dtype,
            needed=needed,
            needed_dtype=blank.dtype.str,
        )


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
