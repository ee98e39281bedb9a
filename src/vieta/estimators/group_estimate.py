"""`vieta.fit_groups`: what can be estimated where the inputs cannot tell which values belong to one system."""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from vieta.arrays import Floats
from vieta.estimators.batch import fit
from vieta.estimators.estimate import Estimate
from vieta.pairing import Groups, groups
from vieta.set_requirements import require_complete, require_finite
from vieta.sets import as_data
from vieta.sums import in_memory


@dataclass(frozen=True, slots=True, eq=False)
class GroupEstimate:
    """The systems' values under the inputs of one group.

    Attributes
    ----------
    rows : (r, D)
        Inputs that span the group.
    estimate : Estimate
        Its parameters (L, r) are the values under these rows: theta of `vieta.fit`, seen by `rows`. Systems of one group do not
        correspond to those of another.
    """

    rows: Floats
    estimate: Estimate


def fit_groups(sets: ArrayLike, inputs: ArrayLike, **options: Any) -> tuple[GroupEstimate, ...]:
    """Estimate the set of values in each group of inputs on its own.

    Inputs fall into groups when no input combines two of them (`vieta.pairing`): for rows [1, b] with b in {0, 1} the values under b = 0 are
    a set, and those under b = 1, and no number of sets tells which two belong to one system. Inputs that do tell are one group.

    Parameters
    ----------
    sets, inputs, **options
        As for `vieta.fit`.

    >>> import vieta
    >>> b = np.arange(100) % 2
    >>> sets = np.stack([b + 0.01 * np.sin(b + np.arange(100.0)), 5 - 2 * b + 0.01 * np.cos(np.arange(100.0))], axis=1)
    >>> for group in vieta.fit_groups(sets, np.stack([np.ones(100), b], axis=1)):
    ...     print(group.rows, group.estimate.theta.ravel().round(1))
    [[1. 0.]] [0. 5.]
    [[1. 1.]] [1. 3.]
    """
    data = as_data(sets, inputs)
    require_complete(data, "fit_groups")
    require_finite(data)
    found = groups(in_memory(data))
    if found is None:
        return (GroupEstimate(np.eye(data.dim), fit(sets, inputs, **options)),)
    coordinates = found.coordinates(data.inputs)
    every = [_fitted(data.sets, coordinates, found, group, options) for group in range(found.count)]
    return tuple(sorted(every, key=lambda one: tuple(one.rows.ravel())))


def _fitted(sets: Floats, coordinates: Floats, found: Groups, group: int, options: dict[str, Any]) -> GroupEstimate:
    """The estimate from the sets whose inputs have a part in a group."""
    members = found.group == group
    own = coordinates[:, :, members]
    reached = (own != 0.0).any(axis=(1, 2))
    return GroupEstimate(found.basis[members], fit(sets[reached], own[reached], **options))
