"""Formulas as MathML, which browsers show by themselves: no script, no font, no request."""

import re
from itertools import pairwise
from xml.etree import ElementTree

from docutils import nodes
from latex2mathml.converter import convert
from sphinx.application import Sphinx
from sphinx.writers.html5 import HTML5Translator

PRIME, MINUS = "\u2032", "\u2212"
AFTER_WHICH_SIGNS = set("([{=,;<>")
# What the converter leaves behind when it does not know a command or an alignment.
NOT_UNDERSTOOD = re.compile(r"\\[a-zA-Z]+|^&$")


def mathml(latex: str, display: str) -> str:
    """A formula as MathML; an error if a command in it is not understood."""
    root = ElementTree.fromstring(convert(latex, display=display).replace("<mi>&</mi>", "<mi>&amp;</mi>"))
    for element in root.iter():
        if NOT_UNDERSTOOD.search((element.text or "").strip()):
            raise ValueError(f"no MathML for {element.text!r} in the formula {latex!r}. Write it another way.")
    for element in list(root.iter()):
        lower_primes(element)
        mark_signs(element)
        close_up(element)
    for element in root.iter():
        element.tag = element.tag.rpartition("}")[2]
    return ElementTree.tostring(root, encoding="unicode")


def lower_primes(element: ElementTree.Element) -> None:
    """A prime is drawn high up already, so it stands beside its letter and not in its superscript."""
    kind, children = element.tag.rpartition("}")[2], list(element)
    if kind not in ("msup", "msubsup") or (children[-1].text or "").strip() != PRIME:
        return
    element.clear()
    element.tag = "mrow"
    if kind == "msup":
        element.append(children[0])
    else:
        ElementTree.SubElement(element, "msub").extend(children[:2])
    ElementTree.SubElement(element, "mo", lspace="0", rspace="0").text = PRIME


def mark_signs(element: ElementTree.Element) -> None:
    """A minus after an opening bracket, a comma or a relation belongs to the number that follows it."""
    for before, sign in pairwise(element):
        if (sign.text or "").strip() == MINUS and (before.text or "").strip() in AFTER_WHICH_SIGNS:
            sign.set("form", "prefix")


def close_up(element: ElementTree.Element) -> None:
    """A name such as Cov is no operator: no space on both sides."""
    if element.tag.endswith("mo") and len(element.text or "") > 1 and (element.text or "").isalpha():
        element.tag = "mi"


def inline(translator: HTML5Translator, node: nodes.math) -> None:
    """Put a formula into a line."""
    translator.body.append(mathml(node.astext(), "inline"))
    raise nodes.SkipNode


def block(translator: HTML5Translator, node: nodes.math_block) -> None:
    """Put a formula on a line of its own."""
    translator.body.append(f'<div class="math">{mathml(node.astext(), "block")}</div>')
    raise nodes.SkipNode


def setup(app: Sphinx) -> dict[str, bool]:
    """Register the renderer."""
    app.add_html_math_renderer("mathml", (inline, None), (block, None))
    app.config.html_math_renderer = "mathml"
    return {"parallel_read_safe": True, "parallel_write_safe": True}
