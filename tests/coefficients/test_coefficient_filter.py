"""A stream through the recursions: cut anywhere, warmed up, checked at 256, 1024, 4096, .. sets."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal

import vieta
from vieta.coefficients import asymptotics, coefficient_filter, lms_recursion, rls_recursion
from vieta.coefficients.coefficient_filter import WARM_UP, Settings
from vieta.errors import DivergedError, InputError, UnstableStepError
from vieta.estimators.storage import flatten

from .cases import CASES, checked, every_case

FILTERS = ("rls", "lms", "averaged")
BOUNDARIES = [0, 1, 63, 64, 65, 255, 256, 257, 1023, 1024, 1025, 1100]


def settings_for(design, method, given_step):
    M = design.transform.parameters.size
    step = np.full(design.n_systems, 1e-4) if given_step and method != "rls" else None
    return Settings(
        method == "rls", method == "averaged", step, np.zeros(M), 0.99 if given_step and method == "rls" else 1.0
    )


def run(design, settings, data, cuts=()):
    state = coefficient_filter.init(design, settings)
    for part in np.split(np.arange(len(data.sets)), sorted(cuts)):
        if len(part):
            state = coefficient_filter.advance(design, settings, state, data.sets[part], data.inputs[part])
    return state


def assert_same(a, b):
    a, b = flatten(a), flatten(b)
    assert a.keys() == b.keys()
    for name in a:
        assert_array_equal(a[name], b[name], err_msg=name, strict=True)


@every_case
@pytest.mark.parametrize("given_step", [False, True])
@pytest.mark.parametrize("method", FILTERS)
def test_cutting_a_stream_changes_no_bit(case, method, given_step):
    design, data = case.design(), case.data(1100)
    asked = settings_for(design, method, given_step)
    whole = run(design, asked, data)
    assert whole.count == 1100

    @settings(checked, max_examples=8)
    @given(st.lists(st.sampled_from(BOUNDARIES) | st.integers(0, 1100), max_size=6))
    def holds(cuts):
        assert_same(run(design, asked, data, cuts), whole)

    holds()
    one_by_one = [*range(1, 100), *range(250, 270), *range(1015, 1035)]  # through all that is done at certain numbers
    assert_same(run(design, asked, data, one_by_one), whole)


def test_pieces_inside_a_call_change_no_bit(monkeypatch):
    for case in CASES:
        design, data = case.design(), case.data(700)
        settings = settings_for(design, "averaged", False)
        whole = run(design, settings, data)
        with monkeypatch.context() as patch:
            patch.setattr(coefficient_filter, "_piece", lambda *_: 37)
            assert_same(run(design, settings, data), whole)


@every_case
@pytest.mark.parametrize("method", ["lms", "averaged"])
def test_warm_up_is_recursive_least_squares_and_chooses_a_safe_step(case, method):
    design, data = case.design(), case.data(WARM_UP)
    settings = settings_for(design, method, False)
    before = coefficient_filter.advance(
        design, settings, coefficient_filter.init(design, settings), data.sets[:-1], data.inputs[:-1]
    )
    assert isinstance(before.filter, rls_recursion.State)
    assert before.step.size == 0
    after = coefficient_filter.advance(design, settings, before, data.sets[-1:], data.inputs[-1:])
    by_rls = run(design, settings_for(design, "rls", False), data)
    assert isinstance(after.filter, lms_recursion.State)
    assert_array_equal(after.filter.coefficients, by_rls.filter.coefficients)
    assert np.all(after.step <= 0.1001 * asymptotics.step_bounds(design, after.inputs))
    sizes = np.array([np.diag(asymptotics.normal_matrix(design, after.inputs))[b].mean() for b in design.degrees])
    memory = 1.0 / (after.step * sizes)  # one for all degrees, in sets
    assert_allclose(memory, memory[0], rtol=1e-12)
    least = {"lms": 1000.0, "averaged": 100.0}[method]
    assert memory[0] >= least * (1 - 1e-12)


def test_chosen_steps_shrink_when_inputs_grow():
    case = CASES[1]
    design, data = case.design(), case.data(1024)
    settings = settings_for(design, "lms", False)
    calm = run(design, settings, data)
    grown = np.where(np.arange(1024) < 600, 1.0, 4.0)
    loud = type(data)(data.sets * grown[:, None, None], data.inputs * grown, data.dim)
    assert np.all(run(design, settings, loud).step < calm.step)
    quiet = type(data)(data.sets / grown[:, None, None], data.inputs / grown, data.dim)
    early = run(design, settings, type(data)(data.sets[:256], data.inputs[:256], data.dim))
    assert_array_equal(run(design, settings, quiet).step, early.step)  # never grow


@pytest.mark.parametrize("method", ["lms", "averaged"])
def test_unstable_step_is_named_with_its_bounds_at_the_first_check(method):
    case = CASES[1]
    design, data = case.design(), case.data(300)
    step = np.array([1e-3, 1e-3, 0.6])
    settings = Settings(method == "rls", method == "averaged", step, np.zeros(3))
    state = run(design, settings, type(data)(data.sets[:255], data.inputs[:255], data.dim))
    bounds = asymptotics.step_bounds(design, state.inputs)
    assert bounds[2] < 0.6 < bounds[0]
    with pytest.raises(UnstableStepError, match=r"step 0.6 is unstable.*degree 3 need a step below .*degrees 1..3: "):
        coefficient_filter.advance(design, settings, state, data.sets[255:256], data.inputs[255:256])


def test_overflow_is_an_error():
    case = CASES[1]
    design, data = case.design(), case.data(200)
    settings = Settings(False, False, np.full(3, 1e6), np.zeros(3))
    with np.errstate(all="ignore"), pytest.raises(DivergedError, match=r"no longer finite\. Use a smaller step"):
        run(design, settings, data)


@every_case
@pytest.mark.parametrize("method", FILTERS)
def test_memory_does_not_grow(case, method):
    design, data = case.design(), case.data(4200)
    settings = settings_for(design, method, False)
    state = coefficient_filter.init(design, settings)
    sizes = []
    for part in np.split(np.arange(4200), [1300, 2600]):
        state = coefficient_filter.advance(design, settings, state, data.sets[part], data.inputs[part])
        sizes.append(sum(a.nbytes for a in flatten(state).values()))
    assert max(sizes) <= 2 * sizes[0]


@every_case
@pytest.mark.parametrize("method", FILTERS)
def test_advance_is_pure_and_keeps_no_view_of_the_data(case, method):
    design, data = case.design(), case.data(100)
    settings = settings_for(design, method, True)
    start = run(design, settings, data)
    before = {name: array.copy() for name, array in flatten(start).items()}
    after = coefficient_filter.advance(design, settings, start, data.sets, data.inputs)
    kept = {name: array.copy() for name, array in flatten(after).items()}
    data.sets[:] = np.nan
    data.inputs[:] = np.nan
    for name, array in flatten(start).items():
        assert_array_equal(array, before[name], err_msg=name)
    for name, array in flatten(after).items():
        assert_array_equal(array, kept[name], err_msg=name)


def test_power_is_the_discounted_sum_of_squares():
    case = CASES[0]
    design, data = case.design(), case.data(50)
    settings = Settings(False, True, np.full(2, 0.01), np.zeros(2))
    _, innovations = lms_recursion.update(
        lms_recursion.init(np.zeros(2)), design, design.blocks(data.sets, data.inputs), settings.step
    )
    expected = 0.0
    for e in innovations.ravel():
        expected = (1 - 1 / coefficient_filter.NOISE_MEMORY) * expected + e * e
    assert_allclose(run(design, settings, data).power, [[expected]], rtol=1e-13)


@pytest.mark.parametrize("method", FILTERS)
@pytest.mark.parametrize("given_step", [False, True])
def test_states_of_a_stream_pass_the_check_and_others_do_not(method, given_step):
    design, data = CASES[1].design(), CASES[1].data(300)
    asked = settings_for(design, method, given_step)
    for n in (0, 1, 100, 256, 300):
        coefficient_filter.check(design, asked, run(design, asked, data.part(0, n)))
    state = run(design, asked, data)
    changes = [{"count": 299}, {"recent_sets": state.recent_sets[1:]}, {"power": -state.power}]
    changes += (
        [{"count": 255, "inputs": replace(state.inputs, count=255, counted=255)}]
        if asked.step is None and method != "rls"
        else []
    )
    changes += [{"step": -state.step}, {"step": 2.0 * state.step}][: 1 + given_step] if method != "rls" else []
    for change in changes:
        with pytest.raises(InputError) as refused:
            coefficient_filter.check(design, asked, replace(state, **change))
        assert refused.value.code == "state-range"


@pytest.mark.parametrize("value", [np.nan, np.inf, -np.inf, 1e120, 10.0**200])
@pytest.mark.parametrize("dark", [False, True])
@pytest.mark.parametrize("method", ["lms", "rls", "averaged"])
def test_bad_numbers_are_refused_by_their_place(method, value, dark):
    """Also where the check of all numbers before is spared, and where the input is zero."""
    rng = np.random.default_rng(0)
    psi = rng.normal(size=400)
    sets = psi[:, None] * [1.0, 4.0] + 0.1 * rng.normal(size=(400, 2))
    f = vieta.SymmetricFilter(2, method=method).partial_fit(sets[:300], psi[:300])
    before = f.estimate().theta
    sets[333, 1], psi[333] = value, 0.0 if dark else psi[333]
    with pytest.raises(InputError, match=r"sets\[33\]"):
        f.partial_fit(sets[300:], psi[300:])
    assert f.n_sets == 300
    np.testing.assert_array_equal(f.estimate().theta, before)
