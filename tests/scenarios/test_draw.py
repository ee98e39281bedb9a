import subprocess
import sys

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal

from vieta.laws import inputs, labels, motion, noise
from vieta.scenarios import Scenario, simulate

NOISE = [noise.Gaussian(0.5), noise.Laplace(), noise.Uniform(), noise.StudentT(), noise.Skewed(), noise.Finite()]
INPUTS = [inputs.Identity(), inputs.Gaussian(), inputs.Rows(), inputs.Matrices(rows=2), inputs.ScalarMatrices()]
LABELS = [labels.Labeled(), labels.Shuffled(), labels.Sticky(0.5), labels.Sorted(), labels.Adversarial()]
MOTION = [motion.Constant(), motion.Drift(0.1)]
PINNED_LABELS = [[0, 2, 1], [0, 2, 1]]
PINNED_INPUTS = [-1.0, 1.0]
PINNED_SETS = [
    [1.8399009821601098, -8.047340120491723, -5.2717870354134],
    [-1.8729445876797175, 7.965215598313651, 5.134165467439145],
]
FIELDS = ("sets", "inputs", "labels", "theta", "theta_path")
ANY_LAWS = st.fixed_dictionaries(
    {
        "noise": st.sampled_from(NOISE),
        "inputs": st.sampled_from(INPUTS),
        "labels": st.sampled_from(LABELS),
        "motion": st.sampled_from(MOTION),
    }
)


def parameters(L, D):
    return np.arange(float(L * D)).reshape(L, D)


def same(a, b, field):
    return np.array_equal(getattr(a, field), getattr(b, field))


@given(st.integers(1, 5), st.integers(1, 4), st.integers(1, 9), st.integers(0, 2**63), ANY_LAWS)
def test_shapes_follow_the_contract(L, D, n, seed, laws):
    r = simulate(parameters(L, D), n, seed, **laws)
    p = {inputs.Rows: 1, inputs.Matrices: 2}.get(type(laws["inputs"]), D)
    assert r.sets.shape == r.readings.shape == ((n, L) if p == 1 else (n, L, p))
    assert r.labels.shape == (n, L)
    assert r.truth.shape == r.theta.shape == (L, D)
    assert r.theta_path is None or r.theta_path.shape == (n, L, D)
    assert r.sets.dtype == np.float64
    assert r.labels.dtype == np.int64


@given(st.integers(1, 4), st.integers(1, 3), st.integers(1, 9), st.integers(0, 999), ANY_LAWS)
def test_a_longer_simulation_begins_with_the_shorter(L, D, n, seed, laws):
    short, long = simulate(parameters(L, D), n, seed, **laws), simulate(parameters(L, D), 2 * n + 1, seed, **laws)
    for field in ("sets", "inputs", "labels", "theta_path"):
        if getattr(short, field) is not None:
            assert_array_equal(getattr(short, field), getattr(long, field)[:n])


@given(st.integers(0, 999), ANY_LAWS)
def test_equal_seeds_give_equal_records(seed, laws):
    one, two = (simulate(parameters(3, 2), 20, seed, **laws) for _ in range(2))
    assert all(same(one, two, field) for field in FIELDS)
    assert not same(one, simulate(parameters(3, 2), 20, seed + 1, **laws), "sets")


@pytest.mark.parametrize("law", LABELS)
def test_the_label_law_leaves_inputs_noise_and_parameters_unchanged(law):
    laws = {"inputs": inputs.Rows(), "motion": motion.Drift(0.1)}
    shuffled = simulate(parameters(4, 2), 200, 5, **laws)
    other = simulate(parameters(4, 2), 200, 5, labels=law, **laws)
    assert same(shuffled, other, "readings")
    assert same(shuffled, other, "inputs")
    assert same(shuffled, other, "theta_path")
    assert_array_equal(np.sort(shuffled.sets, axis=1), np.sort(other.sets, axis=1))


def test_the_noise_law_leaves_inputs_and_labels_unchanged():
    one, two = (simulate(parameters(3, 1), 50, 5, inputs=inputs.Gaussian(), noise=law) for law in NOISE[:2])
    assert same(one, two, "inputs")
    assert same(one, two, "labels")
    assert not same(one, two, "sets")


def test_the_four_streams_differ():
    r = simulate([0.0], 1000, 0, inputs=inputs.Gaussian(), motion=motion.Drift(1.0), noise=noise.Gaussian(1.0))
    v = r.readings[1:, 0] - r.inputs[1:] * r.theta_path[1:, 0, 0]
    columns = np.corrcoef([v, r.inputs[1:], np.diff(r.theta_path[:, 0, 0])])
    assert np.all(np.abs(columns[~np.eye(3, dtype=bool)]) < 5 / np.sqrt(1000))


@pytest.mark.parametrize("law", INPUTS)
@pytest.mark.parametrize("moving", MOTION)
def test_readings_are_the_response_plus_the_noise(law, moving):
    theta, n = parameters(3, 2), 40
    laws = {"inputs": law, "motion": moving}
    r, silent = simulate(theta, n, 2, **laws), simulate(theta, n, 2, noise=noise.Gaussian(0.0), **laws)
    path = np.broadcast_to(theta, (n, 3, 2)) if r.theta_path is None else r.theta_path
    psi = np.broadcast_to(np.eye(2), (n, 2, 2)) if r.inputs is None else r.inputs
    if psi.ndim == 1:
        psi = psi[:, None, None] * np.eye(2)
    clean = np.einsum("npd,nld->nlp" if psi.ndim == 3 else "nd,nld->nl", psi, path)
    assert_allclose(silent.readings, clean, atol=1e-12)
    v = r.readings - silent.readings
    assert v.std() == pytest.approx(1.0, rel=5 / np.sqrt(2 * v.size))


def test_truth_is_the_last_parameter_in_canonical_order():
    assert_array_equal(simulate([[3.0, 1.0], [2.0, 9.0], [2.0, 5.0]], 4).truth, [[2, 5], [2, 9], [3, 1]])
    jump = motion.Jump(at=2, to=[7.0, 6.0])
    assert_array_equal(simulate([1.0, 2.0], 4, motion=jump).truth, [[6.0], [7.0]])
    assert_array_equal(simulate([1.0, 2.0], 2, motion=jump).truth, [[1.0], [2.0]])


def test_a_scenario_keeps_its_laws_unless_others_are_given():
    scenario = Scenario("mine", "A line.", theta=np.array([1.0, 2.0]), noise=noise.Gaussian(0.0), n=3)
    kept, changed = simulate(scenario), simulate(scenario, noise=noise.Gaussian(1.0), n=5)
    assert_array_equal(kept.readings, [[1.0, 2.0]] * 3)
    assert changed.sets.shape == (5, 2)
    assert not np.array_equal(changed.readings[:3], kept.readings)
    assert (kept.name, kept.note, kept.seed) == ("mine", "A line.", 0)
    assert scenario.noise == noise.Gaussian(0.0)


def test_names_and_scenarios_agree():
    assert simulate("example-1", 5).name == "example-1"
    assert simulate([1.0], 5).name == "custom"


def test_the_stream_is_the_same_on_every_machine():
    """Numbers once drawn: they change only if the promise of equal seeds is broken."""
    r = simulate((-2, 5, 8), 2, seed=1, inputs=inputs.Sign(), noise=noise.Uniform(0.03))
    assert_array_equal(r.labels, PINNED_LABELS)
    assert_array_equal(r.inputs, PINNED_INPUTS)
    assert_allclose(r.sets, PINNED_SETS, rtol=1e-14)


@pytest.mark.parametrize(
    ("call", "text"),
    [
        (lambda: simulate([1.0, 2.0]), "`n` is missing: scenario 'custom' has no length of its own"),
        (lambda: simulate([1.0], 0), "`n` must be an integer of at least 1, got 0"),
        (lambda: simulate([1.0], 10.0), "Write int"),
        (lambda: simulate([1.0], 10, seed=-1), "`seed` must be an integer of at least 0"),
        (lambda: simulate([1.0, np.nan], 10), "`theta` must be finite"),
        (lambda: simulate(3.0, 10), "one row per system"),
        (lambda: simulate("exmple-1"), "There is no scenario 'exmple-1'. Near it: 'example-1'"),
        (lambda: simulate([1.0], 10, noise=0.0), "`noise` must be a law from vieta.laws.noise, got 0.0"),
        (lambda: simulate([1.0], 10, labels="iid"), "`labels` must be a law from vieta.laws.labels, got 'iid'"),
    ],
)
def test_bad_calls_are_refused(call, text):
    with pytest.raises(ValueError, match=text):
        call()


def test_importing_does_not_load_scipy_or_numba():
    code = "import sys, vieta.laws; sys.exit(any(name in sys.modules for name in ('scipy', 'numba')))"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0
