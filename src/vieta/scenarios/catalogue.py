"""The named scenarios: Examples 1 to 4 of the paper, and a handful of others."""

from difflib import get_close_matches

import numpy as np

from vieta.errors import InputError
from vieta.laws import clutter, detection, inputs, motion, noise
from vieta.scenarios.scenario import Scenario

_UNIFORM_ORDER = "The order within a set is drawn independently and uniformly from all permutations."
_ALL_OURS = ("This scenario is not in the paper: every setting is ours.",)

_CATALOGUE = (
    Scenario(
        name="example-1",
        description="Example 1 of the paper: three numbers, Gaussian input, little noise.",
        theta=np.array((-2, 5, 8)),
        noise=noise.Gaussian(0.01**2),
        inputs=inputs.Gaussian(),
        n=200_000,
        ours=(_UNIFORM_ORDER,),
    ),
    Scenario(
        name="example-2",
        description="Example 2 of the paper: two close numbers in Laplace noise, which jump after set 300,000.",
        theta=np.array((4, 5)),
        noise=noise.Laplace(2.0**2),
        inputs=inputs.Gaussian(),
        motion=motion.Jump(at=300_000, to=(1, 3)),
        n=600_000,
        ours=(
            "The input is a standard normal number per time; the paper names none for this example.",
            "There are 300,000 sets after the jump, 600,000 in all; the paper gives no end.",
            _UNIFORM_ORDER,
        ),
    ),
    Scenario(
        name="example-3",
        description="Example 3 of the paper: two vectors in the plane seen through Gaussian 2 x 2 matrices.",
        theta=np.array(((-2, 6), (4, 5))),
        noise=noise.Gaussian(0.1**2),
        inputs=inputs.Matrices(rows=2),
        n=1_000_000,
        ours=("There are 1,000,000 sets; the paper gives no number.", _UNIFORM_ORDER),
    ),
    Scenario(
        name="example-4",
        description="Example 4 of the paper: four vectors of dimension ten, seen directly.",
        theta=np.array(
            (
                (1, 3, 4, 5, 7, 9, 10, 11, 12, 13),
                (2, 4, 5, 10, 8, 7, 1, 8, 9, 10),
                (3, 1, 2, 7, 6, 5, 4, 5, 7, 9),
                (6, 12, 18, 24, 36, 43, 50, 10, 1, 3),
            )
        ),
        noise=noise.Gaussian(0.1**2),
        n=50_000,
        ours=(
            "The noise is Gaussian with standard deviation 0.1; the paper states neither law nor size.",
            "The input is the identity of size 10; the paper prints size 3, which does not fit.",
            _UNIFORM_ORDER,
        ),
    ),
    Scenario(
        name="lines",
        description="Three targets on a line at constant velocity, whose paths cross.",
        theta=np.array(((0, 1), (4, -0.5), (10, -1))),
        noise=noise.Gaussian(0.2**2),
        inputs=inputs.Line(step=0.01),
        n=2_000,
        ours=_ALL_OURS,
    ),
    Scenario(
        name="regressions",
        description="Two linear regressions on three variables with scalar readings.",
        theta=np.array(((1, -2, 0.5), (2, 1, -1))),
        noise=noise.Gaussian(0.5**2),
        inputs=inputs.Rows(),
        n=20_000,
        ours=_ALL_OURS,
    ),
    Scenario(
        name="crowd",
        description="Ten numbers one apart, with noise a tenth of the gap.",
        theta=np.linspace(-4.5, 4.5, 10),
        noise=noise.Gaussian(0.1**2),
        n=100_000,
        ours=_ALL_OURS,
    ),
    Scenario(
        name="matrix-inputs",
        description="Three vectors in space seen through Gaussian 3 x 3 matrices.",
        theta=np.array(((-1, 2, 0.5), (0, -1, 3), (2, 1, -2))),
        noise=noise.Gaussian(0.5**2),
        inputs=inputs.Matrices(),
        n=100_000,
        ours=_ALL_OURS,
    ),
    Scenario(
        name="switching",
        description="Two numbers that switch between three pairs by a slow Markov chain.",
        theta=np.array((1, 3)),
        noise=noise.Gaussian(0.5**2),
        motion=motion.Switching(
            others=((4, 5), (-2, 0)),
            generator=((-1, 0.5, 0.5), (0.5, -1, 0.5), (0.5, 0.5, -1)),
            rate=1e-4,
        ),
        n=100_000,
        ours=_ALL_OURS,
    ),
    Scenario(
        name="heavy-tails",
        description="Three numbers in Student-t noise with five degrees of freedom.",
        theta=np.array((-2, 0, 3)),
        noise=noise.StudentT(variance=1.0, df=5),
        n=100_000,
        ours=_ALL_OURS,
    ),
    Scenario(
        name="radar-like",
        description="Three crossing lines, each seen nine times out of ten, among two false alarms a set.",
        theta=np.array(((0, 1), (4, -0.5), (10, -1))),
        noise=noise.Gaussian(0.2**2),
        inputs=inputs.Affine(inputs.Uniform(0.0, 10.0)),
        detection=detection.Independent(0.9),
        clutter=clutter.Uniform(2.0, -2.0, 12.0),
        n=2_000,
        ours=_ALL_OURS,
    ),
    Scenario(
        name="silent-meters",
        description="Four meters that follow the cold, each silent for five hours at a time now and then.",
        theta=np.array(((0.3, 0.02), (0.5, 0.09), (0.9, 0.05), (1.6, 0.12))),
        noise=noise.Gaussian(0.12**2),
        inputs=inputs.Affine(inputs.Uniform(0.0, 20.0)),
        detection=detection.Bursts((0.95, 0.9, 0.8, 0.95), length=5.0),
        n=4_000,
        ours=_ALL_OURS,
    ),
)

_BY_NAME = {scenario.name: scenario for scenario in _CATALOGUE}


def names() -> tuple[str, ...]:
    """Names of the scenarios, the paper's examples first."""
    return tuple(_BY_NAME)


def listing() -> dict[str, str]:
    """Every name with its one-line description."""
    return {scenario.name: scenario.description for scenario in _CATALOGUE}


def get(name: str) -> Scenario:
    """The scenario of that name.

    >>> get("example-1").n
    200000
    >>> get("exampel-1")
    Traceback (most recent call last):
    ...
    vieta.errors.InputError: There is no scenario 'exampel-1'. Near it: 'example-1', ... All of them: 'example-1', ...
    """
    if name in _BY_NAME:
        return _BY_NAME[name]
    near = get_close_matches(str(name).lower(), _BY_NAME, n=3)
    raise InputError(
        "unknown-scenario",
        "There is no scenario {scenario!r}." + (" Near it: {near}." if near else "") + " All of them: {known}.",
        scenario=name, near=_quoted(near), known=_quoted(names()),
    )  # fmt: skip


def _quoted(words: list[str] | tuple[str, ...]) -> str:
    return ", ".join(repr(word) for word in words)
