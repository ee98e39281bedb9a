"""The scenarios of the efficiency study, with the ratios that are asked of the weighted estimator."""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from studies.efficiency.unseen_laws import laws
from vieta import scenarios
from vieta.arrays import Floats
from vieta.laws import inputs, noise
from vieta.scenarios import Records, simulate


@dataclass(frozen=True)
class Row:
    """One scenario: how a run's data are made, and the largest ratio allowed in batch and online.

    With `same`, so many runs one after another share their parameters, and the ratio is the median over parameters.
    """

    name: str
    theta: Callable[[int], Floats]
    n: int
    noise: noise.Noise
    inputs: inputs.Inputs
    batch: float
    online: float
    same: int = 0

    def draw(self, seed: int) -> Records:
        """The data of one run."""
        return simulate(self.theta(seed), n=self.n, seed=seed, noise=self.noise, inputs=self.inputs)


def fixed(*theta: object) -> Callable[[int], Floats]:
    """The same parameters in every run."""
    values = np.array(theta, dtype=np.float64)
    return lambda _: values


def random(L: int, D: int, scale: float = 3.0, same: int = 1) -> Callable[[int], Floats]:
    """Parameters drawn anew for each run, or for so many runs, normal with standard deviation `scale`."""
    return lambda seed: scale * np.random.default_rng(seed // same).standard_normal((L, D))


def several(
    name: str, shape: tuple[int, int], variance: float, law: inputs.Inputs, n: int, batch: float, online: float
) -> Row:
    """A row whose parameters are drawn anew after ten runs, normal with standard deviation 2; the median over parameters counts."""
    theta = random(*shape, scale=2.0, same=SAME)
    return Row(f"{name}, median over θ", theta, n, noise.Gaussian(variance), law, batch, online, SAME)


def unseen() -> tuple[Row, ...]:
    """Rows of laws that sieves were not made on: noise of half the gap, of twice the gap, and as large as a gap of three systems.

    They compare methods, and ask nothing of the law-free ones.
    """
    found = []
    for name, law in laws().items():
        for which, theta, sd in (
            ("L=2 (4, 5)", fixed(4, 5), 0.5),
            ("L=2 (4, 5)", fixed(4, 5), 2.0),
            ("L=3", THREE, 3.0),
        ):
            found.append(Row(f"{which}, {name} sd {sd:.2g}", theta, 2000, law.scaled(sd**2), PSI, np.inf, np.inf))
    return tuple(found)


SAME = 10
PSI = inputs.Gaussian()
THREE = fixed(-2, 5, 8)
MATRIX = fixed(*scenarios.get("matrix-inputs").theta)
FOUR = fixed(*scenarios.get("example-4").theta)

ROWS = (
    Row("L=2 (4, 5), Laplace sd 2", fixed(4, 5), 20_000, noise.Laplace(4.0), PSI, 2.7, 3.0),
    Row("L=2 (4, 5), Laplace sd .2", fixed(4, 5), 20_000, noise.Laplace(0.04), PSI, 1.05, 1.15),
    Row("L=3 (-2, 5, 8), Gaussian sd 1", THREE, 20_000, noise.Gaussian(1.0), PSI, 1.10, 1.2),
    Row("L=3, uniform sd 1", THREE, 20_000, noise.Uniform(1.0), PSI, 1.15, 1.3),
    Row("L=3, Student t (5) sd 1", THREE, 20_000, noise.StudentT(1.0), PSI, 1.15, 1.3),
    Row("L=3, skewed sd 1", THREE, 20_000, noise.Skewed(1.0), PSI, 1.15, 1.3),
    Row("L=5 (-3, -1, 0, 2, 5), sd .3", fixed(-3, -1, 0, 2, 5), 5000, noise.Gaussian(0.09), PSI, 1.05, 1.2),
    Row("L=10, unit spacing, sd .1", fixed(*range(10)), 5000, noise.Gaussian(0.01), PSI, 1.05, 1.1),
    Row("L=20, unit spacing, sd .05", fixed(*range(20)), 5000, noise.Gaussian(0.0025), PSI, 1.05, 1.1),
    Row("Example 3 at sd 1", fixed([-2, 6], [4, 5]), 20_000, noise.Gaussian(1.0), inputs.Matrices(), 1.05, 1.1),
    Row("D=3, L=3, general matrices, sd .5", MATRIX, 10_000, noise.Gaussian(0.25), inputs.Matrices(), 1.15, 1.25),
    Row("one number a reading: L=2, D=3, sd 1", random(2, 3), 10_000, noise.Gaussian(1.0), inputs.Rows(), 1.3, 1.4),
    Row("one number: L=3, D=4, sd .5", random(3, 4), 10_000, noise.Gaussian(0.25), inputs.Rows(), 1.15, 1.3),
    Row("one number: L=4, D=4, sd .1", random(4, 4), 10_000, noise.Gaussian(0.01), inputs.Rows(), 1.15, 1.3),
    Row("Example 4 at sd 1", FOUR, 5000, noise.Gaussian(1.0), inputs.Identity(), 1.4, 1.5),
    Row("L=10, unit spacing, sd .3", fixed(*range(10)), 1000, noise.Gaussian(0.09), PSI, 1.15, 1.3),
    Row(
        "constant input, L=5, spacing 1, sd .5",
        fixed(*range(5)),
        5000,
        noise.Gaussian(0.25),
        inputs.Identity(),
        1.3,
        1.8,
    ),
    several("[1, t], L=4, sd .3", (4, 2), 0.09, inputs.Line(step=4e-4), 5000, 1.15, 1.3),
    several("Ψ = I, L=4, p=3, sd 1", (4, 3), 1.0, inputs.Identity(), 2000, 1.45, 1.8),
    several("Ψ = I, L=4, p=3, sd .5", (4, 3), 0.25, inputs.Identity(), 2000, 1.12, 1.2),
    several("Ψ = I, L=6, p=2, sd .5", (6, 2), 0.25, inputs.Identity(), 2000, 1.5, 2.0),
    several("Ψ = I, L=4, p=2, sd 1", (4, 2), 1.0, inputs.Identity(), 2000, 1.9, 2.5),
    *unseen(),
)
