"""A watch: the same whatever the cuts, interruptions and kinds of lines; every line accounted for."""

import json
import zlib
from collections import Counter
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import vieta
from tests.coefficients.cases import some_cases
from tests.test_contract import assert_unchanged, snapshot
from vieta.files.bad_file import BadFileError
from vieta.live import watcher
from vieta.live.resumption import pass_over, resume, saver
from vieta.live.schedule import Rhythm, Timer
from vieta.live.set_lines import NOT_JSON, TOO_LARGE, Form
from vieta.live.watcher import Changed, Due, LeftOut, Started, Watch


class Pieces:
    """A feed of given pieces."""

    def __init__(self, *pieces, ended=True):
        self.pieces, self.rest, self.ended = list(pieces), b"", ended

    def read(self, _):
        text = self.rest + (self.pieces.pop(0) if self.pieces else b"")
        if not self.pieces and b"\n" not in text:
            self.rest = text
            return None
        whole, end, self.rest = text.rpartition(b"\n")
        return whole + end

    def take_rest(self):
        rest, self.rest = self.rest, b""
        return rest

    def give_back(self, text):
        self.rest = text + self.rest


def lines_of(n=600, change=None, seed=0):
    """Two systems, with a change after so many sets."""
    rng = np.random.default_rng(seed)
    psi = rng.normal(size=n)
    theta = np.where(np.arange(n)[:, None] < (n if change is None else change), [1.0, 2.0], [1.0, 3.0])
    sets = psi[:, None] * theta + 0.05 * rng.normal(size=(n, 2))
    text = [json.dumps({"y": y, "psi": c, "t": k}) for k, (y, c) in enumerate(zip(sets.tolist(), psi.tolist()))]
    return sets, psi, text


def made(method="rls", rhythm=None, save=lambda *_: None, **options):
    def make(form):
        return vieta.SymmetricFilter(form.n_systems, form.dim, method=method)

    return Watch(make, save, rhythm or Rhythm(), **options)


def run(watch, *pieces):
    return list(watch.events(Pieces(*pieces)))


SETS, PSI, LINES = lines_of()
MIXED = "\n".join([*LINES[:100], "x", "", *LINES[100:300], "[1]", *LINES[300:], "", '{"y": 1}']).encode()
EXPECTED = snapshot(vieta.SymmetricFilter(2, method="rls").partial_fit(SETS, PSI))


@settings(max_examples=12, deadline=None)
@given(st.lists(st.integers(0, len(MIXED)), max_size=5), st.sampled_from([None, 1, 7, 250]))
def test_neither_cuts_nor_pauses_nor_bad_lines_change_the_filter(cuts, every):
    places = [0, *sorted(cuts), len(MIXED)]
    watch = made(rhythm=Rhythm(report_sets=every, save_sets=11))
    events = run(watch, *[MIXED[a:b] for a, b in pairwise(places)])
    assert_unchanged(watch.filter, EXPECTED)
    assert watch.position == watcher.START.after(MIXED)
    assert watch.left_out == {
        "not JSON": 1,
        "another number of readings than 2": 1,
        'no set: {"y": [..]} or [..] is needed': 1,
    }
    assert [(e.line, e.text) for e in events if isinstance(e, LeftOut)] == [(101, "x"), (303, "[1]"), (605, '{"y": 1}')]
    assert events.count(Due()) == (0 if every is None else 600 // every)
    assert watch.label == 599


@some_cases
@pytest.mark.parametrize("method", ["efficient", "lms"])
def test_every_shape_is_what_the_library_makes_of_it(case, method):
    sets, psi = case.draw(300)
    records = [{"y": y} | ({} if psi is None else {"psi": psi[k].tolist()}) for k, y in enumerate(sets.tolist())]
    watch = made(method)
    run(watch, "".join(json.dumps(record) + "\n" for record in records).encode())
    assert watch.left_out == Counter()
    whole = vieta.SymmetricFilter(case.n_systems, case.dim, method=method).partial_fit(sets, psi)
    assert_unchanged(watch.filter, snapshot(whole))


def test_the_first_set_tells_the_form_and_what_is_not_used():
    watch = made()
    events = run(watch, b'x\n{"y": [1, 2], "psi": 3, "t": 0, "Psi": 1, "a\\u001b": 2}\n[1, 2]\n')
    assert events[0] == Started(Form(2, 1, ()), ("Psi", "a\N{REPLACEMENT CHARACTER}"))
    assert events[1:] == [LeftOut(1, NOT_JSON, "x")]


def test_sets_of_another_size_are_left_out_from_the_beginning_if_the_size_is_given():
    watch = made(n_systems=3)
    run(watch, b"[1, 2]\n", b"[1, 2]\n[1, 2, 3]\n")
    assert watch.n_sets == 1
    assert watch.left_out == {"another number of readings than 3": 2}


def test_the_first_few_bad_lines_are_shown_and_all_are_counted():
    watch = made()
    events = run(watch, b"".join(b"bad %d\n" % k for k in range(20)), b"\x1b[2J\n[1, 2]\n")
    assert [e.line for e in events if isinstance(e, LeftOut)] == [1, 2, 3, 4, 5]
    assert watch.left_out == {NOT_JSON: 21}
    assert "\x1b" not in str(LeftOut(1, NOT_JSON, watcher.printable("\x1b[2J")))


@pytest.mark.parametrize(
    ("end", "n_sets", "rest", "lines"),
    [(b"[1, 2]", 2, b"", 2), (b"[1, 2", 1, b"[1, 2", 1), (b"12", 1, b"12", 1), (b'{"y": 1}', 1, b"", 2), (b" ", 1, b" ", 1)],
)  # fmt: skip
def test_a_last_line_without_an_end_counts_if_it_is_whole(end, n_sets, rest, lines):
    watch, feed = made(), Pieces(b"[1, 2]\n" + end)
    list(watch.events(feed))
    assert (watch.n_sets, feed.rest, watch.position.lines_read) == (n_sets, rest, lines)
    interrupted, feed = made(), Pieces(b"[1, 2]\n" + end, ended=False)
    list(interrupted.events(feed))
    assert (interrupted.n_sets, feed.rest) == (1, end)


def test_strict_stops_before_the_line_and_keeps_what_came_after():
    watch, feed = made(strict=True), Pieces(b"[1, 2]\n[3, 4]\nbad\n[5, 6]\n[7")
    with pytest.raises(BadFileError, match=r"^line 3: not JSON: bad\. Without --strict such lines are left out\.$"):
        list(watch.events(feed))
    assert watch.n_sets == 2
    assert watch.position.lines == 2
    assert feed.rest == b"bad\n[5, 6]\n[7"


def test_a_set_that_cannot_be_absorbed_is_named_and_left_behind():
    watch = made("lms")
    watch.make = lambda form: vieta.SymmetricFilter(2, method="lms", step=100.0)
    text = "".join(f"{line}\n" for line in LINES).encode()
    feed = Pieces(text)
    with pytest.raises(
        BadFileError, match=r"the set on line (\d+) cannot be absorbed: the recursion overflowed"
    ) as refused:
        list(watch.events(feed))
    line = int(refused.value.args[0].split()[4])
    assert watch.n_sets == line - 1
    assert watch.left_out == {watcher.NOT_ABSORBED: 1}
    assert watch.label == line - 2
    assert watch.position == watcher.START.after("".join(f"{line}\n" for line in LINES[:line]).encode())
    assert feed.rest == text[watch.position.size :]
    whole = vieta.SymmetricFilter(2, method="lms", step=100.0).partial_fit(SETS[: line - 1], PSI[: line - 1])
    assert_unchanged(watch.filter, snapshot(whole))


@pytest.mark.parametrize(
    "line", [b'{"y": [1e300, 2], "psi": 1}', b'{"y": [-1e150, 2]}', b'{"y": [1, 2], "psi": 1e300}']
)
@pytest.mark.parametrize("n", [3, 300])  # line by line, and at once
def test_a_number_that_is_too_large_leaves_out_its_line(line, n):
    watch = made("efficient")
    run(watch, "\n".join(LINES[:n]).encode() + b"\n" + line + b"\n" + LINES[n].encode() + b"\n")
    assert watch.left_out == {TOO_LARGE: 1}
    assert watch.n_sets == n + 1


def test_a_watch_that_ends_on_its_first_line_can_be_resumed():
    watch = made(strict=True)
    with pytest.raises(BadFileError):
        list(watch.events(Pieces(b"bad\n[1, 2]\n")))
    assert (watch.position, watch.first) == (watcher.START, watcher.START)


def test_a_change_is_told_once():
    _, _, lines = lines_of(3000, change=1500)
    watch = made("efficient", Rhythm(report_sets=100))
    (change,) = [e for e in run(watch, "\n".join(lines).encode()) if isinstance(e, Changed)]
    assert abs(change.after - 1500) < 20


def test_whoever_stops_listening_leaves_everything_in_order():
    watch, feed = made(rhythm=Rhythm(report_sets=10)), Pieces(MIXED)
    events = watch.events(feed)
    assert next(e for e in events if isinstance(e, Due)) == Due()
    events.close()
    assert watch.n_sets == 10
    assert watch.position == watcher.START.after("".join(f"{line}\n" for line in LINES[:10]).encode())
    assert feed.rest == MIXED[watch.position.size :]
    list(watch.events(feed))
    assert_unchanged(watch.filter, EXPECTED)


# --- rhythm ---------------------------------------------------------------------------------------------------------


def test_a_timer_rings_when_its_time_is_up_and_something_came(monkeypatch):
    now = 100.0
    monkeypatch.setattr("time.monotonic", lambda: now)
    timer, never = Timer(2.0, 0), Timer(None, 0)
    assert (timer.left, never.left) == (2.0, None)
    assert not timer.rings(5)
    now = 102.5
    assert timer.left == 0.0
    assert timer.rings(5)
    assert timer.left == 2.0
    now = 105.0
    assert not timer.rings(5)
    assert not never.rings(9)
    now = 107.0
    assert timer.rings(6)


@pytest.mark.parametrize(
    ("rest", "took", "left"),
    [(0.0, 0.5, 0.0), (20.0, 0.01, 0.24), (20.0, 0.03, 0.6), (20.0, 0.5, 1.0), (20.0, 3.0, 3.0)],
)
def test_the_rest_after_a_report_is_a_second_at_the_most_or_as_long_as_it_took(monkeypatch, rest, took, left):
    now = 100.0
    monkeypatch.setattr("time.monotonic", lambda: now)
    timer = Timer(0.25, 0, rest)
    now = 101.0
    assert timer.rings(1)
    now += took
    timer.done()
    assert timer.left == pytest.approx(left)


def test_sets_that_came_during_a_rest_are_reported_after_it(monkeypatch):
    now, reported = 0.0, []
    monkeypatch.setattr("time.monotonic", lambda: now)

    class Timed(Pieces):
        def read(self, seconds):
            nonlocal now
            now += min(seconds, 0.1)
            return super().read(seconds) if self.pieces else (b"" if now < 5.0 else None)

    watch = made(rhythm=Rhythm(report_seconds=0.25, rest=20.0))
    for event in watch.events(Timed(*[f"{line}\n".encode() for line in LINES[:10]])):
        if event == Due():
            reported.append((watch.n_sets, now))
            now += 0.4  # to make the report
    assert reported[-1][0] == 10
    assert reported[-1][1] < 3.0


def test_reports_and_saves_come_by_time_even_if_the_input_falls_silent(monkeypatch):
    now, saved = 0.0, []

    class Slow(Pieces):
        def read(self, seconds):
            nonlocal now
            assert seconds <= 3.0
            now += 1.0
            return super().read(seconds) if self.pieces else None

    monkeypatch.setattr("time.monotonic", lambda: now)
    watch = made(rhythm=Rhythm(report_seconds=3.0, save_seconds=4.0), save=lambda watch, rest: saved.append(rest))
    events = list(watch.events(Slow(b"[1, 2]\n[", *[b""] * 11, b"1")))
    assert events == [Started(Form(2, 1, ()), ()), Due()]
    assert saved == [b"["]


# --- going on -------------------------------------------------------------------------------------------------------


class Memory:
    """A checkpoint that keeps every state."""

    def __init__(self, folder):
        self.folder, self.count = folder, 0

    def save(self, running, notes):
        running.notes = notes
        running.save(self.folder / str(self.count))
        self.count += 1

    def load(self, k):
        return vieta.SymmetricFilter.load(self.folder / str(k))


class Skipping(Pieces):
    def skip(self, count, checksum=0):
        text = self.rest + b"".join(self.pieces)
        if len(text) < count:
            return None
        self.rest, self.pieces = b"", [text[count:]]
        return zlib.crc32(text[:count], checksum)


def test_from_every_checkpoint_a_watch_goes_on_as_if_nothing_had_happened(tmp_path):
    memory = Memory(tmp_path)
    watch = made(rhythm=Rhythm(save_sets=40), save=saver(memory))
    list(watch.events(Pieces(MIXED[:9999], MIXED[9999:])))
    watch.save(watch, b"")
    last = memory.load(memory.count - 1)
    assert memory.count == 16
    for k in range(memory.count):
        for replay in (True, False):
            again, saved = made(), memory.load(k)
            rest = resume(again, saved)
            feed = Skipping(MIXED) if replay else Pieces(rest + _unread(memory.load(k)))
            if replay:
                pass_over(again, feed)
            list(again.events(feed))
            assert_unchanged(again.filter, EXPECTED)
            saver(memory)(again, b"")
            assert memory.load(memory.count - 1).notes == last.notes
            memory.count -= 1


def _unread(saved):
    """What the killed process had not taken from the pipe yet."""
    noted = saved.notes["watch"]
    return MIXED[noted["position"][0] + len(noted["rest"]) :]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (
            b"[9, 9]\n" + MIXED,
            "the input does not begin with the line with which it began before. With --resume replay",
        ),
        (MIXED.replace(b"\nx\n", b"\nX\n"), "the input does not begin with the 301 lines read before"),
        (MIXED[:9000], "the input ends before the end of the 301 lines read before"),
        (b"", "the input ends before the end of the 301 lines"),
    ],
)
def test_another_input_is_refused(text, message, tmp_path):
    memory = Memory(tmp_path)
    watch = made(save=saver(memory))
    run(watch, b"\n".join(MIXED.split(b"\n")[:301]) + b"\n")
    watch.save(watch, b"")
    again = made()
    resume(again, memory.load(0))
    with pytest.raises(BadFileError, match=message):
        pass_over(again, Skipping(text))


def test_nothing_is_saved_before_the_first_set(tmp_path):
    memory = Memory(tmp_path)
    watch = made(save=saver(memory))
    run(watch, b"x\n")
    watch.save(watch, b"")
    assert memory.count == 0


def test_a_filter_that_was_saved_by_other_means_goes_on_with_whatever_comes():
    running = vieta.SymmetricFilter(2, method="rls").partial_fit(SETS[:300], PSI[:300])
    watch = made()
    assert resume(watch, running) == b""
    feed = Skipping("\n".join(LINES[300:]).encode())
    pass_over(watch, feed)
    list(watch.events(feed))
    assert_unchanged(watch.filter, EXPECTED)


@pytest.mark.parametrize("notes", [{}, {"position": [1]}, [], {"position": 3, "first": [], "form": None}])
def test_notes_that_are_not_ours_are_refused(notes):
    running = vieta.SymmetricFilter(2)
    running.notes = {"watch": notes}
    with pytest.raises(BadFileError, match="the state was not written by vieta watch"):
        resume(made(), running)
