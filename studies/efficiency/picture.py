"""The picture of the study, from its table: one line a scenario, one point a method.

`python -m studies.efficiency.picture` draws it again.
"""

import re
from pathlib import Path
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.layout_engine import ConstrainedLayoutEngine

from studies.efficiency.measure import METHODS

TABLE = Path("docs/efficiency.md")
LARGEST = 1e6  # ratio on the axis; what is larger stands at its edge, with its number
MARKS = {"lms": ("s", "#777777", "none"), "least-squares": ("D", "#E69F00", "#E69F00"),
         "efficient": ("o", "#0072B2", "#0072B2"), "efficient, online": ("^", "#D55E00", "none"),
         "adaptive": ("*", "#009E73", "#009E73"), "adaptive, online": ("v", "#CC79A7", "none")}  # fmt: skip
LABELS = {"lms": "LMS (the paper's filter)", "least-squares": "least squares on coefficients",
          "efficient": "efficient, batch", "efficient, online": "efficient, online",
          "adaptive": "adaptive, batch", "adaptive, online": "adaptive, online"}  # fmt: skip
COLUMNS = {"LMS": "lms", "least squares": "least-squares"}  # columns of the table whose names are not those of methods
UPPER = ("lms", "efficient", "adaptive")


def ratios(table: str) -> dict[str, dict[str, float]]:
    """The mean squared errors of each method in the rows of the table, relative to those of an analyst who has the labels.

    >>> ratios("| scenario | LMS | efficient | bound |\\n|---|---|---|---|\\n| L=2, sd .2 (n=20) | inf | 1.02 ± 0.01 | 1.00 |")
    {'L=2, sd .2': {'lms': inf, 'efficient': 1.02}}
    """
    head, _, *rows = [re.split(r" *\| *", line.strip("| \n")) for line in table.splitlines() if line.startswith("|")]
    names = [COLUMNS.get(column, column) for column in head]
    return {
        re.sub(r" \(n=.*", "", row[0]): {n: float(c.split(" ")[0]) for n, c in zip(names, row) if n in METHODS}
        for row in rows
    }


def draw(rows: dict[str, dict[str, float]]) -> Figure:
    """Ratios on a logarithmic axis; 1 is an analyst who has the labels."""
    figure = Figure(figsize=(9.6, 0.42 * len(rows) + 1.8), layout=ConstrainedLayoutEngine(w_pad=0.15, h_pad=0.08))
    ax = figure.subplots()
    for at, found in enumerate(reversed(rows.values())):
        for name, ratio in found.items():
            _point(ax, name, ratio, at + (0.13 if name in UPPER else -0.13))
    for name in [name for name in METHODS if any(name in found for found in rows.values())]:
        ax.plot([], [], ls="", label=LABELS[name], **_style(name))
    ax.axvline(1.0, color="black", lw=1)
    ax.set_xscale("log")
    ax.set_xlim(min(0.35, *(0.8 * ratio for found in rows.values() for ratio in found.values())), LARGEST)
    ax.set_yticks(np.arange(len(rows)), list(reversed(rows)))
    ax.set_xlabel("mean squared error, relative to an analyst who has the labels (= 1)")
    ax.grid(axis="x", alpha=0.3)
    ax.spines[["top", "right"]].set_visible(False)
    figure.legend(loc="outside upper center", ncols=4, frameon=False)
    return figure


def _style(name: str) -> dict[str, Any]:
    mark, color, inside = MARKS[name]
    return {"marker": mark, "color": color, "mfc": inside, "mew": 1.5, "ms": 6.5}


def _point(ax: Axes, name: str, ratio: float, at: float) -> None:
    """A point; beyond the axis, at its edge, with an arrow and the number."""
    ax.plot([min(ratio, LARGEST)], [at], ls="", clip_on=False, zorder=3, **_style(name))
    if ratio > LARGEST:
        words = f"{ratio:.1e}".replace("e+0", "·10^") if np.isfinite(ratio) else "not finite"
        words = re.sub(r"10\^(\d+)", r"$10^{\1}$", words)
        ax.annotate(
            f"{words} →",
            (LARGEST, at),
            xytext=(-8, 3 if name == "lms" else -3),
            textcoords="offset points",
            ha="right",
            va="center",
            fontsize=9,
        )


if __name__ == "__main__":
    draw(ratios(TABLE.read_text(encoding="utf-8"))).savefig(TABLE.with_suffix(".png"), dpi=130)
