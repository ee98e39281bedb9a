"""The answer of `vieta fit` on the terminal."""

import json

import click
from rich.console import Console
from rich.table import Table
from rich.text import Text

from vieta.cli.console import show_table
from vieta.report.fit_report import Answer


def show(answer: Answer, *, as_json: bool) -> None:
    """Print it, as a table or as JSON."""
    if as_json:
        click.echo(json.dumps(answer.to_dict(), indent=2, allow_nan=False))
        return
    console = Console(highlight=False)
    for line in answer.data_in_words:
        say(console, Text(line, style="dim"))
    show_table(_table(answer))
    say(console, Text("What to make of it", style="bold"))
    for line, fine in answer.verdict:
        say(console, Text(f"{'-' if fine else '!'} {line}", style="green" if fine else "yellow"))


def say(console: Console, text: Text) -> None:
    """A line, broken on a terminal only: whatever reads it elsewhere wants it whole."""
    console.print(text, soft_wrap=not console.is_terminal)


def _table(answer: Answer) -> Table:
    L, D = answer.estimate.theta.shape
    title = f"{L} system{'s' * (L > 1)}, method {answer.method}, noise sd {answer.noise_sd}"
    table = Table(title=title, title_justify="left", title_style="bold")
    for name in answer.table_header:
        table.add_column(name, justify="left" if name == "parameter" else "right", no_wrap=True)
    for at, row in enumerate(answer.table_rows, start=1):
        table.add_row(*(Text(cell) for cell in row), end_section=D > 1 and at % D == 0)
    return table
