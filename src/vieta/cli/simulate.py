"""`vieta simulate`."""

from pathlib import Path
from typing import TYPE_CHECKING

import click

from vieta.cli.options import target

if TYPE_CHECKING:
    from vieta.io.layout import Kind
    from vieta.scenarios import Scenario
    from vieta.simulation import Records

# As vieta.io.writing has them, which is not imported for help.
ENDINGS = (".csv", ".tsv", ".parquet", ".ndjson", ".csv.gz", ".tsv.gz", ".ndjson.gz")
TRUTHS = (".json", ".csv", ".json.gz", ".csv.gz")


def _list(ctx: click.Context, param: click.Parameter, value: bool) -> None:
    if not value:
        return
    from vieta.scenarios import listing

    for name, line in listing().items():
        click.echo(f"{name:14} {line}")
    ctx.exit()


def _output(ctx: click.Context, param: click.Parameter, value: Path) -> Path:
    return value if value == Path("-") else target(ENDINGS)(ctx, param, value) or value


@click.command()
@click.argument("scenario")
@click.option(
    "-n", "--sets", "n", type=click.IntRange(min=1), metavar="N", help="How many sets; the scenario's own if absent."
)
@click.option(
    "-o",
    "--output",
    required=True,
    callback=_output,
    help="The file to write; - for NDJSON on standard output.",
    type=click.Path(dir_okay=False, allow_dash=True, path_type=Path),
)
@click.option("--seed", type=click.IntRange(min=0), default=0, show_default=True, help="The same seed, the same sets.")
@click.option("--layout", type=click.Choice(["long", "wide"]), help="One row a reading (default), or one row a set.")
@click.option(
    "--keep-truth",
    "truth",
    callback=target(TRUTHS),
    help="Write the true parameters and the labels here: .json or .csv.",
    type=click.Path(dir_okay=False, path_type=Path),
)
@click.option("--list", is_flag=True, is_eager=True, expose_value=False, callback=_list, help="List the scenarios.")
def simulate(scenario: str, n: int | None, output: Path, seed: int, layout: "Kind | None", truth: Path | None) -> None:
    """Write unlabeled sets of a scenario to a file that `vieta fit` reads.

    SCENARIO is a name (see --list) or a TOML file. The name of the output tells the format: .csv, .tsv, .parquet, or .ndjson
    with one set a line, {"y": [...], "psi": ...}; text may end in .gz. The labels are not in it, and the sets are shuffled.

    A TOML file has theta (one row a system) and, if wanted, n, name, description, and a law for each of noise, inputs, labels
    and motion:

    \b
      theta = [[0.5, 0.05], [0.3, 0.11]]
      noise = { law = "student-t", variance = 0.04, df = 5 }
      inputs = { law = "affine", x = { law = "uniform", low = 0, high = 30 } }

    \b
      noise   gaussian laplace uniform (variance), student-t (variance df),
              skewed (variance skewness), finite (variance values probabilities)
      inputs  identity, constant (value), gaussian (mean variance), uniform (low high),
              sign, affine (x: constant, gaussian, uniform or sign), rows (variance),
              line (step), matrices (rows variance), given (array)
      labels  shuffled, labeled, sticky (stay), weighted (probabilities permutations),
              markov (transition permutations initial), sorted, adversarial
      motion  constant, jump (at to), switching (others generator rate), drift (variance)

    \b
    Examples:
      vieta simulate --list
      vieta simulate example-1 -n 5000 -o records.csv --keep-truth truth.json
      vieta simulate flats.toml -n 2000 -o flats.parquet --layout wide --seed 7
      vieta simulate example-2 -n 1000 -o - | vieta fit -
    """
    from vieta.cli.errors import RefusedError, told
    from vieta.cli.outputs import require_apart
    from vieta.io.whole import write_whole
    from vieta.io.writing import LINES, as_lines, encoded_sets, encoded_truth

    lines = output == Path("-") or output.name.lower().endswith(LINES)
    if lines and layout is not None:
        raise RefusedError("NDJSON has one set a line: --layout is for CSV, TSV and Parquet.")
    require_apart([scenario], {"--output": output, "--keep-truth": truth})
    with told(f"{n or 'so many'} sets do not fit into memory. Ask for fewer with -n."):
        records = _records(scenario, n, seed)
        if output == Path("-"):
            click.echo(as_lines(records), nl=False)
        else:
            write_whole(output, encoded_sets(records, output.name, layout or "long"))
        if truth is not None:
            write_whole(truth, encoded_truth(records, truth.name))
    _say(records, output, truth)


def _records(scenario: str, n: int | None, seed: int) -> "Records":
    from vieta.simulation import simulate as drawn

    return drawn(_scenario(scenario), n, seed)


def _scenario(scenario: str) -> "Scenario":
    if scenario.lower().endswith(".toml"):
        from vieta.io.scenario import read_scenario

        return read_scenario(Path(scenario))
    from vieta.scenarios import get

    return get(scenario)


def _say(records: "Records", output: Path, truth: Path | None) -> None:
    n, L = records.sets.shape[:2]
    click.echo(f"{records.name}, seed {records.seed}: {n:,} sets of {L} reading{'s' * (L > 1)}, shuffled", err=True)
    for path in [output] * (output != Path("-")) + ([truth] if truth is not None else []):
        click.echo(f"written: {path}", err=True)
