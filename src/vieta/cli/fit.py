"""`vieta fit`."""

import os
import shlex
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from vieta.cli.column_flags import columns_of_any_size
from vieta.cli.method_flags import MethodCommand
from vieta.cli.outputs import pictures
from vieta.cli.ranges import level

if TYPE_CHECKING:
    from collections.abc import Iterator

    from vieta.estimators import Estimate
    from vieta.files.reader import Reader
    from vieta.files.truth_file import Truth
    from vieta.report.fit_report import Answer
    from vieta.sets import Data

SAMPLE = 100_000  # sets to draw pictures of, where not all are kept


@click.command(cls=MethodCommand)
@click.argument("files", nargs=-1, required=True, type=click.Path(allow_dash=True), metavar="FILE...")
@columns_of_any_size
@level
@click.option(
    "--offset",
    metavar="COL",
    help="A column of known numbers that are added to every system's predictor: an item's easiness, the logarithm of an exposure.",
)
@click.option(
    "--stream/--no-stream",
    default=None,
    help="Read in pieces, in bounded memory, once for each pass; by default if files are large.",
)
@click.option(
    "--threads",
    type=click.IntRange(min=1),
    metavar="N",
    help="Share the work among so many threads, by default one a core; the answer does not depend on their number.",
)
@click.option(
    "--cluster",
    metavar="local|ADDRESS",
    help="Let workers read the files and do the work: processes on this machine, or those of a scheduler, tcp://host:8786.",
)
@click.option("--workers", type=click.IntRange(min=1), metavar="N", help="How many processes; as --cluster local.")
@click.option(
    "--truth",
    type=click.Path(dir_okay=False, path_type=Path),
    help="Show the parameters in this file beside the estimates; vieta simulate --keep-truth writes it.",
)
@click.option("--json", "as_json", is_flag=True, help="Print JSON instead of a table.")
@pictures("the estimates")
@click.option(
    "--strict", is_flag=True, help="Exit with 1 if a finding is more than a note, or the intervals miss the --truth."
)
@click.pass_context
def fit(ctx: click.Context, /, files: tuple[str, ...], **given: Any) -> None:
    """Estimate the systems behind the unlabeled sets in files.

    FILE is CSV, TSV, NDJSON or Parquet (text may be gzipped), or - for standard input. A set does not reach from one file
    into the next.

    Long files have one row a reading: a column that names the set, one or more value columns, and inputs that repeat within
    the set. Wide files have one row a set: one value column for each member (or several), and inputs. Which column is
    what is recognised by name (set, time, id, ..; y, y1, value, reading, ..; psi, x, u, input, ..) and said in the answer;
    name them where that is wrong. When values are named, only the inputs that are named count. Lists in NDJSON and Parquet count
    as columns: {"y": [1.2, 3.4], "psi": 0.5} is a wide set, and so is a line [1.2, 3.4]. In wide files without usual names all
    columns of numbers that are nothing else are readings, if --layout wide is given.

    Sets may be incomplete if --systems says how many systems there are, or auto: a set with fewer readings (or empty cells, or none at all)
    lacks some, and one with more holds false ones. How often systems are seen and how many readings are false is then estimated too;
    --misses and --clutter say whether to allow for it.

    Inputs are numbers, dates (the time since the first) or text (categories, one parameter for each level but the first); --trend and
    --season make inputs of the time. The answer names each parameter and what it is measured from.

    Findings are notes (-), cautions (!) or serious (!!). Exit code: 0, or 1 if --strict is given and there are cautions, serious
    findings or intervals that miss the truth, or 2 if the input cannot be used.

    \b
    Examples:
      vieta fit records.csv
      vieta fit records.csv --report records.html
      vieta fit meters.csv --input temperature --intercept
      vieta fit prices.csv --trend --season year --harmonics 2
      vieta fit radar.csv --systems 3
      vieta fit radar.csv --systems auto --report radar.html
      vieta fit sleep.csv --set Days --input Days --intercept
      vieta fit wide.parquet --layout wide --value a --value b --value c --input dose
      vieta fit day1.csv.gz day2.csv.gz --method rls --memory 5000 --json
      vieta fit 'parts/*.parquet' --workers 4
      vieta fit quiz.csv --family binary --offset easiness
      cat records.ndjson | vieta fit - --set time --value reading --on-bad-set drop
    """
    from vieta.cli.outputs import require_apart
    from vieta.cli.process import FOUND, refusing

    inputs = [*files, *([given["truth"]] if given["truth"] else [])]
    require_apart(inputs, {"--plot": given["plot"], "--report": given["report"]})
    with refusing():
        answer = answered(_matching(files), given)
    _show(answer, as_json=given["as_json"])
    _write(answer, given["plot"], given["report"], quiet=given["as_json"])
    if given["strict"] and not answer.is_sound:
        ctx.exit(FOUND)


def _matching(files: tuple[str, ...]) -> tuple[str, ...]:
    """The files, with those that a pattern in quotes stands for in the order of their names."""
    from glob import glob

    found = ([one] if os.path.exists(one) else sorted(glob(one)) or [one] for one in files)
    return tuple(name for names in found for name in names)


def answered(files: tuple[str, ...], given: dict[str, Any]) -> "Answer":
    """Read, estimate, and put together what is to be said."""
    import warnings

    from vieta.answers import families
    from vieta.cli.column_flags import wishes
    from vieta.cli.console import reading
    from vieta.cli.method_flags import given_options
    from vieta.cluster_files import passes_of_files
    from vieta.file_fit import about, fitted, placed
    from vieta.files.reader import reader
    from vieta.files.truth_file import read_truth
    from vieta.method import registry
    from vieta.offset_column import split, with_offset
    from vieta.sums import on_threads, watched

    method, options, workers = given["method"], given_options(given), _asks_workers(given)
    answers, rest = families.of_options(options, method)
    first = answers or registry.get(method or registry.default(options=rest))
    ascending = first.wants_ascending(registry.options(first, rest))  # which are refused before anything is read
    truth = None if given["truth"] is None else read_truth(given["truth"])
    with (
        reader(
            files,
            wishes(with_offset(given)),
            on_bad_set=given["on_bad_set"],
            stream=given["stream"],
            delimiter=given["delimiter"],
            any_size=first.takes_incomplete,
        ) as source,
        reading(source.size, rereads=source.stream) as progress,
        _client(given) as client,
        warnings.catch_warnings(),
    ):
        warnings.simplefilter("ignore", RuntimeWarning)  # what matters of it is said in the findings
        found = (
            source.passes(progress)
            if client is None
            else passes_of_files(source, client, progress, progress.passed, ascending=ascending)
        )
        threads = None if workers else given["threads"] or _cores()
        passes = split(watched(on_threads(found, threads), progress.passed), source, given["offset"])
        with placed(source):
            estimate = fitted(passes, given["systems"], method, options)
        estimate = about(source, estimate, given["offset"])
        if answers is not None:
            return _put_together(files, given, source, estimate, None, options, truth)
        wanted = given["report"] is not None or given.get("sampled")
        sample = passes.head(SAMPLE if source.stream else estimate.n_sets) if wanted else None
        return _put_together(files, given, source, estimate, sample, options, truth)


def _cores() -> int:
    """How many cores this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def _asks_workers(given: dict[str, Any]) -> bool:
    return given["cluster"] is not None or given["workers"] is not None


@contextmanager
def _client(given: dict[str, Any]) -> "Iterator[Any]":
    """The workers that were asked for, or none."""
    where, workers = given["cluster"], given["workers"]
    if not _asks_workers(given):
        yield None
        return
    if workers is not None and where not in (None, "local"):
        raise click.UsageError("--workers are processes on this machine: give it alone, or with --cluster local.")
    if given["threads"] is not None:
        raise click.UsageError("--threads share the work in this process: leave out --cluster and --workers.")
    from vieta.engines import dask_clients

    dask_clients.require_dask()
    found = dask_clients.local_cluster(workers) if where in (None, "local") else dask_clients.connected(where)
    with found as client, dask_clients.heeding_interrupts():
        yield client


def _put_together(
    files: tuple[str, ...],
    given: dict[str, Any],
    source: "Reader",
    estimate: "Estimate",
    sample: "Data | None",
    options: dict[str, Any],
    truth: "Truth | None",
) -> "Answer":
    from dataclasses import replace

    from vieta.cli.audience import COMMAND
    from vieta.cli.column_flags import description
    from vieta.cli.panels import panels
    from vieta.file_fit import names_without, parameter_names
    from vieta.matching import match_rows
    from vieta.method import registry
    from vieta.report.fit_report import Answer
    from vieta.report.settling import settling

    L, D = estimate.theta.shape
    if truth is not None:
        _require_same_shape(truth, estimate)
    keeps_all = sample is not None and not source.stream and given["report"] is not None
    drawn = given["plot"] is not None or given["report"] is not None
    if sample is not None and not sample.is_complete:
        sample = replace(sample, size=L)
    return Answer(
        estimate=estimate,
        sources=", ".join(one.name for one in source.sources),
        description=description(source, estimate.n_sets, L, source.dropped, given["offset"]),
        parameter_names=names_without(parameter_names(source.layout, D), given["offset"]),
        input_names=list(source.layout.inputs) if source.layout.is_plain else [],
        level=given["level"],
        command=_command(files, given, source, estimate, options),
        settings=_settings(files, given, source, estimate.method, options),
        dropped=dict(source.dropped),
        sizes=dict(sorted(source.sizes.items())),
        thorough=estimate.answers is not None or registry.get(estimate.method).thorough,
        audience=COMMAND,
        truth=None if truth is None else truth.theta[match_rows(truth.theta, estimate.theta)],
        truth_name="truth at the end" if truth is not None and truth.moved else "truth",
        sample=sample,
        panels=panels(source, estimate.n_sets, L) if drawn and estimate.answers is None else (),
        path=settling(sample, estimate.method, options) if sample is not None and keeps_all else None,
    )


def _require_same_shape(truth: "Truth", estimate: "Estimate") -> None:
    from vieta.cli.column_flags import counted
    from vieta.errors import BadFileError

    if truth.theta.shape != estimate.theta.shape:
        there, here = (
            f"{counted(L, 'system')} of {counted(D, 'parameter')}" for L, D in (truth.theta.shape, estimate.theta.shape)
        )
        raise BadFileError(
            "another-truth",
            "{file} has {there}, and the estimate {here}: it is not the truth behind these sets.",
            file=truth.file,
            there=there,
            here=here,
        )


def _command(
    files: tuple[str, ...], given: dict[str, Any], source: "Reader", estimate: "Estimate", options: dict[str, Any]
) -> str:
    """The command that gives this answer again, with everything that was recognised spelled out."""
    from vieta.cli.column_flags import column_words
    from vieta.cli.method_flags import option_words

    words = ["vieta", "fit", *files, *column_words(source.layout, len(estimate.theta), given)]
    words += ["--offset", given["offset"]] if given["offset"] is not None else []
    words += ["--method", estimate.method] if estimate.answers is None else []
    words += [*option_words(options), "--level", f"{given['level']:g}"]
    words += ["--stream" if source.stream else "--no-stream"]
    return shlex.join(words + ([] if given["truth"] is None else ["--truth", str(given["truth"])]))


def _settings(
    files: tuple[str, ...], given: dict[str, Any], source: "Reader", method: str, options: dict[str, Any]
) -> dict[str, Any]:
    """Everything that was asked for or recognised, ready for JSON."""
    from vieta import __version__
    from vieta.cli.column_flags import settings_of

    return {
        "files": list(files),
        **settings_of(source.layout),
        "method": method,
        "options": options,
        **({} if given["offset"] is None else {"offset": given["offset"]}),
        "level": given["level"],
        "stream": source.stream,
        "version": __version__,
    }


def _show(answer: "Answer", *, as_json: bool) -> None:
    """Print the answer, as a table or as JSON."""
    from vieta.cli.console import number_table, say, show_remarks, show_table
    from vieta.cli.terminal import put_json

    if as_json:
        put_json(answer.to_dict())
        return
    for line in answer.description:
        say(line, "dim")
    show_table(number_table(answer.title, *answer.table, section=answer.estimate.theta.shape[1]))
    for line in answer.seen:
        say(line)
    show_remarks("What to make of it", answer.verdict)


def _write(answer: "Answer", plot: Path | None, report: Path | None, *, quiet: bool) -> None:
    from vieta.cli.outputs import kind_of, write_outputs
    from vieta.report.fit_page import page
    from vieta.report.pictures import encoded

    drawn = {
        plot: lambda: encoded(answer.picture(), kind_of(plot)),
        report: lambda: page(answer).encode(errors="backslashreplace"),
    }
    write_outputs(drawn, quiet=quiet)
