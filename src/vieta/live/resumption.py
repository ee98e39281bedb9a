"""A watch that was saved goes on: with an input that begins anew, whose lines are passed over, or with one that goes on too."""

from collections.abc import Callable
from dataclasses import astuple
from typing import Any

from vieta.estimators import SymmetricFilter
from vieta.files.bad_file import BadFileError
from vieta.live.checkpoint import Checkpoint
from vieta.live.feed import Feed, Position
from vieta.live.set_lines import Form
from vieta.live.watcher import LeftOut, Watch


def saver(checkpoint: Checkpoint) -> Callable[[Watch, bytes], None]:
    """Saves a watch, once it has a filter: filter and position in one file."""

    def save(watch: Watch, rest: bytes) -> None:
        if watch.filter is not None:
            checkpoint.save(watch.filter, {"watch": _noted(watch, rest)})

    return save


def _noted(watch: Watch, rest: bytes) -> dict[str, Any]:
    return {
        "position": astuple(watch.position),
        "first": astuple(watch.first),
        "form": watch.form,
        "left_out": dict(watch.left_out),
        "examples": watch.examples,
        "label": watch.label,
        "rest": rest.decode("latin-1"),
    }


def resume(watch: Watch, running: SymmetricFilter) -> bytes:
    """Let a watch go on with a filter that was saved; return what had come of its next line.

    A filter that was saved by other means has no position: it goes on with whatever comes.
    """
    watch.filter, watch.n_systems = running, running.n_systems
    noted = running.notes.get("watch")
    if noted is None:
        return b""
    try:
        watch.position, watch.first = Position(*noted["position"]), Position(*noted["first"])
        L, p, inputs = noted["form"]
        watch.form = Form(L, p, tuple(inputs))
        watch.left_out.update(noted["left_out"])
        watch.examples += [LeftOut(*example) for example in noted["examples"]]
        watch.label = noted["label"]
        return str(noted["rest"]).encode("latin-1")
    except (KeyError, TypeError, ValueError) as error:
        raise BadFileError(f"the state was not written by vieta watch: {error!r} is amiss in its notes.") from None


def pass_over(watch: Watch, feed: Feed) -> None:
    """Pass over what the watch has absorbed before; refuse an input that does not begin with it."""
    checksum = feed.skip(watch.first.size)
    if checksum is not None and checksum != watch.first.checksum:
        raise BadFileError(f"the input does not begin with the line with which it began before. {_ADVICE}")
    if checksum is not None:
        checksum = feed.skip(watch.position.size - watch.first.size, checksum)
    count = watch.position.lines_read
    lines = f"{count:,} line{'s' * (count != 1)}"
    if checksum is None and feed.ended:
        raise BadFileError(f"the input ends before the end of the {lines} read before. {_ADVICE}")
    if checksum is not None and checksum != watch.position.checksum:
        raise BadFileError(f"the input does not begin with the {lines} read before. {_ADVICE}")


_ADVICE = (
    "With --resume replay the input must begin anew, with the same lines. If it goes on where it was, use --resume continue; "
    "for other data, take another --state file."
)
