"""A live input: lines as soon as they come, and the place in it."""

import os
from contextlib import contextmanager
from zlib import crc32

import pytest

from vieta.errors import BadFileError
from vieta.live import feed
from vieta.live.feed import START, Feed


@contextmanager
def piped(rest=b""):
    """A feed, a function that writes to it, one that closes it, and one that interrupts it."""
    pipes = [os.pipe(), os.pipe()]
    (read, write), (wake, interrupt) = pipes
    is_open = True

    def close():
        nonlocal is_open
        os.close(write)
        is_open = False

    yield Feed(read, wake, rest), lambda text: os.write(write, text), close, lambda: os.write(interrupt, b"!")
    for descriptor in (read, wake, interrupt, *([write] if is_open else [])):
        os.close(descriptor)


def test_whole_lines_come_at_once_and_beginnings_wait():
    with piped() as (lines, write, close, _):
        write(b"a\nb")
        assert lines.read(None) == b"a\n"
        assert lines.rest == b"b"
        write(b"c")
        assert lines.read(None) == b""
        write(b"d\ne\n")
        assert lines.read(None) == b"bcd\ne\n"
        assert lines.read(0.0) == b""
        write(b"f")
        close()
        assert lines.read(None) == b""
        assert lines.read(None) is None
        assert lines.ended
        assert lines.rest == b"f"
        assert lines.take_rest() == b"f"
        assert lines.rest == b""


def test_an_interruption_is_no_end():
    with piped() as (lines, write, _, interrupt):
        write(b"a\n")
        interrupt()
        assert lines.read(None) is None
        assert not lines.ended


def test_what_had_come_before_is_the_beginning_of_the_line():
    with piped(b"[1, ") as (lines, write, _, _):
        write(b"2]\n")
        assert lines.read(None) == b"[1, 2]\n"


def test_lines_that_are_given_back_come_again_without_waiting():
    with piped() as (lines, write, _, _):
        write(b"a\nb\nc")
        assert lines.read(None) == b"a\nb\n"
        lines.give_back(b"b\n")
        lines.give_back(b"")
        assert lines.rest == b"b\nc"
        assert lines.read(None) == b"b\n"
        assert lines.rest == b"c"


@pytest.mark.parametrize("count", [0, 1, 3, 5, 8])
def test_bytes_that_are_skipped_leave_their_checksum(count):
    text = b"ab\ncd\nef"
    with piped() as (lines, write, close, _):
        for at in range(0, 8, 3):
            write(text[at : at + 3])
        close()
        first = lines.skip(count // 2)
        assert lines.skip(count - count // 2, first) == crc32(text[:count])
        left = lines.read(None) or b""
        assert left + lines.rest == text[count:]


def test_skipping_more_than_comes():
    with piped() as (lines, write, close, _):
        write(b"abc")
        close()
        assert lines.skip(4) is None
        assert lines.ended
    with piped() as (lines, _, _, interrupt):
        interrupt()
        assert lines.skip(4) is None
        assert not lines.ended


def test_a_line_without_end_is_refused(monkeypatch):
    monkeypatch.setattr(feed, "LONGEST", 1000)
    with piped() as (lines, write, _, _):
        write(b"x" * 900)
        assert lines.read(None) == b""
        write(b"x" * 900)
        with pytest.raises(BadFileError, match="standard input has a line of more than 0 MB: it is no NDJSON"):
            lines.read(None)


def test_an_input_that_cannot_be_read(tmp_path):
    folder = os.open(tmp_path, os.O_RDONLY)
    with piped() as (lines, *_):
        broken = Feed(folder, lines._interruption)
        with pytest.raises(BadFileError, match="standard input cannot be read: Is a directory"):
            broken.read(None)
    os.close(folder)


def test_a_place_does_not_depend_on_how_the_text_was_cut():
    text = b"ab\ncd\nef"
    whole = START.after(text)
    assert (whole.size, whole.lines, whole.checksum, whole.lines_read) == (8, 2, crc32(text), 3)
    for cut in range(9):
        assert START.after(text[:cut]).after(text[cut:]) == whole
    assert whole.after(b"\n").lines_read == 3
