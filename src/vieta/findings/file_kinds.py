"""Findings about files and the sets that were read from them."""

from collections.abc import Mapping
from typing import Any

from vieta.findings.kind import Kind


def _of_which(facts: Mapping[str, Any]) -> str:
    parts = ["{fewer:,} with fewer than {size} readings"] if facts["fewer"] else []
    parts += ["{more:,} with more"] if facts["more"] else []
    return f": {' and '.join(parts)}" if parts else ""


FILE_KINDS: dict[str, Kind] = {
    "sets-left-out": Kind(
        "caution",
        "Sets of a file were left out because they could not be used: a note up to 1 % of them, serious from half of them on.",
        lambda facts: (
            "{left:,} of the {n_sets:,} sets were left out"
            + _of_which(facts)
            + ". The estimate rests on the others. Where readings are missing because of their value or their system, or some are false, these "
            "are no fair sample, and the estimate may be off by more than its errors."
        ),
    ),
    "systems-counted": Kind(
        "caution",
        "The number of systems was counted, and more sets have another size than that.",
        "{size} systems, because that is the largest number of readings that a tenth of the sets have ({count:,} of {n_sets:,}); more sets "
        "have {usual} ({times:,}). Give {option.n_systems} if there are not {size} systems.",
    ),
    "quote-not-closed": Kind(
        "serious",
        "A quote in a file is not closed, and the lines after it were left out.",
        "A quote is not closed: {lines:,} line(s) at the end of a file could not be read and were left out. Close it, or fetch the file again "
        "if it was cut off.",
    ),
    "uneven-steps": Kind(
        "caution",
        "A season counts sets whose times are more than 1.5 times as far apart here as there.",
        "The season counts sets, and their times are unevenly spaced: {least} to {greatest} {unit}s apart. Where sets are missing, it goes out "
        "of step. Give a period of the calendar, such as {option.season:year}, if that is meant.",
    ),
}
