"""Squared errors of a row's estimate on the data of one seed, beside those with labels; and the Cramér-Rao bound."""

import numpy as np

from studies.answers.rows import Row
from vieta.answers import families
from vieta.answers.answer_survey import AnswerSurvey
from vieta.answers.count import CountLikelihood
from vieta.arrays import Floats, plain
from vieta.estimators import fit
from vieta.findings import at_least
from vieta.matching import match_rows
from vieta.sets import as_data, with_known

BOUND_SETS = 40_000  # that the bound is averaged over
FAR = 6.0  # standard errors of the bound: an estimate farther off lies in a wrong basin


def one_run(row: Row, seed: int) -> tuple[float, float, float, float, float]:
    """Squared error, that of labeled maximum likelihood, coverage, whether something worse than a note was found, and a wrong basin."""
    answers, psi, b = row.sets(seed)
    found = fit(np.sort(answers, axis=1), psi, family=row.family, offset=b, **row.options)
    order = match_rows(found.theta, row.theta)
    theta, interval = found.theta[order], found.conf_int()[order]
    covered = np.mean((interval[..., 0] <= row.theta) & (row.theta <= interval[..., 1]))
    away = float(abs(theta - row.theta).max())
    warned = bool(at_least(found.findings, "caution"))
    return (
        float(((theta - row.theta) ** 2).sum()),
        labeled_error(row, answers, psi, b),
        float(covered),
        float(warned),
        float(away > FAR * np.sqrt(np.diag(bound_covariance(row)) / row.n).max()),
    )


def labeled_error(row: Row, answers: Floats, psi: Floats | None, b: Floats | None) -> float:
    """Squared error of maximum likelihood for each system on its own answers."""
    total = 0.0
    for l, truth in enumerate(row.theta):
        options = dict(row.options)
        if row.family == "ordinal":
            options["thresholds"] = np.concatenate([[0.0], np.cumsum(np.exp(row.nuisance))])
        alone = fit(answers[:, l : l + 1], psi, family=row.family, offset=b, **options)
        total += float(((alone.theta[0] - truth) ** 2).sum())
    return total


_kept: dict[str, Floats] = {}


def bound_covariance(row: Row) -> Floats:
    """n times the Cramér-Rao bound (L D, L D) of unlabeled sets, with what is estimated beside the parameters."""
    if row.name not in _kept:
        answers, psi, b = row.sets(10**6, BOUND_SETS)
        data = with_known(as_data(answers, psi), b)
        family = families.every()[row.family]
        law = family.law(AnswerSurvey.of(data), data.part(0, 0), family.Options(**row.options))
        if isinstance(law, CountLikelihood) and row.nuisance:
            law = CountLikelihood(law.n_systems, law.dim, dispersed=True)
        u = np.concatenate([row.theta.ravel(), row.nuisance])
        size = row.theta.size
        _kept[row.name] = plain(np.linalg.inv(law.sums(data, u).information / BOUND_SETS)[:size, :size])
    return _kept[row.name]


def bound(row: Row) -> float:
    """The squared error that no unbiased estimator goes below, summed over the parameters."""
    return float(np.trace(bound_covariance(row)) / row.n)
