"""What was learned of readings beside the parameters: how often systems are seen, false readings, and the law of the noise.

Numbers only, so that a result can hold them and a file can keep them; `vieta.adaptive` makes a model of sets of them again.
"""

from collections.abc import Mapping
from dataclasses import dataclass, fields, replace
from typing import Any, Self

import numpy as np

from vieta.arrays import Floats, Integers

NONE = 1e-6  # false readings a set, up to which none were allowed for
OF_SYSTEMS = ("detection", "detection_stderr", "scale")  # entries that belong to a system each


@dataclass(frozen=True, slots=True, eq=False)
class ReadingModel:
    """Detection, false readings and noise.

    Attributes
    ----------
    detection, detection_stderr : (L,)
        Probability that a system has a reading in a set, and its standard error; zero where no misses were allowed for.
    clutter_rate, clutter_rate_stderr : float
        False readings a set on average.
    law : str
        Name of the law of the noise; "sieve" for a mixture of normals that was learned.
    law_width : float
        Width of the sieve; zero for a law by name.
    law_weights : (J,)
        Its weights.
    scale : (L,)
        Deviations in units of the law.
    shape : (p, p)
        Covariance of the noise over its mean variance.
    clutter_low, clutter_width : (p,)
        Where the bins of the density of false readings begin, and how wide they are.
    clutter_heights : (p, B)
        The density in them.
    """

    detection: Floats
    detection_stderr: Floats
    clutter_rate: float
    clutter_rate_stderr: float
    law: str
    law_width: float
    law_weights: Floats
    scale: Floats
    shape: Floats
    clutter_low: Floats
    clutter_width: Floats
    clutter_heights: Floats

    @property
    def is_of_complete_sets(self) -> bool:
        """Whether neither misses nor false readings were allowed for."""
        return not self.detection_stderr.any() and self.clutter_rate_stderr == 0.0 and self.clutter_rate < NONE

    def reordered(self, order: Integers) -> Self:
        """With the systems in another order."""
        return replace(self, **{name: getattr(self, name)[order] for name in OF_SYSTEMS})

    def to_dict(self) -> dict[str, Any]:
        """Everything, ready for JSON."""
        values = {one.name: getattr(self, one.name) for one in fields(self)}
        return {name: value.tolist() if isinstance(value, np.ndarray) else value for name, value in values.items()}

    @classmethod
    def from_dict(cls, answer: Mapping[str, Any]) -> Self:
        """What `to_dict` wrote; KeyError, TypeError or ValueError if it did not."""
        values: dict[str, Any] = {"law": str(answer["law"])}
        for one in fields(cls):
            if one.name != "law":
                given = np.array(answer[one.name], dtype=np.float64)
                values[one.name] = float(given) if one.type is float else given
        return cls(**values)
