"""Flags that say which columns of a file are what, and the words about what was read."""

from collections import Counter
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, TypeVar

import click

from vieta.cli.audience import COMMAND
from vieta.file_fit import AUTO

if TYPE_CHECKING:
    from vieta.files.layout import Layout, Wishes
    from vieta.files.reader import Reader

    _ParamType = click.ParamType[Any]
else:
    _ParamType = click.ParamType

COLUMNS = (
    "layout", "set_column", "values", "inputs", "categories", "time", "trend", "season", "harmonics", "intercept", "systems",
    "on_bad_set", "delimiter",
)  # fmt: skip

Command = TypeVar("Command", bound=Callable[..., Any])


def _delimiter(ctx: click.Context, param: click.Parameter, value: str | None) -> str | None:
    text = {"tab": "\t", "\\t": "\t", "space": " "}.get(value or "", value)
    if text is not None and (len(text) != 1 or text in '"\n\r'):
        raise click.BadParameter("one character is needed, or the word tab or space.")
    return text


class CountOrAuto(_ParamType):
    """How many, or the word that leaves it to the method."""

    name = "count or auto"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        """The number, or the word."""
        if value == AUTO:
            return value
        try:
            return click.IntRange(min=1).convert(value, param, ctx)
        except click.BadParameter:
            self.fail(f"{value!r} is neither a whole number, 1 or more, nor auto.", param, ctx)


SYSTEMS = click.option(
    "--systems", type=click.IntRange(min=1), metavar="L", help="How many systems; counted by default."
)
SYSTEMS_OR_AUTO = click.option(
    "--systems",
    type=CountOrAuto(),
    metavar="L|auto",
    help="How many systems; by default the size of the sets. Needed if that varies: smaller sets then lack readings, and larger ones hold "
    "false ones. auto: the number that an information criterion prefers.",
)


def columns(command: Command) -> Command:
    """Which columns of a file are what, and what to do with bad sets."""
    return _with_columns(command, SYSTEMS)


def columns_of_any_size(command: Command) -> Command:
    """The same, for a command that takes incomplete sets and can count systems."""
    return _with_columns(command, SYSTEMS_OR_AUTO)


def _with_columns(command: Command, systems: Callable[[Any], Any]) -> Command:
    options: list[Callable[[Any], Any]] = [
        click.option("--layout", type=click.Choice(["long", "wide"]), help="One row a reading, or one row a set."),
        click.option("--set", "set_column", metavar="COL", help="The column that names the set (or its time)."),
        click.option("--value", "values", multiple=True, metavar="COL", help="A column of readings; once for each."),
        click.option(
            "--input",
            "inputs",
            multiple=True,
            metavar="COL",
            help="A column of inputs: numbers, dates, or text, which counts as a category; once for each. It may be that of the sets.",
        ),
        click.option(
            "--category",
            "categories",
            multiple=True,
            metavar="COL",
            help="An input that is a category although it holds numbers; once for each.",
        ),
        click.option(
            "--trend", is_flag=True, help="A straight line in time, or in the order of the sets, as an input."
        ),
        click.option(
            "--season",
            multiple=True,
            metavar="PERIOD",
            help="A wave as an input: year, quarter, month, week, day, hour or minute, if the time is a date; or a number, of units of "
            "the time if it is a number, else of sets.",
        ),
        click.option(
            "--harmonics",
            type=click.IntRange(1, 50),
            metavar="K",
            help="Waves of each season: the period, half of it, up to a K-th.  [default: 1]",
        ),
        click.option(
            "--time",
            metavar="COL",
            help="The column that tells the time, for --trend and --season; by default that of the sets, or else their order.",
        ),
        click.option(
            "--intercept/--no-intercept",
            default=None,
            help="A constant beside the inputs; by default with dates, categories, trends and seasons.",
        ),
        systems,
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

    if given["time"] is not None and not (given["trend"] or given["season"]):
        raise click.UsageError("--time needs --trend or --season.")
    if given["harmonics"] is not None and not given["season"]:
        raise click.UsageError("--harmonics needs --season.")
    return Wishes(
        layout=given["layout"],
        set=given["set_column"],
        value=given["values"],
        input=given["inputs"],
        systems=None if given["systems"] == AUTO else given["systems"],
        intercept=given["intercept"],
        category=given["categories"],
        time=given["time"],
        trend=given["trend"],
        season=given["season"],
        harmonics=given["harmonics"] or 1,
    )


def column_words(layout: "Layout", n_systems: int, given: dict[str, Any]) -> list[str]:
    """The flags that name what was recognised of the files, to read them again without guessing."""
    words = ["--layout", layout.kind]
    words += ["--set", layout.set] if layout.set is not None else []
    words += [word for name in layout.values for word in ("--value", name)]
    words += [word for name in layout.inputs if name != given.get("offset") for word in ("--input", name)]
    words += [word for name in layout.categories for word in ("--category", name)]
    words += ["--trend"] if layout.trend else []
    words += [word for period in layout.season for word in ("--season", period)]
    words += ["--harmonics", str(layout.harmonics)] if layout.season else []
    words += ["--time", layout.time] if layout.time not in (None, layout.set) else []
    words += ["--intercept"] if layout.intercept else [] if layout.is_plain else ["--no-intercept"]
    words += [
        "--systems",
        AUTO if given.get("systems") == AUTO else str(n_systems),
        "--on-bad-set",
        given["on_bad_set"],
    ]
    delimiter = given["delimiter"]
    return words + (["--delimiter", {"\t": "tab", " ": "space"}.get(delimiter, delimiter)] if delimiter else [])


def settings_of(layout: "Layout") -> dict[str, Any]:
    """What was recognised of the files, ready for JSON."""
    return {
        "layout": layout.kind,
        "set": layout.set,
        "values": list(layout.values),
        "inputs": list(layout.inputs),
        "categories": list(layout.categories),
        "time": layout.time,
        "trend": layout.trend,
        "season": list(layout.season),
        "harmonics": layout.harmonics,
        "intercept": layout.intercept,
        "regressors": list(layout.regressors),
    }


def description(
    reader: "Reader", n_sets: int, n_systems: int, dropped: Counter[str], offset: str | None = None
) -> list[str]:
    """What was read: the layout, in which one input may be an `offset`, how many sets of what, and what was left out."""
    from vieta.files.reasons import WORDS

    pieces = ", read in pieces" if reader.stream else ""
    return [
        f"{', '.join(source.name for source in reader.sources)}: {reader.layout.describe(COMMAND, offset=offset)}",
        f"{counted(n_sets, 'set')} of {_sizes(reader, n_systems)} used{pieces}",
        *_expected(reader, n_sets, n_systems),
        *(f"left out for {WORDS.get(code, code)}: {count:,}" for code, count in dropped.items()),
    ]


def _takes_any(reader: "Reader", n_systems: int) -> bool:
    """Whether sets of another size than the number of systems were used."""
    return reader.on_bad_set == "error" and bool(reader.sizes) and set(reader.sizes) != {n_systems}


def _sizes(reader: "Reader", n_systems: int) -> str:
    """How many readings the sets have that were used."""
    if not _takes_any(reader, n_systems):
        return counted(n_systems, "reading")
    least, most = min(reader.sizes), max(reader.sizes)
    return counted(most, "reading") if least == most else f"{least:,} to {counted(most, 'reading')}"


def _expected(reader: "Reader", n_sets: int, n_systems: int) -> list[str]:
    """How many readings there are, and how many of the systems would be, if all were seen in every set."""
    if not _takes_any(reader, n_systems):
        return []
    found, expected = sum(size * count for size, count in reader.sizes.items()), n_sets * n_systems
    short = sum(count for size, count in reader.sizes.items() if size < n_systems)
    long = sum(count for size, count in reader.sizes.items() if size > n_systems)
    sets = [f"{counted(short, 'set')} with fewer than {n_systems}"] * bool(short)
    sets += [f"{counted(long, 'set')} with more"] * bool(long)
    return [
        f"{found:,} of {expected:,} expected readings, {' and '.join(sets)}"
        if not long
        else f"{counted(found, 'reading')}, where {counted(n_systems, 'system')} seen in every set give {expected:,}: {' and '.join(sets)}"
    ]


def counted(count: int, what: str) -> str:
    """So many of something.

    >>> counted(1000, "line"), counted(1, "set")
    ('1,000 lines', '1 set')
    """
    return f"{count:,} {what}{'s' * (count != 1)}"
