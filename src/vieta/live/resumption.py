"""Saving a watch and resuming it: the input begins anew and its lines are passed over, or it goes on where it was."""

from collections.abc import Callable
from dataclasses import astuple
from typing import Any

from vieta.errors import BadFileError
from vieta.estimators import SymmetricFilter
from vieta.files.reasons import WORDS
from vieta.files.text_pieces import LONGEST
from vieta.live.checkpoint import Checkpoint
from vieta.live.feed import Feed, Position
from vieta.live.set_lines import Form
from vieta.live.watcher import SHOWN, LeftOut, Place, Watch


def saver(checkpoint: Checkpoint) -> Callable[[Watch, bytes], None]:
    """Saves a watch, once it has a filter: filter and position in one file."""

    def save(watch: Watch, rest: bytes) -> None:
        if watch.filter is not None:
            checkpoint.save(watch.filter, {"watch": _noted(watch, rest)})

    return save


def _noted(watch: Watch, rest: bytes) -> dict[str, Any]:
    several = {"places": [[astuple(place.position), astuple(place.first)] for place in watch.places]}
    return {
        **(several if len(watch.places) > 1 else {}),
        "position": astuple(watch.position),
        "first": astuple(watch.first),
        "form": watch.form,
        "left_out": dict(watch.left_out),
        "examples": watch.examples,
        "label": watch.label,
        "rest": rest.decode("latin-1"),
    }


def resume(watch: Watch, running: SymmetricFilter) -> bytes:
    """Resume a watch with a filter that was saved; return what had arrived of its next line.

    A filter that was saved by other means has no position: it takes whatever input there is.
    """
    watch.filter, watch.n_systems = running, running.n_systems
    watch.any_size = running.takes_incomplete
    noted = running.notes.get("watch")
    if noted is None:
        return b""
    try:
        watch.position, watch.first = _position(noted["position"]), _position(noted["first"])
        alone = [(noted["position"], noted["first"])]
        places = [Place(*map(_position, both)) for both in noted.get("places", alone)]
        watch.form = None if noted["form"] is None else _form(noted["form"], running, watch.offset_last)
        watch.left_out.update({_known(code): _count(count) for code, count in noted["left_out"].items()})
        watch.examples += [LeftOut(_count(line), _known(code), _text(text)) for line, code, text in noted["examples"]]
        watch.label = None if noted["label"] is None else _label(noted["label"])
        rest = _text(noted["rest"]).encode("latin-1")
        wrong = any(place.first.size > place.position.size for place in (Place(watch.position, watch.first), *places))
        if wrong or len(rest) > LONGEST or len(watch.examples) > SHOWN:
            raise ValueError
    except (KeyError, TypeError, ValueError, AttributeError) as error:
        raise BadFileError(
            "no-watch-state",
            "the state was not saved by a watch: its notes are wrong ({reason}). Take another file for {option.state}.",
            reason=repr(error)[:100],
        ) from None
    _require_as_many(watch, places)
    watch.places = places
    return rest


def _require_as_many(watch: Watch, places: list[Place]) -> None:
    if len(places) != len(watch.places):
        raise BadFileError(
            "other-inputs",
            "the state is that of {before} input(s), and {now} were given. Give the same ones, in the same order, or take another file for "
            "{option.state}.",
            before=len(places),
            now=len(watch.places),
        )


def _position(noted: Any) -> Position:
    size, lines, checksum, is_open = noted
    return Position(_count(size), _count(lines), _count(checksum), bool(is_open))


def _form(noted: Any, running: SymmetricFilter, offset_last: bool) -> Form:
    """What the lines held, if it is what the filter takes."""
    L, p, inputs, *rest = noted
    form = Form(
        _count(L),
        _count(p),
        tuple(_count(n) for n in inputs),
        any_size=bool(rest and rest[0] is True),
        offset=offset_last,
    )
    if form.any_size and not running.takes_incomplete:
        raise ValueError(noted)
    dim = form.dim_without_offset if offset_last else form.dim
    if form.n_systems != running.n_systems or dim != running.dim or form.inputs not in {(), (p, form.dim)}:
        raise ValueError(noted)
    return form


def _count(noted: Any) -> int:
    if type(noted) is not int or not 0 <= noted < 2**63:
        raise TypeError(noted)
    return noted


def _text(noted: Any) -> str:
    if not isinstance(noted, str):
        raise TypeError(noted)
    return noted


def _label(noted: Any) -> str | float:
    if type(noted) not in {str, int, float}:
        raise TypeError(noted)
    label: str | float = noted
    return label


def _known(code: str) -> str:
    """The code, if this version has words for it."""
    if code not in WORDS:
        raise KeyError(code)
    return code


def pass_over(watch: Watch, *feeds: Feed) -> None:
    """Pass over what the watch has absorbed before; refuse an input that does not begin with it."""
    for place, feed in zip(watch.places, feeds, strict=True):
        _pass_over(place, feed)


def _pass_over(place: Place, feed: Feed) -> None:
    checksum = feed.skip(place.first.size)
    if checksum is not None and checksum != place.first.checksum:
        raise _other_input("other-first-line", "the input does not begin with the line with which it began before.")
    if checksum is not None:
        checksum = feed.skip(place.position.size - place.first.size, checksum)
    lines = place.position.lines_read
    if checksum is None and feed.ended:
        raise _other_input(
            "input-too-short", "the input ends before the end of the {lines:,} line(s) read before.", lines
        )
    if checksum is not None and checksum != place.position.checksum:
        raise _other_input("other-lines", "the input does not begin with the {lines:,} line(s) read before.", lines)


def _other_input(code: str, template: str, lines: int = 1) -> BadFileError:
    return BadFileError(
        code,
        f"{template} With {{option.resume:replay}} the input must begin anew, with the same lines. If it goes on where it was, use "
        "{option.resume:continue}; for other data, take another file for {option.state}.",
        lines=lines,
    )
