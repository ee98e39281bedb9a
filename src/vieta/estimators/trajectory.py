"""Parameters along a stream."""

from dataclasses import dataclass

from vieta.arrays import Floats, Integers


@dataclass(frozen=True, slots=True, eq=False)
class Trajectory:
    """Parameters along a stream: after `index` sets, `theta` (n, L, D), and the imaginary parts left out."""

    index: Integers
    theta: Floats
    imaginary: Floats
