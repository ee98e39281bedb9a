"""Figures as bytes, the same for the same data."""

import base64
import io
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from matplotlib.figure import Figure


def encoded(figure: "Figure", kind: str) -> bytes:
    """A figure as "png", "svg" or "pdf", without the date on which it was made."""
    import matplotlib as mpl

    buffer = io.BytesIO()
    dates = {"png": {}, "svg": {"Date": None}, "pdf": {"CreationDate": None}}
    with mpl.rc_context({"svg.hashsalt": "vieta"}):
        figure.savefig(buffer, format=kind, dpi=150, metadata=dates[kind])
    return buffer.getvalue()


def inline(figure: "Figure") -> str:
    """A figure as an address that holds it: no other file is needed."""
    return "data:image/svg+xml;base64," + base64.b64encode(encoded(figure, "svg")).decode()
