"""What `vieta watch` shows: a table that changes on a terminal, lines of JSON, or one answer in the end."""

import json
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any, NamedTuple

import click
from rich.console import Console, Group
from rich.live import Live
from rich.table import Table
from rich.text import Text

from vieta.io.account import Account

WIDTH = 110  # where there is no terminal to ask


class Display(NamedTuple):
    """Where to say what happens, to report on the way, to announce a change, and to answer in the end."""

    say: Callable[[str], None]
    report: Callable[[Callable[[], Account]], None]
    change: Callable[[int], None]
    answer: Callable[[Account], None]


def as_json() -> Display:
    """Everything but remarks as lines of JSON."""

    def event(name: str, told: dict[str, Any]) -> None:
        click.echo(json.dumps({"event": name} | told, allow_nan=False))

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
    """A table that changes while sets come, and makes way for the answer."""
    console = Console(highlight=False)
    waiting = Text("waiting for sets (the first run on a machine also compiles) ...", style="dim")
    with Live(waiting, console=console, auto_refresh=False, transient=True, redirect_stderr=False) as live:

        def say(text: str) -> None:
            if sys.stderr.isatty():
                console.print(Text(text, style="dim"))
            else:
                _remark(text)

        def report(account: Callable[[], Account]) -> None:
            live.update(Group(*_picture(account())), refresh=True)

        def answer(account: Account) -> None:
            live.stop()
            _answer(account)

        yield Display(say, report, lambda after: say(_changed(after)), answer)


def _remark(text: str) -> None:
    click.echo(text, err=True)


def _changed(after: int) -> str:
    return f"The parameters changed after set {after:,}."


def _answer(account: Account) -> None:
    console = Console(highlight=False)
    for item in _picture(account):
        if isinstance(item, Table):
            console.print(item, width=None if console.is_terminal else WIDTH)
        else:
            console.print(item, soft_wrap=not console.is_terminal)  # whatever reads it elsewhere wants it whole


def _picture(account: Account) -> list[Text | Table]:
    mark, style = ("-", "green") if account.is_sound else ("!", "yellow")
    return [
        *(Text(line, style="dim") for line in account.data_in_words),
        _table(account),
        Text("What to make of it", style="bold"),
        *(Text(f"{mark} {line}", style=style) for line in account.verdict),
    ]


def _table(account: Account) -> Table:
    table = Table(title=account.title, title_justify="left", title_style="bold")
    for name in account.header:
        table.add_column(name, justify="right")
    for row in account.rows:
        table.add_row(*(Text(cell) for cell in row))
    return table
