"""Numbers that a flag takes, and the flag that several commands have."""

import math
from typing import Any

import click


class Finite(click.FloatRange):
    """A finite number in a range; NaN is in every range for click, which compares it with the ends."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> float:
        """The number of a word."""
        number = float(super().convert(value, param, ctx))
        if not math.isfinite(number):
            self.fail(f"{number} is not a finite number.", param, ctx)
        return number


level = click.option(
    "--level",
    type=Finite(0, 1, min_open=True, max_open=True),
    default=0.95,
    show_default=True,
    help="Of the intervals.",
)
