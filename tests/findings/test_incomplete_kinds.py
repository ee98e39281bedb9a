"""Every kind here has a sentence for both audiences, a severity, and facts that JSON can hold."""

from tests.findings.battery import check_kinds
from vieta.findings.incomplete_kinds import INCOMPLETE_KINDS

FACTS = {
    "number-chosen": {"chosen": 3, "second": 4, "margin": 18.0, "tried": "1, 2, 3, 4, 5"},
    "number-unsure": {"chosen": 3, "second": 4, "margin": 2.0, "tried": "1, 2, 3, 4, 5"},
    "rival-optimum": {"behind": 0.3, "rival": "[0, 7]; [2, -1]"},
    "clutter-or-systems": {"n_systems": 3},
    "always-seen": {"n_sets": 500},
    "no-clutter": {"n_sets": 500},
    "hardly-seen": {"systems": "2", "readings": 7.0},
    "system-not-seen": {"systems": "2", "n_sets": 128, "share": 0.01, "usual": 0.7},
    "system-new": {"place": "-7", "seen": 0.7, "margin": 90.0, "n_systems": 3, "more": 4},
    "readings-unexplained": {"count": 4.0, "share": 0.002},
    "misses-not-modelled": {"count": 5.0, "n_sets": 500},
    "sizes-unlikely": {"variance": 4.0, "expected": 2.6, "z": 7.0},
    "system-not-shown": {"system": 2, "margin": -3.0},
    "misses-follow-value": {"z": 7.0},
    "readings-cut-off": {"end": 5.0, "side": "above", "expected": 40.0},
    "curve-missing": {"z": 7.0},
    "noise-follows-input": {"z": 7.0},
    "clutter-follows-input": {"z": 7.0},
    "misses-last": {"z": 7.0},
    "clutter-lasts": {"z": 7.0},
    "noises-together": {"z": 7.5},
    "complete-sets-disagree": {"p": 1e-5},
    "means-misfit": {"n_systems": 3, "p": 1e-9},
    "noise-law-matters": {"apart": 4.2},
    "tails-hidden": {"z": 7.6},
}


def test_every_kind_passes_the_battery():
    check_kinds(INCOMPLETE_KINDS, FACTS)
