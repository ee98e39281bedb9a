"""Several inputs as one: every line of each once, in turn, and the end when all have ended."""

import os
from contextlib import closing

import pytest

import vieta
from tests.live.streams import LINES, PSI, SETS, made
from tests.test_contract import assert_unchanged, snapshot
from vieta.errors import BadFileError
from vieta.live.feed import Feed
from vieta.live.resumption import pass_over, resume, saver
from vieta.live.side_by_side import Feeds
from vieta.live.watcher import Place


class Pipes:
    """Inputs that are written to by hand."""

    def __init__(self, count):
        self.ends = [os.pipe() for _ in range(count)]
        self.wake, self.interrupt = os.pipe()
        self.feeds = Feeds([Feed(read, self.wake) for read, _ in self.ends], self.wake)

    def write(self, i, text):
        os.write(self.ends[i][1], text)

    def end(self, i):
        os.close(self.ends[i][1])

    def close(self):
        for one in (self.wake, self.interrupt, *(read for read, _ in self.ends)):
            os.close(one)


def test_lines_are_read_in_turn_and_the_end_is_that_of_all():
    with closing(Pipes(3)) as pipes:
        feeds = pipes.feeds
        assert feeds.read(0.01) == b""
        pipes.write(0, b"[1]\n[2]\n[3")
        pipes.write(2, b"[4]\n")
        assert (feeds.read(1.0), feeds.number) == (b"[4]\n", 2)
        assert (feeds.read(1.0), feeds.number) == (b"[1]\n[2]\n", 0)
        feeds.give_back(b"[2]\n")
        assert feeds.read(1.0) == b"[2]\n"
        assert feeds.rest == b"[3"
        pipes.end(1)
        assert feeds.read(0.01) == b""
        pipes.write(0, b"]")
        pipes.end(0)
        assert feeds.read(1.0) == b"[3]"  # whole, though its end is missing
        pipes.write(2, b"[5")
        pipes.end(2)
        assert feeds.read(1.0) is None
        assert feeds.ended
        assert feeds.rest == b"[5"


def test_an_interruption_ends_reading_and_not_the_inputs():
    with closing(Pipes(2)) as pipes:
        os.write(pipes.interrupt, b"!")
        assert pipes.feeds.read(None) is None
        assert not pipes.feeds.ended
        pipes.end(0)
        pipes.end(1)


def absorbed(folder, state, texts):
    """A watch over files, from a state if there is one."""
    watch = made(save=saver(state))
    watch.places = [Place() for _ in texts]
    saved = state.load()
    if saved is not None:
        resume(watch, saved)
    wake, interrupt = os.pipe()
    paths = [folder / str(i) for i in range(len(texts))]
    for path, text in zip(paths, texts, strict=True):
        path.write_bytes(text)
    files = [os.open(path, os.O_RDONLY) for path in paths]
    feeds = [Feed(file, wake) for file in files]
    try:
        pass_over(watch, *feeds)
        list(watch.events(Feeds(feeds, wake)))
        watch.save(watch, b"")
    finally:
        for one in (*files, wake, interrupt):
            os.close(one)
    return watch


class State:
    """A checkpoint."""

    def __init__(self, path):
        self.path = path

    def save(self, running, notes):
        running.notes = notes
        running.save(self.path)

    def load(self):
        return vieta.SymmetricFilter.load(self.path) if self.path.exists() else None


def text(lines):
    return "".join(f"{line}\n" for line in lines).encode()


def test_a_state_knows_the_place_in_each_input(tmp_path):
    state = State(tmp_path / "state.npz")
    first = absorbed(tmp_path, state, [text(LINES[:100]), text(LINES[300:350]) + b"x\n"])
    assert (first.n_sets, first.lines_read) == (150, 151)
    second = absorbed(tmp_path, state, [text(LINES[:300]), text(LINES[300:350]) + b"x\n" + text(LINES[350:])])
    assert (second.n_sets, second.lines_read) == (600, 601)
    assert [one.line for one in second.examples] == [51]
    order = [*range(300, 350), *range(100), *range(350, 600), *range(100, 300)]
    expected = vieta.SymmetricFilter(2, method="rls").partial_fit(SETS[order], PSI[order])
    assert_unchanged(second.filter, snapshot(expected))


def test_other_inputs_are_refused(tmp_path):
    state, one, two = State(tmp_path / "state.npz"), text(LINES[:100]), text(LINES[100:200])
    absorbed(tmp_path, state, [one, two])
    for texts, code in (
        ([one], "other-inputs"),
        ([two, one], "other-first-line"),
        ([one, two[:500]], "input-too-short"),
    ):
        with pytest.raises(BadFileError) as error:
            absorbed(tmp_path, state, texts)
        assert error.value.code == code
