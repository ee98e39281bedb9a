"""Options that several commands share: which columns are what, what methods can be told, and files to write."""

import os
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import click

if TYPE_CHECKING:
    from vieta.files.layout import Wishes

PICTURES = (".png", ".svg", ".pdf")
PAGES = (".html", ".htm")
COLUMNS = ("layout", "set_column", "values", "inputs", "intercept", "systems", "on_bad_set", "delimiter")

Command = TypeVar("Command", bound=Callable[..., Any])


def _delimiter(ctx: click.Context, param: click.Parameter, value: str | None) -> str | None:
    text = {"tab": "\t", "\\t": "\t", "space": " "}.get(value or "", value)
    if text is not None and (len(text) != 1 or text in '"\n\r'):
        raise click.BadParameter("one character is needed, or the word tab or space.")
    return text


def target(endings: tuple[str, ...]) -> Callable[[click.Context, click.Parameter, Path | None], Path | None]:
    """A check that refuses a file that cannot be written before the work begins."""

    def check(ctx: click.Context, param: click.Parameter, value: Path | None) -> Path | None:
        if value is not None and not value.name.lower().endswith(endings):
            raise click.BadParameter(f"the name must end in {', '.join(endings)}.")
        folder = None if value is None else (value.resolve() if value.is_symlink() else value).parent
        if folder is not None and not folder.is_dir():
            raise click.BadParameter(f"there is no folder {folder}.")
        if folder is not None and not os.access(folder, os.W_OK | os.X_OK):
            raise click.BadParameter(f"nothing can be written to the folder {folder}.")
        return value

    return check


def _all(command: Command, options: list[Callable[[Command], Command]]) -> Command:
    for option in reversed(options):
        command = option(command)
    return command


def columns(command: Command) -> Command:
    """Which columns of a file are what, and what to do with bad sets."""
    kind = click.Choice(["long", "wide"])
    return _all(
        command,
        [
            click.option("--layout", type=kind, help="One row a reading, or one row a set."),
            click.option("--set", "set_column", metavar="COL", help="The column that names the set (or its time)."),
            click.option(
                "--value", "values", multiple=True, metavar="COL", help="A column of readings; once for each."
            ),
            click.option("--input", "inputs", multiple=True, metavar="COL", help="A column of inputs; once for each."),
            click.option("--intercept", is_flag=True, help="A constant beside the inputs, for readings of one number."),
            click.option(
                "--systems", type=click.IntRange(min=1), metavar="L", help="How many systems; counted by default."
            ),
            click.option(
                "--on-bad-set",
                type=click.Choice(["error", "drop"]),
                default="error",
                show_default=True,
                help="A set that cannot be used: refuse the file, or leave it out.",
            ),
            click.option("--delimiter", callback=_delimiter, metavar="CHAR", help="Of CSV; recognised by default."),
        ],
    )


def wishes(given: dict[str, Any]) -> "Wishes":
    """What the user has named of the columns."""
    from vieta.files.layout import Wishes

    named = (given["set_column"], given["values"], given["inputs"], given["systems"], given["intercept"])
    return Wishes(given["layout"], *named)


def tuning(likelihood: str) -> Callable[[Command], Command]:
    """What the methods can be told, of which those named in `likelihood` take a noise law, and the level of the intervals."""
    level = click.FloatRange(0, 1, min_open=True, max_open=True)

    def options(command: Command) -> Command:
        return _all(
            command,
            [
                click.option(
                    "--robust", is_flag=True, default=None, help="Bound the influence of each set (efficient)."
                ),
                click.option(
                    "--memory", type=float, metavar="SETS", help="Remember about so many sets (efficient, rls)."
                ),
                click.option(
                    "--drift",
                    type=float,
                    multiple=True,
                    metavar="VAR",
                    help="Variance a set of the parameters' walk (efficient).",
                ),
                click.option(
                    "--step",
                    type=float,
                    multiple=True,
                    metavar="STEP",
                    help="Step; or one for each degree (lms, averaged, recursive-em).",
                ),
                click.option(
                    "--law", metavar="LAW", help=f"Of the noise: gaussian, laplace or student-t ({likelihood})."
                ),
                click.option("--noise-var", type=float, metavar="VAR", help=f"Of the noise, if known ({likelihood})."),
                click.option("--level", type=level, default=0.95, show_default=True, help="Of the intervals."),
            ],
        )

    return options


def pictures(what: str) -> Callable[[Command], Command]:
    """A picture (of `what`) and a page to write."""

    def options(command: Command) -> Command:
        file = click.Path(dir_okay=False, path_type=Path)
        plot = click.option("--plot", type=file, callback=target(PICTURES), help=f"Draw {what}: .png, .svg or .pdf.")
        page = click.option(
            "--report", type=file, callback=target(PAGES), help="Write one page with everything: .html."
        )
        return _all(command, [plot, page])

    return options
