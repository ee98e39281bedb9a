"""A package with methods of its own, as somebody else would ship it: a wheel with entry points, installed by pip into a folder."""

import subprocess
import sys
import zipfile

SOURCE = '''
"""Systems in ascending order: the mean of the l-th smallest reading. Biased, and good enough to be a toy."""

from dataclasses import dataclass

import numpy as np

from vieta.engine import Engine
from vieta.method.base import Method
from vieta.options import Options, option
from vieta.solution import Solution


@dataclass(frozen=True, eq=False)
class SortedMeanOptions(Options):
    shift: float = option(0.0, "A number that is added to every parameter.", "number", "NUMBER")


@dataclass(frozen=True)
class State:
    count: int
    total: np.ndarray
    squares: np.ndarray


@dataclass(frozen=True)
class SortedMeanEngine(Engine):
    n_systems: int
    shift: float

    def init(self):
        return State(0, np.zeros(self.n_systems), np.zeros(self.n_systems))

    def advance(self, state, data):
        total, squares = state.total.copy(), state.squares.copy()
        for row in np.sort(data.sets[:, :, 0], axis=1):
            total += row
            squares += row**2
        return State(state.count + len(data), total, squares)

    def point(self, state):
        return state.total / state.count + self.shift

    @property
    def estimate_shape(self):
        return self.n_systems, 1

    def estimate(self, state):
        mean = state.total / state.count
        variance = np.maximum(state.squares / state.count - mean**2, 0.0)
        theta = (mean + self.shift)[:, None]
        return Solution(theta, np.diag(variance / state.count), np.array([[variance.mean()]]), state.count)


class SortedMean(Method):
    name = "sorted-mean"
    line = "The mean of the l-th smallest reading."
    Options = SortedMeanOptions

    def engine(self, like, options):
        return SortedMeanEngine(like.n_systems, options.shift)


class WrongShape(SortedMean):
    name = "wrong-shape"
    line = "Returns one parameter too few."

    def fit(self, passes, options):
        found = super().fit(passes, options)
        return Solution(found.theta[1:], found.cov[1:, 1:], found.noise, found.n_sets)


class Raises(SortedMean):
    name = "raises"
    line = "Raises an exception of its own."

    def engine(self, like, options):
        raise ZeroDivisionError("there is a bug in here")


class Shadow(SortedMean):
    name = "efficient"
    line = "Has the name of a method that is there already."
'''

ENTRY_POINTS = """[vieta.methods]
sorted-mean = vieta_toy:SortedMean
wrong-shape = vieta_toy:WrongShape
raises = vieta_toy:Raises
shadow = vieta_toy:Shadow
missing = vieta_toy:NoSuchThing
"""


def install(folder):
    """Install the package into `folder`, and return it: a path to put before others."""
    wheel = folder / "vieta_toy-1.0-py3-none-any.whl"
    info = "vieta_toy-1.0.dist-info"
    with zipfile.ZipFile(wheel, "w") as archive:
        archive.writestr("vieta_toy.py", SOURCE)
        archive.writestr(f"{info}/METADATA", "Metadata-Version: 2.1\nName: vieta-toy\nVersion: 1.0\n")
        archive.writestr(
            f"{info}/WHEEL", "Wheel-Version: 1.0\nGenerator: test\nRoot-Is-Purelib: true\nTag: py3-none-any\n"
        )
        archive.writestr(f"{info}/entry_points.txt", ENTRY_POINTS)
        archive.writestr(f"{info}/RECORD", "")
    target = folder / "site"
    words = [
        "-m",
        "pip",
        "install",
        "--quiet",
        "--no-index",
        "--no-deps",
        "--disable-pip-version-check",
        "--target",
        target,
        wheel,
    ]
    subprocess.run([sys.executable, *words], check=True, capture_output=True)
    return target
