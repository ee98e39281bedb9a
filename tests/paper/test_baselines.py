"""What every recursion promises: recording, purity, and errors that say what to do."""

import subprocess
import sys

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_array_equal

from vieta import baselines
from vieta.errors import DivergedError, InputError
from vieta.paper import path
from vieta.paper.baselines import Path, direct_gradient, labeled_least_squares, labeled_lms, naive_lms, unordered_lms

from .data import KINDS, labeled


def recursive_em(*args, noise_var=1.0, **options):
    return baselines.recursive_em(*args, noise_var=noise_var, **options)


RECURSIONS = [labeled_lms, unordered_lms, direct_gradient, naive_lms, recursive_em]
EVERY = pytest.mark.parametrize("recursion", RECURSIONS)
START = np.array([[1.0, 0.0], [0.0, 1.0], [-1.0, 0.5]])


def run(recursion, n=40, **options):
    readings, inputs, _ = labeled("square", n=n)
    return recursion(readings, inputs, **({"step": 1e-3, "start": START} | options))


@EVERY
def test_final_point_only_unless_asked(recursion):
    got = run(recursion)
    assert isinstance(got, Path)
    assert_array_equal(got.index, [40])
    assert got.theta.shape == (1, 3, 2)
    assert_array_equal(got.final, got.theta[0])


@EVERY
@given(every=st.integers(1, 50), piece=st.integers(1, 50))
def test_recording_changes_nothing_but_what_is_recorded(recursion, every, piece):
    all_points = run(recursion, record_every=1)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(path, "PIECE", piece)
        some = run(recursion, record_every=every)
    assert_array_equal(some.index, sorted({*range(every, 41, every), 40}))
    assert_array_equal(some.theta, all_points.theta[some.index - 1])
    assert_array_equal(all_points.index, np.arange(1, 41))


@EVERY
def test_arguments_are_left_alone(recursion):
    readings, inputs, _ = labeled("square")
    copies = [a.copy() for a in (readings, inputs, START)]
    for array in (readings, inputs):
        array.flags.writeable = False
    recursion(readings, inputs, step=1e-3, start=START)
    for array, copy in zip((readings, inputs, START), copies):
        assert_array_equal(array, copy)


@EVERY
@pytest.mark.parametrize("kind", ["none", "none, vectors", "scalar", "scalar, vectors", "square"])
def test_lists_do_and_shapes_follow_the_contract(recursion, kind):
    readings, inputs, theta = labeled(kind)
    as_lists = None if inputs is None else inputs.tolist()
    got = recursion(readings.tolist(), as_lists, step=1e-3, start=theta.tolist(), record_every=15)
    assert got.theta.shape == (3, *theta.shape)
    if KINDS[kind][1] == 1:
        flat = recursion(readings, inputs, step=1e-3, start=theta.ravel())
        assert_array_equal(flat.final, got.final)


@EVERY
@pytest.mark.parametrize("step", [30.0, 1e150])
def test_divergence_is_reported_and_never_returned(recursion, step):
    with pytest.raises(DivergedError, match=r"diverged: after \d+ sets .*Use a smaller step"):
        run(recursion, step=step, n=60)


def test_the_step_that_the_error_names_is_safe():
    with pytest.raises(DivergedError, match="it cannot diverge") as caught:
        run(labeled_lms, step=30.0)
    named = float(str(caught.value).split(" = ")[1].split(" ")[0])
    assert abs(run(labeled_lms, step=0.99 * named).final).max() < 100


def test_a_far_start_is_no_divergence():
    assert abs(run(labeled_lms, start=1e6 * START).final).max() > 1e5


@EVERY
@pytest.mark.parametrize(
    ("options", "code"),
    [
        ({"step": 0.0}, "step-range"),
        ({"step": -1.0}, "step-range"),
        ({"step": np.nan}, "step-range"),
        ({"start": np.zeros((2, 2))}, "start-shape"),
        ({"start": np.full((3, 2), np.inf)}, "start-shape"),
        ({"record_every": 0}, "not-a-count"),
        ({"record_every": 2.5}, "not-a-count"),
    ],
)
def test_bad_options_are_refused(recursion, options, code):
    with pytest.raises(InputError) as caught:
        run(recursion, **options)
    assert caught.value.code == code


@EVERY
@pytest.mark.parametrize(
    ("sets", "inputs", "message"),
    [
        (np.zeros(3), None, r"must have shape \(N, L\) .* got \(3,\)"),
        (np.zeros((0, 3)), None, r"is empty: its shape is \(0, 3\). At least one set"),
        ([[1.0, 2.0], [1.0, 2.0], [3.0]], None, r"sets\[2\] has 1 reading\(s\) where 2 were expected.*complete sets"),
        ([[1.0, np.nan]], None, r"sets\[0\] is incomplete: member 1 is missing.*missing by chance"),
        (
            np.zeros((4, 2)),
            np.zeros(3),
            r"`inputs` must have one entry a set, empty sets included: 4 sets were given, and 3",
        ),
        (np.zeros((4, 2, 3)), np.zeros((4, 3)), r"`inputs` of shape \(4, 3\) do not fit.*\(N, 3, D\) matrices"),
        (np.zeros((4, 2)), np.zeros((4, 2, 2)), r"`inputs` of shape \(4, 2, 2\) do not fit readings of 1 number"),
    ],
)
def test_bad_data_are_refused(recursion, sets, inputs, message):
    with pytest.raises(InputError, match=message):
        recursion(sets, inputs, step=0.1, start=np.ones((2, 1)))


def test_the_error_names_the_argument():
    for oracle in (labeled_least_squares, lambda y: labeled_lms(y, step=0.1)):
        with pytest.raises(ValueError, match="`readings` must have shape"):
            oracle(np.zeros(3))
    with pytest.raises(ValueError, match="`sets` must have shape"):
        unordered_lms(np.zeros(3), step=0.1)


def test_importing_compiles_nothing():
    code = "import sys; from vieta import baselines; print([m for m in ('numba', 'scipy') if m in sys.modules])"
    assert subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout == "[]\n"


@EVERY
def test_readings_out_of_range_are_reported_too(recursion):
    with pytest.raises(DivergedError, match="not finite"):
        recursion(np.full((3, 2), 1e99), np.full(3, 1e99), step=1e200, start=[0.0, 1.0])
    with pytest.raises(ValueError, match=r"sets\[0\] holds 1e\+200, which is too large"):
        recursion(np.full((3, 2), 1e200), np.full(3, 1.0), step=1e-3, start=[0.0, 1.0])
