"""From sets and inputs to one linear regression a degree: z_d(k) = A_d(k) lambda_d + noise."""

from dataclasses import dataclass
from typing import Literal, NamedTuple

import numpy as np

from vieta.arrays import Floats
from vieta.symmetric import Transform, undo_inputs

InputKind = Literal["scalar", "matrix", "undone"]


class Block(NamedTuple):
    """The regression of one degree: `readings` = `gains` @ lambda_d + noise, for `readings` of K columns at once."""

    gains: Floats  # (n, m, q)
    readings: Floats  # (n, m, K)


@dataclass(frozen=True, eq=False)
class Design:
    """How readings and inputs enter the regressions.

    Attributes
    ----------
    transform : Transform
    inputs : str
        "scalar": c(k), Psi = c I, all coefficients of degree d share the regressor c^d.
        "matrix": Psi(k), with the transform's own linear map.
        "undone": square Psi(k), undone before a transform that takes scalar inputs only.
    """

    transform: Transform
    inputs: InputKind

    @property
    def n_systems(self) -> int:
        """L."""
        return self.transform.n_systems

    @property
    def reading_dim(self) -> int:
        """p."""
        return self.transform.readings.n_generators

    def scalarized(self, sets: Floats, inputs: Floats) -> tuple[Floats, Floats]:
        """The sets and inputs that enter the transform, with square inputs undone where that is asked for."""
        return undo_inputs(sets, inputs) if self.inputs == "undone" else (sets, inputs)

    def blocks(self, sets: Floats, inputs: Floats) -> list[Block]:
        """Regressions for sets (n, L, p) and inputs (n,) or (n, p, D), by degree."""
        sets, inputs = self.scalarized(sets, inputs)
        z = self.transform.transform(sets)
        parts = [np.ascontiguousarray(z[:, block]) for block in self.transform.readings.blocks]
        if inputs.ndim == 1:
            return [
                Block(c[:, None, None], part[:, None, :]) for c, part in zip(self.powers(inputs), parts, strict=True)
            ]
        gains = self.transform.gains(inputs)
        return [Block(np.ascontiguousarray(A), part[:, :, None]) for A, part in zip(gains, parts, strict=True)]

    def powers(self, c: Floats) -> list[Floats]:
        """c, c², .., c^L by repeated multiplication (the same bits however a stream is cut)."""
        powers = [c]
        for _ in range(self.n_systems - 1):
            powers.append(powers[-1] * c)
        return powers

    def first_order_noise(self, innovations: Floats, inputs: Floats) -> Floats:
        """Innovations (n, p) of the plain sum of the readings, from those of the first degree (n, m, K)."""
        e = innovations.reshape(len(innovations), -1)[:, : self.reading_dim]
        if self.inputs == "undone":
            c = np.linalg.svd(inputs, compute_uv=False)[:, -1]
            return np.asarray(np.einsum("npd,nd->np", inputs, e) / c[:, None])
        return e

    def split(self, coefficients: Floats) -> list[Floats]:
        """Coefficients (M,) by degree, as the regressions take them: (q, K)."""
        columns = self.inputs != "matrix"
        return [coefficients[b].reshape(1, -1) if columns else coefficients[b].reshape(-1, 1) for b in self.degrees]

    @property
    def degrees(self) -> tuple[slice, ...]:
        """Where the coefficients of each degree stand."""
        return self.transform.parameters.blocks

    def spread(self, by_degree: Floats) -> Floats:
        """A number a degree (L,) to a number a coefficient (M,)."""
        return by_degree[self.transform.parameters.degrees - 1]
