"""The Examples by number, and their reports."""

import json

import pytest

from vieta.errors import InputError
from vieta.paper import example3
from vieta.paper.examples import EXAMPLES, reproduce


def test_reports_are_ready_for_json():
    report = example3.run(1, n=20_000)
    text = json.dumps(report.to_dict())
    assert set(json.loads(text)) == {"example", "title", "settings", "rows"}


def test_examples_are_run_by_number_with_their_seed(monkeypatch):
    asked = []
    for number in EXAMPLES:
        monkeypatch.setitem(EXAMPLES, number, lambda seed, number=number: asked.append((number, seed)))
    reproduce(2, seed=7)
    reproduce([4, 1])
    assert asked == [(2, 7), (4, 0), (1, 0)]
    asked.clear()
    reproduce()
    assert [number for number, _ in asked] == [1, 2, 3, 4]


def test_unknown_examples_are_refused_before_any_is_run(monkeypatch):
    monkeypatch.setitem(EXAMPLES, 1, lambda seed: pytest.fail("it ran"))
    with pytest.raises(InputError) as caught:
        reproduce([1, 5])
    assert (caught.value.code, caught.value.facts) == ("unknown-example", {"example": 5})
