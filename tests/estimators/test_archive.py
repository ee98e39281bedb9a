"""Zip files of arrays: what `numpy.savez` wrote comes back, and nothing is read that was not looked at before."""

import tracemalloc
import zipfile

import numpy as np
import pytest
from numpy.testing import assert_array_equal

from tests.fuzz.state_files import encoded, packed
from vieta.errors import InputError
from vieta.estimators.archive import Form, opened

ARRAYS = {
    "numbers": np.arange(6.0).reshape(2, 3),
    "columns": np.asfortranarray(np.arange(6.0).reshape(2, 3)),
    "count": np.array(7),
    "nothing": np.zeros((0, 2)),
    "header": np.array("text with ü"),
}


def written(path, **arrays):
    with open(path, "wb") as file:
        np.savez(file, **arrays)
    return path


def test_what_was_written_comes_back(tmp_path):
    with opened(written(tmp_path / "a", **ARRAYS)) as archive:
        assert archive.names == set(ARRAYS)
        for name, array in ARRAYS.items():
            assert archive.form(name)[:2] == (array.shape, array.dtype.str)
            found = archive.array(name)
            assert_array_equal(found, array, strict=True)
            assert (found.flags.writeable, found.flags.c_contiguous) == (True, array.flags.c_contiguous)
        assert archive.form("columns") == Form((2, 3), "<f8", "F")
        assert archive.text("header") == "text with ü"


def refused(path, content, read=lambda archive: [archive.array(name) for name in archive.names]):
    path.write_bytes(content)
    with pytest.raises(InputError) as caught, opened(path) as archive:
        read(archive)
    assert caught.value.code == "bad-archive"
    return str(caught.value)


def test_members_must_be_there_once_and_stored(tmp_path):
    array = ("a.npy", encoded(np.zeros(3)))
    assert refused(tmp_path / "x", packed([array, array])) == "'a.npy' is in it more than once"
    assert refused(tmp_path / "x", packed([array], zipfile.ZIP_DEFLATED)) == "'a.npy' is compressed"
    assert refused(tmp_path / "x", packed([("a.txt", b"text")])) == "'a.txt' is not an array"
    assert refused(tmp_path / "x", packed([array]), lambda archive: archive.array("b")) == "'b' is missing"
    assert refused(tmp_path / "x", packed([array]), lambda archive: archive.text("a")) == "'a' is not a text"
    locked = bytearray(packed([array]))
    locked[locked.find(b"PK\x01\x02") + 8] |= 1
    assert refused(tmp_path / "x", bytes(locked)) == "'a.npy' is encrypted"


def test_a_header_must_be_as_numpy_writes_it_and_account_for_every_byte(tmp_path):
    content = encoded(np.zeros(3))
    for wrong in (
        b"",
        content[:40],
        b"x" + content[1:],
        content.replace(b"(3,)", b"-3,)"),
        content.replace(b"False", b"f()  "),
    ):
        assert refused(tmp_path / "x", packed([("a.npy", wrong)])) == "'a' is not an array"
    for wrong in (content + b"x", content[:-1], content.replace(b"(3,)", b"(9,)")):
        assert "has another size than it says" in refused(tmp_path / "x", packed([("a.npy", wrong)]))
    assert "plain numbers" in refused(tmp_path / "x", packed([("a.npy", encoded(np.array([{}], dtype=object)))]))


def test_sizes_that_are_claimed_are_not_allocated(tmp_path):
    content = encoded(np.zeros(3)).replace(b"(3,), }          ", b"(3000000000,), } ")
    bomb = packed([("a.npy", bytes(50_000_000))], zipfile.ZIP_DEFLATED)
    tracemalloc.start()
    try:
        assert "another size" in refused(tmp_path / "x", packed([("a.npy", content)]))
        tracemalloc.reset_peak()
        assert "compressed" in refused(tmp_path / "x", bomb)
        assert tracemalloc.get_traced_memory()[1] < 5_000_000
    finally:
        tracemalloc.stop()


def test_a_text_is_one(tmp_path):
    with opened(written(tmp_path / "a", many=np.array(["a", "b"]))) as archive, pytest.raises(InputError):
        archive.text("many")
