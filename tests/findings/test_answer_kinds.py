"""Every kind here has a sentence for both audiences, a severity, and facts that JSON can hold."""

from tests.findings.battery import check_kinds
from vieta.findings.answer_kinds import ANSWER_KINDS

FACTS = {
    "answers-separated": {"side": "least", "limit": 4.2},
    "answers-separated-by-inputs": {},
    "answers-unbounded": {},
    "scale-readings": {"low": 1.0, "high": 5.0},
    "step-too-fine": {"given": 1.0, "found": 2.0},
    "intervals-short": {"away": 12.0},
    "intervals-widened": {"times": 1.4, "far": 1.6},
    "one-item": {"mean": 0.6},
    "findings-of-first-sets": {"count": 1024},
    "answers-changed": {"noticed": 5000},
    "answers-changed-followed": {"noticed": 5000},
    "answers-dispersed": {"ratio": 1.4, "z": 5.0},
    "link-misfit": {"chi_square": 60.0, "dof": 9},
    "ends-misfit": {"chi_square": 40.0, "dof": 1},
    "scale-not-shared": {"chi_square": 40.0, "dof": 2},
    "scale-too-short": {"share": 0.8},
    "noise-below-step": {"step": 0.5},
    "count-law-wrong": {"phi": 0.5, "p_value": 1e-5},
    "count-law-unchecked": {},
    "rounded-readings": {"step": 1.0, "ratio": 2.2, "bias": 0.01, "growth": 1.2},
    "binary-readings": {},
}


def test_every_kind_passes_the_battery():
    check_kinds(ANSWER_KINDS, FACTS)
