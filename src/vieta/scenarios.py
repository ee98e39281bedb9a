"""Scenarios by name: Examples 1 to 4 of the paper, and ours.

>>> names()[:4]
('example-1', 'example-2', 'example-3', 'example-4')
>>> listing()["crowd"]
'Ten numbers one apart, with noise a tenth of the gap.'
>>> get("example-3").ours
('There are 1,000,000 sets; the paper gives no number.', ...)
"""

from vieta.simulation.catalogue import get, listing, names
from vieta.simulation.scenario import Scenario

__all__ = ["Scenario", "get", "listing", "names"]
