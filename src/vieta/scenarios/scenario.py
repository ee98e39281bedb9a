"""Everything that defines a simulation but its seed."""

from dataclasses import dataclass, field

from vieta.arrays import Floats
from vieta.checks import as_count, as_theta
from vieta.errors import InputError
from vieta.laws.answers import Answers, Number
from vieta.laws.clutter import Clutter, Nothing
from vieta.laws.detection import Complete, Detection
from vieta.laws.inputs import Identity, Inputs
from vieta.laws.labels import Labels, Shuffled
from vieta.laws.motion import Constant, Motion
from vieta.laws.noise import Gaussian, Noise


@dataclass(frozen=True, eq=False)
class Scenario:
    r"""A setting of the model :math:`y_l(k) = \Psi(k)\,\theta_l(k) + v_l(k)`, l = 1, ..., L, seen without labels.

    >>> import numpy as np
    >>> Scenario("pair", "Two numbers.", theta=np.array([1, 2]), noise=Gaussian(0.5)).theta
    array([[1.], [2.]])
    """

    name: str
    """The name to call it by."""
    description: str
    """One line."""
    theta: Floats
    """(L, D), or (L,) for D = 1: the parameters at the first time; kept as (L, D), read-only."""
    noise: Noise = field(default_factory=Gaussian)
    """Law of v."""
    inputs: Inputs = field(default_factory=Identity)
    """Law of Psi."""
    labels: Labels = field(default_factory=Shuffled)
    """Law of the order in which the readings are shown."""
    motion: Motion = field(default_factory=Constant)
    """Law of theta over time."""
    detection: Detection = field(default_factory=Complete)
    """Which systems are seen."""
    clutter: Clutter = field(default_factory=Nothing)
    """False readings."""
    answers: Answers = field(default_factory=Number)
    """What readings are: measurements with noise, or answers."""
    offset: Inputs = field(default_factory=Identity)
    """Law of a known number that is added to every system's predictor; the identity for none."""
    n: int | None = None
    """Number of sets unless another is given."""
    ours: tuple[str, ...] = ()
    """Every setting that the paper does not state and that was filled in here, a sentence each."""

    def __post_init__(self) -> None:
        object.__setattr__(self, "theta", as_theta(self.theta))
        for name in ("noise", "inputs", "labels", "motion", "detection", "clutter", "answers", "offset"):
            law = getattr(self, name)
            if isinstance(law, type) or not callable(getattr(law, "draw", None)):
                raise InputError(
                    "not-a-law",
                    "`{name}` must be a law from vieta.laws.{name}, got {value!r}.",
                    name=name, value=law,
                )  # fmt: skip
        if self.n is not None:
            object.__setattr__(self, "n", as_count(self.n, "n"))
