"""`vieta watch`."""

import sys
import warnings
from collections.abc import Callable
from contextlib import AbstractContextManager, ExitStack, closing, nullcontext
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from vieta.cli.method_flags import MethodCommand, given_options
from vieta.cli.process import FOUND, RefusedError, refusing
from vieta.cli.ranges import Finite, level

if TYPE_CHECKING:
    from vieta.cli.display import Display
    from vieta.estimators import SymmetricFilter
    from vieta.live.feed import Feed
    from vieta.live.schedule import Rhythm
    from vieta.live.set_lines import Form
    from vieta.live.side_by_side import Feeds
    from vieta.live.watcher import Event, Watch
    from vieta.report.watch_report import Account

INPUT = 0  # the descriptor of standard input
OFTEN = 0.25  # seconds between tables on a terminal
REST = 20.0  # times as long as a table took to make, until the next is made
SAVED = 5.0  # seconds between checkpoints
SECONDS = Finite(min=0, min_open=True)
COUNT = click.IntRange(min=1)
ANY_SIZE = (
    "What is left counts as complete: that is right only if no reading is missed and none is false. If some are, give --systems and "
    "--method adaptive, which takes sets of any size."
)
RESUME = {
    "replay": "The input must begin anew with them (--resume replay): they are passed over.",
    "continue": "The input goes on after them (--resume continue): nothing is passed over.",
}


@click.command(cls=MethodCommand, online=True)
@click.argument("files", nargs=-1, type=click.Path(allow_dash=True), metavar="[FILE]...")
@click.option("--systems", type=COUNT, metavar="L", help="How many systems; as the first line has it by default.")
@level
@click.option(
    "--offset",
    is_flag=True,
    help="A known number is added to every system's predictor: that of the key offset, or else the last number of psi, which is no input.",
)
@click.option("--json", "as_json", is_flag=True, help="Print lines of JSON instead of a table.")
@click.option("--every", type=COUNT, metavar="N", help="With --json: an estimate every N sets.")
@click.option(
    "--seconds", type=SECONDS, metavar="S", help="With --json: an estimate every S seconds in which sets arrived."
)
@click.option(
    "--innovations",
    type=COUNT,
    metavar="N",
    help="With --json: how far the readings of the latest N sets were from the estimate before, in standard deviations of the noise.",
)
@click.option(
    "--state",
    type=click.Path(dir_okay=False, path_type=Path),
    help="Keep the filter and the place in the input in this file, and go on from it.",
)
@click.option("--checkpoint-every", type=COUNT, metavar="N", help="Save the state every N sets.")
@click.option("--checkpoint-seconds", type=SECONDS, metavar="S", help=f"Save it every S seconds.  [default: {SAVED:g}]")
@click.option(
    "--resume",
    type=click.Choice(["replay", "continue"]),
    default="replay",
    show_default=True,
    help="When a state is there: does the input begin anew, or go on where it was?",
)
@click.option(
    "--strict", is_flag=True, help="Refuse lines that hold no set; exit with 1 if a finding is more than a note."
)
@click.pass_context
def watch(ctx: click.Context, /, **given: Any) -> None:
    """Estimate live, from unlabeled sets on standard input, or on several inputs at once.

    FILE is a file, a pipe or - for standard input, which is read if there is none. Sets of all inputs, as they arrive, are of the same systems.

    One set a line, {"y": [1.2, 3.4], "psi": 0.5, "t": "12:00"} or only [1.2, 3.4]. y holds one reading of each system, a
    number or a list of p numbers. psi is a number, a list of D numbers (when readings are numbers), or p lists of D numbers;
    without it, Psi = I. t is a label to tell the time by. Readings may be answers (--family); with --offset a known number
    comes with them, as the easiness of an item: {"y": [0, 1, 1], "offset": -0.5}, or as the last number of psi. Lines that hold no such
    set are left out, counted, and the first few shown.

    Where readings are missed or false, say how many systems there are and take a method for it, --systems 3 --method adaptive: y
    then holds any number of readings, and [] is a set in which all were missed.

    On a terminal, a table follows the estimate; otherwise, and in the end, there is one answer. With --json there are lines
    instead: "estimate" (when --every or --seconds say so), "change", and "final". When the parameters change, that is
    announced, by the methods that look for changes.

    With --state, a watch that ends or is killed goes on as if nothing had happened: nothing is lost and nothing counted twice,
    if the input begins anew with the same lines (--resume replay). They are passed over, and refused if they are others. If
    the input goes on instead, say --resume continue; what arrived between the last checkpoint and a kill is lost then.
    Several inputs must begin anew, the same ones in the same order. SIGINT and SIGTERM end a watch as the end of the input does.

    Findings are notes (-), cautions (!) or serious (!!). Exit code: 0, or 1 if --strict is given and there are cautions or serious
    findings, or 2 if the input cannot be used.

    \b
    Examples:
      vieta simulate example-1 -n 5000 -o - | vieta watch
      tail -f sets.ndjson | vieta watch --memory 5000
      vieta watch --state watch.npz < sets.ndjson
      vieta watch north.ndjson south.ndjson --state watch.npz
      sensor | vieta watch --state watch.npz --resume continue --json --seconds 10
      vieta watch --systems 3 --method adaptive --state watch.npz < detections.ndjson
      vieta watch --family binary --offset < answers.ndjson
      vieta watch --method lms --step 1e-3 --json --every 1000 < sets.ndjson
    """
    _require_company(given)
    given["files"] = given["files"] or ("-",)
    with refusing("the sets do not fit into memory: their lines are too long."), ExitStack() as stack:
        is_sound = _watched(stack, given)
    if given["strict"] and not is_sound:
        ctx.exit(FOUND)


def _require_company(given: dict[str, Any]) -> None:
    """Refuse options that mean nothing without another."""
    for names, needed in (
        (("every", "seconds", "innovations"), "as_json"),
        (("checkpoint_every", "checkpoint_seconds"), "state"),
    ):
        for name in names:
            if given[name] is not None and not given[needed]:
                raise click.UsageError(f"--{name.replace('_', '-')} needs --{needed.removeprefix('as_')}.")
    if len(given["files"]) > 1 and given["state"] and given["resume"] == "continue":
        raise click.UsageError(
            "several inputs with --state must begin anew: leave out --resume continue, or watch each with a state of its own and vieta merge "
            "these."
        )
    if given["files"].count("-") > 1:
        raise click.UsageError("standard input, -, can be read once.")


def _watched(stack: ExitStack, given: dict[str, Any]) -> bool:
    """Watch until the input ends; whether no finding is more than a note."""
    from vieta.cli.process import interruption
    from vieta.live.feed import Feed
    from vieta.live.resumption import pass_over
    from vieta.live.side_by_side import Feeds
    from vieta.live.watcher import Due

    stack.enter_context(warnings.catch_warnings())
    warnings.simplefilter("ignore", RuntimeWarning)  # what matters of it is said in the findings
    interrupted = stack.enter_context(interruption())
    display = stack.enter_context(_display(given["as_json"]))
    running, rest = _begun(stack, given, display)
    replay = given["resume"] == "replay"
    names = given["files"]
    feeds = [Feed(_opened(stack, name), interrupted, b"" if replay else rest, _called(name)) for name in names]
    feed = feeds[0] if len(feeds) == 1 else Feeds(feeds, interrupted)
    if replay:
        pass_over(running, *feeds)
    try:
        with closing(running.events(feed)) as events:
            for event in events:
                if isinstance(event, Due):
                    display.report(lambda: _account(running, given))
                else:
                    _announce(event, display, "" if len(names) == 1 else f"{names[feed.number]}, ")
    finally:
        running.save(running, feed.rest)
    return _answered(feed, display, _account(running, given))


def _opened(stack: ExitStack, name: str) -> int:
    """The descriptor of an input."""
    import os

    from vieta.files.reasons import unreadable

    if name == "-":
        return INPUT
    try:
        found = os.open(name, os.O_RDONLY)
    except OSError as error:
        raise unreadable(name, error) from None
    stack.callback(os.close, found)
    return found


def _called(name: str) -> str:
    return "standard input" if name == "-" else name


def _account(running: "Watch", given: dict[str, Any]) -> "Account":
    """The watch as it stands; an estimate that cannot be made is no error here."""
    from vieta.cli.audience import COMMAND
    from vieta.cli.process import message
    from vieta.errors import VietaError
    from vieta.report.watch_report import Account

    estimate, trouble = None, "no set has been read"
    if running.filter is not None and running.n_sets:
        try:
            estimate = running.filter.estimate()
        except (VietaError, ValueError, ArithmeticError) as error:
            trouble = message(error)
    return Account(
        estimate,
        trouble,
        _description(running),
        given["level"],
        running.n_sets,
        running.lines_read,
        running.label,
        dict(running.left_out),
        [example._asdict() for example in running.examples],
        COMMAND,
        None if running.innovations is None else running.innovations.report(estimate),
    )


def _description(running: "Watch") -> list[str]:
    """What was read and what was left out, in lines."""
    from vieta.cli.column_flags import counted
    from vieta.files.reasons import OTHER_COUNT, WORDS
    from vieta.live.watcher import printable

    label = "" if running.label is None else f", the latest at t = {printable(str(running.label))}"
    read = f"{counted(running.n_sets, 'set')} from {counted(running.lines_read, 'line')}{label}"
    left = (f"left out: {counted(n, 'line')}: {WORDS.get(code, code)}" for code, n in running.left_out.items())
    misfits = running.left_out[OTHER_COUNT] and not running.any_size
    return [read, *left, *([ANY_SIZE] if misfits else [])]


def _display(as_json: bool) -> "AbstractContextManager[Display]":
    from vieta.cli import display as live

    if as_json:
        return nullcontext(live.as_json())
    return live.on_terminal() if sys.stdout.isatty() else nullcontext(live.in_the_end())


def _begun(stack: ExitStack, given: dict[str, Any], display: "Display") -> "tuple[Watch, bytes]":
    """A watch, new or as it was saved, and what had been read of its next line."""
    from vieta.cli.column_flags import counted
    from vieta.live.checkpoint import checkpoint
    from vieta.live.innovations import Innovations
    from vieta.live.resumption import resume, saver
    from vieta.live.watcher import Place, Watch

    make = _maker(given)
    running = Watch(make, lambda *_: None, _rhythm(given), given["strict"], given["systems"], _takes_any_size(given))
    running.innovations = None if given["innovations"] is None else Innovations(given["innovations"])
    running.places = [Place() for _ in given["files"]]
    running.offset_last = given["offset"]
    path: Path | None = given["state"]
    if path is None:
        return running, b""
    kept = stack.enter_context(checkpoint(path))
    running.save = saver(kept)
    saved = kept.load()
    if saved is None:
        display.say(f"{path} is new: the state is kept there.")
        return running, b""
    _require_same(saved, given)
    rest = resume(running, saved)
    read = f"{counted(running.n_sets, 'set')} from {counted(running.lines_read, 'line')}"
    display.say(f"{path}: {read}. {RESUME[given['resume']]}")
    return running, rest


def _rhythm(given: dict[str, Any]) -> "Rhythm":
    from vieta.live.schedule import Rhythm

    return Rhythm(
        given["every"],
        given["seconds"] if given["as_json"] else OFTEN,
        given["checkpoint_every"],
        given["checkpoint_seconds"] or SAVED,
        0.0 if given["as_json"] else REST,
    )


def _options(given: dict[str, Any]) -> dict[str, Any]:
    """The method and its options, those that were given."""
    return ({} if given["method"] is None else {"method": given["method"]}) | given_options(given)


def _maker(given: dict[str, Any]) -> "Callable[[Form], SymmetricFilter]":
    """Makes the filter for sets of a form; wrong options are refused before any set is read, where that does not take the form."""
    from vieta.answers import families
    from vieta.estimators import SymmetricFilter
    from vieta.live.set_lines import Form
    from vieta.method import registry

    options = _options(given)

    def make(form: Form) -> SymmetricFilter:
        dim = form.dim_without_offset if given["offset"] else form.dim
        return SymmetricFilter(form.n_systems, dim, **options).check()

    answers, rest = families.of_options(given_options(given), options.get("method"))
    registry.options(answers or registry.get(options.get("method", registry.default())), rest)
    if not any(isinstance(value, list) for value in options.values()):  # one number for each system, or each parameter
        make(Form(given["systems"] or 1, 1, ()))
    return make


def _takes_any_size(given: dict[str, Any]) -> bool:
    """Whether sets may have any number of readings: the number of systems is given, and the method takes them."""
    from vieta.answers import families
    from vieta.method import registry

    answers, rest = families.of_options(given_options(given), given["method"])
    if answers is not None:
        return False
    name = _options(given).get("method", registry.default(options=rest))
    return given["systems"] is not None and registry.get(name).takes_incomplete


def _require_same(saved: "SymmetricFilter", given: dict[str, Any]) -> None:
    """Refuse options other than those of the filter that was saved."""
    import numpy as np

    from vieta.cli.audience import spelled

    there: dict[str, Any] = {"n_systems": saved.n_systems, "method": saved.method_name, **saved.options}
    asked = ({} if given["systems"] is None else {"n_systems": given["systems"]}) | _options(given)
    for name, value in asked.items():
        if not np.array_equal(np.ravel(value), np.ravel(there.get(name, ""))):
            now, before = _setting(spelled(name), value), _setting(spelled(name), there.get(name))
            raise RefusedError(
                f"{given['state']} holds a filter {before}, and one {now} was asked for. Leave the option out, or take another "
                "--state file."
            )


def _setting(option: str, setting: Any) -> str:
    """An option and its value in words."""
    import numpy as np

    if setting is None or setting is False:
        return f"without {option}"
    return f"with {option}" if setting is True else f"with {option} {', '.join(map(str, np.ravel(setting)))}"


def _announce(event: "Event", display: "Display", where: str = "") -> None:
    from vieta.live.watcher import Changed, LeftOut, Started

    if isinstance(event, Changed):
        display.change(event.after)
    elif isinstance(event, LeftOut):
        display.say(f"left out: {where}{event}")
    elif isinstance(event, Started):
        unused = f"; not used: {', '.join(event.unused)}" if event.unused else ""
        display.say(f"{event.form.describe()}{unused}")


def _answered(feed: "Feed | Feeds", display: "Display", account: "Account") -> bool:
    """Answer in the end; whether no finding is more than a note."""
    if feed.ended and feed.rest.strip():
        display.say("The input ends within a line, which is not counted.")
    if account.estimate is None:
        raise RefusedError(f"there is no estimate: {account.trouble} ({'; '.join(account.description)}).")
    display.answer(account)
    return account.is_sound
