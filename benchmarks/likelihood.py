"""Likelihood and anonymity: recursive EM at L = 10, the best guess of fifty labels, and Blackwell's order."""

from collections.abc import Iterator

import numpy as np

import vieta
from benchmarks.timing import Result, best
from vieta.anonymity import blackwell_dominates, map_error
from vieta.laws import noise


def run() -> Iterator[Result]:
    sets = vieta.simulate(np.arange(1.0, 11.0), n=5000, seed=0, noise=noise.Gaussian(0.04)).sets
    f = vieta.SymmetricFilter(10, method="recursive-em").partial_fit(sets[:1000])
    seconds = best(lambda: f.partial_fit(sets[1000:]), repeats=3)
    yield Result("recursive EM, L=10", 4000 / seconds, "sets/s", "exact associations", least=2000.0)
    found = map_error(np.arange(50.0), 0.06)
    seconds = best(lambda: map_error(np.arange(50.0), 0.06), repeats=1)
    detail = f"error {found.probability:.4f} ± {found.mc_error:.4f}"
    yield Result("best guess of the labels of 50 systems", seconds, "s", detail, most=10.0)
    channel, kernel = np.random.default_rng(0).dirichlet(np.ones(20), size=(2, 20))
    seconds = best(lambda: blackwell_dominates(channel, channel @ kernel), repeats=3)
    yield Result("Blackwell dominance of 20 x 20 channels", seconds, "s", "linear programme", most=1.0)
