"""A watch: the same whatever the cuts, interruptions and kinds of lines; every line accounted for."""

import json
from collections import Counter
from itertools import pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import vieta
from tests.adaptive.cases import draw
from tests.coefficients.cases import some_cases
from tests.live.streams import LINES, MIXED, PSI, SETS, Pieces, expected, lines_of, made, run
from tests.test_contract import assert_unchanged, snapshot
from vieta.errors import BadFileError
from vieta.files.reasons import NO_SET, NOT_ABSORBED, NOT_JSON, OTHER_COUNT, TOO_LARGE
from vieta.live import watcher
from vieta.live.schedule import Rhythm
from vieta.live.set_lines import Form
from vieta.live.watcher import Changed, Due, LeftOut, Started


@settings(max_examples=12, deadline=None)
@given(st.lists(st.integers(0, len(MIXED)), max_size=5), st.sampled_from([None, 1, 7, 250]))
def test_neither_cuts_nor_pauses_nor_bad_lines_change_the_filter(cuts, every):
    places = [0, *sorted(cuts), len(MIXED)]
    watch = made(rhythm=Rhythm(report_sets=every, save_sets=11))
    events = run(watch, *[MIXED[a:b] for a, b in pairwise(places)])
    assert_unchanged(watch.filter, expected())
    assert watch.position == watcher.START.after(MIXED)
    assert watch.left_out == {NOT_JSON: 1, OTHER_COUNT: 1, NO_SET: 1}
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
    assert events[0] == Started(Form(2, 1, ()), ("Psi", "a\\x1b"))
    assert events[1:] == [LeftOut(1, NOT_JSON, "x")]


def test_sets_of_another_size_are_left_out_from_the_beginning_if_the_size_is_given():
    watch = made(n_systems=3)
    run(watch, b"[1, 2]\n", b"[1, 2]\n[1, 2, 3]\n")
    assert watch.n_sets == 1
    assert watch.left_out == {OTHER_COUNT: 2}


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
    with pytest.raises(BadFileError, match=r"^line 3: not JSON: bad\. Without strict=True such lines are left out\.$"):
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
        BadFileError, match=r"the set on line \d+ cannot be absorbed: the recursion overflowed"
    ) as refused:
        list(watch.events(feed))
    line = refused.value.facts["line"]
    assert watch.n_sets == line - 1
    assert watch.left_out == {NOT_ABSORBED: 1}
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
    assert_unchanged(watch.filter, expected())


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


def test_sets_of_any_size_are_what_the_library_makes_of_them():
    drawn = draw(300, 4, rate=0.3, seen=0.6)
    records = [{"y": y.ravel().tolist(), "psi": float(psi)} for y, psi in zip(drawn.sets, drawn.inputs, strict=True)]
    text = "".join(json.dumps(record) + "\n" for record in records).encode()
    watch = made("adaptive", n_systems=3, any_size=True)
    events = run(watch, text[:5000], text[5000:])
    assert events == [Started(Form(3, 1, (), any_size=True), ())]
    assert watch.left_out == Counter()
    whole = vieta.SymmetricFilter(3, method="adaptive").partial_fit(drawn.sets, drawn.inputs)
    assert_unchanged(watch.filter, snapshot(whole))
