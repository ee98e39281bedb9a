"""What no terminal may get to see raw, and what stays as it is."""

import json
import unicodedata

import pytest

from vieta.characters import LONGEST, short, visible

HIDDEN = {"Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp"}


def test_nothing_that_controls_or_hides_is_left():
    every = "".join(map(chr, range(0x30000)))
    left = visible(every)
    assert {unicodedata.category(c) for c in left} & HIDDEN == set()
    assert "\x1b" in every
    assert left.isprintable()


@pytest.mark.parametrize("text", ["", "y", "Größe [m]", "温度", "θ_1^2 $x$ \\alpha", "🌡", "a b"])
def test_what_can_be_seen_stays(text):
    assert visible(text) == short(text) == text


@pytest.mark.parametrize("text", ["\x00", "\r\n", "\x9b31m", "\u200b", "\u2066", "\ud800", "\U000e0041"])
def test_escapes_say_which_character_it_was(text):
    assert visible(text).encode().decode("unicode_escape") == text
    assert json.loads(json.dumps(visible(text))) == visible(text)


@pytest.mark.parametrize("text", ["x" * 10**6, "\x1b" * 100, "ab" * 31, "y" * (LONGEST + 1), "\n" + "y" * LONGEST])
def test_long_names_keep_their_beginning_and_end(text):
    found = short(text)
    assert len(found) == LONGEST
    assert found[0] == visible(text)[0]
    assert found[-1] == visible(text)[-1]
    assert "…" in found
