"""Severities are in order, each has a mark, and a kind cannot be changed."""

import dataclasses

import pytest

from vieta.findings import KINDS, MARKS, SEVERITIES


def test_every_severity_has_a_mark_of_its_own():
    assert SEVERITIES == ("note", "caution", "serious")
    assert len({MARKS[severity] for severity in SEVERITIES}) == len(SEVERITIES)


def test_a_kind_cannot_be_changed():
    with pytest.raises(dataclasses.FrozenInstanceError):
        KINDS["few-sets"].severity = "note"
