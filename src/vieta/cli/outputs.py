"""Files that a command writes: refused before the work if they cannot be right, and written after the answer is shown."""

import os
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any, TypeVar

import click

from vieta.cli.process import RefusedError, refusing
from vieta.cli.terminal import put

STANDARD = Path("-")  # input or output
PICTURES = (".png", ".svg", ".pdf")
PAGES = (".html", ".htm")

Command = TypeVar("Command", bound=Callable[..., Any])


def target(endings: tuple[str, ...]) -> Callable[[click.Context, click.Parameter, Path | None], Path | None]:
    """A check that refuses a file that cannot be written before the work begins."""

    def check(ctx: click.Context, param: click.Parameter, value: Path | None) -> Path | None:
        if value is not None and not value.name.lower().endswith(endings):
            raise click.BadParameter(f"the name must end in {', '.join(endings)}.")
        folder = None if value is None else Path(os.path.realpath(value) if value.is_symlink() else value).parent
        if folder is not None and not folder.is_dir():
            raise click.BadParameter(f"there is no folder {folder}.")
        if folder is not None and not os.access(folder, os.W_OK | os.X_OK):
            raise click.BadParameter(f"nothing can be written to the folder {folder}.")
        return value

    return check


def pictures(what: str) -> Callable[[Command], Command]:
    """Flags for a picture (of `what`) and a page to write."""

    def options(command: Command) -> Command:
        file = click.Path(dir_okay=False, path_type=Path)
        plot = click.option("--plot", type=file, callback=target(PICTURES), help=f"Draw {what}: .png, .svg or .pdf.")
        page = click.option(
            "--report", type=file, callback=target(PAGES), help="Write one page with everything: .html."
        )
        return plot(page(command))

    return options


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


def kind_of(picture: Path | None) -> str:
    """The kind of a picture by the end of its name.

    >>> kind_of(Path("fit.PNG"))
    'png'
    """
    return "" if picture is None else picture.suffix.lower().removeprefix(".")


def write_outputs(contents: dict[Path | None, Callable[[], bytes]], *, quiet: bool) -> None:
    """Write the files that were asked for, and say so unless the answer on standard output is for a program."""
    for path, content in contents.items():
        if path is None:
            continue
        write_file(path, content())
        if not quiet:
            put(f"written: {path}", dim=True)


def write_file(path: Path, content: bytes) -> None:
    """Write a file, all of it or nothing."""
    from vieta.atomic import write_whole

    with refusing():
        write_whole(path, content)
