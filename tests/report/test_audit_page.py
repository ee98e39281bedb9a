"""The page of an audit: its words are those of the terminal, and its pictures agree with its tables."""

import base64

import numpy as np
import pytest

import vieta
from tests.files import samples as files
from tests.report.cases import Page
from vieta.report.audit_page import page
from vieta.report.audit_report import Audited


@pytest.fixture(scope="module")
def audited():
    found = vieta.anonymity.audit(*files.records(300), added=[0.0, 1.0])
    return Audited(found, ["1"], ["a & <b>.csv: long", "left out for a reason: 1"], "vieta audit 'a & <b>.csv'")


def test_the_page_is_whole_and_says_everything(audited):
    found = Page(page(audited))
    assert found.open == []
    assert len(found.sources) == 2
    for words in (*audited.description, audited.command, *(one.text for one in audited.verdict), "300 records"):
        assert words in found.text
    assert [name for name in found.classes if name in {"note", "caution", "serious"}] == [
        one.grade for one in audited.verdict
    ]


def test_sentences_keep_their_capitals(audited):
    text = Page(page(audited)).text
    assert "within a record. Who also knows" in text
    assert "The guesser knows the parameters and how" in text
    assert "Predicted for Gaussian noise of this size" in text


def test_bars_say_what_the_table_says(audited):
    bars = base64.b64decode(Page(page(audited)).sources[0].split(",")[1]).decode()
    assert "<!-- &gt;99% -->" in bars
    assert bars.count("<!-- 100% -->") == 1  # on the axis alone


def test_a_bound_that_is_not_drawn_is_explained(audited):
    bound = audited.audit.tradeoff.bound
    kept = bound.copy()
    assert "The least possible error" not in page(audited)
    bound[1] = np.nan
    assert "shown as far as it can be simulated well" in page(audited)
    bound[:] = np.nan
    assert "is not worked out here" in page(audited)
    bound[:] = kept
