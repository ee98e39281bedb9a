"""Why sets and lines are left out: codes, and the words for them, in one place."""

from collections import Counter
from typing import Any

from vieta.errors import BadFileError
from vieta.set_requirements import MOST_READINGS
from vieta.sets import LARGEST

# Sets of files.
WRONG_COUNT = "wrong-count"
UNKNOWN_READING = "unknown-reading"
UNKNOWN_INPUT = "unknown-input"
INPUT_VARIES = "input-varies"
REPEATED_NAME = "repeated-name"
NO_NAME = "no-name"
UNCLOSED = "quote-not-closed"
# Both.
TOO_LARGE = "too-large"
# Lines of JSON.
NOT_JSON = "not-json"
NO_SET = "no-set"
NOT_A_NUMBER = "not-a-number"
NOT_FINITE = "not-finite"
RAGGED = "ragged"
FOREIGN_INPUT = "foreign-input"
NO_OFFSET = "no-offset"
OTHER_COUNT = "other-count"
OTHER_LENGTH = "other-length"
OTHER_INPUT = "other-input"
TOO_MANY = "too-many"
NOT_ABSORBED = "not-absorbed"

WORDS = {
    WRONG_COUNT: "a wrong number of readings",
    UNKNOWN_READING: "a reading that is missing or not a finite number",
    UNKNOWN_INPUT: "an input that is missing or not a finite number",
    INPUT_VARIES: "an input that varies within the set",
    REPEATED_NAME: "a name that occurs more than once (rows)",
    NO_NAME: "no name of the set (rows)",
    UNCLOSED: "a quote that is not closed (lines, to the end of the file)",
    TOO_LARGE: f"a number beyond {LARGEST:g}, too large to be squared",
    NOT_JSON: "not JSON",
    NO_SET: 'no set: {"y": [..]} or [..] is needed',
    NOT_A_NUMBER: "something that is not a number where a number is needed",
    NOT_FINITE: "a number that is not finite",
    RAGGED: "lists of different lengths",
    FOREIGN_INPUT: "psi does not fit: a number, a list of D (with one number a reading) or p lists of D are needed",
    NO_OFFSET: 'no offset: {"y": [..], "offset": b} is needed, or psi whose last number is the offset',
    OTHER_COUNT: "another number of readings than expected",
    OTHER_LENGTH: "readings of another length than expected",
    OTHER_INPUT: "psi of another shape than expected",
    TOO_MANY: f"more than {MOST_READINGS} readings",
    NOT_ABSORBED: "a set that the filter cannot absorb",
}
REPAIR = "Repair the data; {option.on_bad_set:drop} leaves such sets out, which is right only where they are bad by chance."  # ends templates

INCOMPLETE = (
    "Repair the data; {option.on_bad_set:drop} leaves such sets out, which is right only where readings are missing by chance and none is "
    "false."
)
SETS = (
    WRONG_COUNT,
    UNKNOWN_READING,
    UNKNOWN_INPUT,
    INPUT_VARIES,
    REPEATED_NAME,
    TOO_LARGE,
)  # of which sets are counted


def counted(left_out: Counter[str]) -> str:
    """How many were left out for what.

    >>> counted(Counter({"wrong-count": 1200, "no-name": 1}))
    '1,200 left out for a wrong number of readings, 1 left out for no name of the set (rows)'
    """
    return ", ".join(f"{count:,} left out for {WORDS[code]}" for code, count in left_out.items())


def unreadable(name: str, error: Exception) -> BadFileError:
    """The error for a file that cannot be read, for a reason of the system or of a library."""
    reason: Any = getattr(error, "strerror", None) or str(error).splitlines()[0]
    return BadFileError("unreadable", "{file} cannot be read: {reason}.", file=name, reason=str(reason).rstrip("."))
