"""How Sphinx builds these pages: Markdown, docstrings, and formulas as MathML. Nothing is fetched when a page is read."""

import sys
from pathlib import Path

sys.path.append(str(Path(__file__).parent / "_ext"))

import vieta

project = "vieta"
release = version = vieta.__version__
html_title = f"vieta {release}"

extensions = ["myst_parser", "sphinx.ext.autodoc", "sphinx.ext.napoleon", "mathml"]
exclude_patterns = ["_build"]
templates_path = ["_templates"]

myst_enable_extensions = ["dollarmath", "colon_fence"]
myst_heading_anchors = 3

autodoc_typehints = "none"  # shapes are in the docstrings
autodoc_member_order = "bysource"
napoleon_google_docstring = False
napoleon_use_ivar = True
default_role = "literal"
add_module_names = False

html_theme = "furo"
html_copy_source = False
html_show_copyright = False
html_show_search_summary = False  # it would read pages again, which browsers refuse for files
html_static_path = ["_static"]
html_css_files = ["pages.css"]
