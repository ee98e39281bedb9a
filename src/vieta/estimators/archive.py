"""Arrays in a zip file, as `numpy.savez` writes them, from a file that anybody may have altered.

Members are stored, not compressed, so that none can be larger than the file; the header of an array is read by its exact form; and no number
is read before shape and dtype are what they must be.
"""

import re
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from os import PathLike
from typing import NamedTuple, Self
from zipfile import ZIP_STORED, ZipFile, ZipInfo

import numpy as np
from numpy.typing import NDArray

from vieta.errors import InputError
from vieta.regular import open_regular

LARGEST = 1 << 32  # bytes of a file
LARGEST_TEXT = 1 << 29  # bytes of a text, four for each character
SUFFIX = ".npy"
ENCRYPTED = 0x1  # flag of a member
PREAMBLE = 10  # bytes: the magic string, the version, the length of the header
HEADER = re.compile(rb"\{'descr': '([^']{2,12})', 'fortran_order': (True|False), 'shape': \(([0-9, ]{0,100})\), \} *\n")


class Form(NamedTuple):
    """Shape, dtype (as its `str`) and order of an array."""

    shape: tuple[int, ...]
    dtype: str
    order: str


class Archive:
    """The arrays of an open zip file, by name."""

    def __init__(self, archive: ZipFile, size: int) -> None:
        """`size` is that of the file."""
        self._archive = archive
        self._members = {info.filename.removesuffix(SUFFIX): info for info in archive.infolist()}
        self.size = size

    @classmethod
    def of(cls, archive: ZipFile, size: int) -> Self:
        """The arrays of a zip file of that size, if its members are stored as they are, each of them once."""
        members = archive.infolist()
        names = Counter(info.filename for info in members)
        twice = [name for name, count in names.items() if count > 1]
        _require(not twice, "{member!r} is in it more than once", twice[0] if twice else "")
        for info in members:
            _require(info.filename.endswith(SUFFIX), "{member!r} is not an array", info.filename)
            stored = info.compress_type == ZIP_STORED and info.compress_size == info.file_size
            _require(stored, "{member!r} is compressed", info.filename)
            _require(not info.flag_bits & ENCRYPTED, "{member!r} is encrypted", info.filename)
        _require(sum(info.file_size for info in members) <= size, "its members overlap")
        return cls(archive, size)

    @property
    def names(self) -> set[str]:
        """Of the arrays."""
        return set(self._members)

    def text(self, name: str) -> str:
        """A text that was written as an array of one."""
        form = self.form(name)
        fits = form.shape == () and re.fullmatch("<U[0-9]+", form.dtype) and self._info(name).file_size <= LARGEST_TEXT
        _require(bool(fits), "{member!r} is not a text", name)
        return str(self.array(name).item())

    def form(self, name: str) -> Form:
        """What the header of an array says of it."""
        with self._archive.open(self._info(name)) as member:
            return self._form(name, member.read(PREAMBLE + (1 << 16)))[0]

    def array(self, name: str) -> NDArray[np.generic]:
        """An array of plain numbers or text; whoever asks has looked at its `form`."""
        content = self._archive.read(self._info(name))
        form, start = self._form(name, content)
        numbers = np.frombuffer(bytearray(content[start:]), dtype=form.dtype)
        return numbers.reshape(form.shape, order="F" if form.order == "F" else "C")

    def _info(self, name: str) -> ZipInfo:
        _require(name in self._members, "{member!r} is missing", name)
        return self._members[name]

    def _form(self, name: str, content: bytes) -> tuple[Form, int]:
        """Form of an array and where its numbers begin; the header must account for every byte of the member."""
        length = int.from_bytes(content[8:PREAMBLE], "little")
        found = HEADER.fullmatch(content[PREAMBLE : PREAMBLE + length])
        _require(content.startswith(b"\x93NUMPY\x01\x00") and found is not None, "{member!r} is not an array", name)
        assert found is not None
        descr, fortran, sizes = (part.decode("ascii", "replace") for part in found.groups())
        form = Form(tuple(int(n) for n in sizes.split(",") if n.strip()), descr, "F" if fortran == "True" else "C")
        _require(bool(re.fullmatch("[<>|=][a-zA-Z][0-9]+", descr)), "{member!r} does not hold plain numbers", name)
        count, start = 1, PREAMBLE + length
        for n in form.shape:
            count *= n
        fits = count * np.dtype(descr).itemsize == self._info(name).file_size - start
        _require(fits, "{member!r} has another size than it says", name)
        return form, start


@contextmanager
def opened(path: str | PathLike[str]) -> Iterator[Archive]:
    """The arrays of a file. Whatever is wrong with the file is an exception of some kind, and of any kind if it is damaged."""
    with open_regular(path) as handle:
        size = handle.seek(0, 2)
        _require(size <= LARGEST, "it is larger than any filter")
        with ZipFile(handle) as archive:
            yield Archive.of(archive, size)


def _require(fits: bool, what: str, member: str = "") -> None:
    if not fits:
        raise InputError("bad-archive", what, member=member[:60])
