"""The LMS bank through the public API, against hand-written C and against padasip."""

import ctypes
import subprocess
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import numpy as np

import vieta
from benchmarks.timing import Result, best, peak_bytes
from vieta.arrays import Floats

THETA = np.array([1.0, 2.0, 3.0, 4.0])
STEP = np.array([1e-3, 1e-4, 1e-5, 1e-6])


def data(n: int) -> tuple[Floats, Floats]:
    """Sets (n, 4) and scalar inputs (n,)."""
    rng = np.random.default_rng(0)
    psi = rng.standard_normal(n)
    return psi[:, None] * THETA + 0.1 * rng.standard_normal((n, 4)), psi


@contextmanager
def c_bank() -> Iterator[Callable[[Floats, Floats], Floats]]:
    """The C bank, compiled here and now."""
    with tempfile.TemporaryDirectory() as folder:
        library = Path(folder) / "bank.so"
        source = Path(__file__).with_name("bank.c")
        subprocess.run(["cc", "-O3", "-march=native", "-shared", "-fPIC", "-o", library, source], check=True)
        bank = ctypes.CDLL(str(library)).bank
        pointer = ctypes.POINTER(ctypes.c_double)

        def run(sets: Floats, inputs: Floats) -> Floats:
            lam = np.zeros(4)
            arrays = [a.ctypes.data_as(pointer) for a in (lam, sets, inputs, STEP)]
            bank(*arrays, ctypes.c_size_t(len(sets)))
            return lam

        yield run


def vieta_bank(sets: Floats, inputs: Floats) -> vieta.SymmetricFilter:
    return vieta.SymmetricFilter(4, method="lms", step=STEP).partial_fit(sets, inputs)


def padasip_loop(sets: Floats, inputs: Floats) -> float:
    """Seconds a set of padasip's own per-sample loop over a bank of four filters."""
    import padasip

    e = vieta.symmetric.elementary(4).transform(sets[:, :, None])
    filters = [padasip.filters.FilterLMS(n=1, mu=float(step), w="zeros") for step in STEP]
    start = time.perf_counter()
    for k in range(len(sets)):
        for d, f in enumerate(filters):
            f.adapt(e[k, d], np.array([inputs[k] ** (d + 1)]))
    return (time.perf_counter() - start) / len(sets)


def run() -> Iterator[Result]:
    n = 1_000_000
    sets, inputs = data(n)
    with c_bank() as bank:
        ours, c = best(lambda: vieta_bank(sets, inputs)), best(lambda: bank(sets, inputs))
        assert np.allclose(vieta_bank(sets, inputs)._state.filter.coefficients, bank(sets, inputs), rtol=1e-9)
    detail = f"{ours / n * 1e9:.2f} ns a set, C {c / n * 1e9:.2f} ns"
    yield Result("LMS bank, 1e6 sets, L=4: time over C -O3", ours / c, "x", detail, most=2.0)
    peer = padasip_loop(sets[:20_000], inputs[:20_000])
    yield Result(
        "the same: padasip's loop over ours", peer * n / ours, "x", f"padasip {peer * 1e6:.1f} us a set", least=200.0
    )
    small = peak_bytes(lambda: vieta_bank(sets[: n // 10], inputs[: n // 10]))
    large = peak_bytes(lambda: vieta_bank(sets, inputs))
    detail = f"peak beyond the input {small / 1024:.0f} KiB at 1e5 sets, {large / 1024:.0f} KiB at 1e6"
    yield Result("the same: memory at 1e6 sets over that at 1e5", large / small, "x", detail, most=1.1)
