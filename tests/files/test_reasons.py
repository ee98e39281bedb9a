"""Codes of what is left out, and their words."""

import re
from collections import Counter

from vieta.files import reasons
from vieta.files.reasons import WORDS, counted, unreadable


def test_every_code_has_words_of_its_own():
    others = {"WORDS", "REPAIR", "INCOMPLETE", "SETS", "LARGEST", "MOST_READINGS"}
    codes = {value for name, value in vars(reasons).items() if name.isupper() and name not in others}
    assert set(reasons.SETS) < codes
    assert codes == WORDS.keys()
    assert len(set(WORDS.values())) == len(WORDS)
    assert all(re.fullmatch("[a-z]+(-[a-z]+)*", code) for code in codes)


def test_counts_in_words():
    assert counted(Counter()) == ""
    assert counted(Counter({"ragged": 1000})) == "1,000 left out for lists of different lengths"


def test_what_cannot_be_read_has_the_reason_of_the_system_or_the_first_line_of_the_library():
    assert str(unreadable("a{b}", OSError(2, "No such file"))) == "a{b} cannot be read: No such file."
    assert str(unreadable("a", ValueError("bad bytes.\nmore"))) == "a cannot be read: bad bytes."
