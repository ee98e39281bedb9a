"""The rows of the study of incomplete sets: systems, noise, how often systems are seen, false readings, and the figure that is asked for."""

from collections.abc import Callable
from dataclasses import dataclass, field, replace

import numpy as np

from vieta.arrays import Floats
from vieta.laws import clutter, detection, inputs, noise
from vieta.scenarios import Records, simulate

SETS, STREAMED = 2000, 6000  # the latter for filters, which hold their first ones
LONG = 10  # systems, from which on a run takes long
BOX = 10.0  # false readings lie evenly between minus and plus this


def logistic(variance: object) -> noise.Density:
    """The logistic law."""
    return noise.Density(lambda v: -abs(v) - 2.0 * np.log1p(np.exp(-abs(v))), variance)  # type: ignore[arg-type]


LAWS: dict[str, Callable[..., noise.Scaled]] = {
    "Gaussian": noise.Gaussian,
    "Laplace": noise.Laplace,
    "Student t (3)": lambda variance: noise.StudentT(variance, df=3.0),
    "skewed": noise.Skewed,
    "logistic": logistic,
}


@dataclass(frozen=True)
class Design:
    """Systems and what befalls their readings.

    Attributes
    ----------
    name : str
    theta : callable
        The parameters (L, D) of a seed.
    sd : float or tuple
        Of the noise; one for each system if they differ.
    seen, rate : float
        Probability of being seen, and false readings a set.
    psi : Inputs
    n : int
        Sets.
    decidable : bool
        Whether the sets can decide; where they cannot, because systems are too close or false readings hide a tail of the noise, a finding
        is asked for, and nothing else.
    """

    name: str
    theta: Callable[[int], Floats]
    sd: float | tuple[float, ...]
    seen: float
    rate: float = 0.0
    psi: inputs.Inputs = field(default_factory=inputs.Gaussian)
    n: int = SETS
    decidable: bool = True


@dataclass(frozen=True)
class Row:
    """A design under a law of noise, the largest ratio to labeled least squares, and what is run: the fit, a filter beside it, or the count."""

    design: Design
    law: str
    target: float = np.inf
    kind: str = "batch"

    @property
    def name(self) -> str:
        """Of the row."""
        return f"{self.design.name}, {self.law}" + ("" if self.kind == "batch" else f", {self.kind}")

    @property
    def noise(self) -> noise.Scaled:
        """The law of the noise."""
        return LAWS[self.law](np.square(self.design.sd))

    @property
    def weight(self) -> int:
        """Of rows that take long, so many times fewer runs are made."""
        return 1 if self.kind == "batch" and len(self.design.theta(0)) < LONG else 3

    def draw(self, seed: int) -> Records:
        """The data of one run."""
        one = self.design
        false = clutter.Uniform(one.rate, -BOX, BOX) if one.rate else clutter.Nothing()
        return simulate(
            one.theta(seed),
            n=one.n,
            seed=seed,
            noise=self.noise,
            inputs=one.psi,
            detection=detection.Independent(one.seen),
            clutter=false,
        )


def fixed(*theta: object) -> Callable[[int], Floats]:
    """The same parameters in every run."""
    values = np.array(theta, dtype=np.float64)
    values = values if values.ndim > 1 else values[:, None]
    return lambda _: values


def random(L: int, D: int, scale: float) -> Callable[[int], Floats]:
    """Parameters drawn anew for each run."""
    return lambda seed: scale * np.random.default_rng(seed).standard_normal((L, D))


def tracks(n: int) -> inputs.Given:
    """Points in the plane that move evenly, t from -1 to 1: (n, 2, 4), place and velocity in each coordinate."""
    row = np.column_stack([np.ones(n), np.linspace(-1.0, 1.0, n)])
    psi = np.zeros((n, 2, 4))
    psi[:, 0, :2] = psi[:, 1, 2:] = row
    return inputs.Given(psi)


TWO, THREE, FIVE = fixed(4, 5), fixed(-2, 5, 8), fixed(-3, -1, 0, 2, 5)
CROSSING = fixed((-3, 4, -3, 3), (0, -5, 2, 1), (2, 1, -1, -4))
NEAR = Design("L=2 (4, 5), sd .5, p=.7", TWO, 0.5, 0.7)
WIDE = Design("L=2 (4, 5), sd 2, p=.7", TWO, 2.0, 0.7)
FINE = Design("L=3 (-2, 5, 8), sd .1, p=.7, two false", THREE, 0.1, 0.7, 2.0)
COARSE = Design("L=3 (-2, 5, 8), sd 1, p=.7, two false", THREE, 1.0, 0.7, 2.0)
MANY = Design("L=5 (-3, -1, 0, 2, 5), sd .5, p=.7", FIVE, 0.5, 0.7)
RARER = Design("L=5 (-3, -1, 0, 2, 5), sd .5, p=.5", FIVE, 0.5, 0.5)
TEN = Design("L=10, unit gaps, sd .1, p=.9, .5 false (n=1,000)", fixed(*range(10)), 0.1, 0.9, 0.5, n=1000)
PLANE = Design("L=3 tracks that cross in the plane, sd .3, p=.8, two false", CROSSING, 0.3, 0.8, 2.0, tracks(SETS))
SEVERAL = Design("L=3, three parameters each, sd .3, p=.7, one false", random(3, 3, 3.0), 0.3, 0.7, 1.0, inputs.Rows())
UNEQUAL = Design("L=3 (-2, 5, 8), sds .2, 1.5, .6, p=.7", THREE, (0.2, 1.5, 0.6), 0.7)
CLUTTERED = Design("L=3 (-2, 5, 8), sd .3, p=.7, ten false", THREE, 0.3, 0.7, 10.0)
HIDDEN = Design("L=3 (-2, 5, 8), sd .3, p=.3, three false", THREE, 0.3, 0.3, 3.0)
LINES = Design(
    "L=3 lines [1, x] that cross, sd .5, p=.7", fixed((-2, 1), (1, -2), (3, 2)), 0.5, 0.7, 0.0, inputs.Affine()
)
DOUBTFUL = replace(LINES, name=f"{LINES.name}, one false", rate=1.0, decidable=False)
CLOSE = Design("L=2 (5, 5.1), sd 1, p=.7", fixed(5, 5.1), 1.0, 0.7, decidable=False)


def of_sets(design: Design, n: int) -> Design:
    """The same with another number of sets."""
    psi = tracks(n) if isinstance(design.psi, inputs.Given) else design.psi
    return replace(design, name=f"{design.name} (n={n:,})", psi=psi, n=n)


def both(design: Design, normal: float, laplace: float) -> tuple[Row, Row]:
    """The rows of normal and of Laplace noise."""
    return Row(design, "Gaussian", normal), Row(design, "Laplace", laplace)


ROWS = (
    *both(NEAR, 1.15, 0.8),
    Row(NEAR, "Student t (3)", 0.7),
    Row(NEAR, "skewed", 0.2),
    Row(NEAR, "logistic", 1.0),
    *both(WIDE, 2.8, 1.5),
    *both(FINE, 1.1, 0.8),
    Row(FINE, "skewed", 0.15),
    *both(COARSE, 1.8, 1.2),
    *both(MANY, 1.2, 0.8),
    *both(RARER, 1.3, 0.8),
    *both(TEN, 1.1, 0.8),
    *both(PLANE, 1.2, 1.0),
    *both(SEVERAL, 1.15, 0.8),
    *both(UNEQUAL, 1.1, 1.2),
    *both(CLUTTERED, 1.6, 1.6),
    *both(HIDDEN, 1.5, 1.5),
    Row(CLOSE, "Gaussian"),
    Row(LINES, "skewed", 1.0),
    Row(DOUBTFUL, "skewed"),
)
ONLINE = tuple(
    Row(of_sets(design, STREAMED), law, kind="online")
    for design in (NEAR, WIDE, FINE, COARSE, MANY, PLANE)
    for law in ("Gaussian", "Laplace")
)
COUNTS = tuple(
    Row(of_sets(design, n), law, kind="count")
    for design, n, law in (
        (NEAR, 500, "Gaussian"),
        (WIDE, 500, "Laplace"),
        (FINE, 500, "Laplace"),
        (COARSE, 500, "Gaussian"),
        (COARSE, 60, "Gaussian"),
        (MANY, 500, "Gaussian"),
        (PLANE, 150, "Gaussian"),
        (HIDDEN, 500, "Gaussian"),
        (HIDDEN, 150, "Gaussian"),
    )
)
EVERY = (*ROWS, *ONLINE, *COUNTS)
