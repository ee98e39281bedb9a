"""Altered files of filters: from states that are right, seeded, for every method that has a filter.

As a program it makes some of them, loads each, and goes on with what it got:

    python -m tests.fuzz.state_files SEED COUNT METHOD...

An alteration is named before it is tried, so that the last line names the one that crashed or never ended. Whatever is raised must be an
error of ours; anything else ends the program with a traceback.
"""

import io
import json
import sys
import tempfile
import warnings
import zipfile
from collections.abc import Callable, Iterator, Sequence
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.lib import format as npy

import vieta
from vieta.errors import VietaError
from vieta.method import registry

FURTHER = 50  # sets that a filter which was loaded must absorb
NASTY: list[Any] = [
    None, True, -1, 0, 1, 2, 3, 7, 10**9, 2**53 + 1, 2**63, 10**400, 0.5, float("nan"), float("inf"), "", "x", "rls", [], [1], [0], [-1],
    [2, 2], [1, 1, 2], [2, 2, 2], [10**9], ["a"], [[]], {}, {"law": "gaussian"}, {"law": {"law": "gaussian"}, "kind": "noise"}, {"a": [1]},
]  # fmt: skip
NUMBERS = (
    np.nan,
    np.inf,
    -np.inf,
    1e300,
    -1e300,
    1e154,
    1e-300,
    -1.0,
    0.0,
    0.5,
    1.0,
    2.0,
    63.0,
    64.0,
    2.0**53,
    2.0**63,
)
DTYPES = ("<f4", "<f2", ">f8", "<i8", "<i4", "<u8", ">i8", "|b1", "<c16", "<U3", "|S2", "<M8[s]", "<f8")


class Sample(NamedTuple):
    """Sets and inputs of one shape, and how many of them a filter has absorbed."""

    sets: np.ndarray
    inputs: np.ndarray | None
    absorbed: int

    @property
    def dim(self) -> int:
        """D."""
        return self.sets.shape[2] if self.inputs is None or self.inputs.ndim == 1 else self.inputs.shape[-1]


class File(NamedTuple):
    """What a file of a filter holds: its header, and its arrays by name."""

    header: dict[str, Any]
    arrays: dict[str, np.ndarray]


@cache
def samples() -> tuple[Sample, ...]:
    """Numbers before and after the filters begin, numbers with rows of inputs, and vectors with matrices."""
    rng = np.random.default_rng(0)
    n = 300 + FURTHER
    numbers = rng.permuted(np.array([-1.0, 2.0]) + 0.1 * rng.normal(size=(n, 2)), axis=1)[:, :, None]
    theta = np.array([[-1.0, 0.3], [2.0, -1.0]])
    rows, matrices = rng.normal(size=(n, 1, 2)), rng.normal(size=(n, 2, 2))
    drawn = [np.einsum("kpd,ld->klp", psi, theta) for psi in (rows, matrices)]
    noisy = [rng.permuted(y + 0.1 * rng.normal(size=y.shape), axis=1) if y.shape[2] == 1 else y for y in drawn]
    return (
        Sample(numbers, None, 40),
        Sample(numbers, None, 300),
        Sample(noisy[0], rows[:, 0], 300),
        Sample(noisy[1] + 0.1 * rng.normal(size=noisy[1].shape), matrices, 300),
    )


def saved(method: str, sample: Sample) -> bytes:
    """The file of a filter that has absorbed the first sets of a sample."""
    stream = vieta.SymmetricFilter(sample.sets.shape[1], sample.dim, method=method)
    first = slice(sample.absorbed)
    stream.partial_fit(sample.sets[first], None if sample.inputs is None else sample.inputs[first])
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "state"
        stream.save(path)
        return path.read_bytes()


@cache
def _saved(method: str, k: int) -> bytes:
    """The file of a filter that has absorbed sample k."""
    return saved(method, samples()[k])


def parsed(content: bytes) -> File:
    """What a right file holds."""
    with np.load(io.BytesIO(content)) as file:
        arrays = dict(file)
    return File(json.loads(str(arrays.pop("header"))), arrays)


def encoded(array: np.ndarray) -> bytes:
    """An array as a member of a file."""
    stream = io.BytesIO()
    npy.write_array(stream, np.asanyarray(array), allow_pickle=True)
    return stream.getvalue()


def packed(members: list[tuple[str, bytes]], compression: int = zipfile.ZIP_STORED) -> bytes:
    """Members as a zip file; a name may occur more than once."""
    stream = io.BytesIO()
    with warnings.catch_warnings(), zipfile.ZipFile(stream, "w", compression) as archive:
        warnings.simplefilter("ignore", UserWarning)
        for name, content in members:
            archive.writestr(zipfile.ZipInfo(name), content, compression)
    return stream.getvalue()


def members_of(header: Any, arrays: dict[str, np.ndarray]) -> list[tuple[str, bytes]]:
    """The members of the file with that header, which may be text already, and those arrays."""
    text = header if isinstance(header, str) else json.dumps(header)
    return [("header.npy", encoded(np.array(text)))] + [(f"{name}.npy", encoded(a)) for name, a in arrays.items()]


# --- alterations: each takes the file, a stranger (bytes of another filter) and a generator -----------------------------


def flipped(content: bytes, _: bytes, rng: np.random.Generator) -> bytes:
    """Some bytes are others."""
    changed = bytearray(content)
    for at in rng.integers(len(content), size=rng.integers(1, 9)):
        changed[at] ^= int(rng.integers(1, 256))
    return bytes(changed)


def cut(content: bytes, _: bytes, rng: np.random.Generator) -> bytes:
    """The end, the beginning or a piece in the middle is missing."""
    start, stop = sorted(rng.integers(len(content), size=2))
    return (content[:start], content[start:], content[:start] + content[stop:])[rng.integers(3)]


def overwritten(content: bytes, _: bytes, rng: np.random.Generator) -> bytes:
    """A run of random bytes, or of zeros."""
    at, size = int(rng.integers(len(content))), int(rng.integers(1, 200))
    run = rng.bytes(size) if rng.random() < 0.5 else bytes(size)
    return content[:at] + run + content[at + size :]


def with_other_header(content: bytes, _: bytes, rng: np.random.Generator) -> bytes:
    """One or two fields of the header are something else, or missing, or new."""
    header, arrays = parsed(content)
    options = list(registry.get(header["method"]).Options.infos())
    for _ in range(rng.integers(1, 3)):
        name = str(rng.choice([*header, "new"]))
        if rng.random() < 0.15:
            header.pop(name, None)
        elif name == "options" and rng.random() < 0.7:
            header[name] = {str(rng.choice([*options, "color"])): NASTY[rng.integers(len(NASTY))]}
        else:
            header[name] = NASTY[rng.integers(len(NASTY))]
    return packed(members_of(header, arrays))


def with_header_of_another_kind(content: bytes, _: bytes, rng: np.random.Generator) -> bytes:
    """The header is no object of JSON, or nested too deeply, or of another type."""
    arrays = {f"{name}.npy": encoded(a) for name, a in parsed(content).arrays.items()}
    texts = [
        "",
        "null",
        "[]",
        "3",
        '"x"',
        "{",
        "[" * 100_000,
        '{"a":' * 50_000,
        '{"format": 2, "format": [2]}',
        "\x00",
        "9" * 5000,
    ]
    headers = [
        *(np.array(text) for text in texts),
        np.array([1.0]),
        np.array(["{}"]),
        np.array(b"{}"),
        np.array({}, dtype=object),
    ]
    return packed([("header.npy", encoded(headers[rng.integers(len(headers))])), *arrays.items()])


def with_other_shape(content: bytes, _: bytes, rng: np.random.Generator) -> bytes:
    """One array has another shape."""
    header, arrays = parsed(content)
    name = _picked(arrays, rng)
    array = arrays[name]
    first, rest = (array.shape[:1] or (1,))[0], array.shape[1:]
    shapes = [
        (15_000, *rest), (first + 1, *rest), (max(first - 1, 0), *rest), (0, *rest), (2 * first + 1, *rest), (*array.shape, 1),
        rest, (), (1,), (first, *rest, 3), array.shape[::-1], (array.size,), (3, 3), (3, 3, 3), (8193, *rest), (65, *rest),
    ]  # fmt: skip
    arrays[name] = (
        np.resize(array, shapes[rng.integers(len(shapes))]) if array.size else np.zeros((5, *rest), array.dtype)
    )
    return packed(members_of(header, arrays))


def with_all_grown(content: bytes, _: bytes, rng: np.random.Generator) -> bytes:
    """Every array of a group, by the beginning of its name, is longer or shorter by the same: they still fit each other."""
    header, arrays = parsed(content)
    stem = _picked(arrays, rng).split("_")[0]
    size = int(rng.choice([0, 1, 64, 100, 8192, 15_000]))
    for name, array in arrays.items():
        if name.startswith(stem) and array.ndim:
            arrays[name] = (
                np.resize(array, (size, *array.shape[1:])) if array.size else np.zeros((size, *array.shape[1:]))
            )
    return packed(members_of(header, arrays))


def with_other_dtype(content: bytes, _: bytes, rng: np.random.Generator) -> bytes:
    """One array, or each, has another dtype."""
    header, arrays = parsed(content)
    dtype = str(rng.choice(DTYPES))
    names = list(arrays) if rng.random() < 0.2 else [_picked(arrays, rng)]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for name in names:
            arrays[name] = arrays[name].astype("<i8" if dtype.startswith("<M8") else dtype).astype(dtype)
    return packed(members_of(header, arrays))


def with_other_values(content: bytes, _: bytes, rng: np.random.Generator) -> bytes:
    """Some numbers are others: one of an array, all of it, or one of each array."""
    header, arrays = parsed(content)
    value = NUMBERS[rng.integers(len(NUMBERS))]
    whole = rng.random() < 0.4
    names = list(arrays) if rng.random() < 0.1 else [_picked(arrays, rng) for _ in range(rng.integers(1, 4))]
    for name in names:
        array = arrays[name].copy()
        new = (
            array.dtype.type(int(np.clip(value, -1e18, 1e18)) if np.isfinite(value) else -1)
            if array.dtype.kind == "i"
            else value
        )
        if whole or not array.size:
            array[...] = new
        else:
            array.flat[rng.integers(array.size)] = new
        arrays[name] = array
    return packed(members_of(header, arrays))


def scaled(content: bytes, _: bytes, rng: np.random.Generator) -> bytes:
    """Arrays are multiplied by numbers, with noise or not: a state that might almost be right."""
    header, arrays = parsed(content)
    for name in [_picked(arrays, rng) for _ in range(rng.integers(1, 4))]:
        factor = float(rng.choice([-1.0, 1e-8, 0.5, 3.0, 1e8, 1e100]))
        if arrays[name].dtype.kind == "f":
            arrays[name] = np.asarray(
                arrays[name] * factor + (rng.random() < 0.3) * rng.normal(size=arrays[name].shape)
            )
    return packed(members_of(header, arrays))


def with_other_members(content: bytes, stranger: bytes, rng: np.random.Generator) -> bytes:
    """Members are missing, added, doubled, renamed, exchanged, in another order, or compressed."""
    header, arrays = parsed(content)
    members = members_of(header, arrays)
    at, other = rng.integers(len(members), size=2)
    kind = rng.integers(8)
    if kind == 0:
        del members[at]
    elif kind == 1:
        members.append((f"{rng.choice(['extra', 'header2', '../up', 'theta', 'count'])}.npy", encoded(np.zeros(3))))
    elif kind == 2:
        members.append(members[at])
    elif kind == 3:
        members[at] = (members[at][0].upper(), members[at][1])
    elif kind == 4:
        members[at], members[other] = (members[at][0], members[other][1]), (members[other][0], members[at][1])
    elif kind == 5:
        members = [members[i] for i in rng.permutation(len(members))]
    elif kind == 6:
        theirs = parsed(stranger).arrays
        members[at] = (members[at][0], encoded(theirs[_picked(theirs, rng)]))
    return packed(members, zipfile.ZIP_DEFLATED if kind == 7 else zipfile.ZIP_STORED)


def with_false_sizes(content: bytes, _: bytes, rng: np.random.Generator) -> bytes:
    """An array claims far more numbers than there are; or holds them, as a compressed run of zeros; or a member is encrypted."""
    members = members_of(*parsed(content))
    at, kind = int(rng.integers(len(members))), rng.integers(3)
    name = members[at][0]
    if kind == 0:
        stream = io.BytesIO()
        shape = tuple(int(n) for n in rng.choice([1, 3, 10**6, 10**9, 2**62], size=rng.integers(1, 4)))
        npy.write_array_header_1_0(stream, {"descr": "<f8", "fortran_order": False, "shape": shape})
        members[at] = (name, stream.getvalue() + bytes(800))
        return packed(members)
    if kind == 1:
        members[at] = (name, encoded(np.zeros((1_000_000, 2))))
        return packed(members, zipfile.ZIP_DEFLATED)
    changed = bytearray(packed(members))
    for magic, offset in ((b"PK\x03\x04", 6), (b"PK\x01\x02", 8)):
        changed[changed.find(magic) + offset] |= 1
    return bytes(changed)


def of_another_filter(content: bytes, stranger: bytes, rng: np.random.Generator) -> bytes:
    """The header of one filter and the arrays of another, or another's file whole."""
    here, there = parsed(content), parsed(stranger)
    return (
        stranger,
        packed(members_of(here.header, there.arrays)),
        packed(members_of(there.header, here.arrays)),
        packed(members_of(here.header | {"method": there.header["method"]}, here.arrays)),
        packed(members_of(here.header | {"state": there.header["state"]}, here.arrays)),
    )[rng.integers(5)]


def of_another_version(content: bytes, _: bytes, rng: np.random.Generator) -> bytes:
    """The format has another number."""
    header, arrays = parsed(content)
    return packed(members_of(header | {"format": [0, 1, 3, 99, -2, 2.5, "2", None, [2]][rng.integers(9)]}, arrays))


def _picked(arrays: dict[str, np.ndarray], rng: np.random.Generator) -> str:
    return str(rng.choice(list(arrays)))


Alteration = Callable[[bytes, bytes, np.random.Generator], bytes]
ALTERATIONS: tuple[Alteration, ...] = (
    flipped, cut, overwritten, with_other_header, with_other_header, with_header_of_another_kind, with_other_shape, with_other_shape,
    with_all_grown, with_other_dtype, with_other_values, with_other_values, with_other_values, scaled, scaled, with_other_members,
    with_false_sizes, of_another_filter, of_another_version,
)  # fmt: skip


def altered(method: str, seed: int, count: int) -> Iterator[tuple[str, bytes, Sample]]:
    """So many altered files of a method: what was done, the content, and the sample that the filter had absorbed."""
    right = [(_saved(method, k), sample) for k, sample in enumerate(samples())]
    strangers = [_saved(other, 1) for other, one in registry.every().items() if one.has_engine and other != method]
    for k in range(count):
        rng = np.random.default_rng([seed, k])
        alter = ALTERATIONS[k % len(ALTERATIONS)]
        content, sample = right[rng.integers(len(right))]
        yield f"{k} {alter.__name__}", alter(content, strangers[rng.integers(len(strangers))], rng), sample


# --- what is tried with them --------------------------------------------------------------------------------------------


def tried(path: Path, sample: Sample) -> str:
    """Load a file and go on with it; the code of the error that ended this, or that it went well."""
    further = slice(sample.absorbed, sample.absorbed + FURTHER)
    try:
        stream = vieta.SymmetricFilter.load(path)
    except VietaError as error:
        return f"refused: {error.code}: {_one_line(str(error))}"
    try:
        stream.partial_fit(sample.sets[further], None if sample.inputs is None else sample.inputs[further])
        stream.estimate().summary()
    except VietaError as error:
        return f"stopped: {error.code}: {error}"
    return f"went on: {stream.n_sets} sets"


def _one_line(sentence: str) -> str:
    """The sentence, which must be one line of some length."""
    assert "\n" not in sentence
    assert len(sentence) < 1000
    return sentence


def main(seed: int, count: int, methods: Sequence[str]) -> None:
    """Try so many altered files of each method."""
    warnings.simplefilter("ignore", RuntimeWarning)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "state"
        for method in methods:
            for name, content, sample in altered(method, seed, count):
                print(method, name, end=": ", flush=True)
                path.write_bytes(content)
                print(tried(path, sample)[:250], flush=True)
    print("done", flush=True)


if __name__ == "__main__":
    main(int(sys.argv[1]), int(sys.argv[2]), sys.argv[3:])
