"""All that is said about an audit: the figures, where they come from, what to make of them, and how to get them again."""

from dataclasses import dataclass, field
from typing import Any

from vieta import __version__
from vieta.anonymity import Audit
from vieta.anonymity import audit_tables as cells
from vieta.characters import short
from vieta.findings import Finding, at_least, finding
from vieta.report.remarks import Remark, in_words, remarks
from vieta.wording import PYTHON, Audience


@dataclass(frozen=True, slots=True, eq=False)
class Audited:
    """An audit with what led to it.

    Attributes
    ----------
    audit : Audit
    parameter_names : list of str
    description : list of str
        What was read, in lines.
    command : str
        That gives this again.
    naming : tuple of str
        Columns of the records that name the systems.
    audience : Audience
        Whom the findings are written for.
    about_records : tuple of Finding
        What is to be known about how they were read.
    """

    audit: Audit
    parameter_names: list[str]
    description: list[str]
    command: str
    naming: tuple[str, ...] = field(default=())
    audience: Audience = PYTHON
    about_records: tuple[Finding, ...] = ()

    @property
    def findings(self) -> tuple[Finding, ...]:
        """Columns that name the systems, what is to be known about the records, and what the audit found."""
        n_systems = len(self.audit.theta)
        named = (finding("column-names-systems", column=name, n_systems=n_systems) for name in self.naming)
        return (*named, *self.about_records, *self.audit.findings)

    @property
    def verdict(self) -> list[Remark]:
        """What to make of it."""
        return remarks(self.findings, self.audience)

    @property
    def serious(self) -> bool:
        """Whether a finding is serious: leaving out the names hides next to nothing, or the figures are not to be relied on."""
        return bool(at_least(self.findings, "serious"))

    @property
    def systems_header(self) -> list[str]:
        """Names of the columns of the table of systems."""
        names = self.parameter_names
        named = "parameters" if names[0] == "1" else f"parameters ({', '.join(short(name) for name in names[:3])})"
        return [cells.SYSTEMS[0], named, *cells.SYSTEMS[2:]]

    def to_dict(self) -> dict[str, Any]:
        """Everything, ready for JSON."""
        return self.audit.to_dict() | {
            **in_words(self.findings, self.audience),
            "serious": self.serious,
            "naming_columns": list(self.naming),
            "parameter_names": self.parameter_names,
            "settings": {"data": self.description, "version": __version__, "command": self.command},
        }
