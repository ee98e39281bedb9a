"""Findings: every kind has a sentence for both audiences, a severity, and facts that JSON can hold."""

import json
import re
import string

import numpy as np
import pytest

from vieta.findings import KINDS, SEVERITIES, Finding, at_least, finding, sentences
from vieta.wording import Audience

SHELL = Audience(
    lambda name, value: f"--{name} {value}".rstrip(),
    lambda name: f"--{name}",
    {"fit": "vieta fit", "filter": "vieta watch"},
    lambda name: True,
)
# Facts for every kind: what its sentence needs, as the estimators give them.
FACTS = {
    "few-sets": {"n_sets": 3, "unknowns": 6},
    "few-sets-for-coefficients": {"n_sets": 3, "unknowns": 6},
    "noise-unknown": {"n_sets": 1},
    "errors-unknown": {"n_sets": 6, "numbers": 14},
    "systems-coincide": {"pairs": "1 and 2", "others": 3},
    "complex-pair": {"systems": "1, 2"},
    "agents-complex": {"agents": 3, "of": 20},
    "covariance-not-computed": {"coefficients": 500, "most": 400},
    "covariance-singular": {},
    "number-chosen": {"chosen": 3, "second": 4, "margin": 18.0, "tried": "1, 2, 3, 4, 5"},
    "number-unsure": {"chosen": 3, "second": 4, "margin": 2.0, "tried": "1, 2, 3, 4, 5"},
    "rival-optimum": {"behind": 0.3, "rival": "[0, 7]; [2, -1]"},
    "clutter-or-systems": {"n_systems": 3},
    "always-seen": {"n_sets": 500},
    "no-clutter": {"n_sets": 500},
    "hardly-seen": {"systems": "2", "readings": 7.0},
    "system-new": {"place": "-7", "seen": 0.7, "margin": 90.0, "n_systems": 3, "more": 4},
    "system-not-seen": {"systems": "2", "n_sets": 128, "share": 0.01, "usual": 0.7},
    "readings-unexplained": {"count": 4.0, "share": 0.002},
    "misses-not-modelled": {"count": 5.0, "n_sets": 500},
    "sizes-unlikely": {"variance": 4.0, "expected": 2.6, "z": 7.0},
    "system-not-shown": {"system": 2, "margin": -3.0},
    "misses-follow-value": {"z": 7.0},
    "clutter-follows-input": {"z": 7.0},
    "misses-last": {"z": 7.0},
    "clutter-lasts": {"z": 7.0},
    "noises-together": {"z": 7.5},
    "complete-sets-disagree": {"p": 1e-5},
    "noise-law-matters": {"apart": 4.2},
    "tails-hidden": {"z": 7.6},
    "not-converged": {},
    "rival-solution": {"behind": 0.3, "rival": "[0, 7]; [2, -1]"},
    "readings-assigned": {"n_sets": 12},
    "assignment-unsure": {"systems": "1, 2", "share": 0.2, "n_sets": 12},
    "not-certified": {"residual": 2.4},
    "barely-separated": {"apart": 4.0, "reliable": 6.0, "times": 4.0},
    "not-separated": {"apart": 1.0, "enough": 3.0, "times": 64.0},
    "weak-inputs": {"dim": 2, "times": 1e6},
    "outliers": {"share": 0.4, "growth": 1.6, "robust": False},
    "uneven-noise": {"typical": 0.1, "robust": True},
    "change-in-batch": {"after": 500, "n_sets": 1000},
    "dependent-noise": {"z": 9.0},
    "answers-separated": {"side": "least", "limit": 4.2},
    "answers-separated-by-inputs": {},
    "intervals-short": {"drop": 0.9, "expected": 3.1},
    "one-item": {"mean": 0.6},
    "answers-without-noise": {"family": "binary"},
    "noise-below-step": {"step": 0.5},
    "step-too-fine": {"given": 1.0, "found": 2.0},
    "answers-unbounded": {},
    "scale-not-shared": {"chi_square": 40.0, "dof": 2},
    "scale-readings": {"low": 1.0, "high": 5.0},
    "ends-misfit": {"chi_square": 40.0, "dof": 8},
    "scale-too-short": {"share": 0.8},
    "findings-of-first-sets": {"count": 1024},
    "answers-changed": {"noticed": 5000},
    "answers-changed-followed": {"noticed": 5000},
    "answers-dispersed": {"ratio": 1.4, "z": 5.0},
    "link-misfit": {"chi_square": 60.0, "dof": 9},
    "count-law-wrong": {"phi": 0.5, "p_value": 1e-5},
    "count-law-unchecked": {},
    "rounded-readings": {"step": 1.0, "ratio": 2.2, "bias": 0.01, "growth": 1.2},
    "binary-readings": {},
    "common-shock": {"sd": 0.4, "correlation": 0.3, "noise": 0.6, "z": 9.0},
    "shock-not-common": {},
    "shock-unknowable": {},
    "input-errors": {"column": 2, "z": 5.0},
    "noise-depends-on-input": {"z": -7.0},
    "readings-repeated": {"share": 0.05},
    "sets-repeated": {"share": 0.5},
    "inputs-shifted": {"by": 1, "side": "before", "z": 9.0},
    "inputs-explain-nothing": {"p": 0.4},
    "model-misfit": {"n_systems": 3, "typical": 5.0},
    "few-sets-carry": {"carrying": 2.4, "n_sets": 500},
    "memory": {"factor": 2.1, "effective": 113.0, "n_sets": 500},
    "idle-system": {"n_systems": 3, "fewer": 2, "times": 4.0},
    "parameters-changed": {"times": "500", "tracks": False, "largest": 0.3},
    "parameters-wander": {"per_thousand": 0.03},
    "filter-lags": {"factor": 2.2},
    "noise-has-memory": {"factor": 1.9, "n_sets": 20_000, "effective": 5400.0},
    "noise-shared-or-unequal": {"typical": 0.63},
    "rival-at-start": {},
    "unsafe-start": {},
    "contradicted-now": {},
    "start-not-forgotten": {"step": 1e-3, "left": 0.2, "where": "", "n_sets": 100},
    "change-averaged": {"after": 500, "instead": "efficient"},
    "law-contradicted": {"law": "Gaussian", "sd": 1.0, "p_value": 1e-5, "instead": "efficient"},
    "noise-size": {"ratio": 20.0},
    "prior-doubtful": {},
    "em-not-converged": {"iterations": 500, "instead": "one-step"},
    "em-halted": {"iterations": 12, "instead": "efficient"},
    "sets-left-out": {"left": 10, "n_sets": 12, "fewer": 9, "more": 1, "size": 50},
    "systems-counted": {"size": 50, "count": 2, "n_sets": 12, "usual": 49, "times": 5},
    "quote-not-closed": {"lines": 3},
    "uneven-steps": {"least": "28", "greatest": "61", "unit": "day"},
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
    "figures-doubtful": {"reason": "not-converged"},
    "noise-pooled": {"unknown": 2, "n_systems": 3},
    "about-estimate": {"finding": finding("outliers", share=0.4, robust=False)},
    "added-noise-not-computed": {},
    "shape-not-kept": {"law": "Uniform"},
    "kernels-temporary": {"path": "/tmp/vieta-1000", "variable": "NUMBA_CACHE_DIR"},
    "kernels-not-kept": {"variable": "NUMBA_CACHE_DIR"},
    "kernels-not-compiled": {"missing": 3, "known": 30},
    "packages-missing": {"packages": "polars", "requirement": "vieta[app]"},
    "no-temporary-folder": {},
    "narrow-encoding": {"encoding": "ascii"},
}


def test_no_kind_is_left_out():
    assert set(FACTS) == set(KINDS)


@pytest.mark.parametrize("code", KINDS)
def test_every_kind_says_something_to_both_audiences(code):
    found = finding(code, **FACTS[code])
    assert found.severity in SEVERITIES
    for text in (str(found), found.say(SHELL)):
        assert text[0].isupper() or text[0].isdigit()
        assert text.endswith(".")
        assert "{" not in text
    assert not re.search(r"(?<!\w)--\w", str(found))
    assert not re.search(r"\b(memory|drift|robust|step|law|noise_var|prior|method)=", found.say(SHELL))
    assert KINDS[code].when.endswith(".")


@pytest.mark.parametrize("code", KINDS)
def test_facts_go_into_json_and_are_all_used(code):
    found = finding(code, **FACTS[code])
    again = json.loads(json.dumps(found.to_dict(), allow_nan=False))
    assert (again["code"], again["severity"], again["text"]) == (code, found.severity, str(found))
    text = KINDS[code].text
    template = text(FACTS[code]) if callable(text) else text
    used = {name for _, name, _, _ in string.Formatter().parse(template) if name}
    decides = {"robust", "times", "tracks", "count"}  # facts that choose the sentence rather than stand in it
    assert set(FACTS[code]) - decides <= used


def test_numbers_that_json_does_not_have_become_null():
    found = Finding("dependent-noise", "serious", {"z": np.float64("nan"), "at": np.arange(2)})
    assert json.loads(json.dumps(found.to_dict()["facts"], allow_nan=False)) == {"z": None, "at": [0, 1]}


def test_severities_are_ordered():
    some = [
        finding("parameters-changed", times="5", tracks=True),
        finding("few-sets", n_sets=1, unknowns=1),
        finding("not-converged"),
    ]
    assert [one.code for one in at_least(some, "note")] == ["parameters-changed", "few-sets", "not-converged"]
    assert [one.code for one in at_least(some, "caution")] == ["few-sets", "not-converged"]
    assert [one.code for one in at_least(some, "serious")] == ["not-converged"]


def test_the_severity_can_be_raised_for_one_finding():
    assert finding("few-sets", "serious", n_sets=1, unknowns=2).severity == "serious"


def test_advice_to_track_is_not_given_to_whoever_tracks():
    assert "drift=" in str(finding("parameters-changed", times="5", tracks=False))
    assert "drift" not in str(finding("parameters-changed", times="5", tracks=True))
    assert sentences([finding("outliers", share=0.5, robust=False)], SHELL)[0].endswith(
        "Use --robust to bound their influence."
    )


def test_a_kind_of_another_version_shows_the_sentence_that_came_with_it():
    assert str(Finding("from-the-future", "note", {"text": "Something new."})) == "Something new."
    assert "does not know" in str(Finding("from-the-future", "note", {}))


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
    assert "and 3 more pairs lie" in str(finding("systems-coincide", pairs="1 and 2", others=3))
