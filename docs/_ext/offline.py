"""Check that built pages ask nothing of the network: no script, style, font, picture or link from elsewhere.

Run as a program on the folder of built pages; the exit code is 1 if anything is found.
"""

import re
import sys
from html.parser import HTMLParser
from pathlib import Path

OUTSIDE = re.compile(r"^\s*(?:[a-z][a-z0-9+.-]*:)?//", re.IGNORECASE)
ATTRIBUTES = {"src", "href", "srcset", "data", "action", "poster", "xlink:href"}
IN_STYLES = re.compile(r"""url\(\s*["']?([^"')]+)|@import\s+["']([^"']+)""")


class Attributes(HTMLParser):
    """Collects the attributes of a page that name addresses elsewhere."""

    def __init__(self) -> None:
        super().__init__()
        self.found: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Look at one tag."""
        for name, value in attrs:
            if name in ATTRIBUTES and value and OUTSIDE.match(value):
                self.found.append(f"<{tag} {name}={value!r}>")
            elif name == "style" and value:
                self.found += in_style(value)


def in_style(text: str) -> list[str]:
    """Addresses elsewhere in a style sheet."""
    addresses = (first or second for first, second in IN_STYLES.findall(text))
    return [f"url({address})" for address in addresses if OUTSIDE.match(address)]


def in_page(text: str) -> list[str]:
    """Addresses elsewhere in a page."""
    parser = Attributes()
    parser.feed(text)
    styles = re.findall(r"<style[^>]*>(.*?)</style>", text, flags=re.DOTALL)
    return parser.found + [found for style in styles for found in in_style(style)]


def addresses(folder: Path) -> list[str]:
    """All of them below a folder, each with its file."""
    look = {".html": in_page, ".css": in_style}
    files = (path for path in sorted(folder.rglob("*")) if path.suffix in look)
    return [
        f"{path.relative_to(folder)}: {one}" for path in files for one in look[path.suffix](path.read_text("utf-8"))
    ]


if __name__ == "__main__":
    built = Path(sys.argv[1])
    if not list(built.rglob("*.html")):
        sys.exit(f"there are no pages in {built}: build them first.")
    outside = addresses(built)
    if outside:
        sys.exit("the pages ask for something from elsewhere:\n" + "\n".join(outside))
