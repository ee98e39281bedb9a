"""`vieta audit`."""

import shlex
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click
from click.core import ParameterSource

from vieta.cli.column_flags import COLUMNS, columns
from vieta.cli.method_flags import PREFIX, FamilyCommand
from vieta.cli.outputs import pictures
from vieta.cli.ranges import Finite

if TYPE_CHECKING:
    from vieta.report.audit_report import Audited

ALTERED = ("rounding", "dropping")  # what might be done to the records before they are released
TOO_LARGE = "the data do not fit into memory. Audit a part of them: some thousand sets tell as much."


@click.command(cls=FamilyCommand)
@click.argument("files", nargs=-1, required=True, type=click.Path(allow_dash=True), metavar="FILE...|ESTIMATE")
@columns
@click.option("--offset", metavar="COL", help="The column of known numbers, as for vieta fit.")
@click.option(
    "--added",
    type=Finite(min=0),
    multiple=True,
    metavar="SD",
    help="Noise that might be added to every reading: its standard deviation, or of answers the share that is flipped; once for each.",
)
@click.option(
    "--rounding", type=Finite(min=0), metavar="STEP", help="Audit readings as if they were rounded to its multiples."
)
@click.option(
    "--dropping", type=Finite(min=0), metavar="SHARE", help="Audit records with this share of the readings left out."
)
@click.option("--json", "as_json", is_flag=True, help="Print JSON instead of tables.")
@pictures("what added noise buys and costs")
@click.option("--strict", is_flag=True, help="Exit with 1 if a finding is serious.")
@click.pass_context
def audit(ctx: click.Context, /, files: tuple[str, ...], **given: Any) -> None:
    """Say how anonymous records are before they are released.

    Who stands out, and how often a reading could be named; what an analyst learns from n, 10 n and 100 n records; and how
    much noise would buy how much.

    FILE is a file of records, as for `vieta fit`, or - for standard input. ESTIMATE is what `vieta fit --json` wrote; where
    it had inputs, they are read from its files again. --family says what readings are, where they are answers; so much noise is then
    the share of answers that is exchanged for another one, drawn evenly.

    Findings are notes (-), cautions (!) or serious (!!). Exit code: 0; or 1 if --strict is given and a finding is serious, as when
    readings can be named four times out of five, or their order or a column names them; or 2 if the input cannot be used.

    \b
    Examples:
      vieta audit records.csv
      vieta audit records.csv --report audit.html --plot noise.png
      vieta audit meters.csv --input temperature --intercept --added 0.5 --added 1
      vieta audit records.csv --rounding 0.5 --dropping 0.2
      vieta fit records.csv --json > estimate.json; vieta audit estimate.json --json
      vieta audit quiz.csv --family binary --offset easiness --added 0.1
    """
    from vieta.cli.audience import AUDIT
    from vieta.cli.outputs import require_apart
    from vieta.cli.process import FOUND, refusing

    require_apart(files, {"--plot": given["plot"], "--report": given["report"]})
    with refusing(TOO_LARGE, AUDIT):
        audited = _audited(ctx, files, given)
    _show(audited, as_json=given["as_json"])
    _write(audited, given["plot"], given["report"], quiet=given["as_json"])
    if given["strict"] and audited.serious:
        ctx.exit(FOUND)


def _audited(ctx: click.Context, files: tuple[str, ...], given: dict[str, Any]) -> "Audited":
    import warnings

    from vieta.cli.estimate_file import read_estimate

    answer = read_estimate(files[0]) if len(files) == 1 else None
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", RuntimeWarning)  # what matters of it is said in the findings
        if answer is None:
            return of_records(files, given)
        _refuse_columns(ctx, files[0])
        return _of_estimate(files[0], answer, given["added"])


def _refuse_columns(ctx: click.Context, path: str) -> None:
    """Refuse options that say how to read records, where an estimate was given."""
    from vieta.cli.process import RefusedError

    for param in ctx.command.get_params(ctx):
        name = param.name or ""
        says = name in (*COLUMNS, *ALTERED, "offset") or name.startswith(PREFIX)
        if says and ctx.get_parameter_source(name) is not ParameterSource.DEFAULT:
            raise RefusedError(
                f"{path} is an estimate, and {param.opts[0]} says how to read records. Leave it out, or audit the records."
            )


def of_records(files: tuple[str, ...], given: dict[str, Any]) -> "Audited":
    """Audit the sets in files, rounded and thinned as asked."""
    from vieta.anonymity import audit as audited
    from vieta.anonymity.alterations import altered
    from vieta.answers import families
    from vieta.cli.audience import AUDIT
    from vieta.cli.column_flags import column_words, description, wishes
    from vieta.cli.console import reading
    from vieta.cli.method_flags import given_options, option_words
    from vieta.file_fit import names_without, parameter_names, placed
    from vieta.files.reader import reader
    from vieta.method import registry
    from vieta.offset_column import with_offset, without_offset
    from vieta.report.audit_report import Audited
    from vieta.set_requirements import require_complete
    from vieta.sets import as_given

    settings = {"on_bad_set": given["on_bad_set"], "stream": False, "delimiter": given["delimiter"]}
    options, column = given_options(given), given.get("offset")
    family, _ = families.of_options(options)
    with reader(files, wishes(with_offset(given)), **settings) as source, reading(source.size) as progress:
        data = without_offset(source.all(progress).data, source.layout, column)
        inputs = data.inputs if source.layout.made else None
        with placed(source):
            if (
                given["systems"] is None or family is not None
            ):  # sets of different sizes are as likely a mistake in the columns
                require_complete(data, registry.default() if family is None else family.name)
            sets = altered(as_given(data), given["rounding"] or 0.0, given["dropping"] or 0.0)
            count = data.size or (data.n_systems if isinstance(sets, list) else None)
            found = audited(sets, inputs, n_systems=count, added=given["added"] or None, offset=data.known, **options)
        L, D = found.theta.shape
        words = ["vieta", "audit", *files, *column_words(source.layout, L, given)]
        words += [] if column is None else ["--offset", column]
        words += [*option_words(options), *_added_words(given["added"]), *_altered_words(given)]
        return Audited(
            found,
            names_without(parameter_names(source.layout, D), column),
            [*description(source, len(data), L, source.dropped, column), *_as_released(given)],
            shlex.join(words),
            source.layout.naming,
            AUDIT,
            source.findings(L),
        )


def _of_estimate(path: str, answer: dict[str, Any], added: tuple[float, ...]) -> "Audited":
    """Audit what `vieta fit --json` wrote."""
    from vieta.anonymity import audit as audited
    from vieta.cli.audience import AUDIT
    from vieta.cli.estimate_file import as_estimate, inputs_of, names_of
    from vieta.report.audit_report import Audited

    estimate = as_estimate(answer, path)
    inputs, known = inputs_of(answer, path)
    found = audited(estimate, inputs, added=added or None, offset=known)
    names = names_of(answer, estimate.theta.shape[1], path)
    lines = [
        f"{path}: an estimate by the method {estimate.method} from {estimate.n_sets:,} sets",
        "the order of the readings within the records was not looked at: audit the records for that",
    ]
    command = shlex.join(["vieta", "audit", path, *_added_words(added)])
    return Audited(found, names, lines, command, audience=AUDIT)


def _added_words(added: tuple[float, ...]) -> list[str]:
    return [word for level in added for word in ("--added", f"{level:g}")]


def _altered_words(given: dict[str, Any]) -> list[str]:
    return [word for name in ALTERED if given[name] for word in (f"--{name}", f"{given[name]!r}")]


def _as_released(given: dict[str, Any]) -> list[str]:
    """What was done to the records before they were audited."""
    said = [f"readings rounded to multiples of {given['rounding']:g}"] if given["rounding"] else []
    said += [f"{given['dropping']:.0%} of the readings left out at random"] if given["dropping"] else []
    return [f"as they would be released: {' and '.join(said)}"] if said else []


def _show(audited: "Audited", *, as_json: bool) -> None:
    """Print the audit, as tables or as JSON."""
    from vieta.anonymity import audit_tables as cells
    from vieta.cli.console import say, show_remarks, show_table, word_table
    from vieta.cli.terminal import put_json

    if as_json:
        put_json(audited.to_dict())
        return
    found, words = audited.audit, (cells.LEARNED[-1], cells.NOISE[-1])
    for line in audited.description:
        say(line, "dim")
    if found.model is not None:
        say(cells.incomplete(found.model), "dim")
    say("Whose reading is whose, in one record? The best guess is right", "bold")
    for what, right, chance in cells.guesses(found):
        say(f"  {what}: {right} of the time (by pure chance {chance})")
    who, learned = "Who can be named now", "What an analyst learns of the parameters, without any name"
    show_table(word_table(who, audited.systems_header, cells.systems(found), words, cells.LOOK_ALIKES))
    show_table(word_table(learned, cells.LEARNED, cells.learned(found), words, cells.told_apart(found)))
    show_table(word_table(cells.noise_title(found), cells.noise_header(found), cells.noise(found), words, ""))
    show_remarks("What to make of it", audited.verdict)
    say(cells.ASSUMED, "dim")


def _write(audited: "Audited", plot: Path | None, report: Path | None, *, quiet: bool) -> None:
    from vieta.cli.outputs import kind_of, write_outputs
    from vieta.report.audit_page import page
    from vieta.report.pictures import encoded

    drawn = {
        plot: lambda: encoded(audited.audit.plot(), kind_of(plot)),
        report: lambda: page(audited).encode(errors="backslashreplace"),
    }
    write_outputs(drawn, quiet=quiet)
