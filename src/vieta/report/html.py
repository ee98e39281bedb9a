"""A page of HTML that needs no other file and asks no server for anything: headings, tables, pictures, findings."""

import html
from collections.abc import Iterable
from importlib.resources import files
from typing import TYPE_CHECKING

from vieta import __version__
from vieta.characters import visible
from vieta.report.pictures import inline
from vieta.report.remarks import Remark

if TYPE_CHECKING:
    from matplotlib.figure import Figure


def escape(text: str) -> str:
    r"""The text as HTML that shows it as it is, with escapes for what cannot be seen.

    >>> escape("<b>\x1b")
    '&lt;b&gt;\\x1b'
    """
    return html.escape(visible(text))


def page(title: str, lead: str, sections: Iterable[tuple[str, str]]) -> str:
    """The page; `lead` and the content of each section (heading, content) are HTML."""
    style = files("vieta.report").joinpath("report.css").read_text(encoding="utf-8")
    body = "\n".join(f"<section>\n<h2>{escape(heading)}</h2>\n{content}\n</section>" for heading, content in sections)
    return (
        f'<!doctype html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n<title>{escape(title)}</title>\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        f'<style>\n{style}</style>\n</head>\n<body>\n<main>\n<h1>{escape(title)}</h1>\n<p class="lead">{lead}</p>\n{body}\n'
        f"<footer>vieta {escape(__version__)}</footer>\n</main>\n</body>\n</html>\n"
    )


def findings(remarks: Iterable[Remark]) -> str:
    """Remarks, each of the class of its grade, which colours the bar beside it, and serious ones marked by a word as well."""
    items = "".join(f'<li class="{one.grade}">{_marked(one)}</li>' for one in remarks)
    return f'<ul class="findings">{items}</ul>'


def _marked(remark: Remark) -> str:
    mark = "<b>Serious.</b> " if remark.grade == "serious" else ""
    return mark + escape(remark.text)


def command(text: str) -> str:
    """A command, broken between its words only, unless one is long."""
    words = (f"<span>{escape(word)}</span>" if len(word) <= 40 else escape(word) for word in text.split(" "))
    return f"<p>The same again:</p><pre>{' '.join(words)}</pre>"


def table(header: list[str], rows: list[list[str]]) -> str:
    """A table of words and numbers."""
    head = "".join(f"<th>{escape(cell)}</th>" for cell in header)
    body = "".join("<tr>" + "".join(f"<td>{escape(cell)}</td>" for cell in row) + "</tr>" for row in rows)
    return f'<div class="table"><table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table></div>'


def picture(figure: "Figure", note: str) -> str:
    """A figure, drawn into the page."""
    caption = f"<figcaption>{escape(note)}</figcaption>" if note else ""
    return f'<figure><img alt="{escape(note) or "picture"}" src="{inline(figure)}">{caption}</figure>'


def numbers(text: str) -> str:
    """JSON behind a line to click on."""
    return f"<details><summary>All numbers as JSON</summary><pre>{html.escape(text)}</pre></details>"
