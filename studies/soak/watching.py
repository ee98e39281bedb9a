"""Very many lines through `vieta watch`, in one piece, or killed at random moments and resumed."""

import contextlib
import hashlib
import json
import signal
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np

from studies.soak.memory import growth, resident
from studies.soak.updates import drawn, smallest_eigenvalue, standard_errors_off
from vieta.estimators import SymmetricFilter

PROGRAM = (sys.executable, "-c", "from vieta.cli import main; main()", "watch", "--json")
PERIOD = 100_000  # lines after which the same ones come again
REPORTS, SAVES = 1000, 500  # in the whole stream, or fewer:
RARELY = 1000  # lines between two of them, at least
LATE = 0.05  # seconds between a report and a kill, at the most: more than it takes to save
EARLY, EARLY_KILLS = 2.0, 5  # every fifth kill comes within so many seconds from the start, also before the first set


def soak(lines: int, kills: int, period: int = PERIOD) -> dict[str, Any]:
    """A watch of so many lines, killed so many times; `state` is a digest of its state file in the end."""
    text, repeats = ndjson(period), lines // period
    lines = period * repeats
    with tempfile.TemporaryDirectory() as folder:
        state = Path(folder) / "state.npz"
        start = time.perf_counter()
        killed, looks = kill_again_and_again(state, text, repeats, kills)
        samples: list[float] = []
        with watched(state, text, repeats) as (process, reports):
            for report in reports:
                if report["event"] != "final" and (size := resident(process.pid)) is not None:
                    samples.append(size)
        assert (process.returncode, report["lines"], report["n_sets"]) == (0, lines, lines), report
        seconds = time.perf_counter() - start
        estimate = SymmetricFilter.load(state).estimate()
        return {
            "sets": lines,
            "growth": None if kills else growth(samples),
            "eigenvalues": min([*looks, smallest_eigenvalue(estimate)]),
            "errors": standard_errors_off(estimate) / repeats**0.5,  # only the first `period` lines are news
            "seconds": round(seconds, 1),
            "kills": killed,
            "state": hashlib.sha256(state.read_bytes()).hexdigest(),
        }


def kill_again_and_again(state: Path, text: bytes, repeats: int, kills: int) -> tuple[int, list[float]]:
    """Kill a watch at random moments, each time starting it again on the same input: how often, and eigenvalues after each.

    The state must be whole after every kill, and never go back.
    """
    rng, before, killed, eigenvalues = np.random.default_rng(1), 0, 0, []
    for k, target in enumerate(np.sort(rng.uniform(0, text.count(b"\n") * repeats, kills))):
        with watched(state, text, repeats) as (process, reports):
            if k % EARLY_KILLS == EARLY_KILLS - 1:
                time.sleep(rng.uniform(0, EARLY))
            else:
                next((report for report in reports if report["n_sets"] >= target), None)
                time.sleep(rng.uniform(0, LATE))
            process.kill()
        killed += process.returncode == -signal.SIGKILL
        if state.exists():
            saved = SymmetricFilter.load(state)
            assert saved.n_sets >= before, (saved.n_sets, before)
            before = saved.n_sets
            eigenvalues.append(smallest_eigenvalue(saved.estimate()))
    return killed, eigenvalues


@contextlib.contextmanager
def watched(
    state: Path, text: bytes, repeats: int
) -> Iterator[tuple["subprocess.Popen[bytes]", Iterator[dict[str, Any]]]]:
    """A process that watches a text that is written into a pipe so many times, and its reports."""
    lines = text.count(b"\n") * repeats
    rhythm = ("--every", max(lines // REPORTS, RARELY), "--checkpoint-every", max(lines // SAVES, RARELY))
    words = [*PROGRAM, "--state", str(state), *map(str, rhythm)]
    with subprocess.Popen(words, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        writer = threading.Thread(target=_write, args=(process.stdin, text, repeats))
        writer.start()
        try:
            yield process, map(json.loads, process.stdout)
        except BaseException:
            process.kill()
            raise
        finally:
            writer.join()


def _write(pipe: Any, text: bytes, repeats: int) -> None:
    with contextlib.suppress(BrokenPipeError), pipe:
        for _ in range(repeats):
            pipe.write(text)


def ndjson(n: int) -> bytes:
    """Sets, one a line."""
    sets, psi = (values.round(6).tolist() for values in drawn(0, n))
    return "".join(json.dumps({"y": y, "psi": c}) + "\n" for y, c in zip(sets, psi)).encode()
