"""The Cramér-Rao bound of what a row is compared with: each system's parameters from its own answers, or readings before rounding."""

from dataclasses import replace

import numpy as np

from studies.answers.measure import BOUND_SETS, bound
from studies.answers.rows import Row
from vieta.answers import families
from vieta.answers.answer_survey import AnswerSurvey
from vieta.answers.count import CountLikelihood
from vieta.arrays import Floats
from vieta.sets import as_data, with_known


def labeled_bound(row: Row) -> float:
    """The squared error that no unbiased estimator with labels goes below, summed over the parameters; thresholds are known."""
    answers, psi, b = row.sets(10**6, BOUND_SETS)
    family, options = families.every()[row.family], dict(row.options)
    nuisance = () if row.family == "ordinal" else row.nuisance
    if row.family == "ordinal":
        options["thresholds"] = np.concatenate([[0.0], np.cumsum(np.exp(row.nuisance))])
    total = 0.0
    for l, theta in enumerate(row.theta):
        data = with_known(as_data(answers[:, l : l + 1], psi), b)
        law = family.law(AnswerSurvey.of(data), data.part(0, 0), family.Options(**options))
        if isinstance(law, CountLikelihood) and nuisance:
            law = CountLikelihood(1, law.dim, dispersed=True)
        information = law.sums(data, np.concatenate([theta, nuisance])).information / BOUND_SETS
        total += float(np.trace(np.linalg.inv(information)[: len(theta), : len(theta)]))
    return total / row.n


FINE = 0.02  # step, in deviations of the noise, that loses nothing


def unrounded_bound(row: Row) -> float:
    """The bound of the row's sets before they were rounded, without labels."""

    def fine(rng: np.random.Generator, eta: Floats) -> Floats:
        return np.asarray(FINE * np.rint((eta + rng.standard_normal(eta.shape)) / FINE))

    return bound(replace(row, name=f"{row.name}, unrounded", draw=fine, options={"step": FINE}))


def floor(row: Row) -> float:
    """The least ratio to what the row is compared with that any unbiased estimator can have."""
    return bound(row) / (unrounded_bound(row) if row.over == "unrounded" else labeled_bound(row))
