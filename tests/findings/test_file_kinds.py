"""Every kind here has a sentence for both audiences, a severity, and facts that JSON can hold."""

from tests.findings.battery import check_kinds
from vieta.findings.file_kinds import FILE_KINDS

FACTS = {
    "sets-left-out": {"left": 10, "n_sets": 12, "fewer": 9, "more": 1, "size": 50},
    "systems-counted": {"size": 50, "count": 2, "n_sets": 12, "usual": 49, "times": 5},
    "quote-not-closed": {"lines": 3},
    "uneven-steps": {"least": "28", "greatest": "61", "unit": "day"},
}


def test_every_kind_passes_the_battery():
    check_kinds(FILE_KINDS, FACTS)
