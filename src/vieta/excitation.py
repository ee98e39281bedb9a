r"""What inputs reach, so that forgetting stops where nothing new is learned.

Exponential forgetting multiplies the information by f at every set. Where the inputs tell nothing, it would fall to zero, and with it all
that the filter knows. So a set whose input is zero forgets nothing, and after every window of w sets with an input the information about
directions V of the parameters that none of these inputs reached, :math:`\Psi V = 0`, is given back what it lost:

.. math:: H \leftarrow R H, \qquad R = I + (f^{-w} - 1)\, H V (V'HV)^{-1} V' .

Since the new information of the window vanishes on V, that is the same as if only the information about the functions
:math:`\Phi'\theta` that the inputs reached (:math:`\Phi'V = 0`) had been forgotten,

.. math:: H_0 - (1 - f^w)\, \Phi(\Phi'H_0^{-1}\Phi)^{-1}\Phi' + \text{new information},

whatever the units are; and in a window whose inputs reach every direction it is exponential forgetting as it was.
"""

from dataclasses import dataclass

import numpy as np

from vieta.arrays import Booleans, Floats

WINDOW = 64  # sets after which it is looked at what the inputs reached, or fewer for a short memory
KEPT = 1e-6  # of the information that is left after a window, so that rounding does not touch what is given back
BLOCK = 65_536  # inputs that are looked at together
DARK = 1e-200  # sum of squares of an input that counts as zero
FAINT = (
    1e-12  # information that a window brings, relative to what is known or to the most it brings, that may be rounding
)
CLEAR = 1e-6  # information that a window brings, relative to all there is, that is no rounding
AHEAD = 64  # windows that are looked at at once
LARGEST = 1e8  # factor by which information is given back: beyond, it was lost in rounding


def is_lit(matrices: Floats) -> Booleans:
    """(n,) which of the inputs (n, ..) are not zero; NaN counts as an input."""
    if matrices.ndim == 1:
        return np.asarray(~(abs(matrices) <= np.sqrt(DARK)))
    return np.asarray(~((matrices.reshape(len(matrices), -1) ** 2).sum(axis=1) <= DARK))


def all_lit(matrices: Floats) -> bool:
    """Whether no input is zero, a block at a time: no array with an entry a set is made."""
    return all(bool(is_lit(matrices[at : at + BLOCK]).all()) for at in range(0, len(matrices), BLOCK))


def window(forgetting: float) -> int:
    """How many sets make a window: a power of two, up to 64.

    >>> window(0.98), window(0.5), window(1e-9)
    (64, 16, 1)
    """
    size = WINDOW
    while size > 1 and forgetting**size < KEPT:
        size //= 2
    return size


@dataclass(frozen=True, slots=True, eq=False)
class Reach:
    """What inputs reach of D coordinates.

    Attributes
    ----------
    basis : (D, D)
        Directions, those that the inputs do not reach first.
    missed : int
        How many these are.
    """

    basis: Floats
    missed: int

    @property
    def unreached(self) -> Floats:
        """(D, r) V."""
        return self.basis[:, : self.missed]


def reach(matrices: Floats, known: Floats) -> Reach:
    """What inputs (n, p, D) reach, in units of what is `known` of each coordinate (D,), as information."""
    scale = 1.0 / np.sqrt(np.where(known > 0.0, known, 1.0))
    scaled = (matrices * scale).reshape(-1, len(known))
    values, vectors = np.linalg.eigh(scaled.T @ scaled)
    faint = FAINT * max(1.0, float(values[-1]))
    return Reach(np.asarray(scale[:, None] * vectors), int((values <= faint).sum()))


def clear_sets(matrices: Floats, size: int, known: Floats) -> int:
    """How many of the inputs (n, p, D) stand, from the first on, in windows that clearly reach everything: a multiple of `size`.

    It serves to pass over them at once; windows that are not clear are looked at one by one, with what is known at their end.
    """
    some = matrices[: AHEAD * size]
    count = len(some) // size
    rows = some[: count * size].reshape(count, size * matrices.shape[1], len(known))
    grams = np.swapaxes(rows, 1, 2) @ rows
    most = known + np.einsum("wdd->d", grams)
    scale = 1.0 / np.sqrt(np.where(most > 0.0, most, 1.0))
    clear = np.linalg.eigvalsh(grams * scale[:, None] * scale)[:, 0] > CLEAR
    return size * int(np.append(clear, False).argmin())


def given_back(forgetting: float, sets: int) -> float:
    """f^(-w), held to what rounding leaves.

    >>> given_back(0.5, 3), given_back(1e-12, 1)
    (8.0, 100000000.0)
    """
    return LARGEST if forgetting**sets * LARGEST < 1.0 else forgetting**-sets


def restored(H: Floats, M: Floats, V: Floats, factor: float) -> tuple[Floats, Floats]:
    """R H and R M R' for information H, scores' outer products M (n, n) and directions V (n, r).

    >>> restored(np.diag([3.0, 2.0]), np.eye(2), np.array([[0.0], [1.0]]), 4.0)[0]
    array([[3., 0.], [0., 8.]])
    """
    HV = H @ V
    R = np.eye(len(H)) + (factor - 1.0) * HV @ np.linalg.pinv(V.T @ HV, hermitian=True) @ V.T
    new, meat = R @ H, R @ M @ R.T
    return np.asarray(0.5 * (new + new.T)), np.asarray(0.5 * (meat + meat.T))


def restored_inverse(P: Floats, found: Reach, factor: float) -> Floats:
    r"""The same for :math:`P = H^{-1}`: :math:`P - (1 - 1/\mathrm{factor})\, V (V'P^{-1}V)^{-1} V'`.

    >>> restored_inverse(np.diag([3.0, 2.0]), Reach(np.eye(2), 1), 4.0)
    array([[0.75, 0.  ], [0.  , 2.  ]])
    """
    r, inverse = found.missed, np.linalg.inv(found.basis)
    Z = inverse @ P @ inverse.T  # in the basis, where the reached part is the better known one
    inside = Z[:r, :r] - Z[:r, r:] @ np.linalg.pinv(Z[r:, r:], hermitian=True) @ Z[r:, :r]
    new = P - (1.0 - 1.0 / factor) * found.unreached @ inside @ found.unreached.T
    return np.asarray(0.5 * (new + new.T))  # or what rounding leaves on one side would grow from window to window
