"""Names in pictures: nothing in them is a formula, and no glyph is missing."""

import io
import warnings

import pytest
from matplotlib import font_manager
from matplotlib.figure import Figure

from vieta import typeface

NAMES = [
    "$",
    "a$b_1^2\\frac$",
    "",
    "_",
    "\\",
    "温度",
    "🌡️ °C",
    "مرحبا",
    "\x1b[2J\n",
    "\ud800",
    "x" * 10_000,
    "Größe [m]",
    "$$",
]


@pytest.mark.parametrize("name", NAMES, ids=range(len(NAMES)))
def test_any_name_is_drawn_without_a_warning(name):
    (text,), how = typeface.literal([name])
    figure = Figure()
    figure.subplots().set_xlabel(text, **how)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for kind in ("png", "svg", "pdf"):
            figure.savefig(io.BytesIO(), format=kind)
    assert len(text) <= typeface.LONGEST


@pytest.mark.parametrize("name", ["", "$x_1$", "a\\b^2", "Größe [m]", "θ̂"])
def test_names_that_the_usual_font_has_stay_as_they_are(name):
    texts, how = typeface.literal([name])
    assert texts == [name]
    assert how["family"] == [typeface._usual()[0]]


def test_a_character_that_no_font_has_is_escaped():
    assert typeface.literal(["a\U0001f9ff"])[0] in (["a\\U0001f9ff"], ["a\U0001f9ff"])
    assert typeface._font("\U000a0000") is None
    assert typeface._drawable("\U000a0000") == "\\U000a0000"


def test_another_font_is_taken_where_the_usual_one_lacks_a_character(monkeypatch):
    monkeypatch.setattr(typeface, "_has", lambda path, character: path.endswith("cmr10.ttf"))
    typeface._font.cache_clear()
    assert typeface.literal(["x"])[1]["family"] == [typeface._usual()[0], "cmr10"]
    typeface._font.cache_clear()


def test_a_font_that_cannot_be_read_has_no_character(tmp_path):
    (tmp_path / "a.ttf").write_bytes(b"no font")
    assert not typeface._has(str(tmp_path / "a.ttf"), "x")
    assert typeface._has(font_manager.findfont("DejaVu Sans"), "x")
