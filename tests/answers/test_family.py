"""What every family refuses, and says of itself."""

import numpy as np
import pytest

import vieta
from vieta.answers import families
from vieta.answers.links import LINKS
from vieta.errors import InputError

every_family = pytest.mark.parametrize("name", families.every())


@every_family
def test_a_family_has_a_line_links_and_options(name):
    one = families.every()[name]
    assert one.line.endswith(".")
    assert set(one.links) <= set(LINKS)
    assert "link" in one.Options.infos()
    assert one.link(one.Options()) == one.links[0]
    assert one.thorough


@every_family
def test_vectors_and_very_many_systems_are_refused(name):
    with pytest.raises(InputError) as caught:
        vieta.fit(np.ones((5, 2, 2)), family=name)
    assert caught.value.code == "answers-are-numbers"
    most = families.every()[name].most_systems
    with pytest.raises(InputError) as caught:
        vieta.fit(np.ones((5, most + 1)), family=name)
    assert caught.value.code == "answers-too-many"


@every_family
def test_incomplete_sets_are_refused(name):
    with pytest.raises(vieta.IncompleteSetsError):
        vieta.fit([[1.0, 2.0], [1.0]], family=name)
    with pytest.raises(vieta.IncompleteSetsError):
        vieta.fit([[1.0, 2.0], [1.0, np.nan]], family=name)
