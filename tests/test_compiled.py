"""Kernels compile on their first call, and not before."""

import subprocess
import sys

import numpy as np

from vieta.compiled import compile_now, kernel


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
