"""Every kind here has a sentence for both audiences, a severity, and facts that JSON can hold."""

from tests.findings.battery import check_kinds
from vieta.findings import finding
from vieta.findings.filter_kinds import FILTER_KINDS

FACTS = {
    "parameters-changed": {"times": "500", "tracks": False, "largest": 0.3},
    "parameters-wander": {"per_thousand": 0.03},
    "noise-has-memory": {"factor": 1.9, "n_sets": 20_000, "effective": 5400.0},
    "filter-lags": {"factor": 2.2},
    "noise-shared-or-unequal": {"typical": 0.63},
    "rival-at-start": {},
    "unsafe-start": {},
    "contradicted-now": {},
    "start-not-forgotten": {"step": 1e-3, "left": 0.2, "where": "", "n_sets": 100},
    "change-averaged": {"after": 500, "instead": "efficient"},
}


def test_every_kind_passes_the_battery():
    check_kinds(FILTER_KINDS, FACTS)


def test_advice_to_track_is_not_given_to_whoever_tracks():
    assert "drift=" in str(finding("parameters-changed", times="5", tracks=False))
    assert "drift" not in str(finding("parameters-changed", times="5", tracks=True))
