"""A live stream of sets through a filter: what it absorbed, what was left out, when to report and when to save."""

import math
from bisect import bisect_left
from collections import Counter
from collections.abc import Callable, Generator, Iterator
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Any, NamedTuple, cast

import numpy as np
from numpy.typing import ArrayLike

from vieta.arrays import Floats, Integers
from vieta.characters import visible
from vieta.errors import BadFileError, VietaError
from vieta.estimators import SymmetricFilter
from vieta.files.json_line import decode
from vieta.files.reasons import NOT_ABSORBED, WORDS
from vieta.live.feed import START, Feed, Position, is_whole
from vieta.live.innovations import Innovations
from vieta.live.schedule import Rhythm, Timer
from vieta.live.set_blocks import read_block
from vieta.live.set_lines import Form, Found, form_of
from vieta.live.side_by_side import Feeds

SHOWN = 5  # of the lines that were left out
EXCERPT = 60  # characters of such a line
KEYS = {"y", "psi", "t"}


class Place(NamedTuple):
    """How far one of the inputs has been absorbed, and the end of its first line."""

    position: Position = START
    first: Position = START

    def after(self, text: bytes) -> "Place":
        """The place behind some more lines."""
        begins = bool(text) and not self.position.size
        first = START.after(text[: text.find(b"\n") + 1] or text) if begins else self.first
        return Place(self.position.after(text), first)


class LeftOut(NamedTuple):
    """A line that holds no set, one of the first few; `reason` is a code (`vieta.files.reasons`)."""

    line: int
    reason: str
    text: str

    def __str__(self) -> str:
        return f"line {self.line:,}: {WORDS[self.reason]}: {self.text}"


class Started(NamedTuple):
    """The first set arrived; these keys of its line are not used."""

    form: Form
    unused: tuple[str, ...]


class Changed(NamedTuple):
    """The parameters changed after so many sets."""

    after: int


class Due(NamedTuple):
    """It is time for a report."""


class _Save(NamedTuple):
    """It is time to save."""


Event = Started | LeftOut | Changed | Due


class Lines(NamedTuple):
    """Some text, where its lines begin (and the last of them ends), and how many lines there are before it."""

    text: bytes
    starts: Integers
    before: int

    def part(self, start: int, stop: int) -> bytes:
        """The lines from `start` to before `stop`."""
        return self.text[self.starts[start] : self.starts[stop]]

    def left_out(self, at: int, reason: str) -> LeftOut:
        """A line that holds no set."""
        text = self.part(at, at + 1).strip()[: 4 * EXCERPT].decode("utf-8", "replace")
        return LeftOut(self.before + at + 1, reason, printable(text))


def _lines(text: bytes, before: int) -> Lines:
    ends = np.flatnonzero(np.frombuffer(text, dtype=np.uint8) == ord("\n")) + 1
    last = [] if text.endswith(b"\n") else [len(text)]
    return Lines(text, np.concatenate([[0], ends, last]).astype(np.int64), before)


@dataclass(slots=True, eq=False)
class Watch:
    """A filter on a stream.

    Attributes
    ----------
    make : callable
        Makes the filter for sets of a form.
    save : callable
        Saves the watch, and what has arrived of the next line.
    rhythm : Rhythm
    strict : bool
        Refuse a line that holds no set, rather than leaving it out and counting it.
    n_systems : int, optional
        L; that of the first set if it is not given.
    any_size : bool
        Whether sets may have any number of readings.
    offset_last : bool
        Whether the last number of psi is a known one, and no input.
    filter, form
        None until the first set arrives.
    position : Position
        How far the input has been absorbed.
    first : Position
        The end of the first line.
    places : list of Place
        The same for each of several inputs; `position` is then that in all they gave, in the order in which it arrived.
    left_out : Counter
        Lines that hold no set, by code.
    examples : list of LeftOut
        The first few of them.
    label : str or number, optional
        The `t` of the latest set.
    innovations : Innovations, optional
        Of the latest sets, if they are wanted.
    """

    make: Callable[[Form], SymmetricFilter]
    save: Callable[["Watch", bytes], None]
    rhythm: Rhythm
    strict: bool = False
    n_systems: int | None = None
    any_size: bool = False
    offset_last: bool = False
    filter: SymmetricFilter | None = None
    form: Form | None = None
    position: Position = START
    first: Position = START
    left_out: Counter[str] = field(default_factory=Counter)
    examples: list[LeftOut] = field(default_factory=list)
    label: str | float | None = None
    innovations: Innovations | None = None
    places: list[Place] = field(default_factory=lambda: [Place()])
    _number: int = 0  # of the input that the lines are from

    @property
    def lines_read(self) -> int:
        """Lines of all inputs."""
        return sum(place.position.lines_read for place in self.places)

    @property
    def n_sets(self) -> int:
        """Sets absorbed."""
        return 0 if self.filter is None else self.filter.n_sets

    def events(self, feed: Feed | Feeds) -> Generator[Event, None, None]:
        """Absorb lines until the input ends; whoever iterates looks at the watch when an event says so."""
        reports = Timer(self.rhythm.report_seconds, self.n_sets, self.rhythm.rest)
        saves = Timer(self.rhythm.save_seconds, self.position.size)
        while (text := feed.read(_soonest(reports, saves))) is not None:
            yield from self._absorb(text, feed) if text else ()
            if reports.rings(self.n_sets):
                yield Due()
                reports.done()
            if saves.rings(self.position.size):
                self.save(self, feed.rest)
        if feed.ended and is_whole(feed.rest):  # though its end is missing
            yield from self._absorb(feed.take_rest(), feed)

    def _absorb(self, text: bytes, feed: Feed | Feeds) -> Iterator[Event]:
        """Absorb some lines; what is left of them after an error, or if nobody listens any more, goes back to the feed."""
        before, self._number = self.position.size, feed.number
        try:
            for event in self._absorbed(text):
                if isinstance(event, _Save):
                    self.save(self, text[self.position.size - before :] + feed.rest)
                else:
                    yield event
        finally:
            feed.give_back(text[self.position.size - before :])

    def _absorbed(self, text: bytes) -> "Iterator[Event | _Save]":
        """Absorb some lines, pausing where a report or a save falls due."""
        lines = _lines(text, self.places[self._number].position.lines)
        yield from self._begin(lines)
        found = read_block(text, self.form or Form(self.n_systems or 0, 1, (), offset=self.offset_last))
        refused = found.faults[:1] if self.strict else []
        stops = self._stops(found, refused[0][0] if refused else len(lines.starts) - 1)
        for start, stop in pairwise([(0, 0), *stops]):
            yield from self._take(lines, found, start, stop)
            if stop[0] > start[0] and _divides(self.rhythm.save_sets, self.n_sets):
                yield _Save()
        if refused:
            left_out = lines.left_out(*refused[0])
            raise BadFileError(
                left_out.reason,
                "{left_out}. Without {flag.strict} such lines are left out.",
                left_out=str(left_out),
                line=left_out.line,
            )

    def _begin(self, lines: Lines) -> Iterator[Event]:
        """Make the filter when the first set arrives."""
        if self.form is not None:
            return
        rows = [lines.part(k, k + 1) for k in range(len(lines.starts) - 1)]
        at, self.form = form_of(rows, self.n_systems, any_size=self.any_size, offset=self.offset_last)
        if self.form is not None:
            self.filter = self.filter or self.make(self.form)
            record = _value(rows[at])
            known = {*KEYS, "offset"} if self.offset_last else KEYS
            unused = [printable(key) for key in record if key not in known] if isinstance(record, dict) else []
            yield Started(self.form, tuple(unused))

    def _stops(self, found: Found, end: int) -> list[tuple[int, int]]:
        """Where to pause, as sets and lines absorbed by then: where something falls due, and before line `end`."""
        n = int(np.searchsorted(found.at, end))
        due = [(k, int(found.at[k - 1]) + 1) for k in self.rhythm.pauses(self.n_sets, n)]
        return [*due, (n, end)]

    def _take(self, lines: Lines, found: Found, start: tuple[int, int], stop: tuple[int, int]) -> Iterator[Event]:
        """Absorb the sets and lines from `start` to `stop`; no event before all of it has been done.

        A set that the filter refuses ends the watch. It counts as left out, so that whoever goes on does not meet it again.
        """
        (first, top), (last, bottom) = start, stop
        seen = () if self.filter is None else self.filter.changes
        trouble: Exception | None = None
        if self.filter is not None and last > first:
            given = (
                inputs_and_offset(found.inputs[first:last]) if self.offset_last else (found.inputs[first:last], None)
            )
            taken, trouble = _fitted(self.filter, found.sets[first:last], *given)
            last, bottom = (first + taken, int(found.at[first + taken]) + 1) if trouble else (last, bottom)
        if last > first:
            if self.innovations is not None:
                self.innovations.take(found.sets[first:last], found.inputs[first:last], self.n_sets)
            at = int(found.at[last - 1])
            self.label = _label(lines.part(at, at + 1))
        absorbed = lines.part(top, bottom)
        self.position, self.first = Place(self.position, self.first).after(absorbed)
        self.places[self._number] = self.places[self._number].after(absorbed)
        bad = found.faults[bisect_left(found.faults, (top,)) : bisect_left(found.faults, (bottom,))]
        bad += [(bottom - 1, NOT_ABSORBED)] if trouble else []
        self.left_out.update(reason for _, reason in bad)
        shown = [lines.left_out(*fault) for fault in bad[: SHOWN - len(self.examples)]]
        self.examples += shown
        yield from shown
        changes = () if self.filter is None else self.filter.changes
        yield from (Changed(after) for after in changes if after not in seen)
        if trouble:
            raise BadFileError.wrap(
                trouble,
                "the set on line {line:,} cannot be absorbed: {cause}",
                line=lines.before + bottom,
            )
        if last > first and _divides(self.rhythm.report_sets, self.n_sets):
            yield Due()


def inputs_and_offset(inputs: Floats) -> tuple[Floats | None, Floats]:
    """Inputs (n,) or (n, 1, D + 1) without their last number, and that number (n,).

    >>> inputs_and_offset(np.array([[[1.0, 2.0, 0.5]]]))
    (array([[[1., 2.]]]), array([0.5]))
    """
    if inputs.ndim == 1 or inputs.shape[2] == 1:
        return None, inputs.reshape(len(inputs))
    left = inputs[:, :, :-1]
    return left[:, 0, 0] if left.shape[2] == 1 else left, inputs[:, 0, -1]


def _fitted(
    running: SymmetricFilter, sets: Floats | list[Floats], inputs: Floats | None, offset: Floats | None
) -> tuple[int, Exception | None]:
    """Absorb sets until one is refused: how many were absorbed, and the error for the next."""
    try:
        running.partial_fit(cast(ArrayLike, sets), inputs, offset=offset)
    except (ValueError, ArithmeticError) as error:
        if len(sets) == 1:
            return 0, error
    else:
        return len(sets), None
    half = len(sets) // 2
    first, second = (
        (sets[part], None if inputs is None else inputs[part], None if offset is None else offset[part])
        for part in (slice(0, half), slice(half, None))
    )
    taken, trouble = _fitted(running, *first)
    if trouble:
        return taken, trouble
    taken, trouble = _fitted(running, *second)
    return half + taken, trouble


def _value(line: bytes) -> Any:
    """What a line holds, None if it is not JSON."""
    try:
        return decode(line)
    except VietaError:
        return None


def _label(line: bytes) -> str | float | None:
    """The `t` of a line, if that is a text or a number."""
    record = _value(line)
    label = record.get("t") if isinstance(record, dict) else None
    return label if isinstance(label, str | int) or (isinstance(label, float) and math.isfinite(label)) else None


def printable(text: str) -> str:
    r"""The beginning of a foreign text, with escapes for what would control the terminal.

    >>> printable("12\x1b[2J")
    '12\\x1b[2J'
    """
    return visible(text[:EXCERPT])


def _divides(every: int | None, count: int) -> bool:
    return every is not None and count % every == 0


def _soonest(*timers: Timer) -> float | None:
    return min((timer.left for timer in timers if timer.left is not None), default=None)
