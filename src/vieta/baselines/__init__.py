"""What the symmetric method is compared with: the oracle that has the labels, and ways that do without the algebra."""

from vieta.baselines.direct_gradient import direct_gradient
from vieta.baselines.labeled import LabeledFit, labeled_least_squares, labeled_lms
from vieta.baselines.landscape import (
    Objective,
    StationaryPoint,
    direct_objective,
    gaussian_moments,
    stationary_point,
)
from vieta.baselines.naive_lms import naive_lms
from vieta.baselines.path import Path
from vieta.baselines.recursive_em import recursive_em
from vieta.baselines.unordered import unordered_lms
from vieta.likelihood import em

__all__ = [
    "LabeledFit",
    "Objective",
    "Path",
    "StationaryPoint",
    "direct_gradient",
    "direct_objective",
    "em",
    "gaussian_moments",
    "labeled_least_squares",
    "labeled_lms",
    "naive_lms",
    "recursive_em",
    "stationary_point",
    "unordered_lms",
]
