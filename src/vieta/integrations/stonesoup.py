r"""vieta in Stone Soup: targets that are linear in their parameters, from sets of `Detection` with misses and clutter.

Target l has constant parameters :math:`\theta_l` (D,), and a detection of it at time t is :math:`z = \Psi(t)\,\theta_l + v`. A *design* says
what :math:`\Psi` is, and how parameters become a state: :math:`x_l(t) = F(t)\,\theta_l`, with covariance :math:`F(t)\,C_l\,F(t)'`.
`Polynomial` is for targets that move straight or on a parabola; its states are those of Stone Soup's `ConstantVelocity` and
`ConstantAcceleration`, coordinate after coordinate. `Regression` is for any other :math:`\Psi`.

- `fit_tracks`: all steps at once, tracks with associations back.
- `SetTracker`: the same as detections come.
- `SetInitiator`: starts the tracks of any tracker of Stone Soup from the first sets, without a guess.
- `SetAssociator`: the probabilities of JPDA, by the sum over partial assignments of `vieta.association.partial`.
- `RegressorModel`: a measurement model with a matrix :math:`\Psi`.

Neither p_D nor the rate of clutter, nor the noise or its law need be known: they are estimated.
"""

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from math import factorial
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np

from vieta.arrays import Floats, Integers
from vieta.errors import InputError, VietaError
from vieta.estimators import Estimate, SymmetricFilter, fit
from vieta.findings import at_least
from vieta.matching import block_index, match_rows
from vieta.method import registry

try:
    from stonesoup.base import Property
    from stonesoup.dataassociator import DataAssociator
    from stonesoup.initiator.base import GaussianInitiator
    from stonesoup.models.measurement.linear import LinearGaussian
    from stonesoup.reader import DetectionReader
    from stonesoup.tracker import Tracker
    from stonesoup.types.detection import Detection, MissedDetection
    from stonesoup.types.hypothesis import SingleProbabilityHypothesis
    from stonesoup.types.multihypothesis import MultipleHypothesis
    from stonesoup.types.numeric import Probability
    from stonesoup.types.prediction import GaussianStatePrediction
    from stonesoup.types.track import Track
    from stonesoup.types.update import GaussianStateUpdate
except ModuleNotFoundError as error:
    text = "vieta.integrations.stonesoup needs the package {}: install vieta with its extra, vieta[stonesoup]."
    raise ModuleNotFoundError(text.format(error.name), name=error.name) from error

if TYPE_CHECKING:
    from vieta.adaptive.reading_associations import ReadingAssociations

METHOD = registry.default(incomplete=True)
DOUBTFUL = {"few-sets", "hardly-seen"}  # findings that leave no track to begin with, beside the serious ones
KEPT = 1024  # states of partial assignments, from which on they are approximated: all of ten tracks
LEAST = -600.0  # logarithm of the least weight of none: with zero there might be no assignment at all

Step = tuple[datetime, Collection[Detection]]


class Design(Protocol):
    """How parameters become readings and states."""

    def psi(self, timestamp: datetime) -> Floats:
        """(p, D) the matrix of a time."""

    def transition(self, timestamp: datetime) -> Floats:
        """(n, D) F, from parameters to the state at a time."""


@dataclass(frozen=True)
class Polynomial:
    r"""Each of `ndim` coordinates a polynomial of the seconds t since `start`.

    Parameters are value and derivatives at the start, coordinate after coordinate, :math:`(x, \dot x, \ldots, y, \dot y, \ldots)`:

    .. math:: \Psi(t) = I \otimes [1, t, t^2/2, \ldots], \qquad F(t) = I \otimes (t^{j-i}/(j-i)!)_{i \le j} .

    A degree of 0 is a target that stands still, 1 is that of `ConstantVelocity`, 2 that of `ConstantAcceleration`.
    """

    start: datetime
    degree: int = 1
    ndim: int = 2

    def psi(self, timestamp: datetime) -> Floats:
        """(ndim, D)"""
        return np.asarray(np.kron(np.eye(self.ndim), self._motion(timestamp)[:1]), dtype=np.float64)

    def transition(self, timestamp: datetime) -> Floats:
        """(D, D)"""
        return np.asarray(np.kron(np.eye(self.ndim), self._motion(timestamp)), dtype=np.float64)

    def _motion(self, timestamp: datetime) -> Floats:
        """(degree + 1, degree + 1) one coordinate and its derivatives from those at the start."""
        t, n = (timestamp - self.start).total_seconds(), self.degree + 1
        return np.array([[t ** (j - i) / factorial(j - i) if j >= i else 0.0 for j in range(n)] for i in range(n)])


@dataclass(frozen=True)
class Regression:
    """Any matrix, as a function of time; the state is the parameters themselves."""

    matrix: Callable[[datetime], Any]

    def psi(self, timestamp: datetime) -> Floats:
        """(p, D)"""
        return np.atleast_2d(np.asarray(self.matrix(timestamp), dtype=np.float64))

    def transition(self, timestamp: datetime) -> Floats:
        """(D, D) the identity."""
        return np.eye(self.psi(timestamp).shape[1])


class RegressorModel(LinearGaussian):
    r"""Measurements :math:`z = \Psi x + v`, v normal, for one matrix: give each detection the model of its own time."""

    psi: np.ndarray[Any, Any] = Property(doc="(p, D) the matrix")
    noise_covar: np.ndarray[Any, Any] = Property(doc="(p, p) covariance of the noise")

    @property
    def ndim_state(self) -> int:
        """D."""
        return int(np.atleast_2d(self.psi).shape[1])

    @property
    def ndim_meas(self) -> int:
        """The numbers of a measurement, p."""
        return int(np.atleast_2d(self.psi).shape[0])

    @property
    def mapping(self) -> Sequence[int | None]:
        """None for each number: it belongs to no single coordinate of the state."""
        return (None,) * self.ndim_meas

    def matrix(self, **_: Any) -> Floats:
        """(p, D)"""
        return np.atleast_2d(np.asarray(self.psi, dtype=np.float64))


# --- detections to sets, and back -----------------------------------------------------------------------------------


def readings_of(detections: Iterable[Detection], p: int) -> Floats:
    """(n, p) their vectors."""
    rows = [np.asarray(one.state_vector, dtype=np.float64).ravel() for one in detections]
    wrong = next((row for row in rows if len(row) != p), None)
    if wrong is not None:
        raise InputError(
            "detection-size",
            "a detection has {given} number(s), and the design is for {needed}.",
            given=len(wrong),
            needed=p,
        )
    return np.array(rows).reshape(len(rows), p)


def sets_of(steps: Sequence[Step], design: Design) -> tuple[list[Floats], Floats]:
    """The sets and inputs of `vieta.fit`: readings (n, p) of each step, and the matrices (N, p, D). A step without detections is a set."""
    inputs = np.array([design.psi(timestamp) for timestamp, _ in steps])
    sets = [readings_of(found, inputs.shape[1]) for _, found in steps]
    return (sets, inputs) if inputs.shape[1] > 1 else ([one[:, 0] for one in sets], inputs[:, 0])


@dataclass(frozen=True, eq=False)
class _Rows:
    """Parameters (L, D) and the covariance of each (L, D, D), in the order of the tracks."""

    theta: Floats
    covars: Floats

    @classmethod
    def of(cls, estimate: Estimate, order: Integers) -> "_Rows":
        L, D = estimate.theta.shape
        index = block_index(order, D)
        blocks = estimate.cov[np.ix_(index, index)].reshape(L, D, L, D)
        return cls(estimate.theta[order], np.array([blocks[l, :, l] for l in range(L)]))

    def prediction(self, l: int, design: Design, timestamp: datetime) -> GaussianStatePrediction:
        """x = F theta, with covariance F C F'."""
        F = design.transition(timestamp)
        covar = F @ self.covars[l] @ F.T
        return GaussianStatePrediction((F @ self.theta[l])[:, None], 0.5 * (covar + covar.T), timestamp=timestamp)


def _hypotheses(
    prediction: GaussianStatePrediction, detections: Sequence[Detection], chances: Floats, missed: float
) -> MultipleHypothesis:
    """That a track has each of the detections, as far as it has a chance, or none."""
    none = MissedDetection(timestamp=prediction.timestamp)
    found = [SingleProbabilityHypothesis(prediction, none, probability=Probability(missed))]
    found += [
        SingleProbabilityHypothesis(prediction, one, probability=Probability(chance))
        for one, chance in zip(detections, chances.tolist(), strict=True)
        if chance > 0.0
    ]
    return MultipleHypothesis(found)


def _state(
    rows: _Rows, l: int, design: Design, step: tuple[datetime, Sequence[Detection]], chances: Floats, missed: float
) -> GaussianStatePrediction | GaussianStateUpdate:
    """An update with its hypotheses; a prediction where no detection is likelier than none."""
    timestamp, detections = step
    prediction = rows.prediction(l, design, timestamp)
    if not (chances > missed).any():
        return prediction
    hypotheses = _hypotheses(prediction, detections, chances, missed)
    return GaussianStateUpdate(prediction.state_vector, prediction.covar, hypothesis=hypotheses, timestamp=timestamp)


def _extend(
    tracks: Sequence[Track], rows: _Rows, order: Integers, design: Design, steps: Sequence[Step],
    found: "ReadingAssociations",
) -> None:  # fmt: skip
    """Append a state for each step to each track; track l is row order[l] of the estimate."""
    for k, (timestamp, detections) in enumerate(steps):
        chances, listed = found.of(k), list(detections)
        for l, track in enumerate(tracks):
            row = int(order[l])
            step = timestamp, listed
            track.append(_state(rows, l, design, step, chances[:, row], float(found.missed[k, row])))


# --- batch ----------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, eq=False)
class Fitted:
    """What `fit_tracks` gives.

    Attributes
    ----------
    estimate : Estimate
        Parameters with standard errors, p_D, clutter, noise law, findings.
    tracks : list of Track
        In the order of the estimate: a state a step, with the probabilities of the detections as its hypothesis.
    """

    estimate: Estimate
    tracks: list[Track]


def fit_tracks(steps: Iterable[Step], design: Design, n_systems: int | None = None, **options: Any) -> Fitted:
    """Estimate the targets of all steps at once: pairs (timestamp, detections), as a detector of Stone Soup yields them.

    Without `n_systems` their number is estimated. Options are those of the method `adaptive`.
    """
    kept: list[tuple[datetime, list[Detection]]] = [(timestamp, list(found)) for timestamp, found in steps]
    if not kept:
        raise InputError("no-steps", "no step was given; pairs of a timestamp and its detections are needed.")
    sets, inputs = sets_of(kept, design)
    estimate = fit(sets, inputs, n_systems=n_systems, method=METHOD, **options)
    order = np.arange(len(estimate.theta))
    tracks = [Track() for _ in order]
    _extend(tracks, _Rows.of(estimate, order), order, design, kept, estimate.associations(sets, inputs))
    return Fitted(estimate, tracks)


# --- recursive ------------------------------------------------------------------------------------------------------


def _is_sound(estimate: Estimate) -> bool:
    """Whether tracks may begin with it."""
    doubts = {one.code for one in estimate.findings} & DOUBTFUL
    return bool(np.isfinite(estimate.cov).all()) and not doubts and not at_least(estimate.findings, "serious")


class SetTracker(Tracker):
    """A tracker that is a `vieta.SymmetricFilter`: sets go in as they come, tracks appear when their parameters are known.

    `estimate` is the latest estimate, None before there is one; a track keeps its parameters when the estimate is made anew.
    """

    detector: DetectionReader | None = Property(default=None, doc="Detector whose detections are tracked")
    design: Design = Property(doc="How parameters become readings and states")
    n_systems: int = Property(doc="Number of targets")
    every: int = Property(default=64, doc="Sets after which the estimate is made anew")
    options: Mapping[str, Any] = Property(default_factory=dict, doc="Options of the filter, such as memory or drift")

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.estimate: Estimate | None = None
        self._filter: SymmetricFilter | None = None
        self._steps: Iterator[Step] | None = None
        self._tracks: list[Track] = []
        self._order: Integers = np.arange(self.n_systems)

    @property
    def tracks(self) -> set[Track]:
        """Those that have begun."""
        return set(self._tracks)

    def __iter__(self) -> Iterator[tuple[datetime, set[Track]]]:
        if self.detector is None:
            raise InputError("no-detector", "no detector was given: use `update_tracker`, or give one.")
        self._steps = iter(self.detector) if self._steps is None else self._steps
        return self

    def __next__(self) -> tuple[datetime, set[Track]]:
        if self._steps is None:
            iter(self)
        assert self._steps is not None
        return self.update_tracker(*next(self._steps))

    def update_tracker(self, time: datetime, detections: Collection[Detection]) -> tuple[datetime, set[Track]]:
        """Take the detections of one step."""
        step = time, list(detections)
        sets, inputs = sets_of([step], self.design)
        if self._filter is None:
            dim = inputs.shape[-1]
            self._filter = SymmetricFilter(self.n_systems, dim, method=METHOD, **self.options)
        self._filter.partial_fit(sets, inputs)
        if self._filter.n_sets % self.every == 0:
            self._renew()
        if self._tracks and self.estimate is not None:
            found = self.estimate.associations(sets, inputs)
            _extend(self._tracks, _Rows.of(self.estimate, self._order), self._order, self.design, [step], found)
        return time, self.tracks

    def _renew(self) -> None:
        """Make the estimate anew, and find each track's row in it; nothing changes as long as none can be had."""
        assert self._filter is not None
        try:
            estimate = self._filter.estimate()
        except VietaError:
            return
        if self._tracks and self.estimate is not None:
            self._order = match_rows(estimate.theta, self.estimate.theta[self._order])
        elif _is_sound(estimate):
            self._tracks = [Track() for _ in estimate.theta]
        self.estimate = estimate


class SetInitiator(GaussianInitiator):
    """Starts all tracks at once from the first `n_sets` sets, for trackers that need a start: no guess is needed.

    While there are no tracks a tracker hands all of its detections to its initiator, which collects them. If the fit ends in an error, or
    with a finding that leaves it in doubt, it is tried again when there are twice as many. `estimate` is the latest.
    """

    design: Design = Property(doc="How parameters become readings and states")
    n_systems: int = Property(doc="Number of targets")
    n_sets: int = Property(default=128, doc="Sets that are collected first")
    options: Mapping[str, Any] = Property(default_factory=dict, doc="Options of the method adaptive")

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.estimate: Estimate | None = None
        self._steps: list[Step] = []
        self._next = self.n_sets
        self._is_done = False

    def initiate(self, detections: Collection[Detection], timestamp: datetime, **_: Any) -> set[Track]:
        """No tracks, until they begin; none afterwards."""
        if self._is_done:
            return set()
        self._steps.append((timestamp, list(detections)))
        if len(self._steps) < self._next:
            return set()
        self._next *= 2
        sets, inputs = sets_of(self._steps, self.design)
        try:
            self.estimate = fit(sets, inputs, n_systems=self.n_systems, method=METHOD, **self.options)
        except VietaError:
            return set()
        if not _is_sound(self.estimate):
            return set()
        self._is_done, self._steps = True, []
        rows = _Rows.of(self.estimate, np.arange(self.n_systems))
        return {Track([rows.prediction(l, self.design, timestamp)]) for l in range(self.n_systems)}


# --- association ----------------------------------------------------------------------------------------------------


class SetAssociator(DataAssociator):
    r"""The probabilities of joint probabilistic data association, by the sum over partial assignments of `vieta.association.partial`.

    With the weights :math:`w_{il}` that the hypothesiser gives to detection i as one of track l, and :math:`w_{0l}` to none, the probability of
    a partial matching M is proportional to :math:`\prod_{(i,l) \in M} w_{il} \prod_{l \notin M} w_{0l}`, as in Stone Soup's `JPDA`, which
    enumerates them: O(n L 2^L) here. With more than ten tracks within reach of each other it is approximated.
    """

    def associate(
        self, tracks: Collection[Track], detections: Collection[Detection], timestamp: datetime, **kwargs: Any
    ) -> Mapping[Track, MultipleHypothesis]:
        """For each track the hypotheses of the hypothesiser with the probabilities of joint association."""
        alone = self.generate_hypotheses(tracks, detections, timestamp, **kwargs)
        listed, places = list(alone), {id(one): i for i, one in enumerate(detections)}
        if not listed:
            return {}
        pairs, missed = _joint(*_log_weights([alone[track] for track in listed], places))
        return {track: _weighed(alone[track], places, pairs[:, l], missed[l]) for l, track in enumerate(listed)}


def _log_weights(alone: Sequence[MultipleHypothesis], places: Mapping[int, int]) -> tuple[Floats, Floats]:
    """Logarithms (n, L) of the weights of pairs and (L,) of none."""
    pairs, none = np.full((len(places), len(alone)), -np.inf), np.full(len(alone), LEAST)
    for l, hypotheses in enumerate(alone):
        for one in hypotheses:
            log = float(Probability(one.probability).log_value)
            if one:
                pairs[places[id(one.measurement)], l] = log
            else:
                none[l] = max(log, LEAST)
    return pairs, none


def _joint(pairs: Floats, none: Floats) -> tuple[Floats, Floats]:
    """Probabilities (n, L) of pairs and (L,) of none, from logarithms of weights."""
    from vieta.association.partial import associate_partially, partial_workspace

    P = np.zeros_like(pairs)
    if len(pairs):
        work = partial_workspace(*pairs.shape)
        associate_partially(pairs, np.zeros(len(pairs)), none, KEPT, P, work)
    return P, np.clip(1.0 - P.sum(axis=0), 0.0, 1.0)


def _weighed(alone: MultipleHypothesis, places: Mapping[int, int], pairs: Floats, missed: float) -> MultipleHypothesis:
    """The same hypotheses with other probabilities."""
    return MultipleHypothesis(
        [
            SingleProbabilityHypothesis(
                one.prediction,
                one.measurement,
                measurement_prediction=one.measurement_prediction,
                probability=Probability(float(pairs[places[id(one.measurement)]]) if one else missed),
            )
            for one in alone
        ]
    )
