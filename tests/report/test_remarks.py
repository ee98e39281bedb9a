"""Remarks: findings to an audience, the worst first."""

import json

import pytest

from vieta.cli.audience import COMMAND
from vieta.findings import finding
from vieta.report.remarks import Remark, in_words, is_sound, remarks
from vieta.wording import PYTHON

NOTE = finding("parameters-changed", times="7", tracks=False)
CAUTION = finding("outliers", share=0.5, robust=False)
SERIOUS = finding("not-converged")


def test_the_most_severe_come_first_and_others_keep_their_order():
    second = finding("few-sets", n_sets=3, unknowns=9)
    found = remarks([NOTE, CAUTION, SERIOUS, second], PYTHON)
    assert [one.grade for one in found] == ["serious", "caution", "caution", "note"]
    assert found[1] == Remark(str(CAUTION), "caution")
    assert found[2].text == str(second)


def test_each_audience_has_its_words():
    assert "drift= or memory=" in remarks([NOTE], PYTHON)[0].text
    assert "--drift or --memory" in remarks([NOTE], COMMAND)[0].text


@pytest.mark.parametrize(
    ("findings", "sound"), [((), True), ((NOTE,), True), ((NOTE, CAUTION), False), ((SERIOUS,), False)]
)
def test_notes_do_not_count(findings, sound):
    assert is_sound(findings) is sound


def test_json_has_codes_severities_facts_and_words():
    told = json.loads(json.dumps(in_words([CAUTION, NOTE], COMMAND), allow_nan=False))
    first, second = told["findings"]
    assert (first["code"], first["severity"], first["facts"]) == (
        "outliers",
        "caution",
        {"share": 0.5, "robust": False},
    )
    assert first["text"] == CAUTION.say(COMMAND)
    assert told["warnings"] == [first["text"], second["text"]]
