"""All that is to be said about an audit of files: the figures, where they come from, and how to get them again."""

import shlex
from dataclasses import dataclass, replace
from typing import Any

from vieta import __version__
from vieta.anonymity import Audit, audit
from vieta.anonymity import audit_tables as cells
from vieta.files.reader import Reader
from vieta.files.source import Progress
from vieta.report.estimate_file import as_estimate, inputs_of
from vieta.report.fit_report import column_words, left_out, parameter_names


@dataclass(frozen=True, slots=True, eq=False)
class Audited:
    """An audit with what led to it.

    Attributes
    ----------
    audit : Audit
    names : list of str
        Of the parameters.
    data_in_words : list of str
        What was read.
    command : str
        That gives this again, with everything that was recognised spelled out.
    naming : tuple of str
        Columns of the files that name the systems.
    """

    audit: Audit
    names: list[str]
    data_in_words: list[str]
    command: str
    naming: tuple[str, ...] = ()

    @property
    def serious(self) -> bool:
        """Whether the names are hardly hidden: by the audit, or as they stand in the files."""
        return self.audit.serious or bool(self.naming)

    @property
    def systems_header(self) -> list[str]:
        """Names of the columns of the table of systems."""
        named = "parameters" if self.names[0] == "1" else f"parameters ({', '.join(self.names[:3])})"
        return [cells.SYSTEMS[0], named, *cells.SYSTEMS[2:]]

    def to_dict(self) -> dict[str, Any]:
        """Everything, ready for JSON."""
        settings = {"data": self.data_in_words, "version": __version__, "command": self.command}
        found = {"serious": self.serious, "naming_columns": list(self.naming)}
        return self.audit.to_dict() | found | {"parameter_names": self.names, "settings": settings}


def audit_records(files: tuple[str, ...], reader: Reader, added: tuple[float, ...], progress: Progress) -> Audited:
    """Audit the sets of a reader."""
    batch = reader.all(progress)
    L = batch.data.n_systems
    found = audit(batch.data.sets, batch.data.inputs, added=added or None)
    naming = reader.layout.naming
    found = replace(found, warnings=(*_of_naming(naming, L), *found.warnings))
    words = [
        f"{', '.join(source.name for source in reader.sources)}: {reader.layout.describe()}",
        f"{len(batch.data):,} set{'s' * (len(batch.data) != 1)} of {L} reading{'s' * (L > 1)} used",
        *left_out(batch.dropped),
    ]
    command = ["vieta", "audit", *files, *column_words(reader, L), *_added_words(added)]
    return Audited(found, parameter_names(reader.layout, found.theta.shape[1]), words, shlex.join(command), naming)


def _of_naming(columns: tuple[str, ...], n_systems: int) -> list[str]:
    """Findings about columns that name the systems."""
    return [
        f"Column {name!r} has the same {n_systems} values in every set: it names the systems. Remove it before release."
        for name in columns
    ]


def audit_estimate(path: str, answer: dict[str, Any], added: tuple[float, ...]) -> Audited:
    """Audit what `vieta fit --json` wrote."""
    estimate = as_estimate(answer, path)
    found = audit(estimate, inputs_of(answer, path), added=added or None)
    names = answer.get("parameter_names", [str(j + 1) for j in range(estimate.theta.shape[1])])
    words = [
        f"{path}: an estimate by the method {estimate.method} from {estimate.n_sets:,} sets",
        "the order of the readings within the records was not looked at: audit the records for that",
    ]
    return Audited(found, names, words, shlex.join(["vieta", "audit", path, *_added_words(added)]))


def _added_words(added: tuple[float, ...]) -> list[str]:
    return [word for level in added for word in ("--added", f"{level:g}")]
