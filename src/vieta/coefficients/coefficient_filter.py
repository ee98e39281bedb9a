"""A stream of sets through one of the recursions: what is remembered, when steps are chosen and checked."""

from dataclasses import dataclass, field, replace

import numpy as np

from vieta.arrays import Floats
from vieta.coefficients import asymptotics, input_statistics, lms_recursion, rls_recursion
from vieta.coefficients.design import Design
from vieta.compiled import kernel
from vieta.engine import growing, require_positive, require_readings, require_state
from vieta.errors import DivergedError, UnstableStepError
from vieta.excitation import AHEAD, WINDOW, all_lit, is_lit, window
from vieta.set_requirements import require_finite
from vieta.sets import Data

WARM_UP = 256  # sets that choose the default step; steps are checked again whenever there are four times as many
MEMORY, AVERAGED_MEMORY = 1000.0, 100.0  # sets remembered by default, or more where stability asks for it
NOISE_MEMORY = 10_000.0  # sets over which the noise of LMS is averaged
LARGEST_BANK = 8  # systems: unrolled code grows as L², and beyond this the general kernels serve
RECENT = WINDOW  # sets kept to tell divergence, and what the inputs reach
LARGEST_POWER = 1e220  # sum of squares that numbers up to `vieta.sets.LARGEST` never reach
ALL = 1 << 24  # sets that go through at once where nothing else limits them


@dataclass(frozen=True, slots=True, eq=False)
class Settings:
    """What a filter was asked to do.

    Attributes
    ----------
    least_squares : bool
        Whether the recursion is recursive least squares and not a gradient with a step.
    averaged : bool
        Whether the iterates of the gradient are averaged.
    step : (L,), optional
        A step for each degree of the gradient; chosen from the first inputs if absent.
    start : (M,)
        Coefficients to start from.
    forgetting : float
        Of recursive least squares: the weight of a set decays by this factor with each further set.
    regularization : float, optional
        Of recursive least squares.
    """

    least_squares: bool
    averaged: bool
    step: Floats | None
    start: Floats
    forgetting: float = 1.0
    regularization: float | None = None

    @property
    def noise_discount(self) -> float:
        """How the memory of the noise estimate decays from set to set."""
        return self.forgetting if self.least_squares else 1.0 - 1.0 / NOISE_MEMORY


@dataclass(frozen=True, slots=True, eq=False)
class State:
    """All that a filter carries from set to set; its size does not depend on their number.

    Attributes
    ----------
    count : int
        Sets absorbed, those whose input is zero too; all that follows is of the others.
    filter : lms.State or rls.State
        The recursion (during the warm-up of LMS, recursive least squares).
    step : (L,)
        The step in use; empty for recursive least squares and during warm-up.
    inputs : input_statistics.State
    power : (p, p)
        Discounted sum of squares of the innovations of the readings' sum.
    recent_sets, recent_inputs : (r, L, p), (r,) or (r, p, D)
        The last few.
    """

    count: int
    filter: lms_recursion.State | rls_recursion.State
    step: Floats
    inputs: input_statistics.State
    power: Floats
    recent_sets: Floats = field(metadata=growing(RECENT))
    recent_inputs: Floats = field(metadata=growing(RECENT))


def init(design: Design, settings: Settings) -> State:
    """Nothing absorbed."""
    warm_up = not settings.least_squares and settings.step is None
    recursion: lms_recursion.State | rls_recursion.State = (
        rls_recursion.init(design, settings.start, settings.regularization)
        if warm_up or settings.least_squares
        else lms_recursion.init(settings.start)
    )
    p = design.reading_dim
    shape: tuple[int, ...] = () if design.inputs == "scalar" else (p, design.transform.dim)
    return State(
        count=0,
        filter=recursion,
        step=np.empty(0) if settings.step is None else settings.step,
        inputs=input_statistics.init(design),
        power=np.zeros((p, p)),
        recent_sets=np.zeros((0, design.n_systems, p)),
        recent_inputs=np.zeros((0, *shape)),
    )


def advance(design: Design, settings: Settings, state: State, sets: Floats, inputs: Floats) -> State:
    """Absorb sets (n, L, p) with inputs (n,) or (n, p, D). The result does not depend on how a stream is cut.

    Sets whose input is zero are counted, and change nothing else: they tell nothing of the coefficients.
    """
    count = state.count + len(sets)
    if not all_lit(inputs):
        require_finite(Data(sets, inputs, design.transform.dim))
        lit = is_lit(inputs)
        sets, inputs = sets[lit], inputs[lit]
    return replace(_advance(design, settings, state, sets, inputs), count=count)


def _advance(design: Design, settings: Settings, state: State, sets: Floats, inputs: Floats) -> State:
    at = 0
    while at < len(sets):
        most = min(
            _until_check(state.inputs.count),
            _piece(design, settings, state),
            _until_window(design, settings, state, inputs[at:]),
        )
        stop = at + min(most, len(sets) - at)
        state = _absorb(design, settings, state, sets[at:stop], inputs[at:stop])
        if not (np.isfinite(state.filter.coefficients).all() and abs(state.power).max() <= LARGEST_POWER):
            raise DivergedError(
                "overflow",
                "the recursion overflowed: its coefficients are no longer finite. {advice} readings and inputs to the order of one.",
                advice="Scale" if settings.least_squares else "Use a smaller step, or scale",
            )
        time = state.inputs.count
        if _is_directional(design, settings) and time % window(settings.forgetting) == 0:
            state = _unforgotten(design, settings, state, sets[:stop], inputs[:stop])
        if _until_check(time) > _until_check(time - 1):
            state = _check_steps(design, settings, state)
        at = stop
    keep_sets = np.concatenate([state.recent_sets, sets[-RECENT:]])[-RECENT:]
    keep_inputs = np.concatenate([state.recent_inputs, inputs[-RECENT:]])[-RECENT:]
    return replace(state, recent_sets=keep_sets, recent_inputs=keep_inputs)


def check(design: Design, settings: Settings, state: State) -> None:
    """Refuse a state of the right shapes that no stream leaves."""
    input_statistics.check(state.inputs, design.inputs)
    lit = state.inputs.count
    require_state(lit <= state.count, "it has absorbed fewer sets than inputs")
    require_readings(state.recent_sets, state.recent_inputs, "latest")
    require_state(len(state.recent_sets) == min(lit, RECENT), "it holds another number of latest sets than it absorbed")
    require_positive(state.power, "noise")
    if isinstance(state.filter, rls_recursion.State):
        require_state(settings.least_squares or lit < WARM_UP, "its warm-up is longer than a warm-up")
        return
    require_state(state.step.min() > 0.0, "its step is not positive")
    if settings.step is None:
        require_state(lit >= WARM_UP, "its warm-up is too short")
    else:
        require_state(np.array_equal(state.step, settings.step), "its step is not that of its options")


def _until_check(count: int) -> int:
    """Sets until the steps are checked next: after 256, 1024, 4096, ..

    >>> [_until_check(k) for k in (0, 255, 256, 1000, 1024)]
    [256, 1, 768, 24, 3072]
    """
    mark = WARM_UP
    while mark <= count:
        mark *= 4
    return mark - count


def _piece(design: Design, settings: Settings, state: State) -> int:
    """How many sets go through in one piece, so that their regressions fit in a few megabytes."""
    if _fits_bank(design, settings, state):
        return ALL
    widest = design.transform.readings.size * (design.transform.parameters.size if design.inputs == "matrix" else 1)
    return max(1, min(4096, 1_000_000 // widest))


def _is_directional(design: Design, settings: Settings) -> bool:
    """Whether inputs may miss some directions and reach others, and that matters."""
    return settings.least_squares and settings.forgetting < 1.0 and design.inputs == "matrix"


def _until_window(design: Design, settings: Settings, state: State, inputs: Floats) -> int:
    """Sets until a window ends that may miss some directions, where forgetting has directions."""
    if not _is_directional(design, settings) or not isinstance(state.filter, rls_recursion.State):
        return ALL
    size = window(settings.forgetting)
    done = state.inputs.count % size
    if done:
        return size - done
    gains = design.transform.gains(inputs[: AHEAD * size])
    return rls_recursion.clear_sets(state.filter, gains, size) or size


def _unforgotten(design: Design, settings: Settings, state: State, sets: Floats, inputs: Floats) -> State:
    """Give back what was forgotten about directions that the latest inputs did not reach; `sets` and `inputs` are those of the call."""
    if not isinstance(state.filter, rls_recursion.State):
        return state
    size = window(settings.forgetting)
    some_sets = np.concatenate([state.recent_sets, sets[-size:]])[-size:]
    some_inputs = np.concatenate([state.recent_inputs, inputs[-size:]])[-size:]
    seen = design.blocks(some_sets, some_inputs)
    return replace(state, filter=rls_recursion.unforgotten(state.filter, seen, settings.forgetting))


def _fits_bank(design: Design, settings: Settings, state: State) -> bool:
    return (
        not (settings.least_squares or settings.averaged)
        and design.transform.name == "elementary"
        and design.n_systems <= LARGEST_BANK
        and isinstance(state.filter, lms_recursion.State)
    )


def _absorb(design: Design, settings: Settings, state: State, sets: Floats, inputs: Floats) -> State:
    seen = input_statistics.update(state.inputs, inputs)
    if _fits_bank(design, settings, state):
        from vieta.coefficients.bank import bank

        coefficients = state.filter.coefficients.copy()
        scalar_power = bank(design.n_systems)(
            coefficients, sets, inputs, state.step, float(state.power[0, 0]), settings.noise_discount
        )
        recursion = replace(state.filter, coefficients=coefficients)
        return replace(state, filter=recursion, inputs=seen, power=np.array([[scalar_power]]))
    blocks = design.blocks(sets, inputs)
    new: lms_recursion.State | rls_recursion.State
    if isinstance(state.filter, lms_recursion.State):
        new, innovations = lms_recursion.update(state.filter, design, blocks, state.step)
    else:
        forgetting = settings.forgetting if settings.least_squares else 1.0
        new, innovations = rls_recursion.update(state.filter, design, blocks, forgetting)
    e = np.ascontiguousarray(design.first_order_noise(innovations, inputs))
    power = _discounted(state.power, e, settings.noise_discount)
    return replace(state, filter=new, inputs=seen, power=power)


@kernel
def _discounted(power: Floats, innovations: Floats, discount: float) -> Floats:
    power = power.copy()
    n, p = innovations.shape
    for k in range(n):
        for i in range(p):
            for j in range(p):
                power[i, j] = discount * power[i, j] + innovations[k, i] * innovations[k, j]
    return power


def _check_steps(design: Design, settings: Settings, state: State) -> State:
    if settings.least_squares:
        return state
    bounds = asymptotics.step_bounds(design, state.inputs)
    if settings.step is None:
        return _choose_steps(design, state, bounds, AVERAGED_MEMORY if settings.averaged else MEMORY)
    unstable = np.flatnonzero(settings.step > bounds)
    if len(unstable):
        d = int(unstable[0])
        raise UnstableStepError(
            "unstable-step",
            "step {step:.3g} is unstable for the inputs seen: the coefficients of degree {degree} need a step below {bound:.3g} for their "
            "mean square error to stay bounded. Bounds for degrees 1..{degrees}: {bounds}. Give a smaller step, one for each degree, or "
            "none to have them chosen.",
            step=float(settings.step[d]),
            degree=d + 1,
            bound=float(bounds[d]),
            degrees=len(bounds),
            bounds=", ".join(f"{b:.3g}" for b in bounds),
        )
    return state


def _choose_steps(design: Design, state: State, bounds: Floats, memory: float) -> State:
    """One memory for all degrees, in sets: as given, or more where a tenth of the stability bound asks for it."""
    Q = asymptotics.normal_matrix(design, state.inputs)
    size = np.array([max(np.diag(Q)[block].mean(), 1e-300) for block in design.degrees])
    memory = max(memory, float((1.0 / (0.1 * bounds * size)).max()))
    step = 1.0 / (memory * size)
    if isinstance(state.filter, lms_recursion.State):
        return replace(state, step=np.minimum(state.step, step))
    return replace(state, step=step, filter=lms_recursion.init(state.filter.coefficients))
