"""What is said about an estimate: its numbers, its findings and their weight, and the truth beside it."""

import json
from dataclasses import replace

import numpy as np
import pytest
from scipy.signal import lfilter

import vieta
from tests.files import samples as files
from tests.report.cases import answered
from vieta.cli.audience import COMMAND
from vieta.estimators.table import table
from vieta.findings import finding
from vieta.laws import noise
from vieta.report.fit_report import finite

SETS, PSI = files.records(300)
TRUTH = np.array([[1.0], [3.0], [5.0]])


def noisy(n=300):
    records = vieta.simulate((4.0, 5.0), n=n, seed=0, noise=noise.Gaussian(3.0))
    return records.sets, np.ones(n)


def lasting(n=600):
    drawn = np.random.default_rng(0).standard_normal((n, 2))
    return np.array([0.0, 9.0]) + lfilter([1.0], [1.0, -0.8], drawn, axis=0), np.ones(n)


def test_an_estimate_without_findings_is_fine():
    answer = answered(SETS, PSI)
    assert answer.is_sound
    ((text, grade),) = answer.verdict
    assert (grade, text) == ("fine", "No findings: nothing in the sets speaks against this estimate or its intervals.")
    ((text, grade),) = answered(SETS, PSI, thorough=False).verdict
    assert grade == "fine"
    assert "tests less" in text


def test_findings_count_by_their_severity():
    answer = answered(*lasting())
    assert [one.severity for one in answer.estimate.findings] == ["caution"]
    assert answer.verdict[0] == (str(answer.estimate.findings[0]), "caution")
    assert not answer.is_sound
    note = finding("parameters-changed", times="7", tracks=True)
    noted = replace(answer, estimate=replace(answer.estimate, findings=(note,)))
    assert noted.is_sound
    assert [one.grade for one in noted.verdict] == ["note"]


def test_a_truth_that_is_held_is_good_news_and_one_that_is_missed_is_serious():
    held = answered(*noisy(), truth=np.array([[4.0], [5.0]]))
    assert held.verdict[-1].text.startswith("The truth lies in 2 of the 2 intervals; 1.8 are expected")
    assert held.verdict[-1].grade == "fine"
    missed = answered(SETS, PSI, truth=TRUTH + 10.0, truth_name="truth at the end")
    assert missed.verdict[-1].text.startswith("The truth at the end lies in 0 of the 3 intervals")
    assert missed.verdict[-1].grade == "serious"
    assert not missed.is_sound
    assert answered(SETS, PSI, truth=TRUTH).is_sound


@pytest.mark.parametrize(("hits", "fine"), [(3, True), (2, True), (1, False)])
def test_hits_count_as_too_few_where_chance_rarely_leaves_so_few(hits, fine):
    """Of 3 intervals of level 0.95, chance leaves 2 or fewer hits in 14 % of cases, and 1 or none in 0.7 %."""
    interval = answered(SETS, PSI).estimate.conf_int(0.95)
    truth = np.where(np.arange(3)[:, None] < hits, interval.mean(axis=2), interval[:, :, 1] + 1.0)
    answer = answered(SETS, PSI, level=0.95, truth=truth)
    assert f"lies in {hits} of the 3" in answer.verdict[-1].text
    assert answer.is_sound is fine


def test_the_table_is_that_of_the_estimate():
    answer = answered(SETS, PSI, truth=TRUTH, level=0.8)
    estimate = answer.estimate
    assert answer.table == table(
        estimate.theta, estimate.stderr, estimate.conf_int(0.8), 0.8, truth=TRUTH, noise_sd=estimate.noise_sd
    )
    assert answer.table.header[1] == "truth"
    assert answer.title.startswith("3 systems, method adaptive, noise sd 0.")


def test_one_set_does_not_tell_the_noise():
    answer = answered(SETS[:1], PSI[:1])
    assert answer.title == "3 systems, method efficient, noise sd not known"
    assert all(row[-2:] == ["not known", "not known"] for row in answer.table.rows)


def test_json_is_the_estimate_with_everything_else():
    answer = answered(
        *noisy(),
        audience=COMMAND,
        settings={"files": ["a"]},
        dropped={"wrong-count": 2},
        truth=np.array([[4.0], [5.0]]),
    )
    told = json.loads(json.dumps(answer.to_dict(), allow_nan=False))
    expected = json.loads(json.dumps(answer.estimate.to_dict()))
    words = {"findings", "warnings"}
    assert {name: told[name] for name in set(expected) - words} == {
        name: expected[name] for name in set(expected) - words
    }
    assert [one["code"] for one in told["findings"]] == [one.code for one in answer.estimate.findings]
    assert told["warnings"] == [one.say(COMMAND) for one in answer.estimate.findings]
    assert told["conf_int"] == answer.estimate.conf_int(0.9).tolist()
    assert told["settings"] == {"files": ["a"], "command": answer.command}
    assert (told["dropped"], told["truth"]) == ({"wrong-count": 2}, [[4.0], [5.0]])
    again = vieta.Estimate.from_dict(told)
    assert [one.code for one in again.findings] == [one["code"] for one in told["findings"]]


def test_numbers_that_json_does_not_have_are_none():
    assert finite([1.0, [float("inf"), "a"], None, float("nan")]) == [1.0, [None, "a"], None, None]
    json.dumps(answered(SETS[:1], PSI[:1]).to_dict(), allow_nan=False)


def test_the_picture_has_the_names_of_the_parameters():
    rng = np.random.default_rng(0)
    x = rng.standard_normal((200, 2))
    sets = x @ np.array([[1.0, 2.0], [4.0, -1.0]]).T + 0.05 * rng.standard_normal((200, 2))
    (ax,) = answered(sets, x, names=["dose", "age"], input_names=["dose", "age"]).plot().axes
    assert (ax.get_xlabel(), ax.get_ylabel()) == ("dose", "age")
    (ax,) = answered(sets, x, input_names=["dose", "age"]).plot().axes
    assert ax.get_xlabel() == "parameter 1"


def test_the_picture_for_a_file_has_readings_above_parameters():
    rng = np.random.default_rng(0)
    rows = np.column_stack([np.ones(60), rng.uniform(size=60)])
    sets = rows @ np.array([[1.0, 2.0], [4.0, -1.0]]).T + 0.05 * rng.standard_normal((60, 2))
    answer = answered(sets, rows, "least-squares", names=["intercept", "dose"], input_names=["dose"], path=None)
    figure = answer.picture()
    figure.draw_without_rendering()
    above, below = figure.axes
    assert (above.get_xlabel(), below.get_xlabel(), below.get_ylabel()) == ("dose", "intercept", "dose")
    assert len(figure.subfigs[0].legends) == 1
    assert not figure.subfigs[1].legends
    alone = answered(sets, rows, "least-squares", names=["intercept", "dose"], sample=None, path=None).picture()
    assert len(alone.axes) == 1
