"""The page: whole in itself, the same for the same data, and with everything on it."""

import base64
import re
from html.parser import HTMLParser

import numpy as np
import pytest
from numpy.testing import assert_allclose

import vieta
from tests.files import samples as files
from vieta.files.layout import Wishes
from vieta.files.reader import reader
from vieta.files.truth_file import Truth
from vieta.laws import noise
from vieta.report import residual_checks
from vieta.report.file_fit import estimate_files
from vieta.report.fit_page import page
from vieta.report.fit_report import Answer


class Page(HTMLParser):
    """Tags that must be closed, sources, and text."""

    def __init__(self, text):
        super().__init__()
        self.open, self.sources, self.text = [], [], ""
        self.feed(text)
        self.close()

    def handle_starttag(self, tag, attributes):
        self.sources += [value for name, value in attributes if name in {"src", "href"}]
        if tag not in {"meta", "img"}:
            self.open.append(tag)

    def handle_endtag(self, tag):
        assert self.open.pop() == tag

    def handle_data(self, text):
        self.text += text


def answered(path, method="least-squares", stream=False, truth=None):
    with reader([str(path)], stream=stream) as source:
        outcome = estimate_files(source, method, {}, with_path=True, progress=lambda _: None)
        return Answer(
            (str(path),), source, outcome, method, {}, 0.9, None if truth is None else Truth(truth, False, "t.json")
        )


@pytest.fixture
def path(tmp_path):
    return files.write(files.long_frame(*files.records(300)), tmp_path / "a & <b>.csv")


@pytest.mark.parametrize(("method", "stream"), [("efficient", False), ("rls", True), ("least-squares", True)])
def test_the_page_is_whole_in_itself(path, method, stream):
    text = page(answered(path, method, stream))
    found = Page(text)
    assert found.open == []
    assert len(found.sources) >= 3
    assert all(source.startswith("data:image/svg+xml;base64,") for source in found.sources)
    outside = re.sub(r'src="data:[^"]*"', "", text)
    assert "http" not in outside
    assert "url(" not in outside
    assert base64.b64decode(found.sources[0].split(",")[1]).startswith(b"<?xml")


def test_the_page_says_everything(path):
    answer = answered(path)
    text = Page(page(answer)).text
    for words in (
        *(text for text, _ in answer.verdict),
        *answer.data_in_words,
        answer.command,
        answer.noise_sd,
        "90% interval",
    ):
        assert words in text
    for row in answer.table_rows:
        assert all(cell in text for cell in row)


def test_a_path_that_ends_elsewhere_says_so(tmp_path):
    path = files.write(files.long_frame(*files.records(600)), tmp_path / "a.csv")
    words = "The path is that of the filter, which ends near, not at, the estimate from all sets."
    assert words in Page(page(answered(path, "efficient"))).text
    assert words not in Page(page(answered(path, "rls"))).text


def test_the_same_data_give_the_same_page(path):
    assert page(answered(path)) == page(answered(path))


def test_vectors_have_residuals_for_each_number(tmp_path):
    path = files.write(files.wide_vectors(*files.vectors(200)), tmp_path / "a.csv")
    found = Page(page(answered(path, "rls")))
    assert "reading 1" in found.text
    assert "reading 2" in found.text
    assert "system 2" not in found.text  # that is in the pictures


def test_few_sets_give_a_page_without_a_path(tmp_path):
    path = files.write(files.long_frame(*files.records(3)), tmp_path / "a.csv")
    answer = answered(path)
    text = page(Answer(answer.files, answer.reader, _without_path(answer.outcome), "least-squares", {}, 0.95))
    assert "There is no path to show" in text
    assert "nothing can be told" in text


def _without_path(outcome):
    return type(outcome)(outcome.estimate, outcome.dropped, outcome.sets, outcome.inputs, None)


def test_names_of_parameters_are_columns_where_there_is_one_for_each(tmp_path):
    rng = np.random.default_rng(0)
    x = rng.standard_normal((200, 2))
    sets = x @ np.array([[1.0, 2.0], [4.0, -1.0]]).T + 0.05 * rng.standard_normal((200, 2))
    path = tmp_path / "a.csv"
    rows = [f"{k},{y!r},{a!r},{b!r}" for k, (a, b) in enumerate(x.tolist()) for y in sets[k].tolist()]
    path.write_text("set,y,x1,x2\n" + "\n".join(rows))
    assert answered(path).parameter_names == ["x1", "x2"]
    assert answered(path).table_header == ["system", "parameter", "estimate", "std. error", "90% interval"]
    assert answered(files.write(files.long_vectors(*files.vectors()), tmp_path / "b.csv")).parameter_names == [
        "1",
        "2",
        "3",
    ]


@pytest.mark.parametrize("shape", ["none", "scalar", "row", "matrix"])
def test_residuals_of_sums_against_a_loop(shape):
    rng = np.random.default_rng(0)
    p, D = (2, 2) if shape in {"none", "scalar"} else (1, 3) if shape == "row" else (2, 3)
    theta, sets = rng.standard_normal((4, D)), rng.standard_normal((5, 4, p))
    inputs = {"none": None, "scalar": rng.standard_normal(5), "row": rng.standard_normal((5, 3))}.get(
        shape, rng.standard_normal((5, 2, 3))
    )
    psi = {
        "none": lambda _: np.eye(2),
        "scalar": lambda k: inputs[k] * np.eye(2),
        "row": lambda k: inputs[k][None],
    }.get(shape, lambda k: inputs[k])
    expected = [sum(sets[k, l] - psi(k) @ theta[l] for l in range(4)) for k in range(5)]
    given = sets[:, :, 0] if shape == "row" else sets
    assert_allclose(residual_checks.of_sums(given, inputs, theta), expected, atol=1e-12)


@pytest.mark.parametrize("seed", [1, 2, 3])
def test_checks_speak_up_only_where_they_should(seed):
    rng = np.random.default_rng(seed)
    noise = rng.standard_normal(2000)
    assert all(abs(check.z) < 4 for check in residual_checks.checks(noise))
    mean, _ = residual_checks.checks(noise + 0.2)
    assert mean.says.startswith("is not zero")
    _, memory = residual_checks.checks(noise[1:] + 0.5 * noise[:-1])
    assert memory.says.startswith("neighbours in time are alike")
    (nothing,) = residual_checks.checks(np.zeros(100))
    assert nothing.z is None


def test_a_line_with_an_intercept_is_drawn_over_its_input(tmp_path):
    path = files.write(files.long_frame(*files.records(300)), tmp_path / "a.csv")
    with reader([str(path)], Wishes(intercept=True)) as source:
        outcome = estimate_files(source, "least-squares", {}, with_path=False, progress=lambda _: None)
        answer = Answer((str(path),), source, outcome, "least-squares", {}, 0.95)
    assert answer.parameter_names == ["intercept", "psi"]
    assert "--input psi --intercept" in answer.command
    text = Page(page(answer)).text
    assert "Readings and systems" in text
    assert "inputs intercept, psi" in text


def noisy(tmp_path, n=300):
    records = vieta.simulate((4.0, 5.0), n=n, seed=0, noise=noise.Gaussian(3.0))
    return files.write(files.long_frame(records.sets, np.ones(n)), tmp_path / "a.csv")


def test_good_news_is_no_finding(tmp_path):
    answer = answered(noisy(tmp_path), "efficient", truth=np.array([[4.0], [5.0]]))
    assert answer.estimate.warnings
    *found, (text, fine) = answer.verdict
    assert text.startswith("The truth lies in 2 of the 2 intervals")
    assert fine
    assert not any(fine for _, fine in found)
    assert f"<li class=fine>{text}" in page(answer)
    assert "are to hold the truth, if the findings let them," in page(answer)
    (text, fine) = answered(noisy(tmp_path), "efficient", truth=np.array([[14.0], [15.0]])).verdict[-1]
    assert text.startswith("The truth lies in 0 of the 2 intervals")
    assert not fine


def test_the_page_says_that_the_truth_is_shown(path):
    text = Page(page(answered(path, "efficient", truth=np.array([[-2.0], [5.0], [8.0]])))).text
    assert "Crosses: the truth." in text
    assert text.lower().count("dashed: the truth.") == 2


def test_sets_that_do_not_start_a_filter_have_a_path(tmp_path):
    answer = answered(noisy(tmp_path), "efficient")
    assert answer.outcome.path.index[0] <= 10
    assert answer.outcome.path.index[-1] == 300
    assert_allclose(answer.outcome.path.theta[-1], answer.estimate.theta)
    assert "all sets so far; a filter would not start before more of them" in page(answer)


def test_readings_that_are_left_out_of_the_picture_are_told(tmp_path):
    path = files.write(files.long_frame(*files.records(1200)), tmp_path / "a.csv")
    assert "The readings of 1,000 of the 1,200 sets as a dot" in page(answered(path))


def test_parameters_that_are_not_shown_are_told(tmp_path):
    rng = np.random.default_rng(0)
    sets = np.arange(13.0) + 0.01 * rng.standard_normal((400, 13))
    path = files.write(files.long_frame(sets, np.ones(400)), tmp_path / "a.csv")
    assert "The first 12 of the 13 parameters are shown." in page(answered(path, "efficient"))


def test_one_set_is_a_page_of_what_is_not_known(tmp_path):
    text = Page(page(answered(files.write(files.long_frame(*files.records(1)), tmp_path / "a.csv"), "efficient"))).text
    for words in ("from 1 unlabeled set", "1 set of 3 readings used", "Intervals are not known", "noise sd not known"):
        assert words in text
    for words in ("1 sets", "hold the truth", "Dashed"):
        assert words not in text


def test_options_in_the_command_are_not_broken(path):
    assert "<span>--systems</span> <span>3</span>" in page(answered(path))
