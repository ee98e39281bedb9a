"""Which transform serves which shape."""

import numpy as np
import pytest

from vieta.coefficients.choice import TRANSFORMS, choose_design
from vieta.sets import Data, as_data
from vieta.symmetric import tensor_size


def data(L, p, psi=None):
    return as_data(np.ones((2, L, p)), None if psi is None else np.ones((2, *psi)))


@pytest.mark.parametrize(
    ("L", "p", "psi", "name", "inputs"),
    [
        (3, 1, None, "elementary", "scalar"),
        (3, 1, (), "elementary", "scalar"),
        (3, 2, None, "polarized", "scalar"),
        (3, 4, (), "polarized", "scalar"),
        (2, 1, (3,), "tensor", "matrix"),
        (2, 2, (2, 3), "tensor", "matrix"),
        (3, 2, (2, 2), "tensor", "matrix"),
        (4, 10, (10, 10), "polarized", "undone"),
    ],
)
def test_auto_takes_the_smallest_that_is_closed(L, p, psi, name, inputs):
    design = choose_design("auto", data(L, p, psi))
    assert (design.transform.name, design.inputs) == (name, inputs)
    assert design.n_systems == L
    assert design.reading_dim == p


def test_auto_gives_up_where_nothing_is_practical():
    message = r"5 systems with 12 parameters each and inputs of 1 x 12 need .*more than the 2,000 that are practical"
    with pytest.raises(ValueError, match=message) as caught:
        choose_design("auto", data(5, 1, (12,)))
    assert f"{tensor_size(5, 12):,} coefficients" in str(caught.value)
    assert "Estimate fewer parameters, or group the readings" in str(caught.value)


@pytest.mark.parametrize(
    ("name", "p", "psi", "inputs"),
    [
        ("elementary", 1, (), "scalar"),
        ("planar", 2, None, "scalar"),
        ("planar", 2, (2, 2), "matrix"),
        ("polarized", 3, (), "scalar"),
        ("polarized", 3, (3, 3), "undone"),
        ("convolution", 3, None, "scalar"),
        ("convolution", 3, (3, 3), "matrix"),
        ("tensor", 3, None, "scalar"),
        ("tensor", 1, (4,), "matrix"),
    ],
)
def test_transforms_by_name(name, p, psi, inputs):
    design = choose_design(name, data(2, p, psi))
    assert (design.transform.name, design.inputs) == (name, inputs)


@pytest.mark.parametrize(
    ("name", "p", "psi", "given"),
    [
        ("elementary", 2, None, r"readings of 2 number\(s\) with scalar inputs were given"),
        ("elementary", 1, (3,), r"readings of 1 number\(s\) with inputs of 1 x 3 were given"),
        ("planar", 1, None, r"readings of 1 number\(s\) with scalar inputs were given"),
        ("planar", 3, (3, 3), "inputs of 3 x 3 were given"),
        ("polarized", 2, (2, 3), "inputs of 2 x 3 were given"),
        ("convolution", 1, (2,), "inputs of 1 x 2 were given"),
    ],
)
def test_transforms_that_do_not_fit_are_refused(name, p, psi, given):
    with pytest.raises(ValueError, match=rf"transform='{name}' needs .*; .*{given}\. Use transform='auto' or 'tensor'"):
        choose_design(name, data(2, p, psi))


def test_unknown_transforms_are_refused():
    with pytest.raises(ValueError, match=r"transform='fourier' is not known\. Choose one of: auto, elementary, conv"):
        choose_design("fourier", data(2, 1))


def test_every_name_is_known():
    for name in TRANSFORMS:
        choose_design(name, data(2, 1 if name == "elementary" else 2))


@pytest.mark.parametrize(("name", "L", "D"), [("tensor", 12, 10), ("tensor", 20, 6)])
def test_transforms_that_would_fill_the_memory_are_refused_before_they_are_made(name, L, D):
    like = Data(np.zeros((0, L, D)), np.zeros(0), D)
    with pytest.raises(ValueError, match="has more than 100,000 coefficients") as caught:
        choose_design(name, like)
    assert caught.value.code == "transform-too-large"
