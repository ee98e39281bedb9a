"""Numbers that a flag takes."""

import click
import pytest
from click.testing import CliRunner

from vieta.cli.commands import vieta as command
from vieta.cli.ranges import Finite


@pytest.mark.parametrize("word", ["nan", "-NaN", "inf", "1e999"])
def test_numbers_that_are_not_finite_are_refused(word):
    with pytest.raises(click.BadParameter, match="is not a finite number"):
        Finite().convert(word, None, None)


def test_numbers_within_the_range_are_taken():
    assert Finite(0, 1).convert("0.5", None, None) == 0.5
    with pytest.raises(click.BadParameter, match="not in the range"):
        Finite(0, 1).convert("2", None, None)


@pytest.mark.parametrize(
    "words",
    [
        ("fit", "a.csv", "--level", "nan"),
        ("audit", "a.csv", "--added", "nan"),
        ("audit", "a.csv", "--added", "inf"),
        ("watch", "--level", "nan"),
        ("watch", "--json", "--seconds", "nan"),
        ("watch", "--state", "a.npz", "--checkpoint-seconds", "nan"),
    ],
)
def test_no_flag_takes_nan(words):
    result = CliRunner().invoke(command, words)
    assert result.exit_code == 2
    assert "is not a finite number" in result.stderr
