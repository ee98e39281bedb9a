"""`vieta simulate`."""

from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

import click

from vieta.cli.outputs import STANDARD, target
from vieta.cli.terminal import put, put_json, put_whole

if TYPE_CHECKING:
    from click.shell_completion import CompletionItem

    from vieta.files.layout import Kind
    from vieta.laws.motion import Motion
    from vieta.scenarios import Records, Scenario

# As vieta.files.writer has them, which is not imported for help.
ENDINGS = (".csv", ".tsv", ".parquet", ".ndjson", ".csv.gz", ".tsv.gz", ".ndjson.gz")
TRUTHS = (".json", ".csv", ".json.gz", ".csv.gz")

Value = TypeVar("Value")


def _output(ctx: click.Context, param: click.Parameter, value: Path | None) -> Path | None:
    return value if value == STANDARD else target(ENDINGS)(ctx, param, value)


def _completed(ctx: click.Context, param: click.Parameter, incomplete: str) -> "list[CompletionItem]":
    """Names of scenarios, and files."""
    from click.shell_completion import CompletionItem

    from vieta.scenarios import listing

    named = [CompletionItem(name, help=line) for name, line in listing().items() if name.startswith(incomplete)]
    return named or [CompletionItem(incomplete, type="file")]


@click.command()
@click.argument("scenario", required=False, metavar="SCENARIO", shell_complete=_completed)
@click.option(
    "-n",
    "--sets",
    "n",
    type=click.IntRange(1, 10**9),
    metavar="N",
    help="How many sets; the scenario's own if absent.",
)
@click.option(
    "-o",
    "--output",
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
@click.option("--list", "as_list", is_flag=True, help="List the scenarios instead.")
@click.option("--json", "as_json", is_flag=True, help="With --list: print JSON.")
@click.pass_context
def simulate(
    ctx: click.Context,
    scenario: str | None,
    n: int | None,
    output: Path | None,
    seed: int,
    layout: "Kind | None",
    truth: Path | None,
    as_list: bool,
    as_json: bool,
) -> None:
    """Write unlabeled sets of a scenario to a file that `vieta fit` reads.

    SCENARIO is a name (see --list) or a TOML file. The name of the output tells the format: .csv, .tsv, .parquet, or .ndjson
    with one set a line, {"y": [...], "psi": ...}; text may end in .gz. The labels are not in it, and the sets are shuffled,
    unless the scenario has labels of another law.

    A TOML file has theta (one row a system) and, if wanted, n, name, description, and a law for each of noise, inputs, labels,
    motion, detection, clutter, answers and offset:

    \b
      theta = [[0.5, 0.05], [0.3, 0.11]]
      noise = { law = "student-t", variance = 0.04, df = 5 }
      inputs = { law = "affine", x = { law = "uniform", low = 0, high = 30 } }

    \b
      noise   gaussian laplace uniform (variance), student-t (variance df),
              skewed (variance skewness), finite (variance values probabilities)
      inputs  identity, constant (value), gaussian (mean variance), uniform (low high),
              sign, affine (x: constant, gaussian, uniform or sign), rows (variance),
              line (step), matrices (rows variance), scalar-matrices (psi: as x), given (array)
      labels  shuffled, labeled, sticky (stay), weighted (probabilities permutations),
              markov (transition permutations initial), sorted, adversarial
      motion  constant, jump (at to), switching (others generator rate), drift (variance)
      detection  complete, independent (probability), bursts (probability length),
              saturating (limit width probability)
      clutter none, uniform (rate low high), gaussian (rate mean sd),
              histogram (rate edges shares), following (rate sd), bunched (rate dispersion low high)
      answers number, binary (link flipped), ordinal (thresholds link flipped), count (dispersion), rounded (step dither)
      offset  identity, constant (value), gaussian (mean variance), uniform (low high), sign

    \b
    Examples:
      vieta simulate --list
      vieta simulate example-1 -n 5000 -o records.csv --keep-truth truth.json
      vieta simulate flats.toml -n 2000 -o flats.parquet --layout wide --seed 7
      vieta simulate example-2 -n 1000 -o - | vieta fit -
    """
    if as_list:
        _list(as_json)
        return
    if as_json:
        raise click.UsageError("--json needs --list.")
    _write(_required(ctx, "scenario", scenario), _required(ctx, "output", output), n, seed, layout, truth)


def _required(ctx: click.Context, name: str, value: Value | None) -> Value:
    """What is needed unless scenarios are listed."""
    if value is None:
        raise click.MissingParameter(ctx=ctx, param=next(one for one in ctx.command.params if one.name == name))
    return value


def _list(as_json: bool) -> None:
    from vieta.scenarios import listing

    if as_json:
        put_json(listing())
        return
    for name, line in listing().items():
        put(f"{name:14} {line}")


def _write(scenario: str, output: Path, n: int | None, seed: int, layout: "Kind | None", truth: Path | None) -> None:
    from vieta.cli.outputs import require_apart, write_file
    from vieta.cli.process import RefusedError, refusing
    from vieta.files.writer import LINES, as_lines, encoded_sets, encoded_truth
    from vieta.scenarios import simulate as drawn

    lines = output == STANDARD or output.name.lower().endswith(LINES)
    if lines and layout is not None:
        raise RefusedError("NDJSON has one set a line: --layout is for CSV, TSV and Parquet.")
    require_apart([scenario], {"--output": output, "--keep-truth": truth})
    with refusing(f"{n or 'so many'} sets do not fit into memory. Ask for fewer with -n."):
        chosen = _scenario(scenario)
        if n is None and chosen.n is None:
            raise RefusedError(f"{scenario} does not say how many sets: give -n N, or write n = N in it.")
        records = drawn(chosen, n, seed)
        if output == STANDARD:
            put_whole(as_lines(records))
        else:
            write_file(output, encoded_sets(records, output.name, layout or "long"))
        if truth is not None:
            write_file(truth, encoded_truth(records, truth.name))
    _say(records, chosen.labels.description, [output, truth])
    _say_early(chosen.motion, len(records.sets))


def _scenario(scenario: str) -> "Scenario":
    if scenario.lower().endswith(".toml"):
        from vieta.scenarios.scenario_file import read_scenario

        return read_scenario(Path(scenario))
    from vieta.scenarios import get

    return get(scenario)


def _say_early(law: "Motion", n: int) -> None:
    """Say that the sets end before the parameters move."""
    if law.begins is not None and n <= law.begins:
        put(f"no jump: it follows set {law.begins:,}, and there are {n:,} sets. Ask for more with -n.", err=True)


def _counts(records: "Records") -> str:
    """How many sets of how many readings, and what is missing or false in them."""
    from vieta.cli.column_flags import counted
    from vieta.scenarios.records import FALSE

    n, L = len(records.sets), len(records.theta)
    if records.is_complete:
        return f"{counted(n, 'set')} of {counted(L, 'reading')}"
    seen, false = int((records.labels >= 0).sum()), int((records.labels == FALSE).sum())
    return f"{counted(n, 'set')} of {counted(L, 'system')}: {counted(seen, 'reading')}, {n * L - seen:,} missed, {false:,} false"


def _say(records: "Records", order: str, written: list[Path | None]) -> None:
    put(f"{records.name}, seed {records.seed}: {_counts(records)}, {order}", err=True)
    for path in written:
        if path is not None and path != STANDARD:
            put(f"written: {path}", err=True)
