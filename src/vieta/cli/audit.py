"""`vieta audit`."""

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click
from click.core import ParameterSource

from vieta.cli.errors import RefusedError, told
from vieta.cli.options import COLUMNS, columns, pictures, wishes

if TYPE_CHECKING:
    from vieta.report.audit_report import Audited


@click.command()
@click.argument("files", nargs=-1, required=True, type=click.Path(allow_dash=True), metavar="FILE...|ESTIMATE")
@columns
@click.option(
    "--added",
    type=click.FloatRange(min=0),
    multiple=True,
    metavar="SD",
    help="Noise that might be added to every reading: its standard deviation; once for each.",
)
@click.option("--json", "as_json", is_flag=True, help="Print JSON instead of tables.")
@pictures("what added noise buys and costs")
@click.option("--strict", is_flag=True, help="Exit with 1 if leaving out the names hides next to nothing.")
@click.pass_context
def audit(ctx: click.Context, /, files: tuple[str, ...], **given: Any) -> None:
    """Say how anonymous records are before they are released.

    Who stands out, and how often a reading could be named; what an analyst learns from n, 10 n and 100 n records; and how
    much noise would buy how much.

    FILE is a file of records, as for `vieta fit`, or - for standard input. ESTIMATE is what `vieta fit --json` wrote; where
    it had inputs, they are read from its files again.

    Exit code: 0; or 1 if --strict is given and readings can be named four times out of five, or their order or a column
    names them; or 2 if the input cannot be used.

    \b
    Examples:
      vieta audit records.csv
      vieta audit records.csv --report audit.html --plot noise.png
      vieta audit meters.csv --input temperature --intercept --added 0.5 --added 1
      vieta fit records.csv --json > estimate.json; vieta audit estimate.json --json
    """
    from vieta.cli.audit_answer import show
    from vieta.cli.outputs import require_apart
    from vieta.cli.words import in_words

    require_apart(files, {"--plot": given["plot"], "--report": given["report"]})
    with told("the data do not fit into memory. Audit a part of them: some thousand sets tell as much."):
        audited = _audited(ctx, files, given)
    findings = tuple(in_words(text) for text in audited.audit.warnings)
    shown = replace(audited, audit=replace(audited.audit, warnings=findings))
    show(audited if given["as_json"] else shown, as_json=given["as_json"])
    _write(shown, given["plot"], given["report"], quiet=given["as_json"])
    if given["strict"] and audited.serious:
        ctx.exit(1)


def _refuse_columns(ctx: click.Context, path: str) -> None:
    """Refuse options that say how to read records, where an estimate came."""
    for param in ctx.command.params:
        if param.name in COLUMNS and ctx.get_parameter_source(param.name) is not ParameterSource.DEFAULT:
            raise RefusedError(
                f"{path} is an estimate, and {param.opts[0]} says how to read records. Leave it out, or audit the records."
            )


def _audited(ctx: click.Context, files: tuple[str, ...], given: dict[str, Any]) -> "Audited":
    import warnings

    from vieta.cli.progress import reading
    from vieta.files.reader import reader
    from vieta.report.audit_report import audit_estimate, audit_records
    from vieta.report.estimate_file import read_estimate

    answer = read_estimate(files[0]) if len(files) == 1 else None
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", RuntimeWarning)  # what matters of it is said in the findings
        if answer is not None:
            _refuse_columns(ctx, files[0])
            return audit_estimate(files[0], answer, given["added"])
        with (
            reader(
                files, wishes(given), on_bad_set=given["on_bad_set"], stream=False, delimiter=given["delimiter"]
            ) as source,
            reading(source.size) as progress,
        ):
            return audit_records(files, source, given["added"], progress)


def _write(audited: "Audited", plot: Path | None, report: Path | None, *, quiet: bool) -> None:
    from vieta.cli.outputs import write_outputs
    from vieta.report.audit_page import page
    from vieta.report.pictures import encoded

    kind = "" if plot is None else plot.suffix.lower().removeprefix(".")
    drawn = {plot: lambda: encoded(audited.audit.plot(), kind), report: lambda: page(audited).encode()}
    write_outputs(drawn, quiet=quiet)
