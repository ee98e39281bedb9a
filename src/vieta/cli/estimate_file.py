"""Estimates that `vieta fit --json` wrote, and the inputs of the records that they came from."""

import json
from pathlib import Path
from typing import Any

from vieta.arrays import Floats
from vieta.errors import BadFileError, VietaError
from vieta.estimators import Estimate
from vieta.files.layout import Wishes
from vieta.files.reader import reader
from vieta.files.reasons import unreadable
from vieta.files.source import HEAD, is_stream, opened
from vieta.offset_column import without_offset
from vieta.regular import open_regular

LONGEST = 64 << 20  # bytes of an estimate, unpacked
AUDIT_RECORDS = "What a reading tells depends on its input: audit the records themselves."


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
        return Estimate.from_dict(answer)
    except KeyError as error:
        raise _foreign(path, f"{error} is missing") from None
    except (TypeError, ValueError, AttributeError, OverflowError) as error:
        raise _foreign(path, str(error).rstrip(".")) from None


def offset_of(answer: dict[str, Any]) -> str | None:
    """The column of known numbers that an estimate was made with."""
    settings = answer.get("settings")
    found = settings.get("offset") if isinstance(settings, dict) else None
    return found if isinstance(found, str) else None


def inputs_of(answer: dict[str, Any], path: str) -> tuple[Floats | None, Floats | None]:
    """The inputs and known numbers of the records behind an estimate, read from their files again; None if it had none."""
    settings = answer.get("settings")
    if not isinstance(settings, dict):
        raise _foreign(path, "'settings' is missing")
    if not (settings.get("inputs") or settings.get("trend") or settings.get("season")):
        return None, None
    files = _texts(settings, "files", path)
    try:
        layout, of_set, intercept = settings["layout"], settings["set"], settings["intercept"]
    except KeyError as error:
        raise _foreign(path, f"{error} is missing") from None
    if layout not in ("long", "wide") or not isinstance(of_set, str | None) or not isinstance(intercept, bool):
        raise _foreign(path, "its settings are not those of records")
    wishes = Wishes(
        layout=layout,
        set=of_set,
        value=tuple(_texts(settings, "values", path)),
        input=tuple(_texts(settings, "inputs", path)),
        systems=len(answer["theta"]),
        intercept=intercept,
        **_made_of_time(settings, path),
    )
    if "-" in files:
        raise BadFileError(
            "inputs-of-standard-input",
            "{path} was estimated from standard input, with inputs, which are not in it. {advice}",
            path=path,
            advice=AUDIT_RECORDS,
        )
    try:
        for name in files:
            _require_records(name)
        keeps = answer.get("readings") is not None and not answer.get("dropped")  # incomplete sets have inputs too
        with reader(files, wishes, on_bad_set="error" if keeps else "drop", stream=False) as source:
            found = without_offset(source.all().data, source.layout, offset_of(answer))
            return found.inputs, found.known
    except VietaError as error:
        raise BadFileError.wrap(
            error,
            "{path} was estimated with inputs, which are not in it, and cannot be taken from {files} again: {cause} {advice}",
            path=path,
            files=", ".join(files),
            advice=AUDIT_RECORDS,
        ) from None


def _made_of_time(settings: dict[str, Any], path: str) -> dict[str, Any]:
    """Settings of categories, trend and season, which estimates of plain inputs need not have."""
    time, harmonics = settings.get("time"), settings.get("harmonics", 1)
    if not isinstance(time, str | None) or not isinstance(harmonics, int) or harmonics < 1:
        raise _foreign(path, "its settings are not those of records")
    listed = {name: settings.get(name, []) for name in ("categories", "season")}
    return {
        "category": tuple(_texts(listed, "categories", path)),
        "season": tuple(_texts(listed, "season", path)),
        "trend": settings.get("trend") is True,
        "time": time,
        "harmonics": harmonics,
    }


def wishes_of(answer: dict[str, Any], path: str) -> Wishes:
    """How the records behind an estimate were read, to read others in the same way; inputs must be numbers as they are.

    A time counts from the first of its file, and a category from the levels of its file: elsewhere the parameters would mean something else.
    """
    settings = answer.get("settings")
    if not isinstance(settings, dict):
        raise _foreign(path, "'settings' is missing")
    regressors = _texts(settings, "regressors", path)
    inputs, intercept = _texts(settings, "inputs", path), settings.get("intercept") is True
    if regressors != ["intercept"] * intercept + inputs:
        raise BadFileError(
            "inputs-of-their-file",
            "the inputs behind {path} are made of times or categories, which are counted from the first of their file. Leave the estimate "
            "out, and give the options of {call.fit}: the records are fitted again.",
            path=path,
        )
    kind, of_set = settings.get("layout"), settings.get("set")
    if kind not in ("long", "wide") or not isinstance(of_set, str | None):
        raise _foreign(path, "its settings are not those of records")
    values = tuple(_texts(settings, "values", path))
    return Wishes(kind, of_set, values, tuple(inputs), len(answer["theta"]), intercept)


def names_of(answer: dict[str, Any], dim: int, path: str) -> list[str]:
    """The names of the parameters in an estimate; numbers where it has none."""
    if "parameter_names" not in answer:
        return [str(j + 1) for j in range(dim)]
    names = _texts(answer, "parameter_names", path)
    if len(names) != dim:
        raise _foreign(path, "'parameter_names' does not name each parameter")
    return names


def _texts(table: dict[str, Any], name: str, path: str) -> list[str]:
    """A list of texts in an estimate."""
    found = table.get(name)
    if not isinstance(found, list) or not all(isinstance(one, str) for one in found):
        raise _foreign(path, f"{name!r} is missing, or not a list of texts")
    return found


def _require_records(name: str) -> None:
    """Refuse a name in an estimate that leads to no regular file: a device or a pipe might never end."""
    try:
        open_regular(name).close()
    except (OSError, ValueError) as error:
        if isinstance(error, BadFileError):
            raise
        raise unreadable(name, error) from None


def _foreign(path: str, why: str) -> BadFileError:
    return BadFileError("not-an-answer", "{path} is not what {call.fit} writes as JSON: {why}.", path=path, why=why)
