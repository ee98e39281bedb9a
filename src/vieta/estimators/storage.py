"""Filters on disk: arrays and JSON in one file, written whole or not at all; no pickle."""

import json
import os
from dataclasses import fields, is_dataclass, replace
from os import PathLike
from pathlib import Path
from typing import Any, TypeVar

import numpy as np

from vieta.atomic import replacing
from vieta.laws.labels import Weighted
from vieta.likelihood.assumed import undescribed

FORMAT = 1

_State = TypeVar("_State")


def save(path: str | PathLike[str], options: dict[str, object], state: Any, notes: dict[str, Any]) -> None:
    """Write options, state (a tree of frozen dataclasses of arrays, or None) and notes to `path`, replacing it at once."""
    header: dict[str, object] = {"format": FORMAT, "options": options, "notes": notes}
    arrays = {} if state is None else flatten(state)
    if state is not None:
        header["shape"] = [state.recent_sets.shape[2], *state.recent_inputs.shape[1:]]
        header["filter"] = type(getattr(state, "filter", None)).__module__
    with replacing(Path(path)) as file:
        np.savez(file, allow_pickle=False, header=np.array(json.dumps(header)), **arrays)


def load(path: str | PathLike[str]) -> tuple[dict[str, Any], list[int] | None, dict[str, Any], dict[str, Any]]:
    """The options, the shape of the data (None before any), the arrays and the notes of a file that `save` wrote."""
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
        raise ValueError(f"{os.fspath(path)} has format {header['format']}; this version of vieta reads {FORMAT}.")
    if "options" not in header:
        raise not_ours(path, "its header has no options")
    arrays["filter"] = header.get("filter")
    return header["options"], header.get("shape"), arrays, header.get("notes", {})


def not_ours(path: str | PathLike[str], reason: object) -> ValueError:
    """The error for a file that cannot be a filter."""
    return ValueError(f"{os.fspath(path)} is damaged, or not a filter that vieta saved: {reason}.")


def written(prior: Weighted) -> dict[str, object]:
    """A prior in terms of JSON."""
    return {"probabilities": np.asarray(prior.probabilities).tolist(), "permutations": prior.permutations}


def unwritten(options: dict[str, Any]) -> dict[str, Any]:
    """Options as the filter takes them; files from before there were priors have none."""
    law, prior = (dict(options).get(name) for name in ("law", "prior"))
    return {**options, "law": undescribed(law), "prior": None if prior is None else Weighted(**prior)}


def flatten(state: Any, prefix: str = "") -> dict[str, Any]:
    """Arrays and numbers of a tree of dataclasses and tuples, by dotted name."""
    if is_dataclass(state):
        parts = {f.name: getattr(state, f.name) for f in fields(state)}
    elif isinstance(state, tuple):
        parts = {str(i): item for i, item in enumerate(state)}
    else:
        return {prefix: np.asarray(state)}
    return {k: v for name, part in parts.items() for k, v in flatten(part, f"{prefix}.{name}".lstrip(".")).items()}


def restore(blank: _State, arrays: dict[str, Any]) -> _State:
    """A state of the kind of `blank` with the values of `arrays`; its recursion is the one that was saved."""
    from vieta.coefficients import lms_recursion

    state: Any = blank
    if arrays["filter"] == lms_recursion.__name__:
        state = replace(state, filter=lms_recursion.init(state.filter.coefficients))
    filled: _State = _fill(state, arrays, "")
    return filled


def _fill(blank: Any, arrays: dict[str, Any], prefix: str) -> Any:
    if is_dataclass(blank) and not isinstance(blank, type):
        names = [f.name for f in fields(blank)]
        return replace(blank, **{n: _fill(getattr(blank, n), arrays, f"{prefix}.{n}".lstrip(".")) for n in names})
    if isinstance(blank, tuple):
        return tuple(_fill(item, arrays, f"{prefix}.{i}") for i, item in enumerate(blank))
    value = arrays[prefix]
    if np.ndim(value) != np.ndim(blank) or np.shape(value)[1:] != np.shape(blank)[1:] or value.dtype.kind not in "if":
        raise ValueError(f"{prefix} has shape {np.shape(value)} where {np.shape(blank)} was expected")
    return value.item() if isinstance(blank, int | float) else value
