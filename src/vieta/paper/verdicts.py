"""What a reproduction says: each figure of the paper beside ours, with a verdict."""

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final, Literal

import numpy as np

from vieta.arrays import Floats

if TYPE_CHECKING:
    from matplotlib.figure import Figure

REPRODUCED: Final = "reproduced"
WRONG_EXPLANATION: Final = "reproduced, but the explanation is wrong"
NOT_REPRODUCED: Final = "not reproduced"
Verdict = Literal["reproduced", "reproduced, but the explanation is wrong", "not reproduced"]


@dataclass(frozen=True, slots=True)
class Row:
    """One claim of the paper: what it prints, what we find, and what to make of it."""

    claim: str
    paper: str
    ours: str
    verdict: Verdict
    why: str = ""


@dataclass(frozen=True, slots=True, eq=False)
class Report:
    """The reproduction of one Example.

    Attributes
    ----------
    example : int
    title : str
    settings : tuple of str
        Every setting that the paper leaves open and that is ours.
    rows : tuple of Row
    figure : Figure
        The paper's figure, redrawn.
    values : dict
        The numbers behind the rows, by name.
    """

    example: int
    title: str
    settings: tuple[str, ...]
    rows: tuple[Row, ...]
    figure: "Figure"
    values: dict[str, Any]

    def to_dict(self) -> dict[str, Any]:
        """Ready for JSON."""
        rows = [
            {name: getattr(row, name) for name in ("claim", "paper", "ours", "verdict", "why")} for row in self.rows
        ]
        return {"example": self.example, "title": self.title, "settings": list(self.settings), "rows": rows}


def shown(theta: Floats, digits: int = 3) -> str:
    """Parameters as text: numbers in one bracket, vectors in one each.

    >>> shown(np.array([[-2.0], [5.0]])), shown(np.array([[-2.0, 6.0], [4.0, 5.0]]), 1)
    ('[-2.000, 5.000]', '[-2.0, 6.0], [4.0, 5.0]')
    """
    rows = np.asarray(theta).reshape(1, -1) if np.asarray(theta).shape[-1] == 1 else np.asarray(theta)
    return ", ".join("[" + ", ".join(f"{value:.{digits}f}" for value in row) + "]" for row in rows)
