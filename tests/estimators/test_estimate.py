"""The Estimate: numbers, words, JSON and pictures."""

import json
from dataclasses import FrozenInstanceError, replace

import numpy as np
import pytest
from matplotlib.figure import Figure
from numpy.testing import assert_allclose
from scipy.stats import norm, t

import vieta
from vieta.findings import Finding, finding
from vieta.laws import inputs, noise

THETA = {1: (-1.0, 0.5, 2.0), 2: ((-1.0, 0.3), (0.5, 2.0)), 3: ((-1.0, 0.5, 1.0), (0.5, 2.0, -1.0))}


def estimate(dim=1, **laws):
    records = vieta.simulate(THETA[dim], n=500, seed=0, noise=noise.Gaussian(0.01), **laws)
    return vieta.fit(records.sets, records.inputs, method="least-squares")


def unknown(dim=1):
    """An estimate whose errors are not known."""
    known = estimate(dim)
    return replace(
        known, cov=np.full_like(known.cov, np.nan), condition=np.inf, findings=(finding("covariance-singular"),)
    )


@pytest.mark.parametrize("dim", [1, 2, 3])
def test_standard_errors_are_roots_of_the_diagonal(dim):
    e = estimate(dim)
    assert_allclose(e.stderr.ravel() ** 2, np.diag(e.cov))
    assert e.stderr.shape == e.theta.shape == np.reshape(THETA[dim], (-1, dim)).shape


@pytest.mark.parametrize("level", [0.5, 0.95, 0.999])
def test_intervals_are_normal_quantiles(level):
    e = estimate(2)
    low, high = np.moveaxis(e.conf_int(level), -1, 0)
    assert_allclose(low, norm.ppf(0.5 - level / 2, e.theta, e.stderr))
    assert_allclose(high, norm.ppf(0.5 + level / 2, e.theta, e.stderr))


def test_few_degrees_of_freedom_widen_intervals_of_parameters_and_of_functions_of_them():
    e = replace(estimate(2), dof=4.5)
    low, high = np.moveaxis(e.conf_int(0.9), -1, 0)
    assert_allclose(low, t.ppf(0.05, 4.5, e.theta, e.stderr))
    assert_allclose(high, t.ppf(0.95, 4.5, e.theta, e.stderr))
    total = e.derived("sum")
    assert_allclose(total.conf_int(0.9)[:, 1], t.ppf(0.95, 4.5, total.value, total.stderr))


def test_what_is_known_of_the_noise_and_of_memory_is_said_and_saved():
    e = replace(estimate(), noise_sd=np.array([0.25, np.nan, 0.125]), n_sets_effective=123.4, dof=17.5)
    first, _, _, header, *rows = e.summary().splitlines()
    assert first.endswith("from 500 unlabeled sets, worth 123 without memory over time")
    assert header.endswith("noise sd")
    assert [row.split("]")[1].strip() for row in rows[:3]] == ["0.25", "not known", "0.125"]
    again = vieta.Estimate.from_dict(json.loads(json.dumps(e.to_dict(), allow_nan=False)))
    assert_allclose(again.noise_sd, e.noise_sd)
    assert (again.n_sets_effective, again.dof) == (123.4, 17.5)
    assert "worth" not in estimate().summary()


def test_a_function_of_parameters_without_errors_has_a_value():
    found = unknown().derived("largest")
    assert_allclose(found.value, unknown().theta.max(axis=0))
    assert np.isnan(found.cov).all()


def test_ninety_five_percent_by_default():
    e = estimate()
    assert_allclose(e.conf_int(), e.conf_int(0.95))


@pytest.mark.parametrize("level", [0.0, 1.0, -0.1, 95, np.nan])
def test_levels_lie_between_zero_and_one(level):
    for call in (estimate().conf_int, estimate().summary):
        with pytest.raises(ValueError, match=r"level=.* must lie between 0 and 1, for example 0.95"):
            call(level)


def test_summary_says_everything():
    e = estimate()
    text = e.summary(0.9)
    assert str(e) == e.summary()
    assert "3 systems, 1 parameter each, from 500 unlabeled sets" in text
    assert f"method least-squares, transform elementary, noise sd {np.sqrt(e.noise_var):.4g}" in text
    assert "90% interval" in text
    assert "!" not in text
    rows = [line.split() for line in text.splitlines() if line.strip()[:1].isdigit()][1:]
    assert_allclose([float(row[1]) for row in rows], e.theta.ravel(), rtol=1e-5)
    assert_allclose([float(row[2]) for row in rows], e.stderr.ravel(), rtol=1e-2)


def test_summary_of_vectors_lists_every_parameter():
    e = estimate(2, inputs=inputs.Matrices())
    text, deviations = e.summary(), np.sqrt(np.diag(e.noise_var))
    assert "2 systems, 2 parameters each" in text
    assert f"transform tensor, noise sd {deviations[0]:.4g}, {deviations[1]:.4g}" in text
    assert len(text.splitlines()) == 4 + 4


def test_summary_ends_with_the_findings():
    assert unknown().summary().splitlines()[-1].startswith("!! Standard errors are not known: two systems coincide")
    assert "nan" not in unknown().summary()
    assert unknown().summary().count("not known") == 2 * unknown().theta.size + 1


@pytest.mark.parametrize("make", [estimate, unknown])
@pytest.mark.parametrize("dim", [1, 2, 3])
def test_everything_goes_into_json(make, dim):
    e = make(dim)
    back = json.loads(json.dumps(e.to_dict(), allow_nan=False))
    assert_allclose(back["theta"], e.theta)
    assert_allclose(back["noise_var"], e.noise_var)
    assert_allclose(back["imaginary"], e.imaginary)
    assert (back["n_sets"], back["method"], back["transform"]) == (500, e.method, e.transform)
    assert tuple(back["warnings"]) == e.warnings
    known = make is estimate
    assert (back["condition"] is not None) is known
    for name in ("cov", "stderr"):
        values = np.array(back[name], dtype=object)
        assert values.shape == getattr(e, name).shape
        assert all((value is not None) is known for value in values.ravel())
    aside = {"frame_kind"}  # of the session, not of the estimate
    assert (set(e.__dataclass_fields__) - aside) | {"stderr", "warnings"} == back.keys()
    assert [one["code"] for one in back["findings"]] == [one.code for one in e.findings]
    again = vieta.Estimate.from_dict(back)
    assert_allclose(again.theta, e.theta)
    assert_allclose(again.cov, e.cov)
    assert again.warnings == e.warnings
    assert again.to_dict() == e.to_dict()


@pytest.mark.parametrize("make", [estimate, unknown])
@pytest.mark.parametrize("dim", [1, 2, 3])
def test_plot_shows_every_parameter(make, dim):
    e = make(dim)
    figure = e.plot(0.9)
    assert isinstance(figure, Figure)
    figure.canvas.draw()
    assert "least-squares, 500 sets" in {figure.axes[0].get_title(), figure.get_suptitle()}
    drawn = np.concatenate([line.get_ydata() for ax in figure.axes for line in ax.lines])
    for value in e.theta[:, 1] if dim == 2 else e.theta.ravel():
        assert np.any(abs(drawn - value) < 1e-12)


def test_an_estimate_cannot_be_changed():
    e = estimate()
    for name in e.__dataclass_fields__:
        with pytest.raises(FrozenInstanceError):
            setattr(e, name, None)


def test_rows_are_in_canonical_order():
    e = estimate()
    assert np.all(np.diff(e.theta[:, 0]) > 0)


def test_a_finding_of_another_version_comes_back_with_its_sentence():
    strange = replace(estimate(), findings=(Finding("from-the-future", "serious", {"text": "Something new."}),))
    again = vieta.Estimate.from_dict(json.loads(json.dumps(strange.to_dict())))
    assert again.warnings == ("Something new.",)
    assert again.findings[0].severity == "serious"


@pytest.mark.parametrize(
    "change",
    [
        {"theta": [1.0]},
        {"theta": []},
        {"cov": [[1.0]]},
        {"n_sets": "many"},
        {"findings": [{"code": "x"}]},
        {"imaginary": None},
    ],
)
def test_what_is_no_estimate_is_refused(change):
    answer = estimate().to_dict() | change
    with pytest.raises((KeyError, TypeError, ValueError)):
        vieta.Estimate.from_dict(answer)
