"""What is said about a watch as it stands: in a table, in words, and in lines of JSON."""

import json

import numpy as np

import vieta
from vieta.cli.audience import COMMAND
from vieta.estimators.table import table
from vieta.findings import finding
from vieta.report.watch_report import Account
from vieta.solution import Solution

THETA = np.array([[-2.0], [5.0], [8.0]])
ESTIMATE = vieta.Estimate.of(Solution(THETA, 1e-4 * np.eye(3), np.array([[1e-4]]), 300), "efficient")


def account(estimate=ESTIMATE, **more):
    return Account(
        estimate,
        "no set",
        ["300 sets"],
        0.9,
        300,
        305,
        **({"label": "12:00", "left_out": {"not-json": 2, "ragged": 3}} | more),
    )


def with_findings(*findings):
    from dataclasses import replace

    return replace(ESTIMATE, findings=findings)


def test_the_table_is_that_of_the_estimate():
    assert account().table == table(ESTIMATE.theta, ESTIMATE.stderr, ESTIMATE.conf_int(0.9), 0.9)
    assert account().title.startswith("3 systems, method efficient, noise sd 0.")
    assert account().verdict == [("No findings.", "fine")]
    assert account().is_sound


def test_notes_leave_a_watch_sound_and_cautions_do_not():
    note = finding("parameters-changed", times="7", tracks=True)
    assert account(with_findings(note)).is_sound
    assert account(with_findings(note)).verdict == [(str(note), "note")]
    assert not account(with_findings(note, finding("contradicted-now"))).is_sound


def test_lines_of_json():
    outliers = finding("outliers", share=0.5, robust=False)
    shown = account(with_findings(outliers), audience=COMMAND, examples=[{"line": 1}])
    brief, full = (json.loads(json.dumps(told, allow_nan=False)) for told in (shown.brief(), shown.full()))
    assert (brief["n_sets"], brief["lines"], brief["left_out"], brief["t"]) == (300, 305, 5, "12:00")
    assert brief["conf_int"] == ESTIMATE.conf_int(0.9).tolist()
    assert brief["findings"][0]["code"] == "outliers"
    assert brief["warnings"] == [outliers.say(COMMAND)]
    assert "cov" not in brief
    assert set(full) >= set(brief) | {"cov", "method", "level", "examples"}
    assert full["left_out"] == {"not-json": 2, "ragged": 3}


def test_a_watch_without_an_estimate_says_why():
    shown = account(None)
    assert not shown.is_sound
    assert (shown.title, shown.table.rows) == ("no estimate yet", [])
    assert [one.text for one in shown.verdict] == ["no set"]
    assert shown.brief()["trouble"] == "no set"
    assert "theta" not in shown.full()


def test_numbers_that_are_not_known_are_none_in_json():
    shown = account(vieta.SymmetricFilter(3).update([1.0, 5.0, 9.0]).estimate())
    assert shown.title == "3 systems, method efficient, noise sd not known"
    assert np.isnan(shown.estimate.stderr).all()
    assert json.loads(json.dumps(shown.full(), allow_nan=False))["conf_int"] == [[[None, None]]] * 3
