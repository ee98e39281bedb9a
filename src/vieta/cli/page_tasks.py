"""What the page asks for, done by the same functions as the commands do it. Each task runs in a process of its own."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

if TYPE_CHECKING:
    from vieta.files.columns import Head
    from vieta.files.source import Source
    from vieta.page.workers import Report, Task
    from vieta.report.audit_report import Audited
    from vieta.report.fit_report import Answer

PREVIEW = 8  # rows
MOST_COLUMNS = 200
KEPT_HEADS = 8  # files whose first rows are remembered
READERS = {"csv_format": "read_csv", "ndjson_format": "read_ndjson", "parquet_format": "read_parquet"}
NEVER = Path("never-written")


def tasks() -> "dict[str, Task]":
    """The tasks that take long, by name."""
    return {"fit": fit, "report": report, "audit": audit, "decision": decision}


def quick_tasks() -> "dict[str, Task]":
    """The tasks that answer at once."""
    return {"ready": ready, "columns": columns, "polynomial": polynomial}


def run_tasks() -> "dict[str, Task]":
    """The tasks that are shown as they go on."""
    return {"ready": rehearse, "race": race}


def ready(report: "Report", asked: dict[str, Any]) -> dict[str, Any]:
    """Nothing, but what the other quick tasks need is loaded then."""
    import polars  # noqa: F401

    import vieta.files.reader
    import vieta.page.lessons  # noqa: F401

    _parsed("fit", {"name": "none"})
    return {}


def said(error: BaseException) -> str | None:
    """What an error says to whoever looks at the page; None for a fault of ours."""
    from vieta.characters import visible
    from vieta.cli.page_audience import PAGE, labelled
    from vieta.cli.process import TOO_LARGE, message
    from vieta.errors import VietaError

    if isinstance(error, click.BadParameter) and error.param is not None and error.param.name is not None:
        return f"{labelled(error.param.name)}: {error.message}"
    if isinstance(error, click.ClickException):
        return error.format_message()
    if isinstance(error, MemoryError):
        return TOO_LARGE
    if isinstance(error, VietaError):
        return visible(error.say(PAGE))
    return message(error) if isinstance(error, ValueError | ArithmeticError | OSError) else None


def column_choices(asked: dict[str, Any], command: str = "fit") -> list[str]:
    """The words of a command that say which columns are what, and what readings are."""
    found = _chosen(asked)
    single = _SINGLE | (_OF_FIT if command == "fit" else {})
    words = [f"--{flag}={found[name]}" for name, flag in single.items() if found.get(name) not in (None, "")]
    for name, flag in _SEVERAL.items():
        given = found.get(name) or []
        words += [f"--{flag}={item}" for item in (given if isinstance(given, list) else [given])]
    if found.get("intercept") is not None:
        words.append("--intercept" if found["intercept"] else "--no-intercept")
    return words + (["--trend"] if found.get("trend") else [])


def _chosen(asked: dict[str, Any]) -> dict[str, Any]:
    choices = asked.get("choices")
    return choices if isinstance(choices, dict) else {}


_SINGLE = {
    "layout": "layout", "set": "set", "time": "time", "harmonics": "harmonics", "systems": "systems", "on_bad_set": "on-bad-set",
    "delimiter": "delimiter",
}  # fmt: skip
_OF_FIT = {"family": "family", "offset": "offset"}
_SEVERAL = {"values": "value", "inputs": "input", "categories": "category", "season": "season"}


def columns(report: "Report", asked: dict[str, Any]) -> dict[str, Any]:
    """What was recognised of a file, and its first rows; or why nothing was, with the columns to choose from."""
    from vieta.cli.column_flags import settings_of, wishes
    from vieta.cli.page_audience import PAGE
    from vieta.errors import VietaError
    from vieta.files.formats import sources
    from vieta.files.reader import reader_of
    from vieta.offset_column import with_offset

    files, given = _parsed("fit", asked)
    with sources(files, given["delimiter"]) as found:
        first = _head(found[0])
        names = list(first.columns)[:MOST_COLUMNS]
        rows = [
            ["" if cell is None else f"{cell:.6g}" if isinstance(cell, float) else str(cell)[:60] for cell in row]
            for row in zip(*(first.columns[n][:PREVIEW] for n in names))
        ]
        answer = {
            "columns": names,
            "n_columns": len(first.columns),
            "numeric": list(first.numeric),
            "rows": rows,
            "size": sum(one.size for one in found),
        }
        try:
            source = reader_of(
                found, wishes(with_offset(given)), on_bad_set=given["on_bad_set"], any_size=True, heads=[first]
            )
        except (VietaError, click.UsageError) as error:
            return answer | {"trouble": said(error)}
        layout = source.layout
        return answer | {
            "settings": settings_of(layout),
            "naming": list(layout.naming),
            "says": layout.describe(PAGE),
        }


def _head(source: "Source") -> "Head":
    """The first rows of a file, read once as long as it does not change: choices are made one after the other."""
    from vieta.files.columns import head

    about = source.path.stat()
    file = (str(source.path.resolve()), about.st_mtime_ns, about.st_size, source.name, source.delimiter)
    if file not in _HEADS:
        _HEADS[file] = head(source)
        while len(_HEADS) > KEPT_HEADS:
            del _HEADS[next(iter(_HEADS))]
    return _HEADS[file]


_HEADS: "dict[tuple[Any, ...], Head]" = {}


def fit(report: "Report", asked: dict[str, Any]) -> dict[str, Any]:
    """The answer of `vieta fit`, with pictures, and how to get it again."""
    from vieta.cli.page_audience import PAGE
    from vieta.page.answer_picture import as_csv, pictured

    with _watched(report):
        answer = _fitted(asked, plot=NEVER, sampled=True)
        report("drawing", 1.0)
        header, rows = answer.table
        return {
            "answer": answer.to_dict(),
            "title": answer.title,
            "description": [*answer.description, *answer.seen],
            "table": {"header": list(header), "rows": [list(row) for row in rows]},
            "verdict": [one._asdict() for one in replace(answer, audience=PAGE).verdict],
            "picture": pictured(answer),
            "csv": as_csv(list(header), [list(row) for row in rows]),
            "command": answer.command,
            "python": _python(answer, _chosen(asked).get("offset") or None),
        }


def report(report: "Report", asked: dict[str, Any]) -> dict[str, Any]:
    """The page that `vieta fit` writes."""
    from vieta.report.fit_page import page

    with _watched(report):
        answer = _fitted(asked, report=NEVER)
        report("drawing", 1.0)
        return {"page": page(answer)}


def audit(report: "Report", asked: dict[str, Any]) -> dict[str, Any]:
    """The answer of `vieta audit`, of the records as they would be released."""
    from vieta.anonymity import audit_tables as cells
    from vieta.cli.page_audience import PAGE

    with _watched(report):
        audited = _audited(asked)
        found = audited.audit
        return {
            "answer": audited.to_dict(),
            "description": audited.description,
            "guesses": [list(row) for row in cells.guesses(found)],
            "systems": {"header": audited.systems_header, "rows": cells.systems(found)},
            "learned": {"header": list(cells.LEARNED), "rows": cells.learned(found), "note": cells.told_apart(found)},
            "noise": {"header": list(cells.noise_header(found)), "rows": cells.noise(found)},
            "verdict": [one._asdict() for one in replace(audited, audience=PAGE).verdict],
            "assumed": cells.ASSUMED,
            "command": audited.command,
        }


def decision(report: "Report", asked: dict[str, Any]) -> dict[str, Any]:
    """The page that `vieta audit` writes, of the records as they would be released."""
    from vieta.report.audit_page import page

    with _watched(report):
        audited = _audited(asked)
        report("drawing", 1.0)
        return {"page": page(audited)}


def race(report: "Report", asked: dict[str, Any]) -> dict[str, Any]:
    """Filters on an Example, told as they run."""
    from vieta.page.race import parts

    for part in parts(asked):
        report.part(part)
    return {}


def rehearse(report: "Report", asked: dict[str, Any]) -> dict[str, Any]:
    """Nothing, but what the filters on the Examples need is loaded then."""
    from vieta.page.race import EXAMPLES, race

    for number in EXAMPLES:
        race({"example": number, "n": 100})
    return {}


def polynomial(report: "Report", asked: dict[str, Any]) -> dict[str, Any]:
    """The polynomial of sets."""
    from vieta.page import lessons

    return lessons.polynomial(asked)


def _parsed(command: str, asked: dict[str, Any], *more: str) -> tuple[tuple[str, ...], dict[str, Any]]:
    """The files and options that the words of a command stand for."""
    from vieta.cli.commands import vieta

    chosen = vieta.get_command(click.Context(vieta), command)
    assert chosen is not None
    ctx = chosen.make_context(command, [*column_choices(asked, command), *more, "--", str(asked.get("name", ""))])
    given = dict(ctx.params)
    return given.pop("files"), given


def _fitted(asked: dict[str, Any], **outputs: Any) -> "Answer":
    from vieta.cli.fit import answered

    method = asked.get("method")
    level = asked.get("level")
    more = [f"--method={method}"] if method else []
    more += [f"--level={level}"] if level else []
    files, given = _parsed("fit", asked, *more)
    return answered(files, given | outputs)


def _audited(asked: dict[str, Any]) -> "Audited":
    """The audit of the records, rounded and thinned as asked."""
    import warnings

    from vieta.cli.audit import ALTERED, of_records

    levels = asked.get("added")
    more = [f"--added={one}" for one in (levels if isinstance(levels, list) else ())]
    more += [f"--{name}={asked[name]}" for name in ALTERED if asked.get(name)]
    files, given = _parsed("audit", asked, *more)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", RuntimeWarning)  # what matters of it is said in the findings
        return of_records(files, given)


@contextmanager
def _watched(report: "Report") -> Iterator[None]:
    """Report how far the work is."""
    from vieta.cli.console import following

    with following(report):
        yield


def _python(answer: "Answer", offset: str | None) -> str:
    """Python that gives the same estimate."""
    settings = answer.settings
    name = settings["files"][0]
    reader = _frame_reader(name)
    inputs = [one for one in settings["inputs"] if one != offset]
    known = {
        "set": settings["set"],
        "value": settings["values"],
        "inputs": inputs or None,
        "layout": settings["layout"],
        "category": settings["categories"] or None,
        "intercept": True if settings["intercept"] else None,
        "trend": settings["trend"] or None,
        "season": settings["season"] or None,
        "harmonics": settings["harmonics"] if settings["season"] else None,
        "time": settings["time"] if settings["trend"] or settings["season"] else None,
        "offset": offset,
        "n_systems": len(answer.estimate.theta),
        "method": settings["method"] if answer.estimate.answers is None else None,
        **settings["options"],
    }
    words = "".join(f"    {key}={value!r},\n" for key, value in known.items() if value is not None)
    return (
        f"import polars\nimport vieta\n\nframe = polars.{reader}({name!r})\nestimate = vieta.fit_frame(\n    frame,\n{words})\n"
        f"print(estimate.summary(level={settings['level']:g}))\n"
    )


def _frame_reader(name: str) -> str:
    """What polars reads a file with."""
    from vieta.files.formats import sources

    with sources([name]) as found:
        return READERS.get(type(found[0]).__module__.rpartition(".")[2], "read_csv")
