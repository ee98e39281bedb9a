"""The algebra: sets of points to symmetric polynomials and back. It imports nothing above it."""

from vieta.symmetric.algebra import Algebra
from vieta.symmetric.convolution import convolution, inverse_by_columns, is_closed
from vieta.symmetric.elementary import elementary, root_sensitivity
from vieta.symmetric.planar import planar
from vieta.symmetric.polarized import polarized, undo_inputs
from vieta.symmetric.roots import path, roots
from vieta.symmetric.tensor import tensor, tensor_size
from vieta.symmetric.transform import Inverse, Transform, canonical_order

__all__ = [
    "Algebra",
    "Inverse",
    "Transform",
    "canonical_order",
    "convolution",
    "elementary",
    "inverse_by_columns",
    "is_closed",
    "path",
    "planar",
    "polarized",
    "root_sensitivity",
    "roots",
    "tensor",
    "tensor_size",
    "undo_inputs",
]
