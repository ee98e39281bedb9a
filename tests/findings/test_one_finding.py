"""Findings: facts that JSON can hold, severities in order, and kinds of other versions."""

import json

import numpy as np

from vieta.findings import Finding, at_least, finding


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


def test_a_kind_of_another_version_shows_the_sentence_that_came_with_it():
    assert str(Finding("from-the-future", "note", {"text": "Something new."})) == "Something new."
    assert "does not know" in str(Finding("from-the-future", "note", {}))
