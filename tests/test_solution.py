"""Solutions: rows and covariance in one order, and what numbers of sets and distances say."""

import numpy as np
import pytest
from numpy.testing import assert_array_equal

from vieta.findings import Finding, finding
from vieta.solution import BIASED, coincident, few_sets, in_parameters, strongest, unknown_noise, without_vain_advice

THETA = np.array([[3.0, 1.0], [-1.0, 5.0], [2.0, 0.0]])


def covariance(seed=0, size=1e-4):
    root = np.random.default_rng(seed).normal(size=(6, 8))
    return size * root @ root.T


def test_rows_and_covariance_are_put_in_order_together():
    cov = covariance()
    found = in_parameters(THETA, cov, np.eye(1), 1000, (), transform="weighted")
    assert_array_equal(found.theta, THETA[[1, 2, 0]])
    blocks = cov.reshape(3, 2, 3, 2)[[1, 2, 0]][:, :, [1, 2, 0]]
    assert_array_equal(found.cov, blocks.reshape(6, 6))
    assert (found.n_sets, found.transform, found.findings, found.imaginary) == (1000, "weighted", (), None)
    np.testing.assert_allclose(found.condition, np.linalg.cond(cov))


def test_findings_follow_those_of_number_and_distance():
    given = few_sets(100, 50)
    found = in_parameters(THETA, covariance(size=10.0), np.eye(1), 12, given, transform="t")
    assert [one.code for one in found.findings] == ["few-sets", "systems-coincide", "few-sets"]
    assert found.findings[0].facts == {"n_sets": 12, "unknowns": 6}
    assert found.findings[-1] is given[0]


def test_a_noise_that_is_not_known_leaves_no_covariance():
    found = in_parameters(THETA, covariance(), np.eye(1), 2, (), transform="t")
    assert np.isnan(found.cov).all()
    assert [one.code for one in found.findings] == ["noise-unknown"]  # and not few-sets beside it


def test_a_covariance_that_is_not_known_is_no_error():
    found = in_parameters(THETA, np.full((6, 6), np.nan), np.eye(1), 1000, (), transform="t")
    assert np.isnan(found.cov).all()
    assert np.isnan(found.condition)
    assert found.findings == ()


@pytest.mark.parametrize(("unknowns", "least"), [(2, 20), (4, 20), (10, 50)])
def test_few_sets(unknowns, least):
    assert few_sets(unknowns, least) == ()
    (one,) = few_sets(unknowns, least - 1)
    assert one.code == "few-sets"
    assert one.facts == {"n_sets": least - 1, "unknowns": unknowns}


@pytest.mark.parametrize(
    ("n_sets", "p", "D", "known"), [(2, 1, 2, False), (3, 1, 2, True), (2, 2, 2, True), (1, 1, 1, False)]
)
def test_noise_needs_more_numbers_than_parameters(n_sets, p, D, known):
    assert bool(unknown_noise(n_sets, p, D)) is not known


def test_pairs_within_three_standard_errors_coincide():
    theta = np.array([[0.0], [1.0], [5.0]])
    (one,) = coincident(theta, 0.1 * np.eye(3))
    assert one.facts == {"pairs": "1 and 2", "others": 0}
    assert coincident(theta, 0.05 * np.eye(3)) == ()  # sd of a difference 0.316: 3.16 apart
    assert len(coincident(theta, 0.06 * np.eye(3))) == 1  # 2.89 apart
    assert coincident(theta, np.zeros((3, 3))) == ()
    assert coincident(theta, np.full((3, 3), np.nan)) == ()


def test_parameters_of_different_size_coincide_only_if_all_do():
    nothing = np.zeros((4, 4))
    assert coincident(np.array([[1e6, 1e-3], [1e6, 2e-3]]), nothing) == ()
    (one,) = coincident(np.array([[1e6, 1e-3], [1e6, 1e-3]]), nothing)
    assert one.facts == {"pairs": "1 and 2", "others": 0}


def test_no_more_than_five_pairs_are_named():
    (one,) = coincident(np.zeros((30, 1)), np.eye(30))
    assert one.facts == {"pairs": "1 and 2; 1 and 3; 1 and 4; 1 and 5; 1 and 6", "others": 30 * 29 // 2 - 5}


@pytest.mark.parametrize("code", BIASED)
def test_where_a_finding_speaks_of_a_bias_none_asks_for_more_sets(code):
    close, bias = finding("barely-separated", apart=4.0, reliable=6.0, times=4.0), Finding(code, "serious", {})
    told, other = without_vain_advice((close, bias))
    assert other is bias
    assert told.facts == dict(close.facts) | {"biased": code}
    harmless = (close, finding("common-shock", sd=1.0, noise=1.0, correlation=0.5, z=9.0))
    assert without_vain_advice(harmless) is harmless  # it is modelled, and errors fall with the number of sets
    made = in_parameters(THETA, covariance(), np.eye(1), 1000, (close, bias), transform="t")
    assert made.findings[0].facts["biased"] == code


def test_only_the_strongest_says_that_systems_lie_close():
    other = finding("not-converged")
    coincide = finding("systems-coincide", pairs="1 and 2")
    apart = finding("not-separated", apart=1.0, enough=3.0, times=64.0)
    barely = finding("barely-separated", apart=4.0, reliable=6.0, times=4.0)
    assert [one.code for one in strongest((coincide, other, apart))] == ["systems-coincide", "not-converged"]
    assert "About 64 times as many sets" in str(strongest((coincide, other, apart))[0])
    assert [one.code for one in strongest((barely, other, coincide))] == ["not-converged", "systems-coincide"]
    for alone in (coincide, apart, barely):
        assert strongest((other, alone)) == (other, alone)
