"""Flags that say which columns of a file are what, and the words about what was read."""

from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, TypeVar

import click

from vieta.cli.audience import COMMAND

if TYPE_CHECKING:
    from vieta.files.layout import Layout, Wishes
    from vieta.files.reader import Reader

COLUMNS = ("layout", "set_column", "values", "inputs", "intercept", "systems", "on_bad_set", "delimiter")

Command = TypeVar("Command", bound=Callable[..., Any])


def _delimiter(ctx: click.Context, param: click.Parameter, value: str | None) -> str | None:
    text = {"tab": "\t", "\\t": "\t", "space": " "}.get(value or "", value)
    if text is not None and (len(text) != 1 or text in '"\n\r'):
        raise click.BadParameter("one character is needed, or the word tab or space.")
    return text


def columns(command: Command) -> Command:
    """Which columns of a file are what, and what to do with bad sets."""
    options = [
        click.option("--layout", type=click.Choice(["long", "wide"]), help="One row a reading, or one row a set."),
        click.option("--set", "set_column", metavar="COL", help="The column that names the set (or its time)."),
        click.option("--value", "values", multiple=True, metavar="COL", help="A column of readings; once for each."),
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
    ]
    for option in reversed(options):
        command = option(command)
    return command


def wishes(given: dict[str, Any]) -> "Wishes":
    """What the user has named of the columns."""
    from vieta.files.layout import Wishes

    return Wishes(
        layout=given["layout"],
        set=given["set_column"],
        value=given["values"],
        input=given["inputs"],
        systems=given["systems"],
        intercept=given["intercept"],
    )


def column_words(layout: "Layout", n_systems: int, given: dict[str, Any]) -> list[str]:
    """The flags that name what was recognised of the files, to read them again without guessing."""
    words = ["--layout", layout.kind]
    words += ["--set", layout.set] if layout.set is not None else []
    words += [word for name in layout.values for word in ("--value", name)]
    words += [word for name in layout.inputs for word in ("--input", name)]
    words += ["--intercept"] if layout.intercept else []
    words += ["--systems", str(n_systems), "--on-bad-set", given["on_bad_set"]]
    delimiter = given["delimiter"]
    return words + (["--delimiter", {"\t": "tab", " ": "space"}.get(delimiter, delimiter)] if delimiter else [])


def parameter_names(layout: "Layout", dim: int) -> list[str]:
    """Columns that the parameters belong to, where there is one for each; otherwise numbers."""
    if dim > 1 and layout.reading_dim == 1:
        return list(layout.regressors)
    if dim > 1 and layout.kind == "long" and len(layout.inputs) <= 1:
        return list(layout.values)
    return [str(j + 1) for j in range(dim)]


def description(reader: "Reader", n_sets: int, n_systems: int, dropped: Counter[str]) -> list[str]:
    """What was read: the layout, how many sets of what, and what was left out."""
    from vieta.files.reasons import WORDS

    pieces = ", read in pieces" if reader.stream else ""
    return [
        f"{', '.join(source.name for source in reader.sources)}: {reader.layout.describe(COMMAND)}",
        f"{counted(n_sets, 'set')} of {counted(n_systems, 'reading')} used{pieces}",
        *(f"left out for {WORDS.get(code, code)}: {count:,}" for code, count in dropped.items()),
    ]


@contextmanager
def placed(reader: "Reader") -> Iterator[None]:
    """Name the place in the files of a set that an estimator refuses by its number."""
    from vieta.errors import BadFileError, IncompleteSetsError, InputError

    try:
        yield
    except InputError as error:
        if "index" not in error.facts:
            raise
        if isinstance(error, IncompleteSetsError) and "needed" in error.facts:
            raise reader.explain(error) from None
        raise BadFileError.wrap(error, "{place}: {cause}", place=reader.place(error.facts["index"])) from None


def counted(count: int, what: str) -> str:
    """So many of something.

    >>> counted(1000, "line"), counted(1, "set")
    ('1,000 lines', '1 set')
    """
    return f"{count:,} {what}{'s' * (count != 1)}"
