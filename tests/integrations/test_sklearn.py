"""SetRegressor in scikit-learn: its checks, pipelines, grids and cross-validation, proper scores, and misuse that is refused."""

import pickle
import subprocess
import sys
import warnings

import numpy as np
import pytest
from numpy.testing import assert_allclose

import vieta
from vieta.errors import InputError

try:
    import pandas as pd
    from sklearn.base import clone
    from sklearn.compose import ColumnTransformer, TransformedTargetRegressor
    from sklearn.model_selection import GridSearchCV, cross_val_score
    from sklearn.multioutput import MultiOutputRegressor, RegressorChain
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import MaxAbsScaler, MinMaxScaler, OneHotEncoder, RobustScaler, StandardScaler
    from sklearn.utils.estimator_checks import check_estimator

    from vieta.integrations.sklearn import SetRegressor, SetWarning, log_score
except ImportError:
    pytest.skip("scikit-learn or pandas is not installed: pip install '.[dev]'", allow_module_level=True)

A, B = np.array([0.0, 5.0, 9.0]), np.array([1.0, -1.0, 0.5])


def records(n=200, seed=0, noise=0.3):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, 1))
    return X, rng.permuted(A + X * B + noise * rng.normal(size=(n, 3)), axis=1)


@pytest.mark.parametrize("given", [{}, {"method": "least-squares", "fit_intercept": False}], ids=["default", "batch"])
def test_the_checks_of_scikit_learn_pass(given):
    """One check needs a variable of the environment and skips itself; no other is skipped, and none is expected to fail."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        found = check_estimator(SetRegressor(**given), on_fail="raise", on_skip=None)
    status = [one["status"] for one in found]
    assert [one["check_name"] for one in found if one["status"] != "passed"] in ([], ["check_array_api_input"])
    assert len(status) > 40
    assert not any(one["expected_to_fail"] for one in found)


def test_it_is_the_fit_of_vieta_in_other_words():
    X, y = records()
    found = SetRegressor().fit(X, y)
    wanted = vieta.fit(y, np.column_stack([np.ones(len(X)), X]))
    assert np.array_equal(np.column_stack([found.intercept_, found.coef_]), wanted.theta)
    assert np.array_equal(np.column_stack([found.intercept_stderr_, found.stderr_]), wanted.stderr)
    assert found.findings_ == wanted.findings
    assert_allclose(found.predict(X), np.sort(wanted.theta[:, 0] + X * wanted.theta[:, 1], axis=1))
    assert (np.diff(found.predict(X), axis=1) >= 0).all()
    ranked = np.sort(y, axis=1)
    assert_allclose(
        found.score(X, y), 1 - ((ranked - found.predict(X)) ** 2).sum() / ((ranked - ranked.mean(axis=0)) ** 2).sum()
    )
    assert np.array_equal(pickle.loads(pickle.dumps(found)).predict(X), found.predict(X))
    through = SetRegressor(fit_intercept=False, method="least-squares").fit(X, X * B)
    assert (through.intercept_ == 0).all()
    assert_allclose(through.coef_[:, 0], np.sort(B), atol=1e-9)


def test_sets_as_they_come_give_what_a_filter_gives():
    X, y = records()
    found = SetRegressor()
    for at in range(0, 200, 50):
        found.partial_fit(X[at : at + 50], y[at : at + 50])
    wanted = vieta.SymmetricFilter(3, 2).partial_fit(y, np.column_stack([np.ones(200), X])).estimate()
    assert np.array_equal(np.column_stack([found.intercept_, found.coef_]), wanted.theta)
    with pytest.raises(InputError, match="3"):
        found.partial_fit(X, y[:, :2])
    again = found.fit(X[:100], y[:100])
    assert not hasattr(again, "filter_")
    assert not hasattr(SetRegressor(method="least-squares"), "partial_fit")


def test_pipelines_columns_and_names():
    X, y = records()
    frame = pd.DataFrame({"cold": X[:, 0], "size": np.random.default_rng(5).choice(["a", "b"], 200)})
    columns = ColumnTransformer(
        [("n", StandardScaler(), ["cold"]), ("c", OneHotEncoder(drop="first", sparse_output=False), ["size"])],
        verbose_feature_names_out=False,
    )
    pipe = make_pipeline(columns, SetRegressor()).set_output(transform="pandas").fit(frame, y)
    assert pipe[-1].estimate_.names == ("intercept", "cold", "size_b")
    assert pipe[-1].coef_.shape == (3, 2)
    assert pipe.score(frame, y) > 0.8
    assert np.isfinite(log_score(pipe, frame, y))
    assert clone(pipe)[-1].get_params() == SetRegressor().get_params()


def test_grids_and_cross_validation():
    X, y = records(60)
    quick = SetRegressor(method="least-squares")
    assert cross_val_score(quick, X, y, cv=3).min() > 0.6
    grid = GridSearchCV(
        quick, {"fit_intercept": [True, False], "method": ["least-squares", "rls"]}, cv=2, scoring=log_score
    )
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", SetWarning)  # without an intercept nothing fits, and it says so
        grid.fit(X, y)
    assert grid.best_params_["fit_intercept"] is True
    tried = GridSearchCV(SetRegressor(), {"options": [{}, {"shock": "none"}]}, cv=2, refit=False).fit(X, y)
    assert np.isfinite(tried.cv_results_["mean_test_score"]).all()


def test_incomplete_sets_are_scored_by_their_likelihood():
    X, y = records(80)
    y[::5, 0] = np.nan
    found = SetRegressor(n_systems=3, options={"misses": True, "clutter": False}).fit(X, y)
    assert_allclose(found.intercept_, A, atol=0.3)
    assert np.isfinite(found.log_score(X, y))
    assert 0.8 < found.score(X, y) < 1.0
    with pytest.raises(InputError, match="Use log_score"):
        found.score(X[::5], y[::5])


@pytest.mark.parametrize(
    "scaler", [StandardScaler(), StandardScaler(with_std=False), MinMaxScaler(), MaxAbsScaler(), RobustScaler()]
)
def test_a_scaler_for_each_column_of_sets_is_refused(scaler):
    X, y = records(60)
    for sets in (y, np.sort(y, axis=1)):
        with pytest.raises(InputError, match="TransformedTargetRegressor") as refused:
            TransformedTargetRegressor(SetRegressor(), transformer=scaler).fit(X, sets)
        assert refused.value.code == "columns-scaled"


def test_answers_of_few_values_are_known_as_scaled_too():
    X, _ = records(60)
    answers = np.sort(np.random.default_rng(1).integers(0, 11, size=(60, 3)), axis=1).astype(float)
    with pytest.raises(InputError, match="a mean of zero"):
        SetRegressor().fit(X, StandardScaler().fit_transform(answers))


def test_one_unit_for_all_readings_is_no_misuse():
    X, y = records(60)
    for seed in range(50):
        for low, high in ((0, 2), (-1, 2), (-2, 3), (0, 11)):
            answers = np.random.default_rng(seed).integers(low, high, size=(30, 2)).astype(float)
            SetRegressor()._checked(X[:30], answers, reset=True)
    plain, scaled = SetRegressor().fit(X, y), SetRegressor().fit(X, (y - y.mean()) / y.std())
    assert_allclose(scaled.coef_ * y.std(), plain.coef_, rtol=1e-3)
    both = TransformedTargetRegressor(
        SetRegressor(), func=lambda sets: sets / 10.0, inverse_func=lambda sets: sets * 10.0
    )
    assert_allclose(both.fit(X, y).predict(X), plain.predict(X), rtol=1e-3, atol=1e-3)


@pytest.mark.parametrize("kind", [MultiOutputRegressor, RegressorChain])
def test_what_takes_sets_apart_is_refused_or_warned_of(kind):
    X, y = records(60)
    with pytest.warns(SetWarning, match="sets were taken apart"):
        kind(SetRegressor(method="least-squares")).fit(X, y)
    with pytest.raises(InputError, match="n_systems=3 was asked for"):
        kind(SetRegressor(n_systems=3)).fit(X, y)


def test_serious_findings_are_warnings():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(40, 1))
    y = rng.permuted(X * [1.0, 1.02] + 0.5 * rng.normal(size=(40, 2)), axis=1)
    with pytest.warns(SetWarning):
        found = SetRegressor(method="efficient").fit(X, y)
    assert any(one.severity == "serious" for one in found.findings_)


def test_what_does_not_fit_is_refused():
    X, y = records(60)
    found = SetRegressor(method="least-squares").fit(X, y)
    with pytest.raises(InputError, match="prediction has shape"):
        found.score(X, y[:, :2])
    with pytest.raises(InputError, match="target y is None"):
        SetRegressor().fit(X, None)


def test_import_of_vieta_leaves_scikit_learn_alone_and_says_what_to_install():
    code = "import sys, vieta; print('sklearn' in sys.modules, 'pandas' in sys.modules)"
    assert (
        subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout
        == "False False\n"
    )
    code = "import sys; sys.modules['sklearn'] = None; import vieta.integrations.sklearn"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert "install vieta[sklearn]" in done.stderr
