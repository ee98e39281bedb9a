r"""What a filter keeps of its later sets to examine them: a thinned sample of all, and running sums over the pairs of systems.

The sample holds every s-th set since the first, s a power of two that doubles when there are too many, so that it spans the whole stream. It
serves where the inputs have gone to where the first sets tell little: a filter that was linearized there may follow the wrong curves.
With the mean :math:`G_0` of :math:`\Psi'\Psi` over the sets that the last search saw, and G over those since,

.. math:: \lambda_{\max}(G_0^{-1} G)

says how much more the later inputs tell in some direction: about 1 for inputs that go on as they began, much more for a trend.

An error of an input makes the noises of every two systems go together (`noise_pairs`). How much grows with the number of sets, so that the
sums over the pairs run on: from look to look at the parameters of the filter at the look before, then added up over looks.
"""

from dataclasses import dataclass, field, replace

import numpy as np

from vieta.arrays import Floats
from vieta.engine import growing, require_positive, require_readings, require_state
from vieta.sets import Data, joined
from vieta.weighted.noise_pairs import Pairs, PairSums, Place, are_looked_at, concluded, pair_sums
from vieta.weighted.sum_regression import input_gain

BLOCK = 1024  # sets that are taken in together
MOST = 4096  # sets of a sample
LOOK = 1.25  # times as many sets: the next look
FARTHER, DENSER = (
    2.5,
    1.5,
)  # information of all inputs, and that of a later one, to those of the last search, to search again


@dataclass(frozen=True, slots=True, eq=False)
class Later:
    """The sample, and the sums; of bounded size. n = L D parameters, q pairs of systems, x = L + q + n; q = x = 0 without pairs.

    Attributes
    ----------
    stride : int
        Every so many sets are in the sample; 0 while none are.
    n_sets, looked, searched : int
        Sets that the sample spans; of these, those at the last look, and at the last search.
    theta, variances : (L, D), (L,)
        Where the running sums are taken.
    total, outer, information : (x,), (x, x), (n, n)
        The running sums (`noise_pairs.PairSums`).
    value, cov, slope : (q,), (q, q), (q, q)
        Of the pairs, over the looks before.
    sample_sets, sample_inputs : (m, L, p), (m, ...)
    waiting_sets, waiting_inputs : (m, L, p), (m, ...)
        Sets of the block in progress.
    """

    stride: int
    n_sets: int
    looked: int
    searched: int
    theta: Floats
    variances: Floats
    total: Floats
    outer: Floats
    information: Floats
    value: Floats
    cov: Floats
    slope: Floats
    sample_sets: Floats = field(metadata=growing(MOST - 1))
    sample_inputs: Floats = field(metadata=growing(MOST - 1))
    waiting_sets: Floats = field(metadata=growing(BLOCK - 1))
    waiting_inputs: Floats = field(metadata=growing(BLOCK - 1))

    @property
    def sample(self) -> Data:
        """Every s-th set."""
        return Data(self.sample_sets, self.sample_inputs, self.theta.shape[1])

    @property
    def waiting(self) -> Data:
        """The sets of the block in progress."""
        return Data(self.waiting_sets, self.waiting_inputs, self.theta.shape[1])

    @property
    def room(self) -> int:
        """Sets that the block in progress still takes."""
        return BLOCK - len(self.waiting_sets)

    @property
    def is_due(self) -> bool:
        """Whether it is time for a look: at the end of a block, and `LOOK` times as many sets as at the last one."""
        return bool(self.n_sets and not len(self.waiting_sets) and self.n_sets >= LOOK * self.looked)

    @property
    def pairs(self) -> Pairs:
        """Those of all looks."""
        nothing = np.zeros((len(self.value), 0))
        return Pairs(self.value, self.cov, self.slope, Place(self.theta, self.variances), nothing)


def blank(data: Data) -> Later:
    """Nothing is kept; `data` tells the shapes."""
    L, n = data.n_systems, data.n_systems * data.dim
    looks = are_looked_at(data)
    q = L * (L - 1) // 2 if looks else 0
    x = L + q + n if looks else 0
    return Later(
        stride=0,
        n_sets=0,
        looked=0,
        searched=0,
        theta=np.zeros((L, data.dim)),
        variances=np.zeros(L),
        total=np.zeros(x),
        outer=np.zeros((x, x)),
        information=np.zeros((n, n)),
        value=np.zeros(q),
        cov=np.zeros((q, q)),
        slope=np.zeros((q, q)),
        sample_sets=data.sets[:0],
        sample_inputs=data.inputs[:0],
        waiting_sets=data.sets[:0],
        waiting_inputs=data.inputs[:0],
    )


def begun(data: Data, theta: Floats, variances: Floats) -> Later:
    """The sample begins with these sets, all of which a search has seen; the sums at parameters (L, D) and noise variances (L,)."""
    n = len(data)
    start = replace(blank(data.part(0, 0)), stride=1, n_sets=n, looked=n, searched=n, theta=theta, variances=variances)
    return _thinned(replace(start, sample_sets=data.sets, sample_inputs=data.inputs))


def anew(later: Later, theta: Floats) -> Later:
    """A sample that begins with the sets to come, after a change to parameters (L, D); none where there was none."""
    empty = blank(later.sample.part(0, 0))
    return replace(empty, stride=1, theta=theta, variances=later.variances) if later.stride else empty


def again(later: Later, theta: Floats) -> Later:
    """The same sample, all of which a search has seen; nothing is summed yet, and sums will be at parameters (L, D)."""
    sums = ("total", "outer", "information", "value", "cov", "slope")
    nothing = {name: np.zeros_like(getattr(later, name)) for name in sums}
    return replace(later, looked=later.n_sets, searched=later.n_sets, theta=theta, **nothing)


def absorbed(later: Later, data: Data, *, pairs: bool) -> Later:
    """With some more sets, no more than there is `room` for: taken in at the end of the block, into the sums if these go on."""
    block = joined([later.waiting, data])
    if len(block) < BLOCK:
        return replace(later, waiting_sets=block.sets, waiting_inputs=block.inputs)
    if pairs and len(later.value):
        later = _summed(later, block)
    first = -later.n_sets % later.stride
    sample = joined([later.sample, block.at(np.arange(first, len(block), later.stride))])
    later = replace(
        later,
        n_sets=later.n_sets + len(block),
        sample_sets=sample.sets,
        sample_inputs=sample.inputs,
        waiting_sets=block.sets[:0],
        waiting_inputs=block.inputs[:0],
    )
    return _thinned(later)


def _summed(later: Later, block: Data) -> Later:
    sums = pair_sums(block, Place(later.theta, later.variances))
    return replace(
        later,
        total=later.total + sums.total,
        outer=later.outer + sums.outer,
        information=later.information + sums.information,
    )


def _thinned(later: Later) -> Later:
    """Every second set of the sample, as long as there are too many."""
    while len(later.sample_sets) >= MOST:
        later = replace(
            later,
            stride=2 * later.stride,
            sample_sets=later.sample_sets[::2].copy(),
            sample_inputs=later.sample_inputs[::2].copy(),
        )
    return later


def at_look(later: Later, theta: Floats) -> Later:
    """After a look: what the sums tell about pairs is added to that of the looks before, and they begin anew at parameters (L, D)."""
    found = _of_sums(later)
    if found is not None:
        later = replace(
            later, value=later.value + found.value, cov=later.cov + found.cov, slope=later.slope + found.slope
        )
    return replace(
        later,
        looked=later.n_sets,
        searched=later.searched or later.n_sets,
        theta=theta,
        total=np.zeros_like(later.total),
        outer=np.zeros_like(later.outer),
        information=np.zeros_like(later.information),
    )


def _of_sums(later: Later) -> Pairs | None:
    """The pairs of the sets since the last look, if they were summed, at parameters that hold where their inputs are."""
    if not (later.information.any() and later.looked) or _is_denser(later, later.looked, _gain(later, later.looked)):
        return None
    sums = PairSums(later.total, later.outer, later.information)
    since = later.sample.part(-(-later.looked // later.stride), len(later.sample_sets))
    return concluded(sums, later.n_sets - later.looked, Place(later.theta, later.variances), since)


def leads_elsewhere(later: Later) -> bool:
    """Whether the inputs since the last search tell much more in some direction than those before."""
    if not 0 < later.searched < later.n_sets:
        return False
    more = _gain(later, later.searched)
    return 1.0 + more >= FARTHER and _is_denser(later, later.searched, more)


def _gain(later: Later, count: int) -> float:
    """What the inputs after so many sets tell, in some direction, over what those before told."""
    return input_gain(later.sample, -(-count // later.stride))


def _is_denser(later: Later, count: int, more: float) -> bool:
    """Whether an input after so many sets tells more than one before, if all of them tell so much `more`."""
    return more * count >= DENSER * (later.n_sets - count)


def check(later: Later, theta: Floats) -> None:
    """Refuse one of the right shapes that no stream leaves."""
    s, count = later.stride, len(later.sample_sets)
    require_readings(later.sample_sets, later.sample_inputs, "sampled")
    require_readings(later.waiting_sets, later.waiting_inputs, "waiting")
    require_state(s >= 0 and s & (s - 1) == 0, "its sample is not of every second, fourth, .. set")
    if not s:
        empty = not (count or len(later.waiting_sets) or later.n_sets)
        require_state(empty, "it samples no sets, and has a sample")
        return
    spans = -(-later.n_sets // s) == count and 0 <= later.looked <= later.n_sets and 0 <= later.searched <= later.n_sets
    require_state(spans, "its sample does not span its sets")
    require_state(later.theta.shape == theta.shape and (later.variances > 0.0).all(), "its noise is not positive")
    for matrix in (later.outer, later.information, later.cov):
        require_positive(matrix, "sum over pairs")
