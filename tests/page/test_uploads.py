import asyncio
import os
import tempfile

import pytest

from vieta.errors import InputError
from vieta.page.uploads import Uploads, remove_left_behind, safe_name


async def pieces(*parts):
    for part in parts:
        yield part


def received(uploads, name, *parts):
    return asyncio.run(uploads.receive(name, pieces(*parts)))


@pytest.fixture
def uploads():
    one = Uploads(most_bytes=10, most_in_all=15)
    yield one
    one.clear()
    assert not one.folder.exists()


def test_a_file_is_kept_under_its_name_in_the_folder(uploads):
    place = uploads.place(received(uploads, "a.csv", b"12", b"34"))
    assert (place.folder / place.name).read_bytes() == b"1234"
    assert place.name == "a.csv"
    assert place.folder.parent == uploads.folder


@pytest.mark.parametrize(
    "name", ["../../x.csv", "/etc/passwd", "..\\..\\x", "..", ".", "", "\0", "a\nb", "~/x", "x/../../../y"]
)
def test_no_name_leads_out_of_the_folder(uploads, name):
    place = uploads.place(received(uploads, name, b"1"))
    path = place.folder / place.name
    assert path.resolve().is_relative_to(uploads.folder.resolve())
    assert path.is_file()


def test_a_file_that_is_too_large_leaves_nothing(uploads):
    with pytest.raises(InputError, match="larger than 10 bytes"):
        received(uploads, "a.csv", b"123456", b"78901")
    assert list(uploads.folder.iterdir()) == []
    assert uploads.places == {}


def test_all_files_together_are_bounded(uploads):
    received(uploads, "a", b"1" * 10)
    with pytest.raises(InputError):
        received(uploads, "b", b"1" * 6)
    received(uploads, "c", b"1" * 5)


def test_files_that_arrive_at_the_same_time_share_the_room(uploads):
    async def run():
        first, second = asyncio.Event(), asyncio.Event()

        async def slow():
            yield b"1" * 9
            first.set()
            await second.wait()
            yield b"1"

        held = asyncio.create_task(uploads.receive("a", slow()))
        await first.wait()
        with pytest.raises(InputError, match="larger"):
            await uploads.receive("b", pieces(b"1" * 7))
        second.set()
        return await held

    assert uploads.place(asyncio.run(run())).size == 10
    assert len(list(uploads.folder.iterdir())) == 1


def test_whoever_sends_nothing_is_not_waited_for(uploads):
    uploads.silence = 0.05

    async def stuck():
        yield b"1"
        await asyncio.sleep(60)

    with pytest.raises(InputError, match="nothing has arrived"):
        asyncio.run(uploads.receive("a", stuck()))
    assert list(uploads.folder.iterdir()) == []
    assert uploads.arriving == {}


def test_a_key_is_not_a_path(uploads, tmp_path):
    (tmp_path / "x").write_text("secret")
    for key in (str(tmp_path / "x"), "../x", ""):
        with pytest.raises(InputError, match="not here"):
            uploads.place(key)


def test_what_a_page_that_was_killed_left_behind_is_removed_and_nothing_else(tmp_path, monkeypatch):
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    (tmp_path / "kept").mkdir()
    (tmp_path / "vieta-page-link").symlink_to(tmp_path / "kept")
    (tmp_path / "vieta-page-file").write_text("x")
    alive, killed = Uploads(), Uploads()
    received(killed, "a.csv", b"1")
    os.close(killed._lock)  # as the end of its process does
    remove_left_behind()
    assert sorted(one.name for one in tmp_path.iterdir()) == sorted(
        ["kept", "vieta-page-link", "vieta-page-file", alive.folder.name]
    )
    alive.clear()
    assert not alive.folder.exists()


def test_names_are_plain():
    assert safe_name("<img src=x onerror=alert(1)>.csv") == "_img src=x onerror=alert(1)_.csv"
    assert len(safe_name("x" * 1000 + ".csv")) <= 120
    assert not safe_name("--json").startswith("-")
