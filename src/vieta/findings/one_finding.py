"""A finding: what a user should know before trusting a result, as a code and facts; and what several of them say."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from vieta.findings.kind import MARKS, SEVERITIES, Severity
from vieta.findings.kinds import KINDS
from vieta.wording import PYTHON, Audience, render

UNKNOWN = "A finding of a kind that this version of vieta does not know."


@dataclass(frozen=True, slots=True, eq=False)
class Finding:
    """A code of `KINDS`, a severity, and the facts that its sentence is made of.

    >>> found = finding("few-sets", n_sets=3, unknowns=6)
    >>> found.severity, str(found)
    ('caution', 'Very few sets: 3 for 6 parameters. Standard errors rest on large numbers of sets; do not rely on them here.')
    """

    code: str
    severity: Severity
    facts: Mapping[str, Any]

    def say(self, audience: Audience) -> str:
        """The sentence for an audience."""
        if self.code not in KINDS:
            return str(self.facts.get("text", UNKNOWN))
        text = KINDS[self.code].text
        return render(text(self.facts) if callable(text) else text, self.facts, audience)

    def __str__(self) -> str:
        return self.say(PYTHON)

    def to_dict(self, audience: Audience = PYTHON) -> dict[str, Any]:
        """Code, severity, facts and the sentence for an audience, ready for JSON."""
        return {
            "code": self.code,
            "severity": self.severity,
            "facts": {k: _plain(v, audience) for k, v in self.facts.items()},
            "text": self.say(audience),
        }


def finding(code: str, /, severity: Severity | None = None, **facts: Any) -> Finding:
    """A finding of a known kind; the kind's severity unless another is given."""
    return Finding(code, severity or KINDS[code].severity, facts)


def at_least(findings: Iterable[Finding], severity: Severity) -> tuple[Finding, ...]:
    """Those that are as severe, or more.

    >>> len(at_least([finding("few-sets", n_sets=3, unknowns=6)], "serious"))
    0
    """
    return tuple(one for one in findings if SEVERITIES.index(one.severity) >= SEVERITIES.index(severity))


def sentences(findings: Iterable[Finding], audience: Audience = PYTHON) -> tuple[str, ...]:
    """What findings say to an audience."""
    return tuple(one.say(audience) for one in findings)


def marked(findings: Iterable[Finding], audience: Audience = PYTHON) -> tuple[str, ...]:
    """What findings say to an audience, each behind the mark of its severity.

    >>> marked([finding("not-converged")])[0][:20]
    '!! The iteration did'
    """
    return tuple(f"{MARKS[one.severity]} {one.say(audience)}" for one in findings)


def _plain(fact: Any, audience: Audience) -> Any:
    """A fact in terms of JSON."""
    if isinstance(fact, Finding):
        return fact.to_dict(audience)
    if isinstance(fact, np.ndarray | np.generic):
        return _plain(fact.tolist(), audience)
    if isinstance(fact, list | tuple):
        return [_plain(one, audience) for one in fact]
    if isinstance(fact, float) and not np.isfinite(fact):
        return None
    return fact if isinstance(fact, str | int | float | bool | None) else str(fact)
