"""The formats: every module here whose name ends in `_format` holds one, as FORMAT. Files are known by their first bytes."""

import os
import pkgutil
from collections.abc import Iterable, Iterator
from contextlib import ExitStack, contextmanager
from functools import cache
from importlib import import_module
from pathlib import Path

import vieta.files
from vieta.errors import BadFileError
from vieta.files.source import HEAD, Source, is_stream, opened, spooled

SUFFIX = "_format"
FOREIGN = {
    b"PK\x03\x04": "a zip archive or a spreadsheet. Save the sheet as CSV",
    b"ARROW1": "an Arrow file. Save it as Parquet or CSV",
    b"\xff\xfe": "text in UTF-16. Save it as UTF-8",
    b"\xfe\xff": "text in UTF-16. Save it as UTF-8",
    b"\x89HDF": "an HDF5 file. Save the table as Parquet or CSV",
    b"BZh": "packed with bzip2. Unpack it, or pack it with gzip",
    b"\xfd7zXZ": "packed with xz. Unpack it, or pack it with gzip",
    b"\x28\xb5\x2f\xfd": "packed with zstd. Unpack it, or pack it with gzip",
}


@cache
def formats() -> tuple[type[Source], ...]:
    """All formats, those of binary files first."""
    names = [one.name for one in pkgutil.iter_modules(vieta.files.__path__) if one.name.endswith(SUFFIX)]
    found: list[type[Source]] = [import_module(f"{vieta.files.__name__}.{name}").FORMAT for name in names]
    return tuple(sorted(found, key=lambda one: (one.is_text, one.rank)))


@contextmanager
def sources(paths: Iterable[str], delimiter: str | None = None) -> Iterator[list[Source]]:
    """The different files at `paths`, "-" for standard input; what cannot be read twice is kept in a temporary file."""
    with ExitStack() as stack:
        found, seen = list[Source](), dict[str, str]()
        for path in paths:
            name = "standard input" if path == "-" else path
            target = path if path == "-" else os.path.realpath(path)
            if target in seen:
                also = ", also as {first}" if seen[target] != name else ""
                template = f"{{file}} was given twice{also}. Name each file once."
                raise BadFileError("file-given-twice", template, file=name, first=seen[target])
            seen[target] = name
            place = spooled(stack, path, name) if is_stream(path) else Path(path)
            found.append(sniff(place, name, delimiter))
        yield found


def sniff(path: Path, name: str, delimiter: str | None = None) -> Source:
    """The file at `path`, of the format that its first bytes tell."""
    with opened(path, name) as (file, zipped):
        head = file.read(HEAD)
    if not head.strip():
        raise BadFileError("empty-file", "{file} is empty. A header line and rows of numbers are needed.", file=name)
    binary = [one for one in formats() if not one.is_text]
    text = [one for one in formats() if one.is_text]
    found = _first(binary, path, name, zipped, head, delimiter)
    if found is None:
        _require_text(head, name)
        found = _first(text, path, name, zipped, head, delimiter)
    if found is None:
        raise BadFileError("unknown-format", "{file} is of no known format: {formats}.", file=name, formats=_listed())
    return found


def _first(
    asked: Iterable[type[Source]], path: Path, name: str, zipped: bool, head: bytes, delimiter: str | None
) -> Source | None:
    answers = (one.recognise(path, name, zipped, head, delimiter) for one in asked)
    return next((answer for answer in answers if answer is not None), None)


def _require_text(head: bytes, name: str) -> None:
    for magic, what in FOREIGN.items():
        if head.startswith(magic):
            raise BadFileError("foreign-format", f"{{file}} is {what}.", file=name)
    if b"\0" in head:
        raise BadFileError(
            "zero-bytes",
            "{file} is not text: it holds bytes of zero. A file of one of these formats is needed: {formats}.",
            file=name,
            formats=_listed(),
        )


def _listed() -> str:
    return ", ".join(sorted(one.kind for one in formats()))
