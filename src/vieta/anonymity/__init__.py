"""How anonymous unlabeled records are: re-identification, ordering of experiments, the audit.

>>> from vieta import anonymity
>>> round(anonymity.map_error([4, 5], noise=1.0).probability, 4)  # how often the best guess of who is who is wrong
0.2398
"""

from vieta.anonymity.additive import NoiseOrder, noise_dominates
from vieta.anonymity.auditing import Audit, Learned, audit
from vieta.anonymity.blackwell import Blackwell, Decision, blackwell_dominates
from vieta.anonymity.diversity import Diversity, diversity
from vieta.anonymity.map_error import MapError, map_error
from vieta.anonymity.tradeoff import Tradeoff, tradeoff

__all__ = [
    "Audit",
    "Blackwell",
    "Decision",
    "Diversity",
    "Learned",
    "MapError",
    "NoiseOrder",
    "Tradeoff",
    "audit",
    "blackwell_dominates",
    "diversity",
    "map_error",
    "noise_dominates",
    "tradeoff",
]
