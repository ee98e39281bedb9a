r"""Whether the inputs can tell which values belong to one system: decided from the inputs alone, before anything is estimated.

With fewer numbers a reading than parameters (p < D) a set tells the *set* :math:`\{\Psi\theta_l\}`. Suppose that the parameter space is a
direct sum, :math:`R^D = A \oplus B`, such that the rows of every input lie in A or in B. Then the part of :math:`\theta_l` that A sees may be
exchanged between systems without any change in what the sets are, and :math:`L!` parameter sets have the same law. [1, b] with b in {0, 1}
and one-hot groups are of this kind: their rows lie on D lines.

Rows split in this way exactly when their matroid is not connected. With a basis of D rows and the coordinates of all rows in it, two
members of the basis are connected if some input has nonzero coordinates in both; the groups of connected members are the summands.
"""

from dataclasses import dataclass
from typing import Self

import numpy as np

from vieta.arrays import Floats, Integers
from vieta.errors import NotIdentifiableError
from vieta.sums import Passes

NEGLIGIBLE = 1e-7  # part of a row, in units of its largest, that counts as zero
FIRST = 1000  # sets that mostly suffice
SHOWN, LONGEST = 4, 8  # rows that are shown, and numbers of each


@dataclass(frozen=True, slots=True, eq=False)
class Groups:
    """Rows (D', D) of the inputs that span all of them, the number of the group (D',) that each belongs to, and units (D,) of the columns."""

    basis: Floats
    group: Integers
    unit: Floats

    @property
    def count(self) -> int:
        """How many groups there are; one if the inputs tell which values belong together."""
        return int(self.group.max(initial=-1)) + 1

    def coordinates(self, psi: Floats) -> Floats:
        """(.., D') coordinates of rows (.., D) in the basis, zero for a part of a row that is negligible beside its largest part."""
        rows = self.basis / self.unit
        size = np.linalg.norm(rows, axis=1)
        parts = (psi / self.unit) @ np.linalg.pinv(rows / size[:, None])
        largest = abs(parts).max(axis=-1, keepdims=True, initial=0.0)
        return np.asarray(np.where(abs(parts) > NEGLIGIBLE * largest, parts, 0.0) / size)


@dataclass(frozen=True, slots=True, eq=False)
class Reach:
    """A few of the inputs (n, p, D) that fall into the same groups as all of them do; two add by looking at both."""

    psi: Floats

    @classmethod
    def of(cls, psi: Floats) -> Self:
        """The reach of inputs (n, p, D)."""
        found = _groups(psi)
        if not len(found.basis):
            return cls(psi[:0])
        place, touched = _basis_places(psi), _touched(found, psi)
        kept = [*place, *_witnesses(touched)]
        return cls(psi[np.unique(kept)])

    def __add__(self, other: Self, /) -> Self:
        return self.of(np.concatenate([self.psi, other.psi]))

    @property
    def groups(self) -> Groups:
        """The groups that the inputs fall into."""
        return _groups(self.psi)


def groups(passes: Passes) -> Groups | None:
    """The groups that the inputs fall into; None where all parameters are read together and the question does not arise."""
    like = passes.like
    if like.inputs.ndim == 1 or like.n_systems == 1 or like.dim == 1:
        return None
    first = _groups(passes.head(FIRST).inputs)
    if first.count == 1 and len(first.basis) == like.dim:
        return first
    return passes.total(lambda block, _: Reach.of(block.inputs)).groups


def require_pairing(passes: Passes) -> None:
    """Refuse inputs that leave open which values belong to one system."""
    found = groups(passes)
    if found is None or found.count <= 1:
        return
    raise not_paired(found)


def not_paired(found: Groups) -> NotIdentifiableError:
    """The error that says why, and what can be estimated all the same."""
    first = found.basis[np.unique(found.group, return_index=True)[1]]
    return NotIdentifiableError(
        "pairing-not-identified",
        "the inputs cannot tell which values belong to the same system. They fall into {count} groups, with rows such as {rows}, and no input "
        "combines two of them: exchanging the systems' values in one group changes no set, so any number of sets would leave it open. Add "
        "inputs that combine the groups (for rows [1, b], a third value of b), or estimate the set of values in each group on its own: "
        "{call.fit_groups}.",
        count=found.count,
        rows=" and ".join(as_row(row) for row in first[:SHOWN]),
    )


def as_row(row: Floats) -> str:
    """A row of numbers as it is shown.

    >>> as_row(np.array([1.0, 0.25]))
    '[1, 0.25]'
    """
    shown = [f"{value:.4g}" for value in row[:LONGEST]]
    return "[" + ", ".join(shown + [".."] * (len(row) > LONGEST)) + "]"


def _groups(psi: Floats) -> Groups:
    """The groups of inputs (n, p, D)."""
    place = _basis_rows(psi)
    basis = psi.reshape(-1, psi.shape[2])[place]
    found = Groups(basis, np.arange(len(basis)), _units(psi))
    group = np.arange(len(basis))
    for one in np.unique(_touched(found, psi), axis=0):
        together = np.unique(group[one])
        group[np.isin(group, together)] = together[0] if len(together) else 0
    return Groups(basis, np.unique(group, return_inverse=True)[1], found.unit)


def _units(psi: Floats) -> Floats:
    """(D,) the largest size in each column of inputs (n, p, D); one where there is none."""
    largest = abs(psi).max(axis=(0, 1), initial=0.0)
    return np.where(largest > 0.0, largest, 1.0)


def _touched(found: Groups, psi: Floats) -> "np.ndarray[tuple[int, ...], np.dtype[np.bool_]]":
    """(n, D') which members of the basis each input has a part in."""
    return np.asarray((found.coordinates(psi) != 0.0).any(axis=1))


def _basis_rows(psi: Floats) -> list[int]:
    """Places of rows that span all rows: each is the farthest from the span of those before, in units of each column."""
    rows = psi.reshape(-1, psi.shape[2])
    left = rows / _units(psi)
    size = np.linalg.norm(left, axis=1)
    left = left / np.where(size > 0.0, size, 1.0)[:, None]
    found: list[int] = []
    for _ in range(psi.shape[2]):
        length = np.linalg.norm(left, axis=1)
        if not len(length) or length.max() < NEGLIGIBLE:
            break
        at = int(length.argmax())
        found.append(at)
        along = left[at] / length[at]
        left = left - np.outer(left @ along, along)
    return found


def _basis_places(psi: Floats) -> list[int]:
    """Places of the inputs that those rows are in."""
    return [at // psi.shape[1] for at in _basis_rows(psi)]


def _witnesses(touched: "np.ndarray[tuple[int, ...], np.dtype[np.bool_]]") -> list[int]:
    """Places of a few inputs that connect what all of them connect."""
    group, found = np.arange(touched.shape[1]), []
    kinds, first = np.unique(touched, axis=0, return_index=True)
    for one, at in zip(kinds, first, strict=True):
        together = np.unique(group[one])
        if len(together) > 1:
            found.append(int(at))
            group[np.isin(group, together)] = together[0]
    return found
