"""`vieta merge`."""

from pathlib import Path
from typing import TYPE_CHECKING

import click

from vieta.cli.outputs import target
from vieta.cli.ranges import Finite

if TYPE_CHECKING:
    from vieta.estimators import Estimate, SymmetricFilter

STATES = (".npz",)


@click.command()
@click.argument("states", nargs=-1, required=True, type=click.Path(dir_okay=False), metavar="STATE...")
@click.option(
    "-o",
    "--output",
    type=click.Path(dir_okay=False, path_type=Path),
    required=True,
    callback=target(STATES),
    help="The merged state: an .npz file.",
)
@click.option(
    "--level",
    type=Finite(0, 1, min_open=True, max_open=True),
    default=1e-4,
    show_default=True,
    help="States that contradict each other are refused, by a test with this probability of refusing those of the same systems.",
)
@click.option("--json", "as_json", is_flag=True, help="Print the estimate as JSON instead of a table.")
def merge(states: tuple[str, ...], output: Path, level: float, as_json: bool) -> None:
    """Join states of watches on different streams of the same systems.

    STATE is a file that `vieta watch --state` keeps, or that a filter in Python saved. The systems of one state are matched to those of
    another, and what the states know adds, as if one watch had seen all sets. No set may be in two streams. States of other systems are
    refused.

    A watch can go on from the merged state with --resume continue.

    \b
    Examples:
      vieta merge north.npz south.npz -o all.npz
      vieta merge gate*.npz -o all.npz --json
    """
    from vieta.cli.outputs import require_apart
    from vieta.cli.process import refusing

    require_apart(states, {"--output": output})
    with refusing():
        merged, estimate = _merged(states, level)
        _save(merged, output)
    _show(estimate, output, len(states), as_json=as_json)


def _merged(states: tuple[str, ...], level: float) -> "tuple[SymmetricFilter, Estimate]":
    import warnings

    from vieta.estimators import merge

    with warnings.catch_warnings():
        warnings.simplefilter("ignore", RuntimeWarning)  # what matters of it is said in the findings
        found = merge((_loaded(Path(one)) for one in states), level=level)
        return found, found.estimate()


def _loaded(path: Path) -> "SymmetricFilter":
    from vieta.errors import BadFileError
    from vieta.live.checkpoint import Checkpoint

    found = Checkpoint(path).load()
    if found is None:
        raise BadFileError("no-state", "there is no file {path}.", path=str(path))
    return found


def _save(merged: "SymmetricFilter", output: Path) -> None:
    from vieta.live.checkpoint import Checkpoint

    Checkpoint(output).save(merged, {})


def _show(estimate: "Estimate", output: Path, count: int, *, as_json: bool) -> None:
    from vieta.cli.audience import COMMAND
    from vieta.cli.console import number_table, say, show_remarks, show_table
    from vieta.cli.terminal import put, put_json
    from vieta.estimators.table import table
    from vieta.report.remarks import remarks

    if as_json:
        put_json(estimate.to_dict())
        return
    names = list(estimate.names) or [str(j + 1) for j in range(estimate.theta.shape[1])]
    say(f"{count} states, {estimate.n_sets:,} sets", "dim")
    cells = table(estimate.theta, estimate.stderr, estimate.conf_int(), 0.95, names=names, noise_sd=estimate.noise_sd)
    show_table(number_table("Parameters", *cells, section=len(names)))
    if estimate.findings:
        show_remarks("What to make of it", remarks(estimate.findings, COMMAND))
    put(f"written: {output}", dim=True)
