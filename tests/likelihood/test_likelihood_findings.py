"""Each finding where it belongs, with its facts, and none below its threshold."""

import numpy as np
import pytest

from vieta.laws.noise import Gaussian, Laplace
from vieta.likelihood import likelihood_findings as findings
from vieta.likelihood.contrast import Contrast


def test_a_law_is_contradicted_below_one_per_cent():
    law = Laplace(np.diag([1.0, 7.0]))
    (found,) = findings.of_law(Contrast(20.0, 2, 0.009), law, "free")
    assert (found.code, found.severity) == ("law-contradicted", "serious")
    assert found.facts == {"law": "Laplace", "sd": 2.0, "p_value": 0.009, "instead": "free"}
    assert "(Laplace, sd 2)" in str(found)
    assert findings.of_law(Contrast(20.0, 2, 0.011), law, "free") == ()
    assert [one.code for one in findings.of_prior(Contrast(20.0, 2, 0.009))] == ["prior-doubtful"]
    assert findings.of_prior(Contrast(20.0, 2, 0.011)) == ()


@pytest.mark.parametrize(
    ("ratio", "n", "reported"), [(1.6, 1000, True), (1.4, 1000, False), (0.6, 1000, True), (1.6, 100, False)]
)
def test_a_variance_is_off_by_a_factor_that_chance_does_not_explain(ratio, n, reported):
    """From 1.5 on, and from 4.5 standard errors sqrt(3 / n) of its logarithm."""
    found = findings.of_size(Gaussian(2.0), np.array([[2.0 * ratio]]), n)
    assert bool(found) == reported
    if reported:
        assert found[0].code == "noise-size"
        assert found[0].facts["ratio"] == pytest.approx(ratio)


def test_sizes_of_matrices_are_compared_in_units_of_the_one_given():
    C = np.array([[2.0, 1.0], [1.0, 3.0]])
    assert findings.of_size(Gaussian(C), 1.2 * C, 10_000) == ()
    assert findings.of_size(Gaussian(C), 3.0 * C, 10_000)[0].facts["ratio"] == pytest.approx(3.0)
    assert findings.of_size(Gaussian(2.0), np.diag([2.0, 10.0]), 10_000)[0].facts["ratio"] == pytest.approx(3.0)


def test_how_em_ended():
    names = {"law_free": "free", "one_step": "one"}
    assert findings.of_iterations(7, True, False, **names) == ()
    (halted,) = findings.of_iterations(7, False, True, **names)
    assert (halted.code, halted.severity, halted.facts) == (
        "em-halted",
        "serious",
        {"iterations": 7, "instead": "free"},
    )
    (short,) = findings.of_iterations(500, False, False, **names)
    assert (short.code, short.severity) == ("em-not-converged", "caution")
    assert "after 500 iterations" in str(short)
    assert "Use method 'one'" in str(short)


def test_what_is_left_of_a_start():
    assert findings.of_transient(0.0099, 1e-3, 5000) == ()
    (found,) = findings.of_transient(0.25, 1e-3, 5000)
    assert found.code == "start-not-forgotten"
    assert "with step 0.001 about 25% of the first error is left after 5,000 sets" in str(found)


def test_changes_that_were_averaged():
    assert findings.of_averaged_changes(np.zeros(0, dtype=np.int64), "free") == ()
    (found,) = findings.of_averaged_changes(np.array([10, 2000]), "free")
    assert (found.code, found.facts) == ("change-averaged", {"after": 2000, "instead": "free"})
    assert "use method 'free'" in str(found)


def test_unsafe_starts():
    assert findings.of_start(True) == ()
    assert [one.code for one in findings.of_start(False)] == ["unsafe-start"]
