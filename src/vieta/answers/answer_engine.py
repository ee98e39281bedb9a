"""Answers as a filter: it holds its first sets, starts from a fit of them, and goes on by recursive scoring.

While it holds sets the estimate is the fit of these. After `FIRST` sets the recursion (`vieta.answers.answer_stream`) begins where that fit
ended, with its information; if there is none, or another solution is as good, or a system goes to infinity, when there are two or four
times as many. What was found then is kept. The recursion takes blocks of sets that begin at fixed places of the stream; sets of a block that
is not full are held, and the estimate counts them.
"""

import json
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from vieta.answer_model import OpenEnd
from vieta.answers.answer_errors import inverse
from vieta.answers.answer_likelihood import AnswerLikelihood, input_rows, known_numbers
from vieta.answers.answer_solution import TRANSFORM, Estimated, estimated
from vieta.answers.answer_stream import BLOCK, LATELY, Recursion, begin, has_changed
from vieta.answers.bent_regions import shared_out
from vieta.arrays import Floats, Integers
from vieta.engine import Engine, growing, require_positive, require_readings, require_state
from vieta.errors import InputError
from vieta.findings import KINDS, SEVERITIES, Finding, finding
from vieta.pairing import require_pairing
from vieta.sets import Data
from vieta.solution import Solution, in_parameters
from vieta.sums import in_memory

FIRST = 1024  # sets that are held
TIMES = (1, 2, 4)  # as many, after which it starts if it can; at the last it starts anyway
PUT_OFF = ("rival-solution", "answers-separated", "answers-separated-by-inputs", "answers-unbounded", "not-converged")
FADING, FADED = (
    ("intervals-short", "intervals-widened"),
    4,
)  # findings that are not kept when there are so many times as many sets as at the start
LATER = ("few-sets", "systems-coincide", "memory")  # findings that are made anew, or not
DROP = -float(np.log(0.05))  # of the log-likelihood, at a bound with 95 % confidence
HALF_LATELY = int(LATELY) // 2  # sets before it was noticed that a change is put
MOST_UNKNOWNS, MOST_SAID, MOST_CHANGES = 4096, 65_536, 16


@dataclass(frozen=True, slots=True, eq=False)
class AnswerState:
    """What the filter knows.

    Attributes
    ----------
    count : int
        Sets absorbed.
    running : int
        Once the recursion goes on, with how many sets it began.
    held_sets, held_rows, held_known : (n, L), (n, D), (n,)
        The first sets, while they are held; later those of a block that is not full.
    law : (K,)
        Numbers that tell the law of the recursion among those of the family.
    reach : (4 L D,)
        Where intervals ended at the start, as the likelihood was no quadratic (`bent_regions.Regions`).
    unknowns, information, meat, late, late_squares : (m,), (m m,), (m m,), (m,), (m m,)
        The recursion, row by row.
    variance : float
        Sum of the mean variances of answers.
    said : (n,)
        What was found when the recursion began, as JSON.
    changes : (n,)
        After about how many sets the parameters changed, the latest few times; the first time only, if all sets are remembered alike.
    """

    count: int
    running: int
    held_sets: Floats = field(metadata=growing(TIMES[-1] * FIRST))
    held_rows: Floats = field(metadata=growing(TIMES[-1] * FIRST))
    held_known: Floats = field(metadata=growing(TIMES[-1] * FIRST))
    law: Floats = field(metadata=growing(8))
    reach: Floats = field(metadata=growing(4 * MOST_UNKNOWNS))
    unknowns: Floats = field(metadata=growing(MOST_UNKNOWNS))
    information: Floats = field(metadata=growing(MOST_UNKNOWNS**2))
    meat: Floats = field(metadata=growing(MOST_UNKNOWNS**2))
    late: Floats = field(metadata=growing(MOST_UNKNOWNS))
    late_squares: Floats = field(metadata=growing(MOST_UNKNOWNS**2))
    variance: float
    said: Any = field(metadata=growing(MOST_SAID))
    changes: Integers = field(metadata=growing(MOST_CHANGES))

    @property
    def recursion(self) -> Recursion:
        """Where it stands."""
        m = len(self.unknowns)
        squares = (one.reshape(m, m) for one in (self.information, self.meat, self.late_squares))
        H, M, V = squares
        return Recursion(self.unknowns, H, M, self.late, V)

    def at(self, now: Recursion) -> "AnswerState":
        """With the recursion elsewhere."""
        return replace(
            self,
            unknowns=now.u,
            information=now.information.ravel(),
            meat=now.meat.ravel(),
            late=now.late,
            late_squares=now.late_squares.ravel(),
        )


@dataclass(frozen=True, slots=True, eq=False)
class AnswerEngine(Engine):
    """The filter for sets of the shape of `like`."""

    family: Any
    like: Data
    options: Any
    forgetting: float

    def init(self) -> AnswerState:
        """Nothing absorbed."""
        L, D = self.estimate_shape
        no = np.zeros(0)
        held = np.zeros((0, L)), np.zeros((0, D)), no
        nothing = np.zeros(0, dtype=np.uint8), np.zeros(0, dtype=np.int64)
        return AnswerState(0, 0, *held, no, no, no, no, no, no, no, 0.0, *nothing)

    def advance(self, state: AnswerState, data: Data) -> AnswerState:
        """Absorb sets. The result does not depend on how a stream is cut."""
        self.family.require(data, self.options)
        if state.running:
            self.family.require_known(self._law(state), data)
        while len(data):
            room = self._room(state)
            state = self._held(state, data.part(0, room))
            data = data.part(room, len(data))
            if state.running and len(state.held_sets) == BLOCK:
                state = self._scored(state, self._data(state))
            elif not state.running and len(state.held_sets) in [times * FIRST for times in TIMES]:
                state = self._begun(state)
                if state.running:
                    self.family.require_known(self._law(state), data)
        return state

    def _room(self, state: AnswerState) -> int:
        """Sets until something is to be done: a block is full, or the recursion may begin."""
        n = len(state.held_sets)
        if state.running:
            return BLOCK - n
        return next(times * FIRST for times in TIMES if n < times * FIRST) - n

    @staticmethod
    def _held(state: AnswerState, data: Data) -> AnswerState:
        return replace(
            state,
            count=state.count + len(data),
            held_sets=np.concatenate([state.held_sets, data.sets[:, :, 0]]),
            held_rows=np.concatenate([state.held_rows, input_rows(data)]),
            held_known=np.concatenate([state.held_known, known_numbers(data)]),
        )

    def _data(self, state: AnswerState) -> Data:
        """The sets that are held."""
        rows = state.held_rows
        inputs = rows[:, 0].copy() if self.like.inputs.ndim == 1 else rows[:, None, :]
        return Data(state.held_sets[:, :, None], inputs, rows.shape[1], known=state.held_known)

    def _fitted(self, state: AnswerState) -> Estimated:
        passes = in_memory(self._data(state))
        require_pairing(passes)
        return estimated(self.family, passes, replace(self.options, memory=None))

    def _begun(self, state: AnswerState) -> AnswerState:
        """The recursion, where the fit of the sets that are held ends; these are forgotten. Or the sets held on, if it is put off."""
        is_last = len(state.held_sets) >= TIMES[-1] * FIRST
        try:
            found = self._fitted(state)
        except InputError:
            if is_last:
                raise
            return state
        codes = {one.code for one in found.solution.findings}
        if not is_last and codes.intersection(PUT_OFF):
            return state
        data = self._data(state)
        kept = tuple(one for one in found.solution.findings if one.code not in LATER)
        state = replace(
            _emptied(state),
            running=len(data),
            law=self.family.law_numbers(found.law),
            reach=found.reach.ravel(),
            variance=float(found.solution.noise[0, 0]) * len(data),
            said=_written(kept),
        )
        return state.at(begin(found.law, data, found.u, self.forgetting))

    def _law(self, state: AnswerState) -> AnswerLikelihood:
        law: AnswerLikelihood = self.family.law_of(state.law, self.like, self.options)
        return law

    def _scored(self, state: AnswerState, block: Data) -> AnswerState:
        """A block later, which is not held any more."""
        law = self._law(state)
        now = self.family.scored(law, state.recursion, block, self.forgetting)
        variance = state.variance + self.family.moments(law, block, state.unknowns).single * len(block)
        state, changes = replace(_emptied(state), variance=variance), state.changes
        gone = [one.system for one in self._open_ends(state)]
        late = state.count - (int(changes[-1]) + HALF_LATELY if len(changes) else state.running)
        is_looked_at = len(block) == BLOCK and late >= HALF_LATELY and not (self.forgetting == 1.0 and len(changes))
        if is_looked_at and has_changed(now, gone):
            after = max(state.count - HALF_LATELY, state.running)
            now, changes = now.forgetful(), np.append(changes, after)[-MOST_CHANGES:]
        return replace(state, changes=changes).at(now)

    def estimate(self, state: AnswerState) -> Solution:
        """The estimate from all sets absorbed: the fit of those that are held, or where the recursion stands."""
        if not state.running:
            return self._fitted(state).solution
        if len(state.held_sets):
            state = self._scored(state, self._data(state))
        now, law = state.recursion, self._law(state)
        bread, ends = inverse(now.information), self._open_ends(state)
        cov, n = bread @ now.meat @ bread, law.n_systems * law.dim
        for one in ends:
            cov[one.system, :], cov[:, one.system] = 0.0, 0.0
            cov[one.system, one.system] = np.inf
        bent = 1.0 + (state.reach.reshape(n, 2, 2) - 1.0) * np.sqrt(state.running / state.count)
        times, reach = shared_out(bent)
        weight = min(state.count, 1.0 / (1.0 - self.forgetting)) if self.forgetting < 1.0 else float(state.count)
        return in_parameters(
            law.theta(now.u),
            cov[:n, :n] * np.outer(times, times),
            np.array([[state.variance / state.count]]),
            state.count,
            self._findings(state),
            transform=TRANSFORM,
            n_sets_effective=weight,
            answers=replace(
                self.family.model(law, now.u, cov),
                open_ends=tuple(ends),
                reach=reach.reshape(*self.estimate_shape, 2, 2),
            ),
        )

    def _open_ends(self, state: AnswerState) -> list[OpenEnd]:
        """Systems of one parameter that went to infinity when the recursion began, and are still beyond the bound that was found then."""
        found: list[OpenEnd] = []
        for one in _read(state.said):
            if one.code != "answers-separated" or self.estimate_shape[1] > 1:
                continue
            side, limit = (1 if one.facts["side"] == "least" else -1), float(one.facts["limit"])
            theta = side * state.unknowns[: self.estimate_shape[0]]
            taken = [end.system for end in found]
            l = next((int(l) for l in np.argsort(-theta) if l not in taken and theta[l] > side * limit), None)
            if l is not None:
                found.append(OpenEnd(l, side, np.array([side * theta[l], limit]), np.array([0.0, DROP])))
        return found

    def _findings(self, state: AnswerState) -> tuple[Finding, ...]:
        """What was found at the start, that it was found then, and changes."""
        faded = FADING if state.count > FADED * state.running else ()
        found = [one for one in _read(state.said) if one.code not in faded]
        found += [finding("findings-of-first-sets", count=state.running)] if found else []
        if len(state.changes):
            code = "answers-changed" if self.forgetting == 1.0 else "answers-changed-followed"
            found.append(finding(code, noticed=int(state.changes[-1]) + HALF_LATELY))
        return tuple(found)

    def changes(self, state: AnswerState) -> tuple[int, ...]:
        """After about how many sets the answers changed."""
        return tuple(state.changes.tolist())

    def point(self, state: AnswerState) -> Floats:
        """The parameters, row by row; NaN while the filter holds its first sets."""
        L, D = self.estimate_shape
        return state.unknowns[: L * D] if state.running else np.full(L * D, np.nan)

    @property
    def estimate_shape(self) -> tuple[int, int]:
        """L and D."""
        return self.like.n_systems, self.like.dim

    def check(self, state: AnswerState) -> None:
        """Refuse a state that no stream leaves."""
        require_readings(state.held_sets, state.held_rows, "held")
        require_state(len(state.held_known) == len(state.held_sets), "its held offsets are not one a set")
        n = len(state.held_sets)
        require_state(n == (state.count - state.running) % BLOCK if state.running else n == state.count, "it lost sets")
        require_state(n < (BLOCK if state.running else TIMES[-1] * FIRST), "it holds too many sets")
        try:
            self.family.require(self._data(state), self.options)
        except InputError as error:
            require_state(False, f"its held sets are no answers: {error}")
        if state.running:
            self._check_recursion(state)

    def _check_recursion(self, state: AnswerState) -> None:
        require_state(state.running <= state.count, "it began with more sets than it has absorbed")
        require_state(self.family.knows_law(state.law), "its law is none of the family")
        law = self._law(state)
        m, n = law.size, law.n_systems * law.dim
        has_ends = len(state.reach) == 4 * n and bool((np.isfinite(state.reach) & (state.reach > 0.0)).all())
        require_state(has_ends, "its intervals end nowhere")
        sizes = [len(one) for one in (state.unknowns, state.information, state.meat, state.late, state.late_squares)]
        require_state(sizes == [m, m * m, m * m, m, m * m], "its recursion is of another size")
        now = state.recursion
        require_positive(now.information, "information")
        require_positive(now.meat, "score covariance")
        require_positive(now.late_squares, "covariance of late scores")
        _read(state.said)


def _emptied(state: AnswerState) -> AnswerState:
    """Without the sets that are held."""
    none = {name: getattr(state, name)[:0] for name in ("held_sets", "held_rows", "held_known")}
    return replace(state, **none)


def _written(findings: tuple[Finding, ...]) -> Any:
    """Findings as bytes, as many as there is room for."""
    for count in range(len(findings), -1, -1):
        listed = [
            {"code": one.code, "severity": one.severity, "facts": one.to_dict()["facts"]} for one in findings[:count]
        ]
        found = np.frombuffer(json.dumps(listed).encode(), dtype=np.uint8)
        if len(found) <= MOST_SAID:
            return found.copy()
    return np.zeros(0, dtype=np.uint8)


def _read(said: Any) -> tuple[Finding, ...]:
    """Findings from bytes; refuses what is none."""
    if not len(said):
        return ()
    try:
        found = tuple(Finding(one["code"], one["severity"], dict(one["facts"])) for one in json.loads(bytes(said)))
        known = all(one.code in KINDS and one.severity in SEVERITIES and str(one) for one in found)
    except (ValueError, KeyError, TypeError, IndexError, AttributeError):
        known, found = False, ()
    require_state(known, "what was found at its start cannot be read")
    return found
