"""The answer of `vieta audit` on the terminal."""

import json

import click
from rich.console import Console
from rich.table import Table
from rich.text import Text

from vieta.anonymity import audit_tables as cells
from vieta.cli.console import show_table
from vieta.cli.fit_answer import say
from vieta.report.audit_report import Audited

WORDS = (cells.LEARNED[-1], cells.NOISE[-1])  # columns of them


def show(audited: Audited, *, as_json: bool) -> None:
    """Print it, as tables or as JSON."""
    if as_json:
        click.echo(json.dumps(audited.to_dict(), indent=2, allow_nan=False))
        return
    console, found = Console(highlight=False), audited.audit
    for text in audited.data_in_words:
        say(console, Text(text, style="dim"))
    say(console, Text("Whose reading is whose, in one record? The best guess is right", style="bold"))
    for what, right, chance in cells.guesses(found):
        say(console, Text(f"  {what}: {right} of the time (by pure chance {chance})"))
    _table("Who can be named now", audited.systems_header, cells.systems(found), cells.LOOK_ALIKES)
    learned = "What an analyst learns of the parameters, without any name"
    _table(learned, list(cells.LEARNED), cells.learned(found), cells.told_apart(found))
    noise = "If noise were added to every reading before release"
    _table(noise, list(cells.NOISE), cells.noise(found), "")
    say(console, Text("What to make of it", style="bold"))
    for text in found.warnings:
        say(console, Text(f"! {text}", style="red" if audited.serious else "yellow"))
    say(console, Text(cells.ASSUMED, style="dim"))


def _table(title: str, header: list[str], rows: list[list[str]], note: str) -> None:
    table = Table(
        title=title,
        title_justify="left",
        title_style="bold",
        caption=f"({note})" if note else None,
        caption_justify="left",
    )
    for name in header:
        words = name in WORDS or name.startswith("parameters")
        table.add_column(name, justify="left" if words else "right", overflow="fold")  # cuts no number
    for row in rows:
        table.add_row(*(Text(cell) for cell in row))
    show_table(table)
