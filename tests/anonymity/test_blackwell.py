"""Blackwell's order against pairs built to be ordered, pairs built not to be, and the exact order of two states."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose

from vieta.anonymity.blackwell import Decision, blackwell_dominates


def channel(rng, states, outcomes):
    sharpness = rng.choice([0.3, 1.0, 3.0])
    return rng.dirichlet(np.full(outcomes, sharpness), states)


def overlap(B, a, b):
    """Least error probability when state is a or b, with equal odds: half of what the two rows share."""
    return 0.5 * np.minimum(B[a], B[b]).sum()


def clearer_pair(B, B_bar):
    """How much better B_bar tells two states apart, for the pair of states where that is most."""
    I = len(B)
    return max(overlap(B, a, b) - overlap(B_bar, a, b) for a in range(I) for b in range(a))


@pytest.mark.parametrize("seed", range(200))
def test_a_channel_seen_through_noise_is_dominated(seed):
    rng = np.random.default_rng(seed)
    I, K, J = rng.integers(2, 9, size=3)
    B, M = channel(rng, I, K), channel(rng, K, J)
    found = blackwell_dominates(B, B @ M)
    assert found.holds
    assert found.certificate is None
    assert found.deficiency < 1e-9
    assert_allclose(B @ found.kernel, B @ M, atol=1e-9)
    assert_allclose(found.kernel.sum(axis=1), 1.0, atol=1e-12)
    assert found.kernel.min() >= 0.0


@pytest.mark.parametrize("seed", range(200))
def test_a_channel_that_tells_two_states_apart_less_well_does_not_dominate(seed):
    rng = np.random.default_rng(1000 + seed)
    I, K, J = rng.integers(2, 9, size=3)
    B, B_bar = channel(rng, I, K), channel(rng, I, J)
    if seed % 2:
        B = B_bar @ channel(rng, J, K)  # in the opposite order, strictly
    while (gap := clearer_pair(B, B_bar)) < 1e-3:
        B_bar = channel(rng, I, J)
    found = blackwell_dominates(B, B_bar)
    assert not found.holds
    assert found.kernel is None
    question = found.certificate
    assert_allclose(question.prior.sum(), 1.0)
    assert question.loss.min() >= 0.0
    assert question.loss.max() <= 1.0
    advantage = question.risk(B) - question.risk(B_bar)
    assert_allclose(advantage, found.deficiency, atol=1e-9)  # kernel and certificate meet: neither can be improved
    assert advantage >= gap - 1e-9  # no question shows more than the certificate, and the pair of states is one


def roc_dominates(B, B_bar):
    """Exact for two states: the Bayes risk of B is no larger at every prior; it is enough to look where it bends."""
    both = np.hstack([B, B_bar])
    bends = np.unique(both[1] / both.sum(axis=0))
    gaps = [
        np.minimum(p * B[0], (1 - p) * B[1]).sum() - np.minimum(p * B_bar[0], (1 - p) * B_bar[1]).sum() for p in bends
    ]
    return max(gaps)


@settings(max_examples=100, deadline=None)
@given(st.integers(0, 10**6), st.integers(2, 6), st.integers(2, 6))
def test_two_states_are_ordered_as_their_risks(seed, K, J):
    rng = np.random.default_rng(seed)
    B, B_bar = channel(rng, 2, K), channel(rng, 2, J)
    if seed % 2:
        B_bar = 0.8 * B @ channel(rng, K, J) + 0.2 * B_bar  # near the border
    gap = roc_dominates(B, B_bar)
    if abs(gap) > 1e-7:
        assert blackwell_dominates(B, B_bar).holds == (gap < 0)


def test_the_risk_is_the_best_of_all_decision_rules():
    rng = np.random.default_rng(4)
    B, question = channel(rng, 3, 3), Decision(rng.dirichlet(np.ones(3)), rng.random((3, 2)))
    rules = [[(r >> x) & 1 for x in range(3)] for r in range(8)]
    risks = [
        sum(question.prior[i] * B[i, x] * question.loss[i, rule[x]] for i in range(3) for x in range(3))
        for rule in rules
    ]
    assert_allclose(question.risk(B), min(risks))


def binary(error):
    return np.array([[1 - error, error], [error, 1 - error]])


@pytest.mark.parametrize("gap", [1e-6, 1e-3, 0.2])
def test_the_deficiency_of_binary_channels_is_the_difference_of_their_errors(gap):
    found = blackwell_dominates(binary(0.1 + gap), binary(0.1))
    assert not found.holds
    assert_allclose(found.deficiency, gap, rtol=1e-3)


def test_rounding_is_no_evidence():
    rng = np.random.default_rng(3)
    B, M = channel(rng, 6, 3), channel(rng, 3, 5)  # more states than outcomes: no freedom
    rounded = np.round(B @ M, 9)
    rounded[:, 0] += 1.0 - rounded.sum(axis=1)
    assert blackwell_dominates(B, rounded).holds
    assert not blackwell_dominates(B, rounded, tolerance=1e-13).holds


def test_every_channel_dominates_itself_and_the_blind_one():
    B = channel(np.random.default_rng(0), 20, 20)
    assert blackwell_dominates(B, B).holds
    assert blackwell_dominates(B, np.full((20, 3), 1 / 3)).holds
    assert not blackwell_dominates(np.full((20, 3), 1 / 3), B).holds


@pytest.mark.parametrize("seed", range(5))
def test_a_spread_that_keeps_means_is_found(seed):
    rng = np.random.default_rng(seed)
    B, M, seen = channel(rng, 3, 4), channel(rng, 4, 6), rng.normal(size=(6, 2))
    found = blackwell_dominates(B, B @ M, values=M @ seen, values_bar=seen)
    assert found.holds
    assert found.mean_preserving
    assert_allclose(found.kernel @ seen, M @ seen, atol=1e-7)
    shifted = blackwell_dominates(B, B @ M, values=M @ seen + 0.01, values_bar=seen)
    assert shifted.holds
    assert not shifted.mean_preserving
    assert_allclose(B @ shifted.kernel, B @ M, atol=1e-8)


def test_outcomes_that_never_occur_need_no_mean():
    B = np.array([[0.5, 0.5, 0.0], [0.2, 0.8, 0.0]])
    assert blackwell_dominates(B, B[:, :2], values=[0.0, 1.0, 99.0], values_bar=[0.0, 1.0]).mean_preserving


def test_without_dominance_no_kernel_keeps_means():
    assert blackwell_dominates(binary(0.3), binary(0.1), values=[0, 1], values_bar=[0, 1]).mean_preserving is False
    assert blackwell_dominates(binary(0.1), binary(0.3)).mean_preserving is None


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (([[0.5, 0.6]], [[1.0]]), "`B` must be non-negative and add up to 1 in each row"),
        (([[1.0]], [[1.2, -0.2]]), "`B_bar` must be non-negative and add up to 1 in each row"),
        (([[1.0]], [[0.5, 0.5], [1.0, 0.0]]), "a row for each of the same states, got 1 and 2 rows"),
        (([1.0], [[1.0]]), r"`B` must be a matrix with a row per state and a column per outcome, got \(1,\)"),
        (([[np.nan]], [[1.0]]), "`B` must be finite"),
    ],
)
def test_what_is_no_channel_is_refused(arguments, words):
    with pytest.raises(ValueError, match=words):
        blackwell_dominates(*arguments)


def test_values_must_fit():
    with pytest.raises(ValueError, match="give `values` and `values_bar`, or neither"):
        blackwell_dominates([[1.0]], [[1.0]], values=[1.0])
    with pytest.raises(ValueError, match=r"one entry per outcome, 1 and 1 numbers or vectors .* got \(2,\) and \(1,\)"):
        blackwell_dominates([[1.0]], [[1.0]], values=[1.0, 2.0], values_bar=[1.0])


def test_channels_too_large_for_a_programme_are_refused_with_their_cost():
    with pytest.raises(
        ValueError, match=r"channels of 100 states with 100 and 100 outcomes make a linear programme of 2e\+08 entries"
    ):
        blackwell_dominates(np.eye(100), np.eye(100))


@pytest.mark.parametrize(
    ("tolerance", "words"),
    [(np.nan, "`tolerance` must be finite"), (-1.0, "`tolerance` must not be negative, got -1.0")],
)
def test_a_tolerance_is_a_number_that_is_not_negative(tolerance, words):
    with pytest.raises(ValueError, match=words):
        blackwell_dominates([[0.7, 0.3], [0.3, 0.7]], np.eye(2), tolerance=tolerance)
