"""Files that a command writes: refused before the work if they cannot be right, and written after the answer is shown."""

import os
from collections.abc import Callable, Iterable
from pathlib import Path

import click

from vieta.cli.errors import RefusedError, told

STANDARD = Path("-")  # input or output


def require_apart(inputs: Iterable[str | Path], outputs: dict[str, Path | None]) -> None:
    """Refuse an output, given by an option, that is an input or another output; whatever its name, through links or not."""
    taken = {_place(path): "which is an input: it would be lost" for path in map(Path, inputs) if path != STANDARD}
    for option, path in outputs.items():
        if path is None or path == STANDARD:
            continue
        if _place(path) in taken:
            raise RefusedError(f"{option} would write {path}, {taken[_place(path)]}. Name another file.")
        taken[_place(path)] = f"as {option} does"


def _place(path: Path) -> object:
    """What is the same for two names of one file."""
    try:
        found = os.stat(path)
    except OSError:
        return os.path.realpath(path)
    return found.st_dev, found.st_ino


def made_folder(folder: Path) -> None:
    """Make a folder for outputs, unless it is there."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise RefusedError(f"the folder {folder} cannot be made: {error.strerror or error}.") from None


def write_outputs(contents: dict[Path | None, Callable[[], bytes]], *, quiet: bool) -> None:
    """Write the files that were asked for, and say so unless the answer on standard output is for a program."""
    from vieta.atomic import write_whole

    for path, content in contents.items():
        if path is None:
            continue
        with told():
            write_whole(path, content())
        if not quiet:
            click.secho(f"written: {path}", dim=True)
