"""Broken files through the command: whatever is in them, it answers or refuses them in a sentence."""

import csv
import gzip
import hashlib
import io
import json
import os
import random
import signal
import subprocess
import sys
import tempfile
import traceback
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import NamedTuple

import polars as pl

from vieta.cli.commands import vieta as command

SECONDS = 20.0  # that a case may compute
WAIT = 120.0  # seconds that it may take, on a machine that has other things to do
CODES = (0, 1, 2)  # documented, of commands that nobody interrupts
APART = 200  # one of so many cases also runs as a process of its own
PROGRESS = 1000
PROGRAM = [sys.executable, "-c", "from vieta.cli import main; main()"]
FOREIGN = ("Traceback", "Warning:")  # that no message of ours has; polars says itself where it panicked

NAMES = ["set", "time", "id", "y", "y1", "y2", "value", "psi", "x", "u", "t", "a", "b", "label", "temperature"]
ODD_NAMES = [
    "", " ", "set", "y", "$y$", "a,b", 'a"b', "\x1b[31mred", "a\nb", "a\rb", "\u202eabc", "\u200b", "[red]x", "{y}", "%s",
    "y" * 3000, "温度", "🌡", "-", "--json", "\x00", "\x9b1m", "1", "nan", "<script>", "\\", "'", "\ufeffset", "y.1", "Y ",
]  # fmt: skip
ODD_CELLS = [
    "", " ", "nan", "NaN", "NA", "inf", "-Infinity", "1e308", "-1e309", "1e-320", "1,5", "1.234,5", "1 000", "2024-01-01",
    "12:00:00", "0x10", "1_000", "true", "None", "null", "\x1b[2J", "١٢", "−1", "+1", "1e", "--", '"', "'1'", "1;2", "\x00", "9" * 400,
    "[1, 2]", "1.0.0", "\u2028", "1\r2", "∞", "1d0", ".5", "5.", "1/2", "=1+1",
]  # fmt: skip
ODD_VALUES = [
    None, True, "x", "1.5", [], [1.0], {}, {"a": 1}, 1e308, -1e308, 10**400, "\x1b[2J", [[1.0]], [None], float("nan"), float("inf"),
    "\ud800", 0, -0.0, 1e-300,
]  # fmt: skip
CALLED: list[Callable[[int], str]] = [  # how a set is called
    str, str, str,
    lambda k: f"2024-01-{k % 28 + 1:02d}",
    lambda k: f"{k % 28 + 1}.2.2024 12:{k:02d}",
    lambda k: f"20240{k % 9 + 1}11",
    lambda k: f"{2000 + k}Q{k % 4 + 1}",
    lambda k: "ab"[k % 2],
]  # fmt: skip
METHODS = ["least-squares"] * 9 + ["rls", "efficient", "no\x1b"]


class Case(NamedTuple):
    """A file, and the words of a command; `stdin` says whether the file comes on standard input."""

    name: str
    content: bytes
    words: list[str]
    stdin: bool


class Outcome(NamedTuple):
    """How a command ended, what it printed, and the exception that got through, if one did."""

    code: int
    out: bytes
    err: bytes
    fault: str


def case(seed: int, number: int) -> Case:
    """The case of a number; the same whenever it is asked for."""
    rng = random.Random(f"{seed}-{number}")
    chosen = rng.choices(["fit", "audit", "watch"], [6, 2, 3])[0]
    kinds = [_lines] if chosen == "watch" and rng.random() < 0.8 else KINDS
    ending, content, names = rng.choice(kinds)(rng)
    for _ in range(rng.choice([0, 0, 0, 0, 0, 1, 1, 2, 5])):
        content = rng.choice(MUTATIONS)(rng, content)
    if ending != ".parquet" and rng.random() < 0.15:
        content, ending = gzip.compress(content, 1, mtime=0), ending + ".gz"
        content = rng.choice(MUTATIONS)(rng, content) if rng.random() < 0.4 else content
    if rng.random() < 0.05:
        ending = rng.choice([".csv", ".parquet", ".ndjson", ".gz", "", ".txt", ".json"])
    name = rng.choice(["a", "a", "a", "\x1b[31m", "ä", "a b", "-a", "a\n", "[red]"]) + ending
    is_input = chosen == "watch" or rng.random() < 0.1
    return Case(name, content, _words(rng, chosen, "-" if is_input else f"./{name}", names), is_input)


def _words(rng: random.Random, chosen: str, path: str, names: list[str]) -> list[str]:
    words = [chosen] if chosen == "watch" else [chosen, path]
    words += ["--json"] * (rng.random() < 0.4) + ["--strict"] * (rng.random() < 0.2)
    if chosen != "audit":
        words += ["--method", rng.choice(METHODS)] if chosen == "fit" else ["--method", "lms", "--step", "0.01"]
        words += ["--level", rng.choice(["0.5", "0.999", "1", "nan"])] * (rng.random() < 0.1)
    words += ["--systems", rng.choice(["1", "2", "3", "9"])] * (rng.random() < 0.08)
    if chosen != "watch":
        words += _column_words(rng, names)
    if chosen == "fit":
        words += [rng.choice(["--stream", "--no-stream"])] * (rng.random() < 0.2)
        words += ["--plot", "plot.png"] * (rng.random() < 0.01) + ["--report", "report.html"] * (rng.random() < 0.01)
    return words


def _column_words(rng: random.Random, names: list[str]) -> list[str]:
    words = ["--layout", rng.choice(["long", "wide"])] * (rng.random() < 0.08)
    for flag, chance in (("--set", 0.08), ("--value", 0.08), ("--value", 0.04), ("--input", 0.08)):
        words += [flag, _word(rng.choice(names or NAMES))] * (rng.random() < chance)
    words += ["--intercept"] * (rng.random() < 0.04) + ["--on-bad-set", "drop"] * (rng.random() < 0.3)
    if rng.random() < 0.2:
        words += _time_words(rng, names)
    return words + ["--delimiter", rng.choice([",", ";", "tab", "space", "|", "x", "\x1b"])] * (rng.random() < 0.05)


def _time_words(rng: random.Random, names: list[str]) -> list[str]:
    words = ["--trend"] * (rng.random() < 0.5)
    words += ["--season", rng.choice(["12", "3", "2.5", "year", "day", "week", "1", "x", "nan"])] * (rng.random() < 0.5)
    words += ["--harmonics", rng.choice(["1", "2", "9"])] * (rng.random() < 0.2)
    for flag, chance in (("--category", 0.2), ("--input", 0.2), ("--time", 0.2)):
        words += [flag, _word(rng.choice(names or NAMES))] * (rng.random() < chance)
    return words + ["--no-intercept"] * (rng.random() < 0.1)


def _word(name: str) -> str:
    """A name as a word of a command, which has no NUL."""
    return name.replace("\x00", "")


def _table(rng: random.Random) -> tuple[list[str], list[list[str]]]:
    """Rows of a table, long or wide, and some odd things among its names and cells."""
    L, n = rng.choice([2, 2, 3]), rng.choice([1, 3, 12, 12, 30])
    has_input = rng.random() < 0.4
    psi = [rng.uniform(0.5, 2.0) if has_input else 1.0 for _ in range(n)]
    sets = [[(1.0 + 3.0 * l) * psi[k] + rng.gauss(0.0, 0.1) for l in range(L)] for k in range(n)]
    if rng.random() < 0.6:
        names = ["set", "y", *["psi"] * has_input]
        called = rng.choice(CALLED)
        rows = [[called(k), repr(y), *[repr(psi[k])] * has_input] for k in range(n) for y in sets[k]]
    else:
        names = [*(f"y{l + 1}" for l in range(L)), *["psi"] * has_input]
        rows = [[*map(repr, sets[k]), *[repr(psi[k])] * has_input] for k in range(n)]
    _spoil(rng, names, rows)
    return names, rows


def _spoil(rng: random.Random, names: list[str], rows: list[list[str]]) -> None:
    """Put odd names, cells and rows into a table."""
    if rng.random() < 0.3:
        return
    if rng.random() < 0.4:
        names[rng.randrange(len(names))] = rng.choice(ODD_NAMES + NAMES)
    if rng.random() < 0.15:
        names.append(rng.choice(ODD_NAMES + names))
        for row in rows:
            row.append(rng.choice([*ODD_CELLS, "1", "2"]))
    for _ in range(rng.choice([0, 0, 1, 1, 3])):
        row = rng.choice(rows)
        row[rng.randrange(len(row))] = rng.choice(ODD_CELLS)
    if rng.random() < 0.1:
        rows[rng.randrange(len(rows))] = rng.choice([[], ["1"], ["1"] * 9])
    if rng.random() < 0.03:
        rows.clear()


Made = tuple[str, bytes, list[str]]  # the end of the name, what is in it, names of columns


def _text(rng: random.Random, ending: str, delimiter: str) -> Made:
    names, rows = _table(rng)
    buffer = io.StringIO()
    quoting = rng.choice([csv.QUOTE_MINIMAL, csv.QUOTE_ALL])
    lines = csv.writer(
        buffer, delimiter=delimiter, quoting=quoting, lineterminator=rng.choice(["\n", "\n", "\n", "\n", "\r\n", "\r"])
    )
    lines.writerows([names, *rows] if rng.random() < 0.95 else rows)
    encoding = rng.choice(["utf-8"] * 20 + ["utf-8-sig", "utf-16", "latin-1", "cp1252", "utf-32"])
    return ending, buffer.getvalue().encode(encoding, "replace"), names


def _lines(rng: random.Random) -> Made:
    names, rows = _table(rng)
    shape = "records" if "set" in names else rng.choice(["lists", "y", "y"])
    values = [[_number(cell) for cell in row] for row in rows]
    for row in values:
        if row and rng.random() < 0.05:
            row[rng.randrange(len(row))] = rng.choice(ODD_VALUES)
    if shape == "records":
        items = [dict(zip(names, row)) for row in values]
    else:
        items = [row if shape == "lists" else {"y": row, "psi": 1.0, "t": rng.choice(ODD_CELLS)} for row in values]
    if rng.random() < 0.05:
        items.append(rng.choice([None, 1, "x", [], {}, {"y": {}}, [[[]]]]))
    text = "\n".join(json.dumps(item, ensure_ascii=rng.random() < 0.5) for item in items)
    return rng.choice([".ndjson", ".ndjson", ".jsonl", ".json"]), text.encode("utf-8", "surrogatepass"), names


def _number(cell: str) -> object:
    try:
        return float(cell)
    except ValueError:
        return cell


def _parquet(rng: random.Random) -> Made:
    names, rows = _table(rng)
    columns = {}
    for k, name in enumerate(names):
        cells = [_number(row[k]) if k < len(row) else None for row in rows]
        is_text = any(isinstance(cell, str) for cell in cells)
        kind = pl.String if is_text else rng.choice([pl.Float64] * 4 + [pl.Float32])
        columns[name] = pl.Series(name, [None if c is None else str(c) if is_text else c for c in cells], kind)
        if rng.random() < 0.05:
            columns[name] = rng.choice(
                [
                    pl.Series(name, [[1.0, 2.0]] * len(rows), pl.List(pl.Float64)),
                    pl.Series(name, [{"a": 1}] * len(rows), pl.Struct({"a": pl.Int64})),
                    pl.Series(name, [True] * len(rows), pl.Boolean),
                    pl.Series(name, [0] * len(rows), pl.Int64).cast(pl.Date),
                    pl.Series(name, [b"\xff"] * len(rows), pl.Binary),
                    pl.Series(name, [None] * len(rows), pl.Null),
                ]
            )
    buffer = io.BytesIO()
    pl.DataFrame(list(columns.values())).write_parquet(buffer)
    return ".parquet", buffer.getvalue(), names


def _estimate(rng: random.Random) -> Made:
    answer = {
        "theta": [[1.0], [4.0]],
        "stderr": [[0.1], [0.1]],
        "cov": [[0.01, 0.0], [0.0, 0.01]],
        "noise_var": 0.01,
        "method": "least-squares",
        "n_sets": 50,
        "findings": [],
        "parameter_names": ["1"],
        "settings": {"files": ["a.csv"], "inputs": []},
    }
    for _ in range(rng.choice([0, 1, 2])):
        key = rng.choice(list(answer))
        answer[key] = rng.choice([*ODD_VALUES, [[1.0, 2.0], [3.0]], ["\x1b"], "\x1b"])
    answer.pop(rng.choice(list(answer)) if rng.random() < 0.2 else "", None)
    return ".json", json.dumps(answer, indent=rng.choice([None, 2])).encode(), []


WIDE = 10_000  # columns
EXTREMES: list[Callable[[random.Random], Made]] = [
    lambda rng: (rng.choice([".csv", ".ndjson", ".parquet"]), b"", []),
    lambda rng: (".csv", b"set,y,psi" + rng.choice([b"", b"\n", b"\n\n\n"]), ["set", "y"]),
    lambda rng: (
        ".csv",
        b"y1,y2," + ",".join(f"c{k}" for k in range(WIDE)).encode() + (b"\n1,2" + b",3" * WIDE) * 9,
        ["y1"],
    ),
    lambda rng: (
        rng.choice([".csv", ".ndjson"]),
        rng.choice([b"1", b"[", b'"', b"{", b",", b"\x00", b" "]) * 1_000_000,
        [],
    ),
    lambda rng: (".ndjson", b'{"y": %s}\n[1, 2]\n' % _nested(rng.choice([50, 5000])), ["y"]),
    lambda rng: (".csv", b"\n" * rng.choice([1, 5000]), []),
    lambda rng: (rng.choice([".csv", ".ndjson", ".parquet"]), rng.randbytes(rng.choice([1, 100, 5000])), []),
    lambda rng: (".ndjson", b'{"y": [1, 2]}\n{"y": [1, 2], "y": [3, 4]}\n{"y": [1e999, 2]}\n' * 5, ["y"]),
    lambda rng: (".csv", b"set,y\n" + b"1,1\n1,2\n" * rng.choice([1, 4]), ["set", "y"]),
]


def _nested(depth: int) -> bytes:
    return b"[" * depth + b"1" + b"]" * depth


KINDS: list[Callable[[random.Random], Made]] = [
    lambda rng: _text(rng, ".csv", rng.choice(",,,,;|")),
    lambda rng: _text(rng, ".csv", ","),
    lambda rng: _text(rng, ".tsv", "\t"),
    _lines,
    _lines,
    _parquet,
    _estimate,
    lambda rng: rng.choice(EXTREMES)(rng),
]


def _flip(rng: random.Random, content: bytes) -> bytes:
    spoiled = bytearray(content)
    for _ in range(min(len(spoiled), rng.choice([1, 1, 5]))):
        spoiled[rng.randrange(len(spoiled))] = rng.choice([rng.randrange(256), 0, 0x1B, 0x22, 0x0A, 0x2C])
    return bytes(spoiled)


def _truncate(rng: random.Random, content: bytes) -> bytes:
    return content[: rng.randrange(len(content) + 1)]


def _insert(rng: random.Random, content: bytes) -> bytes:
    at = rng.choice([0, 0, rng.randrange(len(content) + 1)])
    parts = [
        b"\xef\xbb\xbf",
        b"\xff\xfe",
        b"\x00",
        b'"',
        b"\n",
        b"\r",
        b"\xff",
        b"#",
        b"\x1b[2J",
        "\u202e".encode(),
        b"\x1f\x8b",
        b"PAR1",
    ]
    return content[:at] + rng.choice(parts) + content[at:]


def _repeat(rng: random.Random, content: bytes) -> bytes:
    start, stop = sorted(rng.randrange(len(content) + 1) for _ in range(2))
    return content[:stop] + content[start:stop][:10_000] + content[stop:]


def _remove(rng: random.Random, content: bytes) -> bytes:
    start = rng.randrange(len(content) + 1)
    return content[:start] + content[start + rng.choice([1, 5, 50]) :]


MUTATIONS = [_flip, _flip, _truncate, _insert, _insert, _repeat, _remove]


class _LateError(BaseException):
    """A case took too long."""


@contextmanager
def _watchdog() -> Iterator[None]:
    def late(*_: object) -> None:
        raise _LateError

    timers = ((signal.ITIMER_PROF, signal.SIGPROF, SECONDS), (signal.ITIMER_REAL, signal.SIGALRM, WAIT))
    before = [signal.signal(number, late) for _, number, _ in timers]
    for timer, _, seconds in timers:
        signal.setitimer(timer, seconds)
    try:
        yield
    finally:
        for (timer, number, _), handler in zip(timers, before):
            signal.setitimer(timer, 0.0)
            signal.signal(number, handler)


@contextmanager
def _redirected(stdin: Path, out: io.FileIO, err: io.FileIO) -> Iterator[None]:
    """The standard descriptors, and the streams of Python on them, for a while."""
    with open(stdin, "rb") as read:
        ends, kept = (read.fileno(), out.fileno(), err.fileno()), [os.dup(k) for k in range(3)]
        streams = sys.stdin, sys.stdout, sys.stderr
        for k, end in enumerate(ends):
            os.dup2(end, k)
        sys.stdin = open(0, encoding="utf-8", closefd=False)  # noqa: SIM115
        sys.stdout, sys.stderr = (open(k, "w", encoding="utf-8", closefd=False) for k in (1, 2))  # noqa: SIM115
        try:
            yield
        finally:
            sys.stdout.flush()
            sys.stderr.flush()
            sys.stdin, sys.stdout, sys.stderr = streams
            for k, end in enumerate(kept):
                os.dup2(end, k)
                os.close(end)


def run(one: Case, folder: Path) -> Outcome:
    """Run a case within this process, its file in a folder, which is the current one meanwhile."""
    path = folder / one.name
    path.write_bytes(one.content)
    code, fault = -1, ""
    with tempfile.TemporaryFile(buffering=0) as out, tempfile.TemporaryFile(buffering=0) as err:
        try:
            with _redirected(path if one.stdin else Path(os.devnull), out, err), _watchdog():
                command.main(list(one.words), prog_name="vieta")
        except SystemExit as end:
            code = end.code if isinstance(end.code, int) else -1
        except _LateError:
            fault = f"takes more than {SECONDS:g} seconds"
        except BaseException:  # also what Rust panics with
            fault = traceback.format_exc(limit=-4)
        out.seek(0)
        err.seek(0)
        return Outcome(code, out.read(), err.read(), fault)


def run_apart(one: Case, folder: Path) -> Outcome:
    """Run a case as a process of its own."""
    path = folder / one.name
    path.write_bytes(one.content)
    with open(path if one.stdin else os.devnull, "rb") as read:
        words = [*PROGRAM, *one.words]
        done = subprocess.run(words, check=False, cwd=folder, stdin=read, capture_output=True, timeout=WAIT)
    return Outcome(done.returncode, done.stdout, done.stderr, "")


def troubles(one: Case, outcome: Outcome, folder: Path) -> Iterator[str]:
    """What must not be, of how a case ended."""
    if outcome.fault:
        yield outcome.fault
        return
    if outcome.code not in CODES or (outcome.code == 1 and "--strict" not in one.words):
        yield f"exit code {outcome.code}"
    for name, shown in (("output", outcome.out), ("error", outcome.err)):
        text = shown.decode("utf-8", "backslashreplace")
        if not all(line.removeprefix("\t").isprintable() for line in text.split("\n")):
            yield f"control characters on standard {name}: {text!r:.500}"
        if any(word in text for word in FOREIGN):
            yield f"standard {name}: {text!r:.500}"
    yield from _unsaid(one, outcome)
    if hashlib.sha256((folder / one.name).read_bytes()).digest() != hashlib.sha256(one.content).digest():
        yield "the input was changed"
    stray = {path.name for path in folder.iterdir()} - {one.name, *one.words}
    if stray:
        yield f"stray files: {stray}"


def _unsaid(one: Case, outcome: Outcome) -> Iterator[str]:
    """An answer without words, or a refusal without a reason."""
    if outcome.code == 2:
        if b"Error: " not in outcome.err:
            yield f"refused without a reason: {outcome.err!r:.500}"
        return
    if not outcome.out.strip():
        yield "no answer"
    if "--json" in one.words:
        try:
            for part in outcome.out.splitlines() if one.words[0] == "watch" else [outcome.out]:
                json.loads(part, parse_constant=lambda name: 1 / 0)
        except (ValueError, ZeroDivisionError) as error:
            yield f"no JSON: {error}"


def failures(seed: int, start: int, count: int) -> Iterator[tuple[int, str]]:
    """Run cases; the numbers of those that fail, and what is wrong with them."""
    before, kept = os.getcwd(), tempfile.tempdir
    codes = dict.fromkeys(CODES, 0)
    for number in range(start, start + count):
        one = case(seed, number)
        with (
            tempfile.TemporaryDirectory(prefix="fuzz-", dir=kept) as place,
            tempfile.TemporaryDirectory(dir=kept) as spare,
        ):
            folder = Path(place)
            os.chdir(folder)
            tempfile.tempdir = spare  # of the command
            try:
                outcome = run(one, folder)
                if outcome.fault.startswith("takes"):  # once more: a kernel may have been compiled
                    outcome = run(one, folder)
                found = list(troubles(one, outcome, folder))
                found += [f"left in the temporary folder: {name}" for name in os.listdir(spare)]
                if number % APART == 0:
                    apart = run_apart(one, folder)
                    found += [f"as a process: {text}" for text in troubles(one, apart, folder)]
                    found += ["as a process, another end"] if apart.code != outcome.code else []
            finally:
                os.chdir(before)
                tempfile.tempdir = kept
        codes[outcome.code] = codes.get(outcome.code, 0) + 1
        if found:
            yield number, "; ".join(found) + f" {one.words!r:.300}"
        if (number + 1) % PROGRESS == 0 or number + 1 == start + count:
            print(f"{number + 1 - start} of {count}, exit codes {codes}", file=sys.stderr, flush=True)
