"""What is known of sets of answers before anything is estimated: inputs, known numbers and how often each answer occurs."""

from dataclasses import dataclass
from typing import Self

import numpy as np

from vieta.answers.answer_likelihood import input_rows, known_numbers
from vieta.arrays import Floats, Integers, plain
from vieta.errors import NotIdentifiableError
from vieta.sets import Data

MOST_VALUES = 4096  # different answers that are counted
SINGULAR = 1e-12  # smallest eigenvalue of the inputs' second moments, each coordinate scaled to one
SAME = 1e-12  # of their size, within which inputs are one


@dataclass(frozen=True, slots=True, eq=False)
class AnswerSurvey:
    """What a pass over all sets tells; two add by looking at both.

    Attributes
    ----------
    n_sets : int
    gram, total : (D, D), (D,)
        Sums of psi psi' and of psi.
    low, high : (D + 1,)
        Range of the inputs, and of the known numbers.
    values, times : (V,)
        Different answers, in ascending order, and how often each occurs; the first `MOST_VALUES` of them.
    """

    n_sets: int
    gram: Floats
    total: Floats
    low: Floats
    high: Floats
    values: Floats
    times: Integers

    @classmethod
    def of(cls, block: Data) -> Self:
        """That of a block."""
        rows = input_rows(block)
        all_known = np.column_stack([rows, known_numbers(block)])
        values, times = np.unique(block.readings, return_counts=True)
        return cls(
            len(block),
            rows.T @ rows,
            rows.sum(axis=0),
            all_known.min(axis=0, initial=np.inf),
            all_known.max(axis=0, initial=-np.inf),
            values[:MOST_VALUES],
            times[:MOST_VALUES].astype(np.int64),
        )

    def __add__(self, other: Self, /) -> Self:
        values, place = np.unique(np.concatenate([self.values, other.values]), return_inverse=True)
        times = np.bincount(place, np.concatenate([self.times, other.times])).astype(np.int64)
        return type(self)(
            self.n_sets + other.n_sets,
            self.gram + other.gram,
            self.total + other.total,
            np.minimum(self.low, other.low),
            np.maximum(self.high, other.high),
            values[:MOST_VALUES],
            times[:MOST_VALUES],
        )

    @property
    def has_one_item(self) -> bool:
        """Whether all sets have the same input and the same known number."""
        size = np.maximum(abs(self.low), abs(self.high))
        return bool((self.high - self.low <= SAME * size).all())

    @property
    def root(self) -> Floats:
        """(D, D) R such that the mean square of psi't is that of R t."""
        return plain(np.linalg.cholesky(self.gram / self.n_sets).T)

    @property
    def spans_constant(self) -> bool:
        """Whether some combination of the inputs is one in every set."""
        solved = np.linalg.lstsq(self.gram, self.total, rcond=1e-12)[0]
        return bool(1.0 - self.total @ solved / self.n_sets < 1e-9)

    def require_varied(self) -> None:
        """Refuse inputs that do not reach every direction of the parameters."""
        size = np.sqrt(np.diag(self.gram))
        if size.min() > 0.0 and np.linalg.eigvalsh(self.gram / (size[:, None] * size))[0] > SINGULAR:
            return
        raise NotIdentifiableError(
            "inputs-not-identifying",
            "the inputs do not identify the parameters: in {n_sets} set(s) they are zero, constant or confined to a subspace. Vary the "
            "inputs in every coordinate, or wait for more sets.",
            n_sets=self.n_sets,
        )
