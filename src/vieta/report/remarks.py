"""Remarks: sentences about a result, each with how good or bad it is, to be shown on a terminal or on a page."""

from collections.abc import Iterable
from typing import Any, Literal, NamedTuple

from vieta.findings import Finding, Severity, at_least
from vieta.wording import Audience

Grade = Literal["fine", Severity]


class Remark(NamedTuple):
    """A sentence, and its grade: "fine" where all is as it should be, otherwise the severity of a finding."""

    text: str
    grade: Grade


def remarks(findings: Iterable[Finding], audience: Audience) -> list[Remark]:
    """Findings as remarks to an audience, the most severe first, otherwise in their order."""
    order = ("serious", "caution", "note")
    ranked = sorted(findings, key=lambda one: order.index(one.severity))
    return [Remark(one.say(audience), one.severity) for one in ranked]


def is_sound(findings: Iterable[Finding]) -> bool:
    """Whether there is nothing but notes."""
    return not at_least(findings, "caution")


def in_words(findings: Iterable[Finding], audience: Audience) -> dict[str, Any]:
    """Findings ready for JSON: as objects (code, severity, facts, text), and their sentences alone as "warnings"."""
    listed = [one.to_dict(audience) for one in findings]
    return {"findings": listed, "warnings": [one["text"] for one in listed]}
