"""scikit-learn: `SetRegressor`, whose targets are unlabeled sets, for pipelines, grids and cross-validation. Extra `sklearn`."""

import warnings
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike

from vieta.arrays import Floats
from vieta.errors import InputError
from vieta.estimators import Estimate, SymmetricFilter, fit
from vieta.findings import SEVERITIES, Finding, at_least
from vieta.method import registry

try:
    from sklearn.base import BaseEstimator, RegressorMixin
    from sklearn.utils.metaestimators import available_if
    from sklearn.utils.validation import (
        check_array,
        check_consistent_length,
        check_is_fitted,
        column_or_1d,
        validate_data,
    )
except ImportError as error:
    raise ImportError("vieta.integrations.sklearn needs scikit-learn: install vieta[sklearn].") from error

INTERCEPT = "intercept"
EXACT = 1e-9  # of a standard deviation, within which columns count as scaled
FEWEST = 3  # sets from which on that is no chance


class SetWarning(UserWarning):
    """Something about sets that scikit-learn cannot know: a doubtful fit, or targets that are no sets any more."""


def _takes_streams(regressor: "SetRegressor") -> bool:
    """Whether its method takes sets as they come; one that is not known is refused when it is used."""
    known = registry.every()
    return regressor.method not in known or known[regressor.method].has_engine


class SetRegressor(RegressorMixin, BaseEstimator):
    r"""Linear regression of sets: the targets of a sample are the readings of L systems, in no order.

    .. math:: \{y_1..y_L\} = \{a_l + b_l' x + v_l\}_{l=1}^{L}

    Parameters
    ----------
    n_systems : int, optional
        L, checked against the columns of y.
    fit_intercept : bool
    method : str, optional
        Of `vieta.methods()`; left to `vieta.fit` if absent, and for `partial_fit` to `vieta.SymmetricFilter`.
    options : dict, optional
        Those of the method.

    Attributes
    ----------
    coef_ : (L, D)
        Systems in canonical order: ascending intercept, or first coefficient without one. (D,) where y has one dimension, a set of one.
    intercept_ : (L,)
        Zero without one; a number where y has one dimension.
    stderr_ : (L, D)
        Of `coef_`; NaN where it is not known.
    intercept_stderr_ : (L,)
    findings_ : tuple of Finding
        What to know before trusting the fit; those that are serious are warnings too.
    estimate_ : Estimate
        All of it, with covariances and intervals.
    filter_ : SymmetricFilter
        After `partial_fit`.
    n_features_in_, feature_names_in_
        As everywhere in scikit-learn; names of features are names of parameters.

    Notes
    -----
    Whatever treats the columns of y one by one takes sets apart. `TransformedTargetRegressor` with a scaler is refused, by what scalers leave
    behind; `MultiOutputRegressor` hands over one column at a time, which is refused if `n_systems` is given, and a warning otherwise.
    Missing readings are NaN in y.

    Examples
    --------
    >>> X = np.array([[0.0], [1.0], [2.0], [3.0], [4.0]])
    >>> y = np.array([[0.1, 5.0], [4.1, 0.9], [2.0, 3.1], [2.9, 2.0], [1.1, 4.0]])  # x and 5 - x, shuffled
    >>> SetRegressor(method="least-squares").fit(X, y).predict([[0.0], [1.0]]).round()
    array([[0., 5.],
           [1., 4.]])
    """

    def __init__(
        self,
        *,
        n_systems: int | None = None,
        fit_intercept: bool = True,
        method: str | None = None,
        options: dict[str, Any] | None = None,
    ) -> None:
        self.n_systems = n_systems
        self.fit_intercept = fit_intercept
        self.method = method
        self.options = options

    def __sklearn_tags__(self) -> Any:
        """Sets are not several outputs: columns of y have no meaning of their own, and as many features as samples tell no systems apart.

        So `multi_output` is false, although y has several columns; a y of one column is a set of one reading.
        """
        tags = super().__sklearn_tags__()
        tags.target_tags.single_output = True
        tags.target_tags.multi_output = False
        return tags

    def fit(self, X: ArrayLike, y: ArrayLike) -> Self:
        """Fit inputs X (N, D) and sets y (N, L), by `vieta.fit`."""
        inputs, sets = self._checked(X, y, reset=True)
        vars(self).pop("filter_", None)
        return self._learned(fit(sets, inputs, n_systems=self.n_systems, method=self.method, **(self.options or {})))

    @available_if(_takes_streams)
    def partial_fit(self, X: ArrayLike, y: ArrayLike) -> Self:
        """Go on with more sets, by `vieta.SymmetricFilter`; the result is the same however they are cut."""
        first = not hasattr(self, "filter_")
        inputs, sets = self._checked(X, y, reset=first)
        if first:
            L = sets.shape[1] if self.n_systems is None else self.n_systems
            self.filter_ = SymmetricFilter(L, inputs.shape[1], method=self.method, **(self.options or {}))
        self.filter_.partial_fit(sets, inputs)
        return self._learned(self.filter_.estimate())

    def predict(self, X: ArrayLike) -> Floats:
        """(N, L) what the systems would read, in ascending order; (N,) if y had one dimension."""
        check_is_fitted(self)
        means = self._inputs(validate_data(self, X, dtype=np.float64, reset=False)) @ self.estimate_.theta.T
        return np.asarray(means[:, 0]) if self._is_flat else np.sort(means, axis=1)

    def score(self, X: ArrayLike, y: ArrayLike) -> float:
        r"""R² of sorted sets: :math:`1 - \sum (y_{(i)} - \hat y_{(i)})^2 / \sum (y_{(i)} - \bar y_{(i)})^2` over sets and ranks i.

        Sets with missing readings are left out, for ranks mean nothing in them. It is easy to read and not proper: where systems cross
        within the noise, sorted readings lie further apart than sorted means. `log_score` is.
        """
        known, ranked = self.predict(X), self._targets(y)
        known, ranked = (one.reshape(len(one), -1) for one in (known, ranked))
        ranked = np.sort(ranked, axis=1)
        _require_same_size(ranked, known)
        whole = np.isfinite(ranked).all(axis=1)
        if not whole.any():
            raise InputError(
                "no-complete-set", "R² needs complete sets, and all of y have missing readings. Use log_score."
            )
        left = float(((ranked - known)[whole] ** 2).sum())
        total = float(((ranked[whole] - ranked[whole].mean(axis=0)) ** 2).sum())
        return 1.0 - left / total if total > 0.0 else float(left == 0.0)

    def log_score(self, X: ArrayLike, y: ArrayLike) -> float:
        """The mean of log p of the sets, whoever gave which reading (`vieta.estimators.log_score`): proper, the higher the better."""
        from vieta.estimators.log_score import log_scores
        from vieta.sets import as_data

        check_is_fitted(self)
        inputs = self._inputs(validate_data(self, X, dtype=np.float64, reset=False))
        sets = self._targets(y)
        return float(log_scores(self.estimate_, as_data(sets.reshape(len(sets), -1), inputs)).mean())

    def _checked(self, X: ArrayLike, y: ArrayLike, *, reset: bool) -> tuple[Floats, Floats]:
        """Inputs with the intercept, and sets."""
        features = validate_data(self, X, dtype=np.float64, reset=reset)
        given = self._targets(y, warn=True)
        check_consistent_length(features, given)
        sets, self._is_flat = given.reshape(len(given), -1), given.ndim == 1
        if len(sets) == 1 and reset:
            raise InputError("one-sample", "n_samples = 1: a single set does not tell systems apart. Give more.")
        _require_unscaled(sets)
        if self._is_flat and self.n_systems is None:
            warnings.warn(ONE_READING, SetWarning, stacklevel=3)
        return self._inputs(features), sets

    def _targets(self, y: ArrayLike, *, warn: bool = False) -> Floats:
        """Sets (N, L), NaN where readings are missing; (N,) for sets of one."""
        if y is None:
            raise InputError("no-targets", "requires y to be passed, but the target y is None: sets (N, L) are needed.")
        checks: dict[str, Any] = {"dtype": np.float64, "ensure_2d": False, "input_name": "y"}
        found = check_array(y, ensure_all_finite="allow-nan", **checks)
        if found.ndim == 2 and found.shape[1] > 1:
            return found
        return check_array(column_or_1d(found, warn=warn), **checks)

    def _inputs(self, features: Floats) -> Floats:
        return np.column_stack([np.ones(len(features)), features]) if self.fit_intercept else features

    def _learned(self, found: Estimate) -> Self:
        from dataclasses import replace

        names = tuple(map(str, getattr(self, "feature_names_in_", ())))
        names = (*((INTERCEPT,) if self.fit_intercept and names else ()), *names)
        self.estimate_ = replace(found, names=names)
        (self.intercept_, self.coef_), (self.intercept_stderr_, self.stderr_) = (
            self._split(table) for table in (found.theta, found.stderr)
        )
        self.findings_: tuple[Finding, ...] = found.findings
        for one in at_least(found.findings, SEVERITIES[-1]):
            warnings.warn(str(one), SetWarning, stacklevel=3)
        return self

    def _split(self, table: Floats) -> tuple[Any, Floats]:
        """Intercepts (L,), zero if there are none, and coefficients (L, D) of a table of both; one row of them if y has one dimension."""
        first, rest = (table[:, 0], table[:, 1:]) if self.fit_intercept else (np.zeros(len(table)), table)
        return (float(first[0]), rest[0].copy()) if self._is_flat else (first.copy(), rest.copy())


ONE_READING = (
    "y has one dimension: every set has one reading, and nothing is unlabeled. If it is a column of sets, as MultiOutputRegressor and "
    "RegressorChain hand over, sets were taken apart: give y (N, L) to SetRegressor itself."
)


def log_score(estimator: Any, X: ArrayLike, y: ArrayLike) -> float:
    """A scorer for `GridSearchCV` and `cross_val_score`: the last step's `log_score`, after the steps before it."""
    steps = getattr(estimator, "steps", None)
    if steps is None:
        return float(estimator.log_score(X, y))
    before = estimator[:-1]
    return log_score(steps[-1][1], before.transform(X) if len(before) else X, y)


def _require_same_size(ranked: Floats, known: Floats) -> None:
    if ranked.shape != known.shape:
        raise InputError(
            "score-size",
            "y of shape {given} was given, and the prediction has shape {needed}. Score sets of as many readings as were fitted.",
            given=ranked.shape,
            needed=known.shape,
        )


def _require_unscaled(sets: Floats) -> None:
    """Refuse sets whose columns were centred or scaled one by one: scalers leave the same mark on every column."""
    if sets.shape[1] < 2 or len(sets) < FEWEST or not np.isfinite(sets).all():
        return
    mark = _mark(sets)
    if mark and not _has_common_values(sets):
        raise InputError(
            "columns-scaled",
            "each of the {columns} columns of y has {mark}: they were scaled one by one, as TransformedTargetRegressor does with a scaler, and "
            "readings of one set no longer have one unit. Scale all of y by the same two numbers, or leave y as it is.",
            columns=sets.shape[1],
            mark=mark,
        )


def _mark(sets: Floats) -> str:
    """What a scaler leaves behind in every column; empty if there is none."""
    spread, low, high = sets.std(axis=0), sets.min(axis=0), sets.max(axis=0)
    marks = {
        "a mean of zero": abs(sets.mean(axis=0)) < EXACT * spread,
        "a median of zero": abs(np.median(sets, axis=0)) < EXACT * spread,
        "a range from 0 to 1": (abs(low) < EXACT) & (abs(high - 1.0) < EXACT),
        "a largest entry of 1 in magnitude": abs(abs(sets).max(axis=0) - 1.0) < EXACT,
    }
    return next((name for name, found in marks.items() if found.all()), "")


def _has_common_values(sets: Floats) -> bool:
    """Whether columns have one scale, because they have values in common beside those that scalers make: 0, 1 and -1.

    Answers on a scale of few values may have a mean of zero in every column by chance.
    """
    columns = [np.setdiff1d(column, [-1.0, 0.0, 1.0]) for column in sets.T]
    return not all(map(len, columns)) or len(np.intersect1d(columns[0], columns[1])) > 0


__all__ = ["SetRegressor", "SetWarning", "log_score"]
