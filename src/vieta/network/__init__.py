r"""Learning in a network: agents that each see their own sets and exchange symmetric coefficients, which need no labels.

>>> from vieta import network
>>> weights = network.metropolis(network.star(4))
>>> weights.sum(axis=0).round(12), weights.sum(axis=1).round(12)
(array([1., 1., 1., 1.]), array([1., 1., 1., 1.]))
"""

from vieta.network.combination import metropolis
from vieta.network.diffusion import AgentEstimates, Diffusion, NetworkState
from vieta.network.eavesdropper import Overheard, overheard
from vieta.network.mean_square import NetworkErrors, mean_square_error
from vieta.network.topologies import complete, grid, random_geometric, random_links, ring, star

__all__ = [
    "AgentEstimates",
    "Diffusion",
    "NetworkErrors",
    "NetworkState",
    "Overheard",
    "complete",
    "grid",
    "mean_square_error",
    "metropolis",
    "overheard",
    "random_geometric",
    "random_links",
    "ring",
    "star",
]
