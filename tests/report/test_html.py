"""Pages: text is escaped everywhere, findings have the class of their grade, and nothing is fetched from elsewhere."""

import pytest
from matplotlib.figure import Figure

from tests.report.cases import Page
from vieta.report import html
from vieta.report.remarks import Remark

NASTY = "<script>alert('&')</script>"


def test_a_page_is_whole_and_has_its_sections_in_order():
    found = Page(html.page(NASTY, "<b>lead</b>", [("one", "<p>first</p>"), (NASTY, "<p>second</p>")]))
    assert found.open == []
    assert found.sources == []
    assert found.text.index("lead") < found.text.index("first") < found.text.index("second")
    assert found.text.count(NASTY) == 3  # in the title twice


@pytest.mark.parametrize("grade", ["fine", "note", "caution", "serious"])
def test_remarks_have_the_class_of_their_grade_which_the_style_knows(grade):
    text = html.findings([Remark(NASTY, grade)])
    found = Page(text)
    assert found.classes == ["findings", grade]
    assert NASTY in found.text
    assert ("Serious." in found.text) == (grade == "serious")
    assert grade == "note" or f"li.{grade} " in html.page("", "", [])


def test_tables_and_commands_and_numbers_are_escaped():
    parts = html.table([NASTY], [[NASTY], ["1"]]), html.command(f"vieta fit {NASTY}"), html.numbers(NASTY)
    for part in parts:
        assert "<script>" not in part
        assert NASTY in Page(part).text
    assert Page(parts[0]).text == NASTY + NASTY + "1"


def test_commands_are_broken_between_words_only_unless_one_is_long():
    text = html.command(f"vieta fit --systems 3 {'x' * 50}")
    assert "<span>--systems</span> <span>3</span>" in text
    assert f"<span>{'x' * 50}" not in text


def test_a_picture_is_in_the_page():
    found = Page(html.picture(Figure(), NASTY))
    (source,) = found.sources
    assert source.startswith("data:image/svg+xml;base64,")
    assert found.text == NASTY
    assert 'alt="picture"' in html.picture(Figure(), "")
