"""`vieta label`."""

from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import click

from vieta.cli.column_flags import columns_of_any_size
from vieta.cli.method_flags import MethodCommand
from vieta.cli.outputs import target

if TYPE_CHECKING:
    import polars as pl

    from vieta.adaptive.reading_associations import ReadingAssociations
    from vieta.estimators import Estimate
    from vieta.files.layout import Layout, Wishes
    from vieta.files.reader import Reader

# As vieta.files.writer has them, which is not imported for help.
ENDINGS = (".csv", ".tsv", ".parquet", ".ndjson", ".csv.gz", ".tsv.gz", ".ndjson.gz")
LEVEL = 0.95
GUESS = (
    "These are guesses with a probability: parameters, noise and rates are taken as if the estimate were the truth, and noise as normal where "
    "no law was learned."
)


class Labeled(NamedTuple):
    """A table with one row a reading, and how many of its labels are expected to be wrong."""

    frame: "pl.DataFrame"
    wrong: float


@click.command(cls=MethodCommand)
@click.argument("files", nargs=-1, required=True, type=click.Path(allow_dash=True), metavar="FILE...")
@click.option(
    "-o",
    "--output",
    required=True,
    callback=target(ENDINGS),
    help="The file to write: .csv, .tsv, .ndjson or .parquet; text may end in .gz.",
    type=click.Path(dir_okay=False, path_type=Path),
)
@click.option(
    "--estimate",
    "estimate_file",
    type=click.Path(dir_okay=False),
    help="What vieta fit --json wrote, to label by it; by default the records are fitted first.",
)
@columns_of_any_size
@click.option("--offset", metavar="COL", help="The column of known numbers, as for vieta fit.")
def label(files: tuple[str, ...], **given: Any) -> None:
    """Guess which system gave each reading, with a probability.

    FILE and the options are as for `vieta fit`; the records are fitted first, unless --estimate names an estimate. Sets may be incomplete.

    The output has one row a reading: the name of its set, its value (or values), and

    \b
      system             the likeliest system, numbered as in the table that is
                         printed; 0 if it is likeliest that the reading is false
      probability        of that being so
      probability_false  that the reading is false
      joint_system       its system in the likeliest assignment of the whole set,
                         in which no system has two readings; 0 for a false one

    Labels are guesses, as good as the probabilities say, and these take the estimate as if it were the truth. Readings that are missing have no
    row. The files that are read are never written to.

    \b
    Examples:
      vieta label records.csv -o labeled.csv
      vieta label radar.csv --systems 3 -o labeled.parquet
      vieta fit records.csv --json > estimate.json
      vieta label records.csv --estimate estimate.json -o labeled.ndjson
      vieta label stars.csv --family ordinal --input price --intercept -o labeled.csv
    """
    from vieta.cli.outputs import require_apart, write_file
    from vieta.cli.process import refusing
    from vieta.files.writer import encoded_table

    output, estimate_file = given["output"], given["estimate_file"]
    require_apart([*files, *([estimate_file] if estimate_file else [])], {"--output": output})
    with refusing():
        table = _labeled(files, given)
        content = encoded_table(table.frame, output.name)
    write_file(output, content)
    _say(table, output)


def _labeled(files: tuple[str, ...], given: dict[str, Any]) -> Labeled:
    """Read, estimate unless that was done, and label."""
    import warnings

    from vieta.answers import families
    from vieta.cli.column_flags import wishes
    from vieta.cli.console import reading
    from vieta.cli.method_flags import given_options
    from vieta.file_fit import about, fitted, placed
    from vieta.files.reader import reader
    from vieta.method import registry
    from vieta.offset_column import split, with_offset
    from vieta.sums import watched

    method, options, offset = given["method"], given_options(given), given["offset"]
    asked, known = wishes(with_offset(given)), None
    answers, rest = families.of_options(options, method)
    if given["estimate_file"] is not None:
        known, asked, offset = _known(given, asked, options)
    first = answers or registry.get(method or registry.default(options=rest))
    registry.options(first, rest)  # refused before anything is read
    any_size = first.takes_incomplete if known is None else known.answers is None
    how = {"on_bad_set": given["on_bad_set"], "stream": False, "delimiter": given["delimiter"]}
    with (
        reader(files, asked, **how, any_size=any_size) as source,
        reading(source.size) as progress,
        warnings.catch_warnings(),
    ):
        warnings.simplefilter("ignore", RuntimeWarning)  # what matters of it is said in the findings
        passes = split(watched(source.passes(progress), progress.passed), source, offset)
        with placed(source):
            estimate = known or about(source, fitted(passes, given["systems"], method, options), offset)
            _show(source, estimate, offset, is_new=known is None)
            return _table(source, estimate, offset)


def _known(given: dict[str, Any], asked: "Wishes", options: dict[str, Any]) -> "tuple[Estimate, Wishes, str | None]":
    """The estimate in a file, how to read records by it, and its column of known numbers; refused where only a fit can heed what was said."""
    from vieta.cli.estimate_file import as_estimate, offset_of, read_estimate, wishes_of
    from vieta.errors import BadFileError
    from vieta.files.layout import Wishes

    path = given["estimate_file"]
    if given["method"] is not None or options:
        raise click.UsageError("--estimate is an estimate already: leave out --method and its options.")
    if asked != Wishes() or given["systems"] is not None:
        raise click.UsageError(
            "--estimate says how its records were read: leave out the options about columns and systems."
        )
    answer = read_estimate(path)
    if answer is None:
        raise BadFileError("not-an-answer", "{path} is not what {call.fit} writes as JSON.", path=path)
    return as_estimate(answer, path), wishes_of(answer, path), offset_of(answer)


def _show(source: "Reader", estimate: "Estimate", offset: str | None, *, is_new: bool) -> None:
    """What was read, and the systems, whose numbers the labels are."""
    from vieta.cli.audience import COMMAND
    from vieta.cli.column_flags import description
    from vieta.cli.console import number_table, say, show_remarks, show_table
    from vieta.file_fit import parameter_names
    from vieta.method import registry
    from vieta.report.fit_report import Answer

    L, D = estimate.theta.shape
    answer = Answer(
        estimate=estimate,
        sources=", ".join(one.name for one in source.sources),
        description=description(source, source.n_sets, L, source.dropped, offset),
        parameter_names=list(estimate.names) or parameter_names(source.layout, D)[:D],
        input_names=[],
        level=LEVEL,
        command="",
        thorough=estimate.answers is not None or registry.get(estimate.method).thorough,
        audience=COMMAND,
    )
    for line in answer.description:
        say(line, "dim")
    show_table(number_table(answer.title, *answer.table, section=D))
    for line in answer.seen:
        say(line)
    if is_new:
        show_remarks("What to make of it", answer.verdict)


def _table(source: "Reader", estimate: "Estimate", offset: str | None) -> Labeled:
    """The readings, in the order of the sets, with their labels; those of all files at once, so that they are judged alike."""
    import numpy as np
    import polars as pl

    from vieta.offset_column import without_offset
    from vieta.set_requirements import as_incomplete
    from vieta.sets import joined

    blocks = [block for block in source.named() if len(block.data)]
    data = without_offset(joined([block.data for block in blocks]), source.layout, offset)
    data = as_incomplete(data, len(estimate.theta)) if estimate.answers is None else data
    found = estimate.associations_in(data)
    columns: dict[str, Any] = {}
    if len(source.sources) > 1:
        _add(columns, "file", np.repeat([block.file for block in blocks], [block.data.sizes.sum() for block in blocks]))
    names = np.repeat(np.arange(len(data)), data.sizes)
    called = pl.Series([name for block in blocks for name in block.names()], strict=False)
    _add(columns, source.layout.set or "set", called.gather(names))
    for name, values in zip(_value_names(source.layout), data.flat[0].T, strict=True):
        _add(columns, name, values)
    labels = _labels(found)
    for name, values in labels.items():
        _add(columns, name, values)
    return Labeled(pl.DataFrame(columns), float((1.0 - labels["probability"]).sum()))


def _labels(found: "ReadingAssociations") -> dict[str, Any]:
    """Columns about who is who; systems are numbered from 1 on, and 0 is a false reading."""
    import numpy as np

    chances = np.column_stack([found.clutter, found.systems])
    likeliest = chances.argmax(axis=1)
    return {
        "system": likeliest,
        "probability": chances[np.arange(len(chances)), likeliest],
        "probability_false": found.clutter,
        "joint_system": found.best + 1,
    }


def _value_names(layout: "Layout") -> list[str]:
    """Names of the numbers of a reading."""
    p = layout.reading_dim
    if layout.kind == "long":
        return list(layout.values)
    return ["y"] if p == 1 else [f"y{i + 1}" for i in range(p)]


def _add(columns: dict[str, Any], name: str, values: Any) -> None:
    """Add a column, under a name that is not taken."""
    while name in columns:
        name += "_"
    columns[name] = values


def _say(table: Labeled, output: Path) -> None:
    from vieta.cli.column_flags import counted
    from vieta.cli.console import say

    about = f"about {table.wrong:,.0f}" if table.wrong >= 0.5 else "hardly any"
    say(
        f"{counted(len(table.frame), 'reading')} labeled; by the probabilities, {about} of the most likely systems are wrong."
    )
    say(GUESS)
    say(f"written: {output}", "dim")
