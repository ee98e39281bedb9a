"""The picture of the study: one line a scenario, one point a method."""

import numpy as np
from matplotlib.figure import Figure

from studies.efficiency import METHODS, Outcome

MARKS = {"lms": ("s", "#999999"), "least-squares": ("D", "#E69F00"), "efficient": ("o", "#0072B2"),
         "efficient, online": ("^", "#D55E00")}  # fmt: skip
LABELS = {"lms": "LMS (the paper's filter)", "least-squares": "least squares on coefficients",
          "efficient": "efficient, batch", "efficient, online": "efficient, online"}  # fmt: skip


def draw(outcomes: dict[str, dict[str, Outcome]]) -> Figure:
    """Ratios on a logarithmic axis; 1 is an analyst who has the labels."""
    figure = Figure(figsize=(9.0, 0.42 * len(outcomes) + 1.8), layout="constrained")
    ax = figure.subplots()
    at = np.arange(len(outcomes))[::-1]
    for name in METHODS:
        ratios = [min(found[name].ratio, 1e5) for found in outcomes.values()]
        mark, color = MARKS[name]
        ax.plot(ratios, at, mark, color=color, label=LABELS[name], ms=7, alpha=0.9)
    ax.axvline(1.0, color="black", lw=1)
    ax.set_xscale("log")
    ax.set_yticks(at, list(outcomes))
    ax.set_xlabel("mean squared error, relative to an analyst who has the labels (= 1)")
    ax.grid(axis="x", alpha=0.3)
    figure.legend(loc="outside upper center", ncols=4, frameon=False)
    return figure
