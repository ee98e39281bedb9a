"""A watch that was saved goes on as if nothing had happened, with the same input only."""

import zlib

import pytest

import vieta
from tests.live.streams import LINES, MIXED, PSI, SETS, Pieces, expected, made, run
from tests.test_contract import assert_unchanged, snapshot
from vieta.errors import BadFileError
from vieta.live.resumption import pass_over, resume, saver
from vieta.live.schedule import Rhythm


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
            assert_unchanged(again.filter, expected())
            saver(memory)(again, b"")
            assert memory.load(memory.count - 1).notes == last.notes
            memory.count -= 1


def _unread(saved):
    """What the killed process had not taken from the pipe yet."""
    noted = saved.notes["watch"]
    return MIXED[noted["position"][0] + len(noted["rest"]) :]


@pytest.mark.parametrize(
    ("text", "code"),
    [
        (b"[9, 9]\n" + MIXED, "other-first-line"),
        (MIXED.replace(b"\nx\n", b"\nX\n"), "other-lines"),
        (MIXED[:9000], "input-too-short"),
        (b"", "input-too-short"),
    ],
)
def test_another_input_is_refused(text, code, tmp_path):
    memory = Memory(tmp_path)
    watch = made(save=saver(memory))
    run(watch, b"\n".join(MIXED.split(b"\n")[:301]) + b"\n")
    watch.save(watch, b"")
    again = made()
    resume(again, memory.load(0))
    with pytest.raises(BadFileError, match="With resume=replay the input must begin anew") as refused:
        pass_over(again, Skipping(text))
    assert refused.value.code == code
    assert refused.value.facts["lines"] == (1 if code == "other-first-line" else 301)


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
    assert_unchanged(watch.filter, expected())


@pytest.mark.parametrize("notes", [{}, {"position": [1]}, [], {"position": 3, "first": [], "form": None}])
def test_notes_that_are_not_ours_are_refused(notes):
    running = vieta.SymmetricFilter(2)
    running.notes = {"watch": notes}
    with pytest.raises(BadFileError, match="the state was not saved by a watch") as refused:
        resume(made(), running)
    assert refused.value.code == "no-watch-state"


def test_reasons_of_another_version_are_refused(tmp_path):
    memory = Memory(tmp_path)
    watch = made(save=saver(memory))
    run(watch, b"x\n[1, 2]\n")
    watch.save(watch, b"")
    saved = memory.load(0)
    saved.notes["watch"]["left_out"] = {"not JSON": 1}
    with pytest.raises(BadFileError, match=r"its notes are wrong .*not JSON.* Take another file for state=") as refused:
        resume(made(), saved)
    assert refused.value.code == "no-watch-state"


@pytest.mark.parametrize(
    "change",
    [
        {"position": ["7", 1, 1, False]}, {"position": [-1, 1, 1, False]}, {"position": [0, 0, 0, False]}, {"first": [10**9, 1, 1, False]},
        {"form": [3, 1, []]}, {"form": [2, 2, []]}, {"form": [2, 1, [1, 5]]}, {"form": ["2", 1, []]}, {"form": [2, 1, 0]},
        {"left_out": {"not-json": "many"}}, {"left_out": []}, {"examples": [["1", "not-json", "x"]]}, {"examples": [[1, "not-json", 3]]},
        {"examples": [[1, "not-json", "x"]] * 9}, {"label": []}, {"label": True}, {"rest": None}, {"rest": "€"}, {"position": 10**400},
    ],
    ids=str,
)  # fmt: skip
def test_notes_of_another_kind_are_refused(tmp_path, change):
    memory = Memory(tmp_path)
    watch = made(save=saver(memory))
    run(watch, b"x\n[1, 2]\n")
    watch.save(watch, b"")
    saved = memory.load(0)
    assert resume(made(), saved) == b""
    saved.notes["watch"] |= change
    with pytest.raises(BadFileError, match="its notes are wrong") as refused:
        resume(made(), saved)
    assert refused.value.code == "no-watch-state"


def test_a_filter_that_was_saved_by_other_means_and_saw_no_set_is_resumed_again(tmp_path):
    memory = Memory(tmp_path)
    watch = made(save=saver(memory))
    resume(watch, vieta.SymmetricFilter(2, method="rls").partial_fit(SETS[:300], PSI[:300]))
    watch.save(watch, b"")
    again = made()
    assert resume(again, memory.load(0)) == b""
    assert (again.n_sets, again.form) == (300, None)


def test_a_watch_of_sets_of_any_size_goes_on_and_is_no_other_methods(tmp_path):
    memory = Memory(tmp_path)
    text = b"[1, 2]\n[]\n[1, 2, 3, 4]\n[3]\n"
    watch = made("adaptive", save=saver(memory), rhythm=Rhythm(save_sets=2), n_systems=3, any_size=True)
    run(watch, text)
    again = made("adaptive", n_systems=3)
    assert resume(again, memory.load(0)) == text[10:]
    assert again.form.any_size
    run(again, text[10:])
    assert (again.n_sets, again.left_out.total()) == (4, 0)
    assert_unchanged(again.filter, snapshot(watch.filter))
    other = vieta.SymmetricFilter(3, method="rls").partial_fit([[1.0, 2.0, 3.0]])
    other.notes = memory.load(0).notes
    with pytest.raises(BadFileError, match="not saved by a watch"):
        resume(made(n_systems=3), other)
