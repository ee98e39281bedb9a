"""What `vieta watch` shows: a table that changes on a terminal, lines of JSON, or one answer in the end."""

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any, NamedTuple

from rich.console import Console, Group
from rich.live import Live
from rich.table import Table
from rich.text import Text

from vieta.cli.console import compiling, full_width, number_table, remark_line, show_table, words
from vieta.cli.terminal import put, put_json
from vieta.compiled import telling
from vieta.report.watch_report import Account

EXTRA = ("std. error", "interval")  # columns that make way, in this order, where a terminal is too narrow for all


class Display(NamedTuple):
    """Where to say what happens, to report on the way, to announce a change, and to answer in the end."""

    say: Callable[[str], None]
    report: Callable[[Callable[[], Account]], None]
    change: Callable[[int], None]
    answer: Callable[[Account], None]


def as_json() -> Display:
    """Everything but remarks as lines of JSON."""

    def event(name: str, facts: dict[str, Any]) -> None:
        put_json({"event": name} | facts, indent=None)

    return Display(
        _remark,
        lambda account: event("estimate", account().brief()),
        lambda after: event("change", {"after_set": after}),
        lambda account: event("final", account.full()),
    )


def in_the_end() -> Display:
    """One answer; changes are remarks."""
    return Display(_remark, lambda _: None, lambda after: _remark(_changed(after)), _answer)


@contextmanager
def on_terminal() -> Iterator[Display]:
    """A table that changes while sets arrive, and makes way for the answer."""
    console = Console(highlight=False)
    waiting = words("waiting for sets ...", "dim")
    with Live(waiting, console=console, auto_refresh=False, transient=True, redirect_stderr=False) as live:
        table: Group | None = None

        def say(text: str) -> None:
            if sys.stderr.isatty():
                console.print(words(text, "dim"))
            else:
                _remark(text)

        def report(account: Callable[[], Account]) -> None:
            nonlocal table
            table = Group(*_picture(account(), console.width))
            live.update(table, refresh=True)

        def tell(kernel: str) -> None:
            below = words(f"{compiling(kernel)} ...", "dim") if kernel else waiting
            live.update(below if table is None else table, refresh=True)

        def answer(account: Account) -> None:
            live.stop()
            _answer(account)

        with telling(tell):
            yield Display(say, report, lambda after: say(_changed(after)), answer)


def _remark(text: str) -> None:
    put(text, err=True)


def _changed(after: int) -> str:
    return f"The parameters changed after set {after:,}."


def _answer(account: Account) -> None:
    console = Console(highlight=False)
    for item in _picture(account):
        if isinstance(item, Table):
            show_table(item)
        else:
            console.print(item, soft_wrap=not console.is_terminal)  # whatever reads it elsewhere wants it whole


def _picture(account: Account, width: int | None = None) -> list[Text | Table]:
    """What an account says; its table is made to fit into so many columns of text, if they are given."""
    return [
        *(words(line, "dim") for line in account.description),
        _table(account) if width is None else _fitting_table(account, width),
        *(words(line, "") for line in account.seen),
        words("What to make of it", "bold"),
        *map(remark_line, account.verdict),
    ]


def _fitting_table(account: Account, width: int) -> Table:
    """The table with as many of its columns as there is room for."""
    table, left_out = _table(account), 0
    while full_width(table) > width and left_out < len(EXTRA):
        left_out += 1
        table = _table(account, EXTRA[:left_out])
    return table


def _table(account: Account, without: tuple[str, ...] = ()) -> Table:
    header, rows = account.table
    kept = [k for k, name in enumerate(header) if not name.endswith(without)]
    section = 1 if account.estimate is None else account.estimate.theta.shape[1]
    return number_table(account.title, [header[k] for k in kept], [[row[k] for k in kept] for row in rows], section)
