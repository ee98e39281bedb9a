"""Sets with missed and false readings: a set online, with few and with many systems and a learned law, and a batch; beside complete sets."""

from collections.abc import Callable, Iterator

import numpy as np

import vieta
from benchmarks.timing import Result, best
from vieta.adaptive.stream_examination import ALL, EVERY, STRETCH
from vieta.arrays import Floats

FIRST = 2048  # sets that a filter holds at first
EARLY, CYCLE = 4096, EVERY * STRETCH  # sets of which all are examined, and later ones, of which a part is
LENGTH = ALL + CYCLE
FEW, MANY = np.array([-2.0, 5.0, 8.0]), np.arange(1.0, 11.0)

Noise = Callable[[np.random.Generator, tuple[int, int]], Floats]


def normal(rng: np.random.Generator, shape: tuple[int, int]) -> Floats:
    return rng.normal(size=shape)


def laplace(rng: np.random.Generator, shape: tuple[int, int]) -> Floats:
    return rng.laplace(scale=0.5**0.5, size=shape)


def skewed(rng: np.random.Generator, shape: tuple[int, int]) -> Floats:
    return rng.exponential(size=shape) - 1.0


def drawn(
    theta: Floats, sd: float, seen: float, rate: float, n: int, noise: Noise = normal
) -> tuple[list[Floats], Floats]:
    """Sets with misses and uniform clutter, and their inputs."""
    rng = np.random.default_rng(0)
    psi, there = rng.normal(size=n), rng.random((n, len(theta))) < seen
    readings = psi[:, None] * theta + sd * noise(rng, there.shape)
    false = [rng.uniform(-10.0, 10.0, size=count) for count in rng.poisson(rate, size=n)]
    return [np.concatenate([readings[k, there[k]], false[k]]) for k in range(n)], psi


def online(theta: Floats, sets: list[Floats], psi: Floats) -> tuple[float, float, str]:
    """Microseconds a set, of a filter that holds its first sets no more, while it examines all of them and later; and its law."""
    f = vieta.SymmetricFilter(len(theta), method="adaptive").partial_fit(sets[:FIRST], psi[:FIRST])
    early = after(f, sets[FIRST : FIRST + EARLY], psi[FIRST : FIRST + EARLY])
    f.partial_fit(sets[FIRST:ALL], psi[FIRST:ALL])
    later = after(f, sets[ALL:], psi[ALL:])
    law = f.estimate().readings
    return early, later, "" if law is None else law.law


def after(f: vieta.SymmetricFilter, sets: list[Floats], psi: Floats) -> float:
    """Microseconds a set, of more sets of a stream; the filter stays as it is."""
    engine, state, _ = f._now()
    rest = f._ordered(f._taken(sets, psi))
    assert engine is not None
    return 1e6 * best(lambda: engine.advance(state, rest), repeats=5) / len(rest)


def complete() -> float:
    """Microseconds a set of the default method, for three systems and complete sets."""
    sets = vieta.simulate(FEW, n=8192, seed=0, inputs=None).sets
    f = vieta.SymmetricFilter(3).partial_fit(sets[:4096])
    return 1e6 * best(lambda: f.partial_fit(sets[4096:]), repeats=5) / 4096


def run() -> Iterator[Result]:
    other = complete()
    for name, noise in (("normal noise", normal), ("Laplace", laplace), ("a learned law", skewed)):
        early, time, law = online(FEW, *drawn(FEW, 1.0, 0.7, 2.0, LENGTH, noise))
        detail = f"law {law}; {time / other:.1f} times a complete set of the default ({other:.2g} us); {early:.2g} us before {ALL:,} sets"
        yield Result(f"adaptive online, L=3, two false, {name}", time, "us/set", detail, most=5.0)
    for name, noise in (("normal noise", normal), ("Laplace", laplace)):
        early, time, law = online(MANY, *drawn(MANY, 0.1, 0.9, 0.5, LENGTH, noise))
        detail = f"law {law}; {early:.3g} us before {ALL:,} sets"
        yield Result(f"adaptive online, L=10 at unit gaps, {name}", time, "us/set", detail, most=60.0)
    sets, psi = drawn(FEW, 1.0, 0.7, 2.0, 2000, laplace)
    seconds = best(lambda: vieta.fit(sets, psi, n_systems=3), repeats=3)
    yield Result("adaptive batch, L=3, two false, 2000 sets", seconds, "s", "Laplace noise, law chosen", most=2.0)
