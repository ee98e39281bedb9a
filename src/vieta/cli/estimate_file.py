"""Estimates that `vieta fit --json` wrote, and the inputs of the records that they came from."""

import json
from pathlib import Path
from typing import Any

from vieta.arrays import Floats
from vieta.errors import BadFileError, VietaError
from vieta.estimators import Estimate
from vieta.files.layout import Wishes
from vieta.files.reader import reader
from vieta.files.source import HEAD, is_stream, opened

LONGEST = 256 << 20  # bytes of an estimate
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
    except (TypeError, ValueError, AttributeError) as error:
        raise _foreign(path, str(error).rstrip(".")) from None


def inputs_of(answer: dict[str, Any], path: str) -> Floats | None:
    """The inputs of the records behind an estimate, read from their files again; None if it had none."""
    settings = answer.get("settings")
    if not isinstance(settings, dict):
        raise _foreign(path, "'settings' is missing")
    if not settings.get("inputs"):
        return None
    try:
        files = [str(name) for name in settings["files"]]
        wishes = Wishes(
            layout=settings["layout"],
            set=settings["set"],
            value=tuple(settings["values"]),
            input=tuple(settings["inputs"]),
            systems=len(answer["theta"]),
            intercept=settings["intercept"],
        )
    except (KeyError, TypeError) as error:
        raise _foreign(path, f"{error} is missing") from None
    if "-" in files:
        raise BadFileError(
            "inputs-of-standard-input",
            "{path} was estimated from standard input, with inputs, which are not in it. {advice}",
            path=path,
            advice=AUDIT_RECORDS,
        )
    try:
        with reader(files, wishes, on_bad_set="drop", stream=False) as source:
            return source.all().data.inputs
    except VietaError as error:
        raise BadFileError.wrap(
            error,
            "{path} was estimated with inputs, which are not in it, and cannot be taken from {files} again: {cause} {advice}",
            path=path,
            files=", ".join(files),
            advice=AUDIT_RECORDS,
        ) from None


def _foreign(path: str, why: str) -> BadFileError:
    return BadFileError("not-an-answer", "{path} is not what {call.fit} writes as JSON: {why}.", path=path, why=why)
