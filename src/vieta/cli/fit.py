"""`vieta fit`."""

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from vieta.cli.options import columns, pictures, tuning, wishes
from vieta.estimators.names import METHODS

if TYPE_CHECKING:
    from vieta.files.reader import Reader
    from vieta.report.file_fit import Outcome
    from vieta.report.fit_report import Answer


@click.command()
@click.argument("files", nargs=-1, required=True, type=click.Path(allow_dash=True), metavar="FILE...")
@columns
@click.option("--method", type=click.Choice(list(METHODS)), default="efficient", show_default=True)
@tuning("one-step, em, recursive-em")
@click.option(
    "--stream/--no-stream", default=None, help="Read in pieces, in bounded memory; by default if files are large."
)
@click.option(
    "--truth",
    type=click.Path(dir_okay=False, path_type=Path),
    help="Show the parameters in this file beside the estimates; vieta simulate --keep-truth writes it.",
)
@click.option("--json", "as_json", is_flag=True, help="Print JSON instead of a table.")
@pictures("the estimates")
@click.option("--strict", is_flag=True, help="Exit with 1 if there is any finding, or the intervals miss the --truth.")
@click.pass_context
def fit(ctx: click.Context, /, files: tuple[str, ...], **given: Any) -> None:
    """Estimate the systems behind the unlabeled sets in files.

    FILE is CSV, TSV, NDJSON or Parquet (text may be gzipped), or - for standard input. A set does not reach from one file
    into the next.

    Long files have one row a reading: a column that names the set, one or more value columns, and inputs that repeat within
    the set. Wide files have one row a set: one value column for each member (or several), and inputs. Which column is
    what is recognised by name (set, time, id, ..; y, y1, value, reading, ..; psi, x, u, input, ..) and said in the answer;
    name them where that is wrong. When values are named, only the inputs that are named count. Lists in NDJSON and Parquet count
    as columns: {"y": [1.2, 3.4], "psi": 0.5} is a wide set, and so is a line [1.2, 3.4].

    Exit code: 0, or 1 if --strict is given and there are findings or intervals that miss the truth, or 2 if the input cannot be
    used.

    \b
    Examples:
      vieta fit records.csv
      vieta fit records.csv --report records.html
      vieta fit meters.csv --input temperature --intercept
      vieta fit wide.parquet --layout wide --value a --value b --value c --input dose
      vieta fit day1.csv.gz day2.csv.gz --method rls --memory 5000 --json
      cat records.ndjson | vieta fit - --set time --value reading --on-bad-set drop
    """
    from vieta.cli.errors import told
    from vieta.cli.fit_answer import show
    from vieta.cli.outputs import require_apart
    from vieta.cli.words import spoken
    from vieta.files.reader import reader
    from vieta.files.truth_file import read_truth
    from vieta.report.file_fit import IN_PIECES
    from vieta.report.fit_report import Answer

    require_apart(
        [*files, *([given["truth"]] if given["truth"] else [])], {"--plot": given["plot"], "--report": given["report"]}
    )
    options, stream = _options(given), given["stream"] if given["method"] in IN_PIECES else bool(given["stream"])
    with (
        told(),
        reader(
            files, wishes(given), on_bad_set=given["on_bad_set"], stream=stream, delimiter=given["delimiter"]
        ) as source,
    ):
        truth = None if given["truth"] is None else read_truth(given["truth"])
        outcome = _estimated(source, given["method"], options, with_path=given["report"] is not None)
        answer = Answer(files, source, outcome, given["method"], options, given["level"], truth)
    in_words = replace(answer, outcome=replace(outcome, estimate=spoken(outcome.estimate, options)))
    show(answer if given["as_json"] else in_words, as_json=given["as_json"])
    _write(in_words, given["plot"], given["report"], quiet=given["as_json"])
    if given["strict"] and not answer.is_sound:
        ctx.exit(1)


def _options(given: dict[str, Any]) -> dict[str, Any]:
    """The options of the method that were given; a list of one counts for all."""
    options = {name: given[name] for name in ("memory", "law", "noise_var") if given[name] is not None}
    options |= {"robust": True} if given["robust"] else {}
    several = {name: list(given[name]) for name in ("drift", "step") if given[name]}
    return options | {name: numbers[0] if len(numbers) == 1 else numbers for name, numbers in several.items()}


def _estimated(source: "Reader", method: str, options: dict[str, Any], *, with_path: bool) -> "Outcome":
    import warnings

    from vieta.cli.progress import reading
    from vieta.report.file_fit import estimate_files

    passes = 2 if source.stream and method == "least-squares" else 1
    with warnings.catch_warnings(), reading(passes * source.size) as progress:
        warnings.simplefilter("ignore", RuntimeWarning)  # what matters of it is said in the findings
        return estimate_files(source, method, options, with_path=with_path, progress=progress)


def _write(answer: "Answer", plot: Path | None, report: Path | None, *, quiet: bool) -> None:
    from vieta.cli.outputs import write_outputs
    from vieta.report.fit_page import page
    from vieta.report.pictures import encoded

    kind = "" if plot is None else plot.suffix.lower().removeprefix(".")
    write_outputs({plot: lambda: encoded(answer.plot(), kind), report: lambda: page(answer).encode()}, quiet=quiet)
