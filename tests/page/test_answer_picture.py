import csv
import io
import json
from dataclasses import replace

import numpy as np

import vieta
from vieta.findings import finding
from vieta.page.answer_picture import as_csv, panel_of, pictured, residuals_of, rival
from vieta.report.fit_report import Answer
from vieta.report.scatter import Panel, panels_of
from vieta.sets import as_data


def answer_of(sets, inputs=None, names=()):
    estimate = vieta.fit(sets, inputs)
    data = as_data(sets, inputs)
    return Answer(estimate, "x", [], ["1"], list(names), 0.95, "", sample=data, panels=panels_of(data, list(names)))


def test_each_reading_is_shown_once_with_the_system_that_it_is_nearest_to():
    rng = np.random.default_rng(0)
    sets = rng.permuted(np.array([[-5.0, 0.0, 5.0]]) + rng.normal(size=(40, 3)) * 0.2, axis=1)
    answer = answer_of(sets)
    panel = pictured(answer)["panels"][0]
    shown = np.array(panel["readings"]).T
    np.testing.assert_allclose(np.sort(shown, axis=1), np.sort(sets, axis=1), rtol=1e-9)
    np.testing.assert_allclose(
        shown, np.sort(sets, axis=1), rtol=1e-9
    )  # far apart: the order of size is that of the systems
    assert np.array(panel["probability"]).min() > 0.99
    np.testing.assert_allclose([line[0] for line in panel["lines"]], answer.estimate.theta[:, 0], rtol=1e-9)


def test_places_ascend_and_lines_are_what_the_systems_give():
    rng = np.random.default_rng(1)
    psi = rng.normal(size=60)
    sets = rng.permuted(psi[:, None] * np.array([1.0, 3.0]) + 0.1 * rng.normal(size=(60, 2)), axis=1)
    answer = answer_of(sets, psi, ["psi"])
    panel = panel_of(answer.shown[0], answer.estimate)
    assert panel["at"] == sorted(panel["at"])
    np.testing.assert_allclose(
        np.array(panel["lines"]).T, np.outer(panel["grid"], answer.estimate.theta[:, 0]), rtol=1e-8
    )


def nearly_symmetric(n=120):
    """Two lines at two inputs, whose values could be paired otherwise: a third input in two of the sets hardly tells."""
    rng = np.random.default_rng(0)
    x = np.where(np.isin(np.arange(n), [50, 90]), 0.5, np.arange(n) % 2)
    sets = np.stack([1.0 + 2.0 * x, 4.0 - 1.5 * x], axis=1) + 0.3 * rng.normal(size=(n, 2))
    return rng.permuted(sets, axis=1), np.stack([np.ones(n), x], axis=1)


def test_another_solution_is_shown_with_what_it_gives():
    sets, inputs = nearly_symmetric()
    estimate, data = vieta.fit(sets, inputs), as_data(sets, inputs)
    other = rival(estimate)
    (said,) = [one for one in estimate.findings if one.code == "rival-solution"]
    assert f"[{other[0, 0]:.4g}, {other[0, 1]:.4g}]" in said.facts["rival"]
    some = Panel("x", inputs[:, 1], sets, inputs, np.array([0.0, 1.0]), np.array([[1.0, 0.0], [1.0, 1.0]]))
    answer = Answer(estimate, "x", [], ["intercept", "x"], ["1", "x"], 0.95, "", sample=data, panels=(some,))
    found = pictured(answer)
    assert found["rival"]["header"] == ["system", "intercept", "x"]
    assert [float(row[1]) for row in found["rival"]["rows"]] == other[:, 0].tolist()
    np.testing.assert_allclose(found["panels"][0]["rival"], np.stack([other[:, 0], other.sum(axis=1)], axis=1))
    assert not np.allclose(found["panels"][0]["rival"], found["panels"][0]["lines"], atol=0.2)


def test_without_another_solution_there_is_nothing_to_show():
    answer = answer_of(np.random.default_rng(5).normal([0.0, 9.0], size=(30, 2)))
    assert rival(answer.estimate) is None
    assert pictured(answer)["rival"] is None
    long = finding("rival-solution", behind=1.0, rival="[1, 2, ..]; [3, 4, ..]")
    assert rival(replace(answer.estimate, findings=(long,))) is None


def test_residuals_are_sums_less_their_prediction():
    sets = np.random.default_rng(2).normal([0.0, 9.0], size=(30, 2))
    answer = answer_of(sets)
    found = residuals_of(answer)[0]
    np.testing.assert_allclose(found["left"], sets.sum(axis=1) - answer.estimate.theta.sum(), rtol=1e-7, atol=1e-8)
    assert [row[0] for row in found["checks"]] != []
    assert found["of"] == ""


def test_residuals_of_pairs_say_of_which_number_they_are():
    sets = np.random.default_rng(2).normal([[0.0, 1.0], [9.0, 3.0]], size=(30, 2, 2))
    answer = answer_of(sets)
    assert [one["of"] for one in residuals_of(answer)] == ["number 1", "number 2"]
    named = replace(answer, settings={"values": ["north", "east"]})
    assert [one["of"] for one in residuals_of(named)] == ["north", "east"]


def test_a_picture_of_many_sets_is_small_and_says_how_many_it_shows():
    rng = np.random.default_rng(3)
    sets = rng.normal([0.0, 5.0, 9.0], size=(60_000, 3))
    answer = answer_of(sets)
    found = pictured(answer)
    assert len(json.dumps(found)) < 200_000
    (panel,), (left,) = found["panels"], found["residuals"]
    assert panel["note"] == "1,000 of the 60,000 sets are shown, evenly spread."
    assert (panel["at"][0], panel["at"][-1]) == (1, 60_000)
    shown = np.sort(np.array(panel["readings"] + panel["false"], dtype=float).T, axis=1)
    np.testing.assert_allclose(shown[:, :3], np.sort(sets[np.array(panel["at"], dtype=int) - 1], axis=1), rtol=1e-8)
    assert left["note"] == "1,500 of the 60,000 sets are shown, evenly spread."
    assert len(left["at"]) == len(left["left"]) == 1500


def test_no_cell_of_a_table_is_a_formula():
    cells = ["=1+1", "+x", "@x", "-1.5", "-x", 'a "b", c']
    assert next(csv.reader(io.StringIO(as_csv(cells, [])))) == ["'=1+1", "'+x", "'@x", "-1.5", "'-x", 'a "b", c']
