"""`vieta reproduce`."""

import json
from functools import partial
from pathlib import Path

import click


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
    from vieta.cli.outputs import made_folder, write_outputs
    from vieta.cli.show import show_report, working
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
        click.echo(json.dumps([report.to_dict() for report in reports], indent=2))
