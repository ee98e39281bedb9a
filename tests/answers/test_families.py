"""Families by name: one file each."""

import pytest

import vieta
from vieta.answers import families
from vieta.errors import InputError


def test_families_are_found_by_themselves():
    assert list(families.every()) == ["binary", "count", "ordinal", "rounded"]
    assert families.get("number") is None
    assert families.get("binary") is families.every()["binary"]


def test_numbers_go_to_the_methods():
    sets = vieta.simulate("example-1", n=300, seed=0)
    plain = vieta.fit(sets.sets, sets.inputs)
    named = vieta.fit(sets.sets, sets.inputs, family="number", link="identity")
    assert (plain.theta == named.theta).all()
    moved = vieta.fit(sets.sets + 2.0, sets.inputs, offset=2.0)
    assert abs(moved.theta - plain.theta).max() < 1e-9


@pytest.mark.parametrize(
    ("options", "code"),
    [
        ({"family": "binry"}, "unknown-family"),
        ({"family": 3}, "unknown-family"),
        ({"family": "binary", "method": "lms"}, "family-method"),
        ({"family": "binary", "link": "log"}, "unknown-link"),
        ({"family": "binary", "robust": True}, "unknown-option"),
        ({"family": "number", "link": "logit"}, "unknown-option"),
        ({"family": "binary", "offset": [1.0, 2.0]}, "offset-count"),
        ({"family": "binary", "offset": [1.0, float("nan"), 2.0]}, "offset-unknown"),
    ],
)
def test_what_is_not_known_is_refused(options, code):
    with pytest.raises(InputError) as caught:
        vieta.fit([[0, 1], [1, 1], [0, 0]], **options)
    assert caught.value.code == code
