"""The audit: how anonymous records are, what can be learned from them, and what more noise would change. In one call."""

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike

from vieta.adaptive.reading_associations import restored
from vieta.adaptive.set_model import SetModel
from vieta.anonymity import audit_findings, audit_tables
from vieta.anonymity.answer_audit import alike_answers, answer_order
from vieta.anonymity.answer_error import answer_error
from vieta.anonymity.answer_tradeoff import answer_tradeoff, answers_of, flip_levels
from vieta.anonymity.diversity import Diversity, diversity
from vieta.anonymity.incomplete_sets import can_add
from vieta.anonymity.map_error import MapError, map_error
from vieta.anonymity.order_evidence import RECORDS, excluded, order_evidence
from vieta.anonymity.own_noise import own_noise
from vieta.anonymity.partial_error import partial_error
from vieta.anonymity.partial_order import partial_order
from vieta.anonymity.partial_tradeoff import partial_tradeoff
from vieta.anonymity.simulated import means_at
from vieta.anonymity.tradeoff import Tradeoff, analyst_covariance, as_levels, keeps_shape, levels_of, tradeoff
from vieta.answer_model import AnswerModel
from vieta.arrays import Floats
from vieta.checks import as_floats, as_size
from vieta.engines.dask_arrays import fetched_at, is_dask
from vieta.errors import CoincidentSystemsError, InputError, NotIdentifiableError
from vieta.estimators import Estimate, fit
from vieta.estimators.guard import safely
from vieta.findings import Finding, at_least, finding, sentences
from vieta.laws.noise import Gaussian, Scaled, as_law
from vieta.laws.setting import NoiseLike, as_points, as_seed
from vieta.scenarios import Records
from vieta.set_requirements import as_incomplete
from vieta.sets import Data, as_data, less_known, with_known
from vieta.solution import unknown_noise
from vieta.weighted.separation import separation

if TYPE_CHECKING:
    from matplotlib.figure import Figure

INPUTS = 500  # over which averages are taken, evenly spaced in time
FEWEST = 50  # records from which their order can be judged


@dataclass(frozen=True, slots=True, eq=False)
class Learned:
    """What an analyst knows after a number of records: standard errors (L, D), and how far apart the closest systems are.

    `separation` is in standard errors of their difference: below 3 they are not told apart.
    """

    records: int
    stderr: Floats
    separation: float


@dataclass(frozen=True, slots=True, eq=False)
class Audit:
    """How anonymous records are.

    Attributes
    ----------
    theta : (L, D)
        The parameters, as known or as learned from the records.
    noise : law
        Of the readings' noise, as a rule with a variance for each system.
    n_records : int
    now : MapError
        How well the best guess of who is who does on one record.
    alike : Diversity
        Systems whose readings differ by less than the noise of one, typically.
    learned : tuple of Learned
        What an analyst learns of the parameters after n, 10 n and 100 n records.
    tradeoff : Tradeoff
        What noise added to every reading buys and costs.
    order : tuple of two floats, or None
        z-values for an order of the readings that gives something away: systems that are found at the same place of a record
        too often, and an order that stays from one record to the next. None where it was not looked at.
    findings : tuple of Finding
        What to know before the records are released: code, severity, facts; the most important first.
    model : SetModel, optional
        What the guesser knows of missed and false readings, where there are any.
    answers : AnswerModel, optional
        Family and link, where readings are answers; noise is then only how far they vary.
    """

    theta: Floats
    noise: Scaled
    n_records: int
    now: MapError
    alike: Diversity
    learned: tuple[Learned, ...]
    tradeoff: Tradeoff
    order: tuple[float, float] | None
    findings: tuple[Finding, ...]
    model: SetModel | None = None
    answers: AnswerModel | None = None

    @property
    def warnings(self) -> tuple[str, ...]:
        """The findings as sentences."""
        return sentences(self.findings)

    @property
    def serious(self) -> bool:
        """Whether a finding is serious: most readings can be named, their order names them, or the figures are not to be relied on."""
        return bool(at_least(self.findings, "serious"))

    def summary(self) -> str:
        """A table to read."""
        return audit_tables.summary(self)

    def to_dict(self) -> dict[str, Any]:
        """Everything, ready for JSON; numbers that are not known are None."""
        return audit_tables.to_dict(self)

    def plot(self) -> "Figure":
        """What added noise buys, and what it costs."""
        return self.tradeoff.plot()

    def __str__(self) -> str:
        return self.summary()


def audit(
    records: ArrayLike | Records | Estimate,
    inputs: ArrayLike | None = None,
    *,
    n_systems: int | None = None,
    noise: NoiseLike | None = None,
    added: ArrayLike | None = None,
    draws: int = 4000,
    seed: int = 0,
    offset: ArrayLike | None = None,
    **options: Any,
) -> Audit:
    """Audit records before they are released, or a fitted estimate.

    Parameters
    ----------
    records : (N, L) or (N, L, p), a list of arrays of different lengths, Records, or Estimate
        The sets of readings, from which the parameters are then learned, arrays of dask too; or what `vieta.fit` learned.
        Where readings are missing or false, the guesser knows how often, and the density of the false ones.
    inputs : None, (N,), (N, D) or (N, p, D)
        As for `vieta.fit`.
    n_systems : int, optional
        As for `vieta.fit`.
    noise : optional
        A variance of Gaussian noise, or a law. By default Gaussian noise of the variances that the records show, one for each system where
        they tell them (`Estimate.noise_sd`); without a shock that all systems share, which hides nobody. For incomplete sets it is the law
        that was learned, and none can be given.
    added : (m,), optional
        Standard deviations of the noise that might be added; for right and wrong answers and levels, probabilities with which each might be
        exchanged for another one, drawn evenly.
    draws, seed
        As for `map_error`.
    offset, **options
        As for `vieta.fit`, of answers (`family`, `link`, ..). Of counts and rounded numbers it is said who can be named and what is
        learned, and not what noise would do.

    Examples
    --------
    >>> import vieta
    >>> records = vieta.simulate("example-1", n=2000, seed=0)
    >>> found = audit(records, added=[0.0, 1.0])
    >>> found.now.reidentification.round(1)  # almost every reading can be named
    array([1., 1., 1.])
    """
    if isinstance(records, Records):
        count = None if records.is_complete else len(records.theta)
        known = records.offset if offset is None else offset
        settings = {"n_systems": count, "noise": noise, "added": added, "draws": draws, "seed": seed, **options}
        return audit(records.sets, records.inputs, offset=known, **settings)
    with safely("the audit"):
        estimate = (
            records
            if isinstance(records, Estimate)
            else fit(records, inputs, n_systems=n_systems, offset=offset, **options)
        )
        given = None if isinstance(records, Estimate) else _looked_at(records, inputs, offset)
        if estimate.answers is not None:
            _require_answers(estimate.answers, noise, added)
            design = given if given is not None else _design(estimate, inputs, offset)
            return _audit_answers(estimate, estimate.answers, given, design, added, draws, seed)
        given = None if given is None else less_known(given)
        model = model_of(estimate)
        if model is None:
            return _audit(estimate, given, inputs, noise, added, draws, seed)
        _require_learned(noise)
        return _audit_incomplete(estimate, model, given, inputs, added, draws, seed)


def _looked_at(records: ArrayLike, inputs: ArrayLike | None, offset: ArrayLike | None) -> Data:
    """The records, all of them if they are here, and of arrays of dask the first, of which alone the order is looked at."""
    if not any(map(is_dask, (records, inputs, offset))):
        return with_known(as_data(records, inputs), offset)
    records, inputs, offset = (fetched_at(one, slice(RECORDS)) for one in (records, inputs, offset))
    return with_known(as_data(records, inputs), offset)


def _audit(
    estimate: Estimate,
    data: Data | None,
    inputs: ArrayLike | None,
    noise: NoiseLike | None,
    added: ArrayLike | None,
    draws: int,
    seed: int,
) -> Audit:
    theta, some = estimate.theta, _thinned(estimate, inputs)
    if noise is None:
        _require_noise(estimate)
    law = own_noise(estimate) if noise is None else _as_spread(noise)
    out = 0 if data is None or noise is None else _excluded(data, theta, law)
    now = map_error(theta, law, some, draws=draws, seed=seed)
    learned = _learned(theta, law, some, estimate.n_sets)
    order = None if data is None else _order(data, theta, law)
    grows = added is not None or keeps_shape(law)
    found = (
        *audit_findings.of_doubt(estimate),
        *(() if order is None else audit_findings.of_order(*order)),
        *audit_findings.of_law(law, out, min(estimate.n_sets, RECORDS)),
        *audit_findings.of_anonymity(estimate, now),
        *audit_findings.of_learning(learned),
        *(audit_findings.of_own_noise(estimate) if noise is None else ()),
        *audit_findings.of_fit(estimate),
        *audit_findings.of_shape(law, grows),
    )
    alike = _alike(theta, law, some)
    levels = tradeoff(theta, law, some, added=added if grows else [0.0], draws=draws, seed=seed)
    return Audit(theta, law, estimate.n_sets, now, alike, learned, levels, order, found)


def model_of(estimate: Estimate) -> SetModel | None:
    """What an estimate knows of missed and false readings; None where there are none."""
    known = estimate.readings
    if known is None or (known.clutter_rate == 0.0 and (known.detection == 1.0).all()):
        return None
    return restored(estimate.theta, known)


def _audit_incomplete(
    estimate: Estimate,
    model: SetModel,
    data: Data | None,
    inputs: ArrayLike | None,
    added: ArrayLike | None,
    draws: int,
    seed: int,
) -> Audit:
    """The audit of sets with missed or false readings."""
    _require_noise(estimate)
    theta, some, law = estimate.theta, _thinned(estimate, inputs), own_noise(estimate)
    points, draws, seed = as_points(some, theta.shape[1]), as_size(draws, "draws", least=2), as_seed(seed)
    now = partial_error(model, points, draws=draws, seed=seed)
    learned = _learned_so_far(estimate)
    whole = None if data is None else as_incomplete(data, len(theta))
    order = None if whole is None or len(whole) < FEWEST or len(theta) < 2 else partial_order(whole, model)
    adds = can_add(model)
    found = (
        *audit_findings.of_doubt(estimate),
        *(() if order is None else audit_findings.of_order(*order)),
        *audit_findings.of_anonymity(estimate, now),
        *audit_findings.of_learning(learned),
        *audit_findings.of_fit(estimate),
        *audit_findings.of_added(adds),
    )
    levels = np.zeros(1) if not adds else levels_of(theta, law, points) if added is None else as_levels(added)
    trade = partial_tradeoff(model, points, levels, draws=draws, seed=seed)
    return Audit(theta, law, estimate.n_sets, now, _alike(theta, law, some), learned, trade, order, found, model)


def _design(estimate: Estimate, inputs: ArrayLike | None, offset: ArrayLike | None) -> Data:
    """Inputs and known numbers of sets without answers."""
    L, D = estimate.theta.shape
    if D > 1 and inputs is None:
        _thinned(estimate, inputs)  # refuses
    given = [len(np.atleast_1d(np.asarray(one))) for one in (inputs, offset) if one is not None]
    return with_known(as_data(np.zeros((given[0] if given else 1, L)), inputs), offset)


def _audit_answers(
    estimate: Estimate,
    model: AnswerModel,
    data: Data | None,
    design: Data,
    added: ArrayLike | None,
    draws: int,
    seed: int,
) -> Audit:
    """The audit of answers."""
    theta, draws, seed = estimate.theta, as_size(draws, "draws", least=2), as_seed(seed)
    some = design.at(np.linspace(0, len(design) - 1, min(len(design), INPUTS)).astype(np.int64))
    now = answer_error(model, theta, some, draws=draws, seed=seed)
    learned = _learned_so_far(estimate)
    order = None if data is None or len(data) < FEWEST or len(theta) < 2 else answer_order(data, model, theta)
    found = (
        *audit_findings.of_doubt(estimate),
        *(() if order is None else audit_findings.of_order(*order)),
        *audit_findings.of_anonymity(estimate, now),
        *audit_findings.of_learning(learned),
        *audit_findings.of_fit(estimate),
        *(() if answers_of(model) else (finding("answers-without-noise", family=model.family),)),
    )
    one = estimate.stderr * np.sqrt(estimate.n_sets)
    if answers_of(model) and len(theta) > 1:
        shares = flip_levels(model, added)
        trade = answer_tradeoff(model, theta, one, some, shares, draws=draws, seed=seed)
    else:
        trade = _as_it_is(now, one)
    alike = alike_answers(model, theta, some)
    law = Gaussian(float(np.atleast_2d(estimate.noise_var)[0, 0]))
    return Audit(theta, law, estimate.n_sets, now, alike, learned, trade, order, found, answers=model)


def _as_it_is(now: MapError, analyst: Floats) -> Tradeoff:
    """No noise at all."""
    return Tradeoff(
        added=np.zeros(1),
        error=np.array([now.probability]),
        error_mc_error=np.array([now.mc_error]),
        anonymity=np.array([now.anonymity]),
        reidentification=now.reidentification[None],
        analyst=analyst[None],
        bound=np.full((1, *analyst.shape), np.nan),
        chance_single=now.chance_single,
    )


def _require_answers(model: AnswerModel, noise: NoiseLike | None, added: ArrayLike | None) -> None:
    """Refuse a law of noise for answers, and flips where there is no end of answers."""
    if noise is not None or (not answers_of(model) and added is not None and np.any(np.asarray(added))):
        raise InputError(
            "audit-noise-of-answers",
            "noise was given for {family} answers, to which none is added: leave it out.",
            family=model.family,
        )


def _learned_so_far(estimate: Estimate) -> tuple[Learned, ...]:
    """What is known after n, 10 n and 100 n records, from the errors of the estimate."""
    counts = [estimate.n_sets, 10 * estimate.n_sets, 100 * estimate.n_sets]
    if not np.isfinite(estimate.cov).all():
        return tuple(Learned(count, np.full(estimate.theta.shape, np.inf), 0.0) for count in counts)
    shares = [estimate.n_sets / count for count in counts]
    return tuple(
        Learned(count, estimate.stderr * np.sqrt(share), separation(estimate.theta, estimate.cov * share))
        for count, share in zip(counts, shares)
    )


def _require_learned(noise: NoiseLike | None) -> None:
    """Refuse a law of noise for incomplete sets."""
    if noise is not None:
        raise InputError(
            "audit-noise-learned",
            "a law of noise was given, and readings are missing or false: their noise is the one that was learned with them. Leave `noise` "
            "out.",
        )


def _as_spread(noise: NoiseLike) -> Scaled:
    """A law whose density says how well a reading fits a system that is known approximately."""
    law = as_law(noise)
    if not law.has_density:
        raise InputError(
            "audit-without-density",
            "{law} noise has no density, and no reading fits parameters that were learned exactly. Give its variance instead, to "
            "treat it as Gaussian; map_error takes it for parameters that are known.",
            law=type(law).__name__,
        )
    return law


def _excluded(data: Data, theta: Floats, law: Scaled) -> int:
    """How many records the law excludes, of those that are looked at; refused if all."""
    count, looked = excluded(data, theta, law), min(len(data.sets), RECORDS)
    if count == looked:
        raise InputError(
            "law-excludes-all",
            "none of the {looked:,} records looked at can come from {law!r} noise around the learned parameters. Give a law or a "
            "variance with wider support, or none, to have it estimated.",
            looked=looked, law=law,
        )  # fmt: skip
    return count


def _order(data: Data, theta: Floats, law: Scaled) -> tuple[float, float] | None:
    if data.n_systems < 2 or len(data.sets) < FEWEST:
        return None
    return order_evidence(data, theta, law)


def _require_noise(estimate: Estimate) -> None:
    """Refuse records from which the size of the noise cannot be estimated."""
    n, (_, D) = estimate.n_sets, estimate.theta.shape
    said = any(one.code == "noise-unknown" for one in estimate.findings)
    if said or unknown_noise(n, len(np.atleast_2d(estimate.noise_var)), D):
        raise InputError(
            "records-too-few",
            "{n_records} record(s) do not show how large the noise is, and so not how anonymous anyone is. Audit more records of the "
            "same systems.",
            n_records=n,
        )


def _thinned(estimate: Estimate, inputs: ArrayLike | None) -> Floats | None:
    """At most 500 of the inputs."""
    if inputs is not None:
        psi: Any = inputs if is_dask(inputs) else np.atleast_1d(as_floats(inputs, "inputs"))
        some = fetched_at(psi, np.linspace(0, len(psi) - 1, min(len(psi), INPUTS)).astype(np.int64))
        return np.atleast_1d(as_floats(some, "inputs"))
    D = estimate.theta.shape[1]
    if D > 1 and isinstance(estimate.noise_var, float):
        raise InputError(
            "audit-inputs-missing",
            "the estimate has {dim} parameters a system from readings that are one number each: what a reading tells depends on its "
            "inputs. Give those of the records as `inputs`, as for {call.fit}.",
            dim=D,
        )
    return None


def _alike(theta: Floats, law: Scaled, inputs: Floats | None) -> Diversity:
    """Systems alike whose readings are, in root mean square over the inputs, closer than one standard deviation of the noise.

    The distance of readings counts, not that of parameters, which may have different units.
    """
    points = as_points(inputs, theta.shape[1])
    means = np.sqrt(points.weights)[:, None, None] * means_at(theta, points.psi)
    variance = np.asarray(law.variance)
    each = np.diagonal(variance, axis1=-2, axis2=-1) if variance.ndim >= 2 else variance
    reach = float(np.sqrt(each.mean() * means.shape[2]))
    return diversity(means.transpose(1, 0, 2).reshape(len(theta), -1), tolerance=reach)


def _learned(theta: Floats, law: Scaled, inputs: Floats | None, n: int) -> tuple[Learned, ...]:
    """What the efficient estimator knows after n, 10 n and 100 n records."""
    counts = [n, 10 * n, 100 * n]
    if not np.any(law.variance):
        return tuple(Learned(count, np.zeros(theta.shape), np.inf) for count in counts)
    try:
        one = analyst_covariance(theta, law, inputs)
    except (CoincidentSystemsError, NotIdentifiableError):
        return tuple(Learned(count, np.full(theta.shape, np.inf), 0.0) for count in counts)
    return tuple(Learned(count, one.stderr(count), separation(theta, one.after(count))) for count in counts)
