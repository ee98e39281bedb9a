"""Scenarios by name, Examples 1 to 4 of the paper and ours, and the records that are drawn from them.

>>> names()[:4]
('example-1', 'example-2', 'example-3', 'example-4')
>>> listing()["crowd"]
'Ten numbers one apart, with noise a tenth of the gap.'
>>> get("example-3").ours
('There are 1,000,000 sets; the paper gives no number.', ...)
"""

from vieta.scenarios.catalogue import get, listing, names
from vieta.scenarios.draw import simulate
from vieta.scenarios.records import Records
from vieta.scenarios.scenario import Scenario

__all__ = ["Records", "Scenario", "get", "listing", "names", "simulate"]
