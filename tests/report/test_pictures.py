"""Figures as bytes: of the kind that was asked for, and the same for the same data."""

import base64

import pytest
from matplotlib.figure import Figure

from vieta.report.pictures import encoded, inline


def figure():
    drawn = Figure()
    drawn.subplots().plot([1, 2], [3, 4])
    return drawn


@pytest.mark.parametrize(("kind", "start"), [("png", b"\x89PNG"), ("svg", b"<?xml"), ("pdf", b"%PDF")])
def test_kinds_without_dates(kind, start):
    made = encoded(figure(), kind)
    assert made.startswith(start)
    assert made == encoded(figure(), kind)
    assert b"CreationDate" not in made
    assert b"<dc:date>" not in made


def test_an_address_holds_the_picture():
    kind, content = inline(figure()).split(",")
    assert kind == "data:image/svg+xml;base64"
    assert base64.b64decode(content) == encoded(figure(), "svg")
