"""Which transform serves which shape of readings and inputs."""

from typing import Literal

from vieta.coefficients.design import Design
from vieta.errors import InputError
from vieta.set_requirements import require_affordable
from vieta.sets import Data
from vieta.symmetric import convolution, elementary, planar, polarized, tensor, tensor_size

TransformName = Literal["auto", "elementary", "convolution", "polarized", "tensor", "planar"]
TRANSFORMS = ("auto", "elementary", "convolution", "polarized", "tensor", "planar")

LARGEST = 100_000  # coefficients of any transform
LARGEST_TENSOR = 2000  # coefficients that are chosen by themselves
LARGEST_GAIN = 250_000  # numbers in the regressor matrix of one set


def choose_design(name: str, data: Data) -> Design:
    """The design for a transform by name; "auto" takes the smallest one that is closed under the inputs."""
    require_affordable(data)
    L, p, D = data.n_systems, data.reading_dim, data.dim
    scalar = data.inputs.ndim == 1
    if name == "auto":
        name = _automatic(L, p, D, scalar)
    _require_size(name, L, p, D)
    if name == "elementary":
        _require(p == 1 and scalar, name, "readings that are numbers and scalar inputs", data)
        return Design(elementary(L), "scalar")
    if name == "planar":
        _require(p == 2 and D == 2, name, "readings and parameters in the plane (p = D = 2)", data)
        return Design(planar(L), "scalar" if scalar else "matrix")
    if name == "polarized":
        _require(p == D, name, "square inputs (p = D)", data)
        return Design(polarized(L, D), "scalar" if scalar else "undone")
    if name == "convolution":
        _require(p == D, name, "square inputs (p = D)", data)
        _require_practical(
            L, min(p, 2), min(D, 2), scalar
        )  # as many coefficients, to first order, as the tensor of the plane
        return Design(convolution(L, D), "scalar" if scalar else "matrix")
    if name == "tensor":
        _require_practical(L, p, D, scalar)
        return Design(tensor(L, p, D), "scalar" if scalar else "matrix")
    raise InputError(
        "unknown-transform",
        "{option.transform:{name}} is not known. Choose one of: {known}.",
        name=repr(name),
        known=", ".join(TRANSFORMS),
    )


def _require_size(name: str, L: int, p: int, D: int) -> None:
    """Refuse a transform whose tables alone would fill the memory, before they are made."""
    size = L * max(p, D)
    if size <= LARGEST and name == "tensor":
        size = max(tensor_size(L, p), tensor_size(L, D))
    elif size <= LARGEST and name == "convolution":
        size = L + (D - 1) * L * (L + 1) // 2
    if size > LARGEST:
        raise InputError(
            "transform-too-large",
            "{option.transform:{name}} of {L} systems with {D} parameters each has more than {most:,} coefficients, more than memory and time "
            "allow. Estimate fewer parameters, or use the default method.",
            name=repr(name),
            L=L,
            D=D,
            most=LARGEST,
        )


def _automatic(L: int, p: int, D: int, scalar: bool) -> str:
    if scalar:
        return "elementary" if p == 1 else "polarized"
    if _is_practical(L, p, D, scalar):
        return "tensor"
    if p == D:
        return "polarized"
    raise _too_many(L, p, D)


def _is_practical(L: int, p: int, D: int, scalar: bool) -> bool:
    """Whether the tensor, and the regressor matrix of its highest degree, are of a size to compute with."""
    size = tensor_size(L, D)
    if scalar:
        return size <= LARGEST_TENSOR
    rows = tensor_size(L, p) - (tensor_size(L - 1, p) if L > 1 else 0)
    columns = size - (tensor_size(L - 1, D) if L > 1 else 0)
    return size <= LARGEST_TENSOR and rows * columns <= LARGEST_GAIN


def _require_practical(L: int, p: int, D: int, scalar: bool) -> None:
    if not _is_practical(L, p, D, scalar):
        raise _too_many(L, p, D)


def _too_many(L: int, p: int, D: int) -> InputError:
    return InputError(
        "too-many-coefficients",
        "{L} systems with {D} parameters each and inputs of {p} x {D} need {size:,} coefficients, more than the {most:,} that are "
        "practical. Estimate fewer parameters, or group the readings of several times into square inputs ({D} x {D}), which need far "
        "fewer.",
        L=L,
        D=D,
        p=p,
        size=tensor_size(L, D),
        most=LARGEST_TENSOR,
    )


def _require(fits: bool, name: str, needed: str, data: Data) -> None:
    if not fits:
        inputs = "scalar inputs" if data.inputs.ndim == 1 else f"inputs of {data.inputs.shape[1]} x {data.dim}"
        raise InputError(
            "transform-misfit",
            "{option.transform:{name}} needs {needed}; readings of {p} number(s) with {inputs} were given. Use "
            "{option.transform:{auto}} or {tensor}.",
            name=repr(name),
            needed=needed,
            p=data.reading_dim,
            inputs=inputs,
            auto=repr("auto"),
            tensor=repr("tensor"),
        )
