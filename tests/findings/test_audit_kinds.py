"""Every kind here has a sentence for both audiences, a severity, and facts that JSON can hold."""

from tests.findings.battery import check_kinds
from vieta.findings import finding
from vieta.findings.audit_kinds import AUDIT_KINDS

FACTS = {
    "figures-doubtful": {"reason": "not-converged"},
    "noise-pooled": {"unknown": 2, "n_systems": 3},
    "order-names-systems": {"z": 30.0},
    "order-persists": {"z": 30.0},
    "order-follows-rule": {"z": -30.0},
    "column-names-systems": {"column": "flat", "n_systems": 5},
    "law-excludes-records": {"law": "Uniform", "excluded": 3, "looked": 2000},
    "one-system": {},
    "hardly-anonymous": {"right": "90%", "chance": "20%"},
    "judge-single-readings": {"n_systems": 5, "wrong": "90%", "single": "60%"},
    "stands-out": {"systems": "3", "count": 1, "right": "99%", "middle": "66%"},
    "twins-not-told-apart": {"systems": "1 and 2"},
    "twins": {"systems": "1 and 2"},
    "parameters-learned": {"records": 1000},
    "parameters-not-learned": {"records": 1000, "apart": 1.0},
    "about-estimate": {"finding": finding("outliers", share=0.4, robust=False)},
    "shape-not-kept": {"law": "Uniform"},
    "answers-without-noise": {"family": "binary"},
    "added-noise-not-computed": {},
}


def test_every_kind_passes_the_battery():
    check_kinds(AUDIT_KINDS, FACTS)
