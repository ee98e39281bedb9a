"""The root path against an eigenvalue call a step."""

import time
from collections.abc import Iterator

import numpy as np

from benchmarks.timing import Result, best
from vieta.symmetric import elementary, path, roots


def run() -> Iterator[Result]:
    n = 100_000
    k = np.arange(n)
    wave = [1 + 0.5 * np.sin(k / 3e3), 3 + 0.6 * np.cos(k / 5e3), 6 + np.sin(k / 7e3), 9 + k / 1e5]
    coefficients = elementary(4).transform(np.stack(wave, axis=-1)[:, :, None])
    ours = best(lambda: path(coefficients), repeats=5)
    start = time.perf_counter()
    one_by_one = np.array([roots(row) for row in coefficients])
    eigenvalues = time.perf_counter() - start
    batched = best(lambda: roots(coefficients), repeats=3)
    difference = float(abs(np.sort(path(coefficients).real) - np.sort(one_by_one.real)).max())
    detail = (
        f"{ours / n * 1e9:.0f} ns a step; one batched call for all steps would take {batched / ours:.1f} times ours"
    )
    yield Result("root path, 1e5 steps, L=4: eigenvalue calls over ours", eigenvalues / ours, "x", detail, least=20.0)
    yield Result("the same: largest difference of the roots", difference, "", "well separated roots", most=1e-9)
