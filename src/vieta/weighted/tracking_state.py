"""What a weighted filter was asked to do, and all that it carries from set to set."""

from dataclasses import dataclass, field

import numpy as np

from vieta import excitation
from vieta.arrays import Floats, Integers
from vieta.engine import growing, require_positive, require_readings, require_state
from vieta.sets import Data
from vieta.weighted import later_sets, record, shared_tracker
from vieta.weighted.later_sets import Later
from vieta.weighted.record import Record
from vieta.weighted.shared_tracker import SharedState

UNSAFE, SAFE, RIVALLED = range(3)  # kinds of starts
MOST = 8192  # sets collected at the most
YOUNG = 2048  # sets up to which a filter keeps all of them
BEFORE = 256  # sets kept to find the time of a change
CHANGES = 64  # changes remembered
SAYS = 8  # numbers of what the first sets say of themselves


@dataclass(frozen=True, slots=True, eq=False)
class Settings:
    """What a weighted filter was asked to do.

    Attributes
    ----------
    forgetting : float
        Factor by which a set's weight decays with each further set; 1 for constant parameters.
    drift : (L D, L D)
        Covariance that the parameters' random walk adds at each set; empty for none.
    cap : float
        Bound on a set's influence, in units of its expected size; infinite for none.
    adaptive : bool
        Whether any change that the blocks speak of is taken for a random walk, whose variance is then estimated.
    shock : str
        Whether the noises of the systems have a common part: "common", "none", or "auto" to have it tested.
    young : int
        Sets up to which all are kept, and an estimate is that of a batch of them; unless parameters are said to move.
    """

    forgetting: float = 1.0
    drift: Floats = field(default_factory=lambda: np.empty((0, 0)))
    cap: float = np.inf
    adaptive: bool = False
    shock: str = "auto"
    young: int = YOUNG

    @property
    def keeps(self) -> int:
        """Sets up to which all are kept."""
        return 0 if self.adaptive or self.moves else self.young

    @property
    def moves(self) -> bool:
        """Whether parameters are said to move."""
        return self.forgetting < 1.0 or self.drift.size > 0


@dataclass(frozen=True, slots=True, eq=False)
class State:
    """All that the filter carries from set to set; bounded in size.

    Attributes
    ----------
    count : int
        Sets absorbed.
    tracking : int
        1 once the filter runs.
    collecting : int
        1 while sets are being collected for a fit.
    safe : int
        0 if the filter had to start from a fit that was not safe, 2 if from one whose sets did not exclude another solution.
    alarms : int
        Changes that the blocks of the record spoke of.
    walk : (L D,)
        Variance that an estimated random walk adds to each parameter at each set; zero for none.
    shift : (L, D)
        What the parameters gained at the last change.
    theta : (L, D)
    settled_theta : (L, D)
        Where the filter stood before the window that surprised it.
    information, meat : (L D, L D)
        Sums of information and of the scores' outer products.
    power, noise : (p, p)
        Sum of outer products of the innovations of the readings' sum; noise covariance in use in this window.
    window_score, window_information : (L D,), (L D, L D)
        Sums over the window in progress.
    numbers : (6,)
        Weight of `power`; sets in the window so far, the sum of their r'V⁻¹r / (L p), of the products of neighbouring scores, and of
        the squares of these; and the factor by which memory over time raised variances before the window (`block_kernel.memory_factor`).
    shocked : int
        1 while sets are being collected to look for a shock.
    verdict : (8,)
        What the first sets said of themselves, once there were enough: the residual variance over that of the noise where that is too
        large, the z-value of noise that depends on the input where that is too large, 1 where a shock could not have been found,
        the share of sets in which a reading stands twice, the input that has errors, from 1 on, and their z-value (of noises that go
        together otherwise, where there is no such input), and the z-value and the size of a constant that the inputs lack; zero for none.
    later : Later
        What is kept of later sets to examine them.
    shared : SharedState
        The filter where there is a shock.
    held_sets, held_inputs : (n, L, p), (n, ...)
        All sets since the start, while they are few.
    collected_sets, collected_inputs : (n, L, p), (n, ...)
        Sets collected for a fit.
    recent_sets, recent_inputs : (m, L, p), (m, ...)
        The latest sets before collecting began.
    record : Record
        Running sums by which the filter judges itself.
    changes : (c,)
        After how many sets the parameters changed, the latest few times.
    """

    count: int
    tracking: int
    collecting: int
    safe: int
    alarms: int
    walk: Floats
    shift: Floats
    theta: Floats
    settled_theta: Floats
    information: Floats
    meat: Floats
    power: Floats
    noise: Floats
    window_score: Floats
    window_information: Floats
    numbers: Floats
    record: Record
    shared: SharedState
    shocked: int
    verdict: Floats
    later: Later
    held_sets: Floats = field(metadata=growing(YOUNG - 1))
    held_inputs: Floats = field(metadata=growing(YOUNG - 1))
    collected_sets: Floats = field(metadata=growing(MOST - 1))
    collected_inputs: Floats = field(metadata=growing(MOST - 1))
    recent_sets: Floats = field(metadata=growing(BEFORE))
    recent_inputs: Floats = field(metadata=growing(BEFORE))
    changes: Integers = field(metadata=growing(CHANGES))


def init(data: Data) -> State:
    """Nothing absorbed; `data` tells the shapes."""
    L, p, D = data.n_systems, data.reading_dim, data.dim
    n = L * D
    nothing = {"recent_sets": data.sets[:0], "recent_inputs": data.inputs[:0]}
    return State(
        count=0,
        tracking=0,
        collecting=1,
        safe=1,
        alarms=0,
        walk=np.zeros(n),
        shift=np.zeros((L, D)),
        theta=np.zeros((L, D)),
        settled_theta=np.zeros((L, D)),
        information=np.zeros((n, n)),
        meat=np.zeros((n, n)),
        power=np.zeros((p, p)),
        noise=np.zeros((p, p)),
        window_score=np.zeros(n),
        window_information=np.zeros((n, n)),
        numbers=np.array([0.0, 0.0, 0.0, 0.0, 0.0, 1.0]),
        record=record.blank(L, D),
        shared=shared_tracker.blank(data),
        shocked=0,
        verdict=np.zeros(SAYS),
        later=later_sets.blank(data),
        held_sets=data.sets[:0],
        held_inputs=data.inputs[:0],
        collected_sets=data.sets[:0],
        collected_inputs=data.inputs[:0],
        changes=np.zeros(0, dtype=np.int64),
        **nothing,
    )


def check(state: State) -> None:
    """Refuse a state of the right shapes that no stream leaves."""
    flags = state.tracking, state.collecting, state.shocked
    require_state({0, 1}.issuperset(flags), "its flags are neither 0 nor 1")
    require_state(state.safe in range(3), "its start is neither safe nor not")
    require_state((state.walk >= 0.0).all(), "its random walk has a negative variance")
    require_readings(state.collected_sets, state.collected_inputs, "collected")
    require_readings(state.recent_sets, state.recent_inputs, "latest")
    require_readings(state.held_sets, state.held_inputs, "first")
    most = max(
        len(state.collected_sets) + len(state.recent_sets),
        len(state.held_sets),
        state.shared.n_sets,
        state.later.n_sets + len(state.later.waiting_sets),
    )
    require_state(most <= state.count, "it holds more sets than it has absorbed")
    require_state(state.verdict[2] in range(2), "its flags are neither 0 nor 1")
    require_state(state.verdict[4] in range(state.theta.shape[1] + 1), "it knows errors of an input that there is not")
    shared_tracker.check(state.shared)
    later_sets.check(state.later, state.theta)
    require_state((np.diff([0, *state.changes, state.count]) >= 0).all(), "the times of its changes are not in order")
    weight, inside, squares = state.numbers[:3]
    require_state(inside in range(excitation.WINDOW) and squares >= 0.0, "its window of sets is longer than a window")
    if not state.tracking:
        kept = len(state.recent_sets), len(state.changes), len(state.held_sets), state.shocked, state.shared.active
        empty = state.collecting and not any(kept)
        require_state(empty, "it does not run yet, and holds what only a filter that runs does")
        require_state((state.count - len(state.collected_sets)) % MOST == 0, "it has lost sets that it collected")
        return
    require_state(state.numbers[5] >= 1.0, "the factor of its memory over time is below one")
    require_state(weight > 0.0 and np.diag(state.noise).min() > 0.0, "its noise is not positive")
    for name in ("information", "meat", "power", "noise", "window_information"):
        require_positive(getattr(state, name), name.replace("_", " "))
    record.check(state.record)


def collected(state: State) -> Data:
    """The sets that are being collected."""
    return Data(state.collected_sets, state.collected_inputs, state.theta.shape[1])


def held(state: State) -> Data:
    """All sets since the start, while they are few."""
    return Data(state.held_sets, state.held_inputs, state.theta.shape[1])
