"""The paper's own means, and what the symmetric method is compared with: the oracle that has the labels, and ways without the algebra.

EM is no baseline here: it is a method of `vieta.fit`.
"""

from vieta.paper.direct_gradient import direct_gradient
from vieta.paper.labeled import LabeledFit, labeled_least_squares, labeled_lms
from vieta.paper.landscape import Objective, StationaryPoint, direct_objective, gaussian_moments, stationary_point
from vieta.paper.lemma1 import lemma1, lemma1_printed
from vieta.paper.naive_lms import naive_lms
from vieta.paper.naive_transform import naive
from vieta.paper.path import Path
from vieta.paper.recursive_em_path import recursive_em
from vieta.paper.unordered import unordered_lms

__all__ = [
    "LabeledFit",
    "Objective",
    "Path",
    "StationaryPoint",
    "direct_gradient",
    "direct_objective",
    "gaussian_moments",
    "labeled_least_squares",
    "labeled_lms",
    "lemma1",
    "lemma1_printed",
    "naive",
    "naive_lms",
    "recursive_em",
    "stationary_point",
    "unordered_lms",
]
