"""What commands show: tables, lines and remarks on standard output, signs of life on standard error."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING

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


@dataclass(slots=True)
class Progress:
    """How far a command is: bytes that were read, once or in several passes, and passes over what was read.

    Attributes
    ----------
    show : callable
        Called with what is being done and the share of it that is done, whenever that changes.
    size : int
        Bytes of all files.
    rereads : bool
        Whether the files are read in every pass.
    """

    show: Callable[[str, float], object]
    size: int
    rereads: bool = False
    _read: int = 0
    _passes: int = 0
    _share: float = 0.0

    def __call__(self, count: int) -> None:
        """So many more bytes were read; fewer, where a file is read once more."""
        self._read += count
        self.report()

    def passed(self, share: float) -> None:
        """Such a share of a pass over what was read is done; 0 as it begins."""
        self._passes, self._share = self._passes + (share == 0.0), share
        self.report()

    def report(self, doing: str = "") -> None:
        """Show it, under another name if something else is done meanwhile."""
        name, share = self.now()
        self.show(doing or name, share)

    def now(self) -> tuple[str, float]:
        """What is being done, and the share of it that is done: of a pass, if there are passes, as nobody knows how many there will be.

        >>> once, again = Progress(print, 10), Progress(print, 10, rereads=True)
        >>> for progress in (once, again):
        ...     progress(5)
        ...     progress(5)
        reading 0.5
        estimating 1.0
        reading, pass 1 0.5
        reading, pass 2 0.0
        >>> once.passed(0.0)
        estimating, pass 1 0.0
        """
        if self._passes:
            return f"estimating, pass {self._passes}", self._share
        if self.rereads and self.size > 0:
            return f"reading, pass {self._read // self.size + 1}", self._read % self.size / self.size
        return ("reading" if self._read < self.size else "estimating"), self._read / self.size if self.size > 0 else 0.0


@contextmanager
def reading(size: int, *, rereads: bool = False) -> Iterator[Progress]:
    """A bar on standard error, on a terminal only, over `size` bytes that are read once or in every pass, and over passes."""
    from rich.progress import BarColumn, SpinnerColumn, TaskProgressColumn, TextColumn, TimeElapsedColumn
    from rich.progress import Progress as Bar

    console = Console(stderr=True)
    columns = (
        SpinnerColumn(),
        TextColumn("{task.description}"),
        BarColumn(bar_width=20),
        TaskProgressColumn(),
        TimeElapsedColumn(),
    )
    with Bar(*columns, console=console, transient=True, disable=not console.is_terminal) as bar:
        task = bar.add_task("reading", total=1.0 + 1e-9)  # the clock of a task that is whole stands still

        def show(doing: str, share: float) -> None:
            bar.update(task, completed=share, description=doing)
            for follower in _followers:
                follower(doing, share)

        def tell(kernel: str) -> None:
            progress.report(compiling(kernel) if kernel else "")
            bar.refresh()

        progress = Progress(show, size, rereads)
        with telling(tell):
            yield progress
