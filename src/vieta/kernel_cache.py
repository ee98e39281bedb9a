"""Machine code on disk, one file for each kernel and each kind of arguments, so that a second process does not compile again.

A file's name says all that its machine code depends on: kernel, Python, digest of the code (`vieta.code_digest`) and of numba's version,
digest of the arguments' types and of the processor. So there is no index that processes could write at the same time, and nothing old is
ever loaded. A file is replaced whole; one that is damaged is as good as none. numba has a cache of its own, with an index for each
function that does not see a change in a function that it calls, two processes can spoil, and that ends in an exception if it is damaged.

This module imports numba and is imported where it is needed only.
"""

import hashlib
import os
import pickle
import re
import sys
import uuid
from collections.abc import Callable, Iterator
from contextlib import suppress
from functools import cached_property
from pathlib import Path
from typing import Any

import numba
from numba.core.caching import _Cache
from numba.core.compiler import CompileResult
from numba.core.runtime.nrt import rtsys
from numba.core.serialize import dumps

from vieta.cache_directory import chosen, readable
from vieta.code_digest import code_digest
from vieta.compile_lock import free, taken

SUFFIX = ".nbc"
DIGEST = 32  # bytes of a SHA-256, in front of the machine code


def _quiet() -> None:
    """Tell nobody."""


class KernelCache(_Cache):
    """What numba asks when it needs machine code of a function, and tells when it has made some.

    `begun` is called when there is none, so that numba compiles, and `ended` when it has.
    """

    def __init__(
        self, function: Callable[..., Any], begun: Callable[[], None] = _quiet, ended: Callable[[], None] = _quiet
    ) -> None:
        self._function, self._begun, self._ended = function, begun, ended

    @property
    def cache_path(self) -> str | None:
        """The folder into which files are written."""
        place = chosen()
        return None if place is None else str(place.path)

    def load_overload(self, sig: Any, target_context: Any) -> Any:
        """Machine code for a kind of arguments, or None.

        Only numba's memory management is set up for it: what else numba loads before its first kernel, for a tenth of a second, is for
        compiling, and loaded by it.
        """
        rtsys.initialize(target_context)
        name = self._file(sig, target_context.codegen())
        found, place = _loaded(name, target_context), chosen()
        if found is None and place is not None and not taken(place.path / name, (place.path / name).exists):
            found = _loaded(name, target_context)  # which another process has made meanwhile
        if found is None:
            self._begun()
        return found

    def save_overload(self, sig: Any, data: Any) -> None:
        """Keep machine code, and remove that of the same function as it was before."""
        self._ended()
        place = chosen()
        if place is None:
            return
        try:
            self._keep(place.path, sig, data)
        finally:
            free(place.path / self._file(sig, data.codegen))

    def _keep(self, folder: Path, sig: Any, data: Any) -> None:
        if data.lifted or data.library.has_dynamic_globals:
            return
        with suppress(OSError):  # a full disk: the next process compiles again
            content: bytes = dumps(data._reduce())
            _replace(folder / self._file(sig, data.codegen), hashlib.sha256(content).digest() + content)
            for path in _files(folder, self._name):
                if not path.name.startswith(self.version):
                    path.unlink(missing_ok=True)

    def flush(self) -> None:
        """Remove all machine code of the function."""
        place = chosen()
        for path in _files(place.path, self._name) if place else ():
            path.unlink(missing_ok=True)

    def enable(self) -> None:
        """Nothing: a cache that is not wanted is not made."""

    def disable(self) -> None:
        """Nothing, as above."""

    def kept(self) -> bool:
        """Whether there is machine code of the function as it is now, for some arguments."""
        return any(True for folder in readable() for _ in _files(folder, self.version))

    @cached_property
    def version(self) -> str:
        """How the names of files begin that hold machine code of the function as it is now."""
        digest = hashlib.sha256(repr((numba.__version__, code_digest(self._function))).encode())
        return f"{self._name}{digest.hexdigest()[:16]}-"

    @cached_property
    def _name(self) -> str:
        """How the names of all files of the function begin."""
        name = f"{self._function.__module__}.{self._function.__qualname__}"
        return f"{re.sub(r'[^A-Za-z0-9_.]', '', name)}-{sys.implementation.cache_tag}-"

    def _file(self, sig: Any, codegen: Any) -> str:
        key = hashlib.sha256(repr((str(sig), codegen.magic_tuple())).encode())
        return f"{self.version}{key.hexdigest()[:16]}{SUFFIX}"


def _loaded(name: str, target_context: Any) -> Any:
    """Machine code from a file, or None."""
    for folder in readable():
        with suppress(Exception):  # whatever is wrong with a file: the kernel is compiled again
            return CompileResult._rebuild(target_context, *pickle.loads(_checked((folder / name).read_bytes())))
    return None


def _checked(content: bytes) -> bytes:
    """The content of a file without the digest in front of it; raises ValueError if they do not agree."""
    digest, content = content[:DIGEST], content[DIGEST:]
    if hashlib.sha256(content).digest() != digest:
        raise ValueError
    return content


def _replace(path: Path, content: bytes) -> None:
    """Write a file whole or not at all."""
    draft = path.with_name(f"{path.name}.{uuid.uuid4().hex}")
    try:
        draft.write_bytes(content)
        os.replace(draft, path)
    finally:
        draft.unlink(missing_ok=True)


def _files(folder: Path, beginning: str) -> Iterator[Path]:
    return (path for path in folder.glob(f"*{SUFFIX}") if path.name.startswith(beginning))
