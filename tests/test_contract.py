"""What every method promises, for every transform and every kind of input that it takes."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal

import vieta
from tests.coefficients.cases import CASES, DISTINCT, shuffle, some_cases
from tests.test_sets import BAD
from vieta.coefficients.choice import TRANSFORMS
from vieta.estimators.storage import flatten
from vieta.laws import inputs, labels, noise
from vieta.method import registry

FILTERS = [name for name, one in registry.every().items() if one.has_engine]

METHODS = list(vieta.methods())
every_method = pytest.mark.parametrize("method", METHODS)
every_filter = pytest.mark.parametrize("method", FILTERS)
ON_PARAMETERS = {name for name, one in registry.every().items() if "transform" not in one.Options.infos()}
on_coefficients = pytest.mark.parametrize("method", [method for method in METHODS if method not in ON_PARAMETERS])
few = settings(deadline=None, max_examples=2, derandomize=True)


def every_case_of(methods):
    """Every case with every method; those that have no transform meet each kind of data once."""
    pairs = [(case, method) for case in CASES for method in methods if case in DISTINCT or method not in ON_PARAMETERS]
    return pytest.mark.parametrize(("case", "method"), pairs, ids=str)


every_case_and_method = every_case_of(METHODS)
every_case_and_filter = every_case_of(FILTERS)


def make(case, method, **options):
    return vieta.SymmetricFilter(case.n_systems, case.dim, method=method, **chosen(case, method), **options)


def chosen(case, method):
    """The transform of a case, for the methods that have one."""
    return {} if method in ON_PARAMETERS else {"transform": case.name}


def snapshot(stream):
    """All that the filter holds, as copies."""
    return None if stream._state is None else {name: a.copy() for name, a in flatten(stream._state).items()}


def assert_unchanged(stream, before):
    after = snapshot(stream)
    assert (after is None) == (before is None)
    for name in before or ():
        assert_array_equal(after[name], before[name], err_msg=name, strict=True)


def assert_same_estimate(a, b):
    for name in ("theta", "cov", "noise_var", "imaginary", "condition"):
        assert_array_equal(getattr(a, name), getattr(b, name), err_msg=name)
    assert (a.n_sets, a.method, a.transform, a.warnings) == (b.n_sets, b.method, b.transform, b.warnings)


def test_nothing_is_left_out():
    assert {case.name for case in CASES} == set(TRANSFORMS)
    assert set(METHODS) == {*FILTERS, "least-squares", "one-step", "em"}
    assert {case.kind for case in CASES} == {"none", "numbers", "rows", "matrices", "turns"}


def is_chance(found):
    """A test of level one per cent reports now and then, among so many cases, where nothing is wrong."""
    return found.code == "law-contradicted" and found.facts["p_value"] > 1e-3


# --- what is found --------------------------------------------------------------------------------------------------


@every_case_and_method
def test_the_truth_is_found_within_the_errors_claimed(case, method):
    sets, psi = case.draw(3000)
    estimate = vieta.fit(sets, psi, method=method, **chosen(case, method))
    assert estimate.theta.shape == estimate.stderr.shape == case.theta.shape
    assert estimate.cov.shape == (case.theta.size,) * 2
    assert np.all(abs(estimate.theta - case.theta) < 5 * estimate.stderr)
    assert np.all(estimate.stderr < 0.2)
    assert np.all(np.linalg.eigvalsh(estimate.cov) > 0)
    assert [one for one in estimate.findings if not is_chance(one)] == []
    assert estimate.n_sets == 3000


@every_case_and_method
def test_order_within_a_set_is_irrelevant_and_data_are_left_alone(case, method):
    sets, psi = case.draw(300)
    for array in (sets, psi):
        if array is not None:
            array.flags.writeable = False
    expected = vieta.fit(sets, psi, method=method, **chosen(case, method))

    @few
    @given(st.integers(0, 2**32 - 1))
    def holds(seed):
        other = vieta.fit(shuffle(sets, np.random.default_rng(seed)), psi, method=method, **chosen(case, method))
        assert_allclose(other.theta, expected.theta, rtol=0, atol=1e-7)
        assert_allclose(other.cov, expected.cov, rtol=0, atol=1e-5 * abs(expected.cov).max())
        assert_allclose(other.noise_var, expected.noise_var, rtol=0, atol=1e-7)

    holds()


@every_method
@pytest.mark.parametrize("law", [labels.Sorted(), labels.Adversarial(), labels.Sticky(0.99)], ids=repr)
def test_labels_chosen_against_us_are_of_no_use(method, law):
    truth = np.array([[1.0, -1.0], [-1.0, 0.5]])
    setting = {"n": 600, "seed": 3, "noise": noise.Gaussian(0.25), "inputs": inputs.Gaussian(mean=1.0)}
    kind, hostile = (vieta.simulate(truth, labels=order, **setting) for order in (labels.Labeled(), law))
    assert not np.array_equal(kind.sets, hostile.sets)
    assert_array_equal(kind.readings, hostile.readings)
    expected = vieta.fit(kind.sets, kind.inputs, method=method)
    got = vieta.fit(hostile.sets, hostile.inputs, method=method)
    assert_allclose(got.theta, expected.theta, rtol=0, atol=1e-7)
    assert_allclose(got.stderr, expected.stderr, rtol=1e-5)


# --- streams --------------------------------------------------------------------------------------------------------


@every_case_and_filter
def test_one_by_one_is_all_at_once(case, method):
    sets, psi = case.draw(262)
    whole = make(case, method).partial_fit(sets, psi)
    single = make(case, method)
    for k in range(262):
        assert single.update(sets[k], None if psi is None else psi[k]) is single
    assert single.n_sets == whole.n_sets == 262
    assert_unchanged(single, snapshot(whole))
    assert_same_estimate(single.estimate(), whole.estimate())
    if method not in ("efficient", "adaptive"):  # in batch they go over the sets again and again
        assert_same_estimate(vieta.fit(sets, psi, method=method, **chosen(case, method)), whole.estimate())


@some_cases
@every_filter
def test_any_cut_gives_the_same_estimate(case, method):
    sets, psi = case.draw(1100)
    expected = make(case, method).partial_fit(sets, psi).estimate()

    @few
    @given(st.lists(st.integers(1, 1099), min_size=1, max_size=4))
    def holds(cuts):
        stream = make(case, method)
        for part in np.split(np.arange(1100), sorted(set(cuts))):
            stream.partial_fit(sets[part], None if psi is None else psi[part])
        assert_same_estimate(stream.estimate(), expected)

    holds()


@every_filter
def test_asking_changes_nothing(method):
    case = CASES[1]
    stream = make(case, method).partial_fit(*case.draw(400))
    before = snapshot(stream)
    stream.estimate().summary()
    stream.estimate()
    assert_unchanged(stream, before)


# --- bad data -------------------------------------------------------------------------------------------------------


@every_method
@pytest.mark.parametrize(("sets", "psi", "message"), BAD)
def test_bad_data_are_refused_in_words(method, sets, psi, message):
    with pytest.raises(ValueError, match=message):
        vieta.fit(sets, psi, method=method)


@every_filter
@pytest.mark.parametrize(("sets", "psi", "message"), BAD)
def test_bad_data_leave_a_filter_as_it_was(method, sets, psi, message):
    stream = vieta.SymmetricFilter(2, method=method).partial_fit(np.random.default_rng(0).normal(size=(20, 2)))
    before = snapshot(stream)
    with pytest.raises(ValueError, match=f"{message}|n_systems|dim="):
        stream.partial_fit(sets, psi)
    with pytest.raises(ValueError, match=f"{message}|n_systems|dim="):
        stream.trace(sets, psi)
    assert_unchanged(stream, before)


@every_case_and_method
def test_what_is_not_finite_is_refused_wherever_it_stands(case, method):
    sets, psi = case.draw(300)
    stream = make(case, method).partial_fit(sets, psi) if method in FILTERS else None

    @few
    @given(st.data())
    def holds(data):
        spoiled = [sets.copy(), None if psi is None else psi.copy()]
        target = spoiled[0] if psi is None or data.draw(st.booleans()) else spoiled[1]
        at = data.draw(st.integers(0, target.size - 1))
        odd = [np.nan, np.inf, -np.inf]
        may_miss = target is spoiled[0] and registry.get(method).takes_incomplete  # a reading that is NaN was missed
        target.flat[at] = data.draw(st.sampled_from(odd[1:] if may_miss else odd))
        where = rf"\[{at // (target.size // 300)}\].*(missing|infinite).*(drop|leav|repair)"
        with pytest.raises(ValueError, match=where):
            vieta.fit(*spoiled, method=method, **chosen(case, method))
        if stream is not None:
            before = snapshot(stream)
            for call in (stream.partial_fit, stream.trace):
                with pytest.raises(ValueError, match=where):
                    call(*spoiled)
            assert_unchanged(stream, before)

    holds()


@every_filter
@pytest.mark.parametrize(
    ("sets", "psi", "message"),
    [
        (np.ones((4, 2)), None, "sets of 2 readings were given, and n_systems=3"),
        (np.ones((4, 3)), None, r"1 parameter\(s\) a system were given, and the filter has dim=2. Make it with dim=1"),
        (
            np.ones((4, 3, 2)),
            None,
            r"sets of another shape were given: readings of 2 number\(s\) and inputs scalar, after",
        ),
        (
            np.ones((4, 3, 2)),
            np.ones((4, 2, 2)),
            r"sets of another shape were given.*after readings of 1.*another filter",
        ),
    ],
)
def test_data_of_another_shape_leave_a_filter_as_it_was(method, sets, psi, message):
    rng = np.random.default_rng(0)
    stream = vieta.SymmetricFilter(3, 2, method=method).partial_fit(rng.normal(size=(20, 3)), rng.normal(size=(20, 2)))
    before = snapshot(stream)
    if registry.get(method).takes_incomplete and sets.shape[1] < 3:
        message = "1 parameter"  # sets may be small
    with pytest.raises(ValueError, match=message):
        stream.partial_fit(sets, psi)
    assert_unchanged(stream, before)


@on_coefficients
def test_inputs_that_cannot_be_undone_are_named(method):
    rng = np.random.default_rng(0)
    sets, psi = rng.normal(size=(30, 2, 2)), rng.normal(size=(30, 2, 2))
    psi[7] = [[1.0, 2.0], [2.0, 4.0]]
    with pytest.raises(ValueError, match=r"inputs\[7\] is a singular matrix.*Drop those.*transform='tensor'"):
        vieta.fit(sets, psi, method=method, transform="polarized")


@on_coefficients
def test_inputs_outside_the_convolution_transform_are_named(method):
    rng = np.random.default_rng(0)
    sets, psi = rng.normal(size=(30, 2, 3)), rng.normal(size=(30, 1, 1)) * np.eye(3)
    psi[4] = rng.normal(size=(3, 3))
    with pytest.raises(vieta.errors.NotClosedError, match=r"inputs\[4\].*1 of 30 inputs.*Use transform='tensor'"):
        vieta.fit(sets, psi, method=method, transform="convolution")


@every_method
@pytest.mark.parametrize(
    ("psi", "message"),
    [(np.zeros(30), "zero"), (np.ones((30, 2)), "constant"), (np.outer(np.arange(30.0), [1.0, 2.0]), "subspace")],
)
def test_inputs_that_tell_nothing_are_refused(method, psi, message):
    sets = np.random.default_rng(0).normal(size=(30, 2))
    with pytest.raises(vieta.NotIdentifiableError, match=f"do not identify.*{message}.*Vary the inputs"):
        vieta.fit(sets, psi, method=method)
