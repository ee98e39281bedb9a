"""Findings: what a user should know before trusting a result, as codes and facts. All their words are in this room.

A finding has a code, a severity and facts. `KINDS` says for each code how severe it is, when it is reported, and the sentence that its
facts make (`vieta.wording`). A new kind is an entry in the file of its subject (`.._kinds`).
"""

from vieta.findings.kind import MARKS, SEVERITIES, Kind, Severity
from vieta.findings.kinds import KINDS
from vieta.findings.one_finding import Finding, at_least, finding, marked, sentences

__all__ = ["KINDS", "MARKS", "SEVERITIES", "Finding", "Kind", "Severity", "at_least", "finding", "marked", "sentences"]
