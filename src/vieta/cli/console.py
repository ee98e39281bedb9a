"""What commands show: tables, lines and remarks on standard output, signs of life on standard error."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from rich.console import Console
from rich.table import Table
from rich.text import Text

from vieta.characters import visible
from vieta.compiled import telling
from vieta.findings import MARKS

if TYPE_CHECKING:
    from vieta.report.remarks import Grade, Remark

WIDTH = 110  # where there is no terminal to ask
WIDEST = 10_000
NAMED = ("parameter",)  # columns that hold words, by the beginning of their names
STYLES: "dict[Grade, str]" = {"fine": "green", "note": "", "caution": "yellow", "serious": "bold red"}
FINE = "-"  # the mark where all is as it should be
_followers: list[Callable[[str, float], object]] = []  # who follows how far work is, beside the terminal


def words(text: str, style: str = "") -> Text:
    """Text to show as it is: no markup is read in it, and what cannot be seen is shown as its escape."""
    return Text(visible(text), style=style)


def say(text: str, style: str = "") -> None:
    """Print a line, broken on a terminal only: whatever reads it elsewhere wants it whole."""
    console = Console(highlight=False)
    console.print(words(text, style), soft_wrap=not console.is_terminal)


def remark_line(remark: "Remark") -> Text:
    """A remark behind the mark and in the colour of its grade."""
    mark = FINE if remark.grade == "fine" else MARKS[remark.grade]
    return words(f"{mark} {remark.text}", STYLES[remark.grade])


def show_remarks(heading: str, remarks: "Iterable[Remark]") -> None:
    """Print remarks, each behind the mark of its grade."""
    console = Console(highlight=False)
    console.print(words(heading, "bold"))
    for remark in remarks:
        console.print(remark_line(remark), soft_wrap=not console.is_terminal)


def number_table(title: str, header: Sequence[str], rows: Iterable[Sequence[str]], section: int = 1) -> Table:
    """A table of numbers, none of which is wrapped; a line after every `section` rows if that is more than one."""
    table = Table(title=words(title), title_justify="left", title_style="bold")
    for name in header:
        table.add_column(words(name), justify="left" if name.startswith(NAMED) else "right", no_wrap=True)
    for at, row in enumerate(rows, start=1):
        table.add_row(*map(words, row), end_section=section > 1 and at % section == 0)
    return table


def word_table(
    title: str, header: Sequence[str], rows: Iterable[Sequence[str]], prose: Sequence[str], note: str
) -> Table:
    """A table some columns of which (`prose`) hold words and may be wrapped, with a note below."""
    caption = words(f"({note})") if note else None
    table = Table(title=words(title), title_justify="left", title_style="bold", caption=caption, caption_justify="left")
    for name in header:
        is_words = name in prose or name.startswith(NAMED)
        table.add_column(words(name), justify="left" if is_words else "right", overflow="fold")  # cuts no number
    for row in rows:
        table.add_row(*map(words, row))
    return table


def full_width(table: Table) -> int:
    """How many characters wide a table is with nothing wrapped or cut."""
    return Console(width=WIDEST).measure(table).maximum


def show_table(table: Table) -> None:
    """Print a table; if its columns are not to be wrapped, wider than the terminal rather than with numbers cut."""
    console = Console()
    room = console.width if console.is_terminal else WIDTH
    needed = full_width(table) if all(column.no_wrap for column in table.columns) else 0
    Console(highlight=False, width=max(room, needed)).print(table)


@contextmanager
def working(what: str) -> Iterator[None]:
    """A sign of life on standard error while something takes its time."""
    with (
        Console(stderr=True).status(f"{what} ...") as status,
        telling(lambda kernel: status.update(f"{what}: {compiling(kernel)} ..." if kernel else f"{what} ...")),
    ):
        yield


def compiling(kernel: str) -> str:
    """What is being done while a kernel is compiled.

    >>> compiling("_add_up")
    'compiling add up, once on this machine'
    """
    return f"compiling {kernel.replace('_', ' ').strip()}, once on this machine"


@contextmanager
def following(follower: Callable[[str, float], object]) -> Iterator[None]:
    """Call `follower` with what is being done and the share that is done, wherever a bar would show it."""
    _followers.append(follower)
    try:
        yield
    finally:
        _followers.remove(follower)


@contextmanager
def reading(size: int, *, passes: bool = False, once: bool = False) -> Iterator[Callable[[int], None]]:
    """A bar on standard error, on a terminal only, over `size` bytes to read: once, before an estimation, or in several passes.

    Where there are passes over what was read `once`, they are so called.
    """
    from rich.progress import BarColumn, DownloadColumn, Progress, SpinnerColumn, TextColumn, TimeElapsedColumn

    console = Console(stderr=True)
    columns = (
        SpinnerColumn(),
        TextColumn("{task.description}"),
        BarColumn(bar_width=20),
        DownloadColumn(),
        TimeElapsedColumn(),
    )
    with Progress(*columns, console=console, transient=True, disable=not console.is_terminal) as bar:
        task, done = bar.add_task("reading", total=size), 0

        def advance(count: int) -> None:
            nonlocal done
            done += count
            show()

        def tell(kernel: str) -> None:
            show(compiling(kernel) if kernel else "", refresh=True)

        def show(doing: str = "", **how: Any) -> None:
            name, completed = progress_of(done, size, passes=passes, once=once)
            bar.update(task, completed=completed, description=doing or name, **how)
            for follower in _followers:
                follower(doing or name, completed / size if size > 0 else 0.0)

        with telling(tell):
            yield advance


def progress_of(done: int, size: int, *, passes: bool, once: bool = False) -> tuple[str, int]:
    """What is being done after so many bytes, and how many of them count.

    >>> progress_of(5, 10, passes=True), progress_of(25, 10, passes=True)
    (('reading, pass 1', 5), ('reading, pass 3', 5))
    >>> progress_of(5, 10, passes=False), progress_of(10, 10, passes=False)
    (('reading', 5), ('estimating', 10))
    >>> progress_of(5, 10, passes=True, once=True), progress_of(25, 10, passes=True, once=True)
    (('reading', 5), ('estimating, pass 2', 5))
    """
    if passes and once and done >= size > 0:
        return f"estimating, pass {done // size}", done % size
    if passes and not once and size > 0:
        return f"reading, pass {done // size + 1}", done % size
    return ("reading" if done < size else "estimating"), done
