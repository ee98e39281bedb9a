"""A kind of finding: its severity, when it is reported, and the sentence that its facts make. Severities:

note
    Good to know; nothing is wrong.
caution
    The result holds, with reservations that the sentence names.
serious
    Do not rely on the result, or on the part of it that the sentence names.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Literal

Severity = Literal["note", "caution", "serious"]
SEVERITIES: tuple[Severity, ...] = ("note", "caution", "serious")
MARKS: dict[Severity, str] = {"note": "-", "caution": "!", "serious": "!!"}


@dataclass(frozen=True, slots=True)
class Kind:
    """A kind of finding: how severe it usually is, when it is reported, and its sentence, a template or a function of the facts."""

    severity: Severity
    when: str
    text: str | Callable[[Mapping[str, Any]], str]
