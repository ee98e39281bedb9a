"""The page of an audit: its words are those of the terminal, and its pictures agree with its tables."""

import base64

import numpy as np
import pytest

from tests.files import samples as files
from tests.report.test_fit_page import Page
from vieta.files.reader import reader
from vieta.report.audit_page import page
from vieta.report.audit_report import audit_records


@pytest.fixture(scope="module")
def audited(tmp_path_factory):
    sets, psi = files.records(300)
    sets[7, 1] = np.nan
    path = files.write(files.long_frame(sets, psi), tmp_path_factory.mktemp("audit") / "a.csv")
    with reader([str(path)], on_bad_set="drop") as source:
        return audit_records((str(path),), source, (0.0, 1.0), lambda _: None)


def test_sentences_keep_their_capitals(audited):
    text = Page(page(audited)).text
    assert "within a record. Who also knows" in text
    assert "The guesser knows the parameters and how" in text
    assert "Predicted for Gaussian noise of this size" in text


def test_what_was_left_out_is_said_as_by_fit(audited):
    assert "left out for a reading that is missing or no finite number: 1" in audited.data_in_words


def test_bars_say_what_the_table_says(audited):
    bars = base64.b64decode(Page(page(audited)).sources[0].split(",")[1]).decode()
    assert "<!-- &gt;99% -->" in bars
    assert bars.count("<!-- 100% -->") == 1  # on the axis alone


def test_a_bound_that_is_not_drawn_is_explained(audited):
    bound = audited.audit.tradeoff.bound
    assert "The least possible error" not in page(audited)
    bound[1] = np.nan
    assert "shown as far as it can be simulated well" in page(audited)
    bound[:] = np.nan
    assert "is not worked out here" in page(audited)
