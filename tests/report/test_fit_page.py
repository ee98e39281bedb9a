"""The page: whole in itself, the same for the same data, and with everything on it."""

import base64
import re

import numpy as np
import pytest

import vieta
from tests.files import samples as files
from tests.report.cases import Page, answered
from vieta.laws import noise
from vieta.report.fit_page import page

SETS, PSI = files.records(300)
TRUTH = np.array([[1.0], [3.0], [5.0]])


@pytest.mark.parametrize("method", ["efficient", "rls", "least-squares"])
def test_the_page_is_whole_in_itself(method):
    text = page(answered(SETS, PSI, method))
    found = Page(text)
    assert found.open == []
    assert len(found.sources) >= 3
    assert all(source.startswith("data:image/svg+xml;base64,") for source in found.sources)
    outside = re.sub(r'src="data:[^"]*"', "", text)
    assert "http" not in outside
    assert "url(" not in outside
    assert base64.b64decode(found.sources[0].split(",")[1]).startswith(b"<?xml")


def test_the_page_says_everything():
    answer = answered(SETS, PSI)
    text = Page(page(answer)).text
    for words in (*(one.text for one in answer.verdict), *answer.description, answer.command, answer.noise_sd):
        assert words in text
    for row in (answer.table.header, *answer.table.rows):
        assert all(cell in text for cell in row)


def test_the_same_data_give_the_same_page():
    assert page(answered(SETS, PSI)) == page(answered(SETS, PSI))


def test_a_path_that_ends_elsewhere_says_so():
    words = "The path is that of the filter, which ends near, not at, the estimate from all sets."
    sets, psi = files.records(600)
    assert words in Page(page(answered(sets, psi, "efficient"))).text
    for method in ("rls", "least-squares"):
        assert words not in Page(page(answered(sets, psi, method))).text


@pytest.mark.parametrize(
    ("method", "words"),
    [
        ("rls", "The estimate of the filter rls after so many sets."),
        (
            "efficient",
            "sets, what the method efficient makes of all of them so far; from there its filter, set by set.",
        ),
        ("least-squares", "What the method least-squares makes of the first sets, of more of them, and of all."),
    ],
)
def test_what_the_path_is_of(method, words):
    assert words in Page(page(answered(SETS, PSI, method))).text


def test_sets_that_are_not_kept_have_no_path_and_are_shown_by_the_first():
    answer = answered(SETS, PSI)
    text = Page(page(answered(SETS, PSI, sample=answer.sample.part(0, 100), path=None))).text
    assert "How the estimate settled is not shown" in text
    assert "Of the first 100 sets." in text
    assert "The readings of 100 of the 300 sets" in text
    text = Page(page(answered(SETS, PSI, sample=None, path=None))).text
    assert "Residuals" not in text
    assert "Readings and systems" not in text


def test_vectors_have_residuals_for_each_number():
    found = Page(page(answered(*files.vectors(200), "rls")))
    assert "reading 1" in found.text
    assert "reading 2" in found.text
    assert "Readings and systems" not in found.text


def test_few_sets_give_a_page_without_a_path():
    text = page(answered(SETS[:3], PSI[:3], "least-squares", path=None))
    assert "How the estimate settled is not shown" in text
    assert "no test is possible" in text


def test_a_line_with_an_intercept_is_drawn_over_its_input():
    rows = np.column_stack([np.ones(300), PSI])
    answer = answered(SETS, rows, "least-squares", names=["intercept", "dose"], input_names=["dose"])
    found = Page(page(answer))
    drawn = [base64.b64decode(source.split(",")[1]).decode() for source in found.sources]
    assert "Readings and systems" in found.text
    assert sum("<!-- dose -->" in picture for picture in drawn) == 3  # the plane, the readings, the residuals


def test_findings_have_the_class_of_their_severity():
    records = vieta.simulate((4.0, 5.0), n=300, seed=0, noise=noise.Gaussian(3.0))
    answer = answered(records.sets, np.ones(300), truth=np.array([[4.0], [5.0]]))
    found = Page(page(answer))
    shown = [name for name in found.classes if name in {"fine", "note", "caution", "serious"}]
    assert shown == [one.grade for one in answer.verdict]
    assert "are to hold the truth, if the findings let them," in found.text
    assert "a few more of them, and of all" not in found.text


def test_the_page_says_that_the_truth_is_shown():
    text = Page(page(answered(SETS, PSI, truth=TRUTH))).text
    assert "Crosses: the truth." in text
    assert text.lower().count("dashed: the truth.") == 2


def test_readings_that_are_left_out_of_the_picture_are_counted():
    assert "The readings of 1,000 of the 1,200 sets as a dot" in page(answered(*files.records(1200), "least-squares"))
    assert "Every reading as a dot" in page(answered(SETS, PSI, "least-squares"))


def test_readings_without_inputs_are_drawn_over_time():
    sets = np.array([1.0, 4.0]) + 0.1 * np.random.default_rng(0).standard_normal((50, 2))
    drawn = Page(page(answered(sets, None, "least-squares"))).sources[1]
    assert "<!-- set -->" in base64.b64decode(drawn.split(",")[1]).decode()


def test_parameters_that_are_not_shown_are_counted():
    rng = np.random.default_rng(0)
    sets = np.arange(13.0) + 0.01 * rng.standard_normal((400, 13))
    assert "The first 12 of the 13 parameters are shown." in page(answered(sets, np.ones(400), "efficient"))


def test_one_set_is_a_page_of_what_is_not_known():
    text = Page(page(answered(SETS[:1], PSI[:1]))).text
    for words in ("from 1 unlabeled set", "Intervals are not known", "noise sd not known"):
        assert words in text
    for words in ("hold the truth", "Dashed"):
        assert words not in text
