"""Names of columns in pictures: letter by letter as they are, whatever is in them, and in fonts that have their characters."""

from collections.abc import Iterable
from functools import cache
from typing import Any

from matplotlib import font_manager

from vieta.characters import short

LONGEST = 32  # characters of a name, for which there is room beside an axis
LAST_RESORT = "Last Resort"  # a font that has a box with a sign of the script for every character


def literal(names: Iterable[str]) -> tuple[list[str], dict[str, Any]]:
    """Names to draw, and the properties of text that draw them: no formula is read in them, and no glyph is missing.

    >>> literal(["$x_1$"])[0], literal(["$x_1$"])[1]["parse_math"]
    (['$x_1$'], False)
    """
    texts = [short("".join(map(_drawable, short(name, LONGEST))), LONGEST) for name in names]
    return texts, {"parse_math": False, "usetex": False, "family": _families("".join(texts))}


def _drawable(character: str) -> str:
    """The character, if there is a font that has it; otherwise its escape."""
    return character if _font(character) else character.encode("unicode_escape").decode("ascii")


def _families(text: str) -> list[str]:
    """Families of fonts that have the characters of a text between them, the usual one first."""
    return list(dict.fromkeys([_usual()[0], *filter(None, map(_font, text))]))


def _usual() -> tuple[str, str]:
    """The family and the file of the font that is taken where none is named."""
    path = font_manager.findfont(font_manager.FontProperties())
    return font_manager.get_font(path).family_name, path


@cache
def _font(character: str) -> str | None:
    """The family of the first font that has a character, None if no font has."""
    every = ((entry.name, entry.fname) for entry in font_manager.fontManager.ttflist)
    able = (name for name, path in (_usual(), *every) if not name.startswith(LAST_RESORT) and _has(path, character))
    return next(able, None)


def _has(path: str, character: str) -> bool:
    try:
        return font_manager.get_font(path).get_char_index(ord(character)) != 0
    except (OSError, RuntimeError):  # a font that matplotlib cannot read, as of coloured pictures
        return False
