"""Tables and progress on the terminal."""

from contextlib import AbstractContextManager

from rich.console import Console
from rich.table import Table
from rich.text import Text

from vieta.paper.verdicts import NOT_REPRODUCED, REPRODUCED, WRONG_EXPLANATION, Report

STYLES = {REPRODUCED: "green", WRONG_EXPLANATION: "yellow", NOT_REPRODUCED: "red"}


def working(what: str) -> AbstractContextManager[object]:
    """A sign of life on standard error while something takes its time."""
    return Console(stderr=True).status(f"{what} (the first run on a machine also compiles) ...")


def show_report(report: Report) -> None:
    """Print one reproduction."""
    console = Console()
    console.print()
    table = Table(title=f"Example {report.example}. {report.title}", title_justify="left", show_lines=True)
    for column in ("", "claim", "paper", "ours", "verdict"):
        table.add_column(column)
    for number, row in enumerate(report.rows, start=1):
        verdict = Text(row.verdict, style=STYLES[row.verdict])
        table.add_row(str(number), Text(row.claim), Text(row.paper), Text(row.ours), verdict)
    console.print(table)
    for number, row in enumerate(report.rows, start=1):
        if row.why:
            console.print(Text(f"  {number}: {row.why}"))
    for setting in report.settings:
        console.print(f"  ours: {setting}", style="dim", highlight=False)
