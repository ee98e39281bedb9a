"""How the page spells options: by the labels of its choices, where it has them, and otherwise as the command does."""

from vieta.cli.audience import COMMAND, NAMES

# The labels in `vieta/page/static`, by the options that they stand for; a test compares them.
LABELS = {
    "layout": "One row is",
    "set": "Sets are named by",
    "systems": "Systems",
    "family": "Readings are",
    "method": "Method",
    "level": "Level of intervals",
    "on_bad_set": "A set that cannot be used",
    "intercept": "a constant beside the inputs",
    "trend": "a straight line in time",
    "value": "reading",
    "input": "input",
    "category": "category",
    "offset": "offset",
}
ROLES = ("reading", "input", "category", "offset")  # chosen above a column
VALUES = {
    "drop": "is left out",
    "error": "refuses the file",
    "long": "a reading (long)",
    "wide": "a set (wide)",
    "True": "",
    "False": "not chosen",
    "COLUMN": "one of the columns",
    "binary": "right or wrong (0, 1)",
    "ordinal": "levels (1, 2, ..)",
    "count": "counts",
    "rounded": "rounded numbers",
}


def labelled(name: str, value: str = "") -> str:
    """A choice by its label, with its value unless that is empty.

    >>> labelled("n_systems", "auto"), labelled("on_bad_set", "drop"), labelled("memory", "9"), labelled("value", "COLUMN")
    ('“Systems”: auto', '“A set that cannot be used”: is left out', '--memory 9', '“reading” above a column')
    """
    label = LABELS.get(NAMES.get(name, name))
    if label is None:
        return COMMAND.option(name, value)
    if value == "COLUMN" and label in ROLES:
        return f"“{label}” above a column"
    chosen = VALUES.get(value, value)
    return f"“{label}”: {chosen}" if chosen else f"“{label}”"


PAGE = COMMAND._replace(option=labelled, flag=labelled, calls={**COMMAND.calls, "fit": "the fit", "audit": "the audit"})
