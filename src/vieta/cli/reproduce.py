"""`vieta reproduce`."""

from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

import click

if TYPE_CHECKING:
    from vieta.paper.verdicts import Report


@click.command()
@click.argument("example", type=click.Choice(["1", "2", "3", "4", "all"]), default="all")
@click.option("--seed", type=int, default=0, show_default=True, help="Seed of the simulated data.")
@click.option("-o", "--output", type=click.Path(file_okay=False, path_type=Path), help="Folder for the figures (PNG).")
@click.option("--json", "as_json", is_flag=True, help="Print JSON instead of tables.")
def reproduce(example: str, seed: int, output: Path | None, as_json: bool) -> None:
    """Run the paper's Examples: each of its figures beside ours, with a verdict.

    \b
    Examples:
      vieta reproduce 1
      vieta reproduce all --output figures
      vieta reproduce 4 --json
    """
    from vieta.cli.console import working
    from vieta.cli.outputs import made_folder, write_outputs
    from vieta.cli.terminal import put_json
    from vieta.paper.examples import EXAMPLES
    from vieta.report.pictures import encoded

    if output is not None:
        made_folder(output)
    reports = []
    for number in EXAMPLES if example == "all" else [int(example)]:
        with working(f"Example {number}"):
            report = EXAMPLES[number](seed)
        reports.append(report)
        if not as_json:
            show_report(report)
        if output is not None:
            figure = partial(encoded, report.figure, "png")
            write_outputs({output / f"example-{number}.png": figure}, quiet=as_json)
    if as_json:
        put_json([report.to_dict() for report in reports])


def show_report(report: "Report") -> None:
    """Print one reproduction."""
    from rich.console import Console
    from rich.table import Table

    from vieta.cli.console import words
    from vieta.paper.verdicts import NOT_REPRODUCED, REPRODUCED, WRONG_EXPLANATION

    styles = {REPRODUCED: "green", WRONG_EXPLANATION: "yellow", NOT_REPRODUCED: "red"}
    console = Console()
    console.print()
    table = Table(title=words(f"Example {report.example}. {report.title}"), title_justify="left", show_lines=True)
    for column in ("", "claim", "paper", "ours", "verdict"):
        table.add_column(column)
    for number, row in enumerate(report.rows, start=1):
        verdict = words(row.verdict, styles[row.verdict])
        table.add_row(str(number), words(row.claim), words(row.paper), words(row.ours), verdict)
    console.print(table)
    for number, row in enumerate(report.rows, start=1):
        if row.why:
            console.print(words(f"  {number}: {row.why}"))
    for setting in report.settings:
        console.print(words(f"  ours: {setting}", "dim"))
