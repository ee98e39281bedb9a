"""Kernels compile on their first call, and not before."""

import subprocess
import sys

import numpy as np

from vieta.compiled import compile_now, kernel, telling


def total(values: np.ndarray) -> float:
    s = 0.0
    for v in values:
        s += v
    return s


def test_compiled_code_does_what_the_function_does():
    values = np.arange(10.0)
    assert kernel(total)(values) == compile_now(total)(values) == total(values) == 45.0


def test_a_kernel_keeps_its_name_and_its_words():
    assert kernel(total).__name__ == "total"
    assert kernel(total).__wrapped__ is total


def test_decorating_imports_no_compiler():
    code = (
        "import sys\nfrom vieta.compiled import kernel\n@kernel\ndef f(x):\n    return x\nprint('numba' in sys.modules)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "False"


def test_division_by_zero_follows_numpy():
    def divide(a: float, b: float) -> float:
        return a / b

    assert compile_now(divide)(1.0, 0.0) == np.inf


def test_it_tells_what_is_being_compiled_and_when_that_is_over(tmp_path, monkeypatch):
    monkeypatch.setattr("vieta.kernel_cache.readable", lambda: ())  # as on a new machine

    def inner(x: float) -> float:
        return x + 1.0

    def outer(x: float) -> float:
        return inner(x) * 2.0

    inner = compile_now(inner)
    outer = compile_now(outer)
    told = []
    with telling(told.append):
        assert outer(1.0) == 4.0
        assert outer(2.0) == 6.0  # compiled already
    outer(1)  # for integers; nobody listens any more
    assert told == ["outer", "inner", "outer", ""]
