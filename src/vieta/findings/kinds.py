"""All kinds of findings, by their codes."""

from vieta.findings.answer_kinds import ANSWER_KINDS
from vieta.findings.any_method_kinds import ANY_METHOD_KINDS
from vieta.findings.audit_kinds import AUDIT_KINDS
from vieta.findings.file_kinds import FILE_KINDS
from vieta.findings.filter_kinds import FILTER_KINDS
from vieta.findings.incomplete_kinds import INCOMPLETE_KINDS
from vieta.findings.installation_kinds import INSTALLATION_KINDS
from vieta.findings.kind import Kind
from vieta.findings.likelihood_kinds import LIKELIHOOD_KINDS
from vieta.findings.weighted_kinds import WEIGHTED_KINDS

KINDS: dict[str, Kind] = {
    **ANY_METHOD_KINDS,
    **INCOMPLETE_KINDS,
    **WEIGHTED_KINDS,
    **FILTER_KINDS,
    **LIKELIHOOD_KINDS,
    **ANSWER_KINDS,
    **FILE_KINDS,
    **AUDIT_KINDS,
    **INSTALLATION_KINDS,
}
