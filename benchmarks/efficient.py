"""The weighted estimator: online against the LMS kernel, its growth with L, and batch against least squares."""

from collections.abc import Iterator

import numpy as np

import vieta
from benchmarks.lms import data, vieta_bank
from benchmarks.timing import Result, best
from vieta import scenarios
from vieta.arrays import Floats
from vieta.laws import noise


def warmed(sets: Floats, inputs: Floats | None, n: int) -> vieta.SymmetricFilter:
    """A filter past its hand-over, after n sets."""
    dim = 1 if sets.ndim == 2 else sets.shape[2]
    return vieta.SymmetricFilter(sets.shape[1], dim).partial_fit(sets[:n], None if inputs is None else inputs[:n])


def seconds_a_set(sets: Floats, inputs: Floats | None, warm: int) -> float:
    """Time a set of the running filter, through the public API."""
    f = warmed(sets, inputs, warm)
    rest = (sets[warm:], None if inputs is None else inputs[warm:])
    return best(lambda: f.partial_fit(*rest), repeats=5) / len(rest[0])


def scalar(L: int, n: int) -> tuple[Floats, Floats]:
    """Unit-spaced scalar systems at low noise."""
    rng = np.random.default_rng(0)
    psi = rng.standard_normal(n)
    return psi[:, None] * np.arange(1.0, L + 1) + 0.05 * rng.standard_normal((n, L)), psi


def one_by_one() -> Result:
    """A set at a time, each by a call of its own, against all in one call."""
    sets, inputs = scalar(3, 22_000)
    f = warmed(sets, inputs, 2000)
    singles = list(zip(sets[2000:], inputs[2000:], strict=True))

    def calls() -> None:
        for y, psi in singles:
            f.update(y, psi)

    single, many = best(calls, repeats=5) / len(singles), seconds_a_set(sets, inputs, 2000)
    detail = f"{single / many:.1f} times a set of partial_fit, {many * 1e6:.2f} us"
    return Result("efficient, online, L=3: a call of update", single * 1e6, "us", detail, most=15.0)


def batch() -> Iterator[Result]:
    """A fit of 50,000 sets: of three lines, beside the filter, and of three points in a plane."""
    rng, n = np.random.default_rng(0), 50_000
    rows = np.stack([np.ones(n), rng.standard_normal(n)], axis=1)
    sets = rows @ np.array([[0.0, 1.0], [2.0, -0.5], [4.0, 3.0]]).T + 0.3 * rng.standard_normal((n, 3))
    f = vieta.SymmetricFilter(3, 2).partial_fit(sets[:5000], rows[:5000])
    online = best(lambda: f.partial_fit(sets[5000:], rows[5000:]), repeats=3) / (n - 5000)
    ours = best(lambda: vieta.fit(sets, rows), repeats=3) / n
    detail = f"{ours / online:.1f} times a set of partial_fit, {online * 1e6:.2f} us"
    yield Result("efficient, batch, 50,000 sets, L=3: a set", ours * 1e6, "us", detail, most=4.0)
    points = np.array([[0.0, 0.0], [2.0, 1.0], [-1.0, 3.0]]) + 0.5 * rng.standard_normal((n, 3, 2))
    plane = best(lambda: vieta.fit(points), repeats=2) / n
    yield Result("efficient, batch, 50,000 planar sets, L=3: a set", plane * 1e6, "us", "", most=30.0)


def run() -> Iterator[Result]:
    sets, inputs = data(1_000_000)
    lms = best(lambda: vieta_bank(sets, inputs), repeats=10) / len(sets)
    ours = seconds_a_set(sets[:200_000], inputs[:200_000], 10_000)
    detail = f"{ours * 1e9:.0f} ns a set, LMS {lms * 1e9:.2f} ns"
    yield Result("efficient, online, L=4: time over LMS", ours / lms, "x", detail, most=100.0)
    times = {L: seconds_a_set(*scalar(L, 6000), 2000) for L in (4, 8, 15, 30)}
    power = float(np.log(times[30] / times[4]) / np.log(30 / 4))
    detail = ", ".join(f"L={L} {t * 1e6:.2f} us" for L, t in times.items())
    yield Result("efficient, online: growth with L, as a power", power, "", detail, most=3.0)
    four = vieta.simulate(scenarios.get("example-4").theta, n=3000, noise=noise.Gaussian(1.0))
    rate = 1.0 / seconds_a_set(four.sets, None, 1000)
    yield Result("efficient, online, Example 4 (L=4, D=10)", rate, "sets/s", "", least=10_000.0)
    yield one_by_one()
    yield from batch()
    squares = best(lambda: vieta.fit(sets, inputs, method="least-squares"), repeats=2)
    weighted = best(lambda: vieta.fit(sets, inputs), repeats=1)
    detail = f"{weighted:.2f} s against {squares:.2f} s"
    yield Result("efficient, batch, 1e6 sets, L=4: over least squares", weighted / squares, "x", detail, most=150.0)
