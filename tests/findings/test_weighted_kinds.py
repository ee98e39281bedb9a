"""Every kind here has a sentence for both audiences, a severity, and facts that JSON can hold."""

from tests.findings.battery import SHELL, check_kinds
from vieta.findings import finding
from vieta.findings.weighted_kinds import WEIGHTED_KINDS

FACTS = {
    "not-converged": {},
    "rival-solution": {"behind": 0.3, "rival": "[0, 7]; [2, -1]"},
    "readings-assigned": {"n_sets": 12},
    "assignment-unsure": {"systems": "1, 2", "share": 0.2, "n_sets": 12},
    "not-certified": {"residual": 2.4},
    "search-unsure": {},
    "barely-separated": {"apart": 4.0, "reliable": 6.0, "times": 4.0},
    "not-separated": {"apart": 1.0, "enough": 3.0, "times": 64.0},
    "weak-inputs": {"dim": 2, "times": 1e6},
    "readings-far": {"times": 1e5, "center": "(1e+09, 2)"},
    "outliers": {"share": 0.4, "growth": 1.6, "robust": False},
    "uneven-noise": {"typical": 0.1, "robust": True},
    "few-sets-carry": {"carrying": 2.4, "n_sets": 500},
    "memory": {"factor": 2.1, "effective": 113.0, "n_sets": 500},
    "change-in-batch": {"after": 500, "n_sets": 1000},
    "dependent-noise": {"z": 9.0},
    "common-shock": {"sd": 0.4, "correlation": 0.3, "noise": 0.6, "z": 9.0},
    "shock-not-common": {},
    "shock-unknowable": {},
    "input-errors": {"column": 2, "z": 5.0},
    "constant-missing": {"size": -1.5, "z": 9.0},
    "noise-depends-on-input": {"z": -7.0},
    "readings-repeated": {"share": 0.05},
    "sets-repeated": {"share": 0.5},
    "inputs-shifted": {"by": 1, "side": "before", "z": 9.0},
    "inputs-explain-nothing": {"p": 0.4},
    "model-misfit": {"n_systems": 3, "typical": 5.0},
    "idle-system": {"n_systems": 3, "fewer": 2, "times": 4.0},
}


def test_every_kind_passes_the_battery():
    check_kinds(WEIGHTED_KINDS, FACTS)


def test_more_sets_are_not_asked_for_where_they_do_not_remove_a_bias():
    facts = {"apart": 1.0, "enough": 3.0, "times": 64.0}
    assert "About 64 times as many sets" in str(finding("not-separated", **facts))
    text = str(finding("not-separated", **facts, biased="dependent-noise"))
    assert "64" not in text
    assert "Too few sets" not in text
    assert text.endswith("they do not remove a bias (dependent-noise).")


def test_what_is_not_known_is_not_claimed():
    idle = finding("idle-system", n_systems=3, fewer=2, times=4.0)
    assert idle.severity == "note"
    assert "could also be false readings" in str(idle)
    assert "times as large" in str(finding("outliers", share=0.4, growth=1.6, robust=False))
    assert "times as large" not in str(finding("outliers", share=0.4, robust=False))


def test_advice_to_bound_influence_names_the_flag_of_the_audience():
    text = finding("outliers", share=0.5, robust=False).say(SHELL)
    assert text.endswith("Use --robust to bound their influence.")
