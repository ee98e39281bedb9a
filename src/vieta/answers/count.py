r"""`count`: how often something happened, 0, 1, 2, ..

.. math:: E y_l = \mu_l = \exp(\psi'\theta_l + b), \qquad \mathrm{var}\,y_l = \varphi\,\mu_l

The likelihood over assignments is that of Poisson counts and, where the sums of sets vary more than that, of negative binomial ones with
:math:`r = \mu/(\varphi - 1)`,

.. math:: \log f(y) = \log\Gamma(y + r) - \log\Gamma(r) - \log y! - r\log\varphi + y \log\frac{\varphi - 1}{\varphi} .

Beside it stands quasi-likelihood (`vieta.answers.quasi_counts`), which needs the mean and the variance only. Where the two disagree by
more than chance, or counts vary less than Poisson counts do, the law is wrong, and the estimate is that of quasi-likelihood.
"""

from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from vieta.answer_model import AnswerModel
from vieta.answers.answer_climb import Climb, climb
from vieta.answers.answer_likelihood import AnswerLikelihood, predictors
from vieta.answers.answer_survey import AnswerSurvey
from vieta.answers.association_likelihood import AssociationLikelihood, Kept
from vieta.answers.family import Begin, Family, Moments, Refined
from vieta.answers.number_start import number_start
from vieta.answers.quasi_counts import LARGEST, QuasiCounts, contrast, dispersion, quasi_root
from vieta.arrays import Floats
from vieta.errors import InputError
from vieta.findings import finding
from vieta.sets import Data
from vieta.sums import Passes

MOST = 1e6  # a count
NEARLY_ONE = -12.0  # log(phi - 1), below which numbers would cancel
DISPERSED = 3.0  # standard errors of the dispersion from one that are believed
LEVEL = 1e-3  # probability of finding a law wrong that is right
QUASI = 2.0  # what is kept of quasi-likelihood as the law, beside zero and one for the other two


@dataclass(frozen=True, slots=True, eq=False)
class CountLikelihood(AssociationLikelihood):
    """The likelihood of Poisson counts, or of negative binomial ones; log(phi - 1) is then estimated beside."""

    n_systems: int
    dim: int
    dispersed: bool = False
    link: str = "log"

    @property
    def n_nuisance(self) -> int:  # type: ignore[override]
        """Whether the dispersion is estimated."""
        return int(self.dispersed)

    def of_size(self, n_systems: int) -> "CountLikelihood":
        """The same of another number of systems."""
        return replace(self, n_systems=n_systems)

    def phi(self, u: Floats) -> float:
        """The dispersion."""
        return 1.0 + float(np.exp(np.clip(u[-1], NEARLY_ONE, 10.0))) if self.dispersed else 1.0

    def logs(self, block: Data, u: Floats) -> tuple[Floats, Kept]:
        """(n, L, L) log probabilities, and slopes by the predictor and by log(phi - 1)."""
        from scipy.special import digamma, gammaln

        y = block.sets[:, :, 0][:, :, None]
        eta = np.clip(predictors(block, self.theta(u)), -LARGEST, LARGEST)[:, None, :]
        mu, phi = np.exp(eta), self.phi(u)
        if not self.dispersed:
            return y * eta - mu - gammaln(y + 1.0), (y - mu,)
        r = mu / (phi - 1.0)
        logs = gammaln(y + r) - gammaln(r) - gammaln(y + 1.0) - r * np.log(phi) + y * np.log((phi - 1.0) / phi)
        by_eta = r * (digamma(y + r) - digamma(r) - np.log(phi))
        return logs, (by_eta, (y - mu) / phi - by_eta)

    def told(self, block: Data, u: Floats) -> Floats:
        """Means over the dispersion."""
        return np.exp(np.clip(predictors(block, self.theta(u)), -LARGEST, LARGEST)) / self.phi(u)

    def slopes(self, block: Data, u: Floats, P: Floats, kept: Kept) -> tuple[Floats, Floats]:
        """Scores of predictors, and of the dispersion."""
        at_eta = (P * kept[0]).sum(axis=1)
        return at_eta, (P * kept[1]).sum(axis=(1, 2))[:, None] if self.dispersed else np.empty((len(block), 0))


class Count(Family):
    """Counts."""

    name = "count"
    line = "Counts 0, 1, 2, .. with a variance in proportion to the mean: likelihood over assignments, or quasi-likelihood."
    links = ("log",)

    def require(self, block: Data, options: Any) -> None:
        """Refuse anything but whole numbers that are not negative."""
        values = block.sets[:, :, 0]
        wrong = np.argwhere((values != np.rint(values)) | (values < 0.0) | (values > MOST))
        if len(wrong):
            raise InputError(
                "not-a-number-of-times",
                "sets[{index}] holds {value:.6g}, and answers of family 'count' are whole numbers from 0 to {most:,}.",
                index=int(wrong[0][0]),
                value=float(values[tuple(wrong[0])]),
                most=int(MOST),
            )

    def law(self, known: AnswerSurvey, like: Data, options: Any) -> CountLikelihood:
        """The likelihood of the search: that of Poisson counts."""
        if not known.values.any():
            raise InputError(
                "counts-zero", "all counts are zero: every rate goes to zero, and no parameter can be estimated."
            )
        return CountLikelihood(like.n_systems, like.dim, link=self.link(options))

    def law_numbers(self, law: Any) -> Floats:
        """Which law, and its dispersion."""
        kind = QUASI if isinstance(law, QuasiCounts) else float(law.dispersed)
        return np.array([kind, law.dispersion if isinstance(law, QuasiCounts) else 1.0])

    def law_of(self, numbers: Floats, like: Data, options: Any) -> AnswerLikelihood:
        """Poisson, negative binomial or quasi-likelihood."""
        L, D = like.n_systems, like.dim
        kind, phi = numbers
        return QuasiCounts(L, D, float(phi)) if kind == QUASI else CountLikelihood(L, D, dispersed=bool(kind))

    def knows_law(self, numbers: Floats) -> bool:
        """Whether numbers are a kind of law and a dispersion."""
        return bool(len(numbers) == 2 and numbers[0] in (0.0, 1.0, QUASI) and 0.0 < numbers[1] < 1e9)

    def begin(self, passes: Passes, law: Any, known: AnswerSurvey) -> Begin:
        """From the logarithms of the counts as if they were measurements."""
        first = number_start(passes, known.n_sets, lambda counts: np.log(counts + 0.5))
        return Begin([] if first is None else [first.theta], np.empty(0))

    def refine(self, passes: Passes, law: Any, found: Climb, root: Floats) -> Refined:
        """The likelihood with the dispersion that the counts have; or quasi-likelihood, where it says something else."""
        spread = dispersion(passes, law, found.u)
        if spread.z > DISPERSED:
            law = replace(law, dispersed=True)
            start = np.concatenate([found.u, [np.log(max(spread.phi - 1.0, 1e-3))]])
            found = climb(passes, law, start, root)
        quasi = QuasiCounts(law.n_systems, law.dim, spread.phi)
        there = quasi_root(passes, quasi, found.u[: quasi.size])
        if not there.converged:
            return Refined(law, found, (finding("count-law-unchecked"),))
        p_value = contrast(passes, law, found, quasi, there)
        if spread.z > -DISPERSED and p_value > LEVEL:
            return Refined(law, found)
        return Refined(quasi, there, (finding("count-law-wrong", p_value=p_value, phi=spread.phi),))

    def model(self, law: Any, u: Floats, cov: Floats) -> AnswerModel:
        """The dispersion."""
        phi = law.phi(u)
        error = (phi - 1.0) * np.sqrt(max(float(cov[-1, -1]), 0.0)) if law.n_nuisance else 0.0
        return AnswerModel(self.name, law.link, ("dispersion",), np.array([phi]), np.array([error]))

    def logs_of(self, model: AnswerModel, block: Data, theta: Floats) -> Floats:
        """Log probabilities of counts, Poisson ones where they vary no more than these."""
        more = float(model.values[0]) - 1.0
        beside = np.log([more]) if more > 1e-4 else np.empty(0)
        law = CountLikelihood(len(theta), theta.shape[1], dispersed=bool(len(beside)))
        return law.logs(block, np.concatenate([theta.ravel(), beside]))[0]

    def require_model(self, model: AnswerModel, block: Data) -> None:
        """Refuse what is no count."""
        self.require(block, None)

    def moments(self, law: Any, block: Data, u: Floats) -> Moments:
        """Means and variances of sums."""
        mean = np.exp(np.clip(predictors(block, law.theta(u)), -LARGEST, LARGEST))
        variance = law.phi(u) * mean
        return Moments(mean.sum(axis=1), variance.sum(axis=1), float(variance.mean()) if variance.size else 0.0)


FAMILY = Count()
