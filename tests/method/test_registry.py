import pytest

import vieta
from vieta.estimators.names import FILTERS, METHODS, require_method


def test_every_method_has_a_line():
    assert vieta.methods() == METHODS
    assert set(FILTERS) < set(METHODS)
    for line in METHODS.values():
        assert line.endswith(".")
        assert "\n" not in line


def test_the_registry_is_not_handed_out():
    vieta.methods().clear()
    assert vieta.methods() == METHODS


@pytest.mark.parametrize("name", ["", "RLS", "em", "one-step", None, 3, ["rls"]])
def test_unknown_methods_are_refused(name):
    with pytest.raises(ValueError, match=r"method=.* is not known here\. Choose one of: efficient, rls, lms, averaged"):
        require_method(name, FILTERS)
