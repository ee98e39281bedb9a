"""The picture of the efficiency study shows every number of its table, also those beyond its axis."""

from pathlib import Path

import numpy as np

from studies.efficiency import picture

TABLE = Path(__file__).parents[2] / "docs" / "efficiency.md"


def test_the_picture_shows_every_number_of_the_table():
    rows = picture.ratios(TABLE.read_text(encoding="utf-8"))
    (ax,) = picture.draw(rows).axes
    ratios = [ratio for row in rows.values() for ratio in row.values()]
    drawn = [float(line.get_xdata()[0]) for line in ax.lines if len(line.get_xdata()) == 1]
    assert sorted(drawn) == sorted(min(ratio, picture.LARGEST) for ratio in ratios)
    beyond = [ratio for ratio in ratios if ratio > picture.LARGEST]
    assert len(ax.texts) == len(beyond) > 0
    assert [note.get_text() for note in ax.texts if "finite" in note.get_text()] == ["not finite →"]
    assert any("1.5·$10^{7}$" in note.get_text() for note in ax.texts)
    assert np.isinf(max(beyond))


def test_no_point_hides_another():
    rows = {"a": dict.fromkeys(picture.MARKS, 1.0)}
    (ax,) = picture.draw(rows).axes
    heights = {float(line.get_ydata()[0]) for line in ax.lines if len(line.get_xdata()) == 1}
    assert len(heights) == 2
