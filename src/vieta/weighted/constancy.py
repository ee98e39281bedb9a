r"""Whether the parameters stay the same over time: the scores at the estimate, added up from the first set on.

With :math:`S(\tau) = \sum_{k \le \tau} s_k` and K the share of the information that has come by then, as the inputs have it,
:math:`S(\tau) - K(\tau) S(N)` has mean zero and the covariance

.. math:: \mathrm{Var}(\tau) = M(\tau) - K M(\tau) - M(\tau) K' + K M(N) K', \qquad M(\tau) = \sum_{k \le \tau} s_k s_k' ,

a Brownian bridge where inputs are alike all the time; s in M is taken about its mean in each of 64 stretches of time. Two tests share the
false alarms.

*Jumps.* A jump of parameter i moves scores along column i of the information H. So their sums along :math:`M^{-1} H e_i` are compared with
:math:`2 \max_\tau \mathrm{sd}(\tau)`, one for a bridge, which exceeds x with probability :math:`2 e^{-2x^2}` (Kolmogorov). After half of the
sets a jump that biases the estimate by z of its standard errors moves the sums by z of theirs: no test of a known parameter and time does
better.

*Walks.* With :math:`c_j(t) = \sqrt 2 \cos(\pi j t)`, in which a bridge has independent coefficients :math:`\xi_j = \sum_k c_j(k/N) s_k`,

.. math:: Q = \sum_j \frac{\lambda^2}{\lambda^2 + \pi^2 j^2}\,\xi_j' M^{-1} \xi_j

is the likelihood ratio of a random walk that goes :math:`\lambda` standard errors far during the sets (the statistic of Nyblom 1989 is its
limit for small ones). Its tail is that of squares of normal variables with the covariance of the :math:`\xi`.

For a likelihood with other unknowns besides the parameters, s are the scores of all of them and :math:`K = M(\tau) M(N)^{-1}`: what the others
explain of a parameter's score may be more at one time than at another. Then both tests look at what is left for the parameters only.

Scores are cut, so that a few wild sets make no change. Where they have memory
that no change explains, their sums are longer by what must be estimated, and a walk looks like it: then only jumps that are certain count.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import NamedTuple, Self

import numpy as np

from vieta.arrays import Floats, Integers, product
from vieta.long_run import Remembered
from vieta.sets import Data
from vieta.sums import Passes, Sums
from vieta.tails import squares_tail
from vieta.weighted.score_errors import Basis
from vieta.weighted.solve import Fit, block_scores
from vieta.weighted.sum_regression import as_matrices

ENOUGH = 50  # sets below which nothing is tested
BEFORE_AND_AFTER = 10  # sets on either side of a change
FEWEST = 10.0  # sets beyond the numbers that are estimated
EXTREME = 8.0  # times its usual size: a score that large says little about a change, and is cut to this
JUMPS, WALKS = 0.003, 0.002  # false alarms of either test, in each fit
CERTAIN = 1e-5
WITH_MEMORY = 1e-8  # of jumps, where scores have memory that must be estimated
STRETCHES = 64  # of time, at the most
SETS_A_STRETCH = 8
FAR = 6.0  # standard errors that a walk goes
WAVES = 12  # at the most, and
NUMBERS = 200  # coefficients of all scores


class Change(NamedTuple):
    """A change: most clearly after `after` sets; `jumps` and `walks` are the probabilities of what is seen where there is none."""

    after: int
    jumps: float
    walks: float


@dataclass(frozen=True, slots=True, eq=False)
class Stretches(Sums):
    """By stretches of time: numbers of sets (B,), sums of scores (B, m), of their outer products (B, m, m), and of the inputs' (B, D, D)."""

    count: Floats
    score: Floats
    outer: Floats
    inputs: Floats

    @classmethod
    def of(cls, steps: Floats, psi: Floats, place: Integers, count: int) -> Self:
        """Those of scores (n, m) and inputs (n, p, D) that belong to the stretches `place` (n,), ascending, of `count`."""
        m, D = steps.shape[1], psi.shape[2]
        edges = np.searchsorted(place, np.arange(count + 1))
        sizes = np.diff(edges).astype(np.float64)
        found = cls(sizes, np.zeros((count, m)), np.zeros((count, m, m)), np.zeros((count, D, D)))
        for b in np.flatnonzero(sizes):
            some = slice(edges[b], edges[b + 1])
            rows = psi[some].reshape(-1, D)
            found.score[b], found.outer[b], found.inputs[b] = (
                steps[some].sum(axis=0),
                product(steps[some].T, steps[some]),
                product(rows.T, rows),
            )
        return found

    def covariance(self, growth: Floats) -> Floats:
        """(B, m, m) of the sums of scores: about the mean of each stretch, which a change moves; memory makes it larger by `growth` (m,)."""
        centred = self.outer - self.score[:, :, None] * self.score[:, None, :] / self.count[:, None, None]
        return np.asarray(centred * (self.count / (self.count - 1.0))[:, None, None] * growth[:, None] * growth)


@dataclass(frozen=True, slots=True, eq=False)
class Scored:
    """What the tests need of an estimate from N sets.

    Attributes
    ----------
    n_sets : int
        N.
    outer : (n, n)
        The sum of s s' of the scores.
    information : (L D, L D)
        That of the parameters.
    basis : Basis
        Its memory.
    is_likelihood : bool
        Whether s are the scores of everything that was estimated, the parameters first, and their products its information.
    """

    n_sets: int
    outer: Floats
    information: Floats
    basis: Basis
    is_likelihood: bool = False


@dataclass(frozen=True, slots=True, eq=False)
class _Steps:
    """How the scores of an estimate are made steps (n, m): whitened by W (n, m) of their covariance M, and cut.

    Only what is left of them along `onto` (m, r) is tested: the space of the parameters, orthonormal.
    """

    fit: Scored
    score: Callable[[Data], Floats]
    whiten: Floats
    longest: float
    onto: Floats

    def __call__(self, block: Data) -> Floats:
        return cut(product(self.score(block), self.whiten), self.longest)

    def tested(self, block: Data) -> Floats:
        """(n, r) those of the parameters."""
        return np.asarray(self(block) @ self.onto)

    @property
    def towards(self) -> Floats:
        """(m, L D) the direction, of length one, in which a jump of each parameter moves them."""
        H = self.fit.information
        rows = self.whiten[: len(H)].T @ H
        return np.asarray(rows / np.maximum(np.linalg.norm(rows, axis=0), 1e-300))

    @property
    def lost(self) -> float:
        """What variances lose by shares M(τ)M(N)⁻¹ of m scores that vary by chance: their square is larger than it should be by (m + 1)/N."""
        N, m = self.fit.n_sets, self.whiten.shape[1]
        return N / max(N - m - 1.0, FEWEST) if self.fit.is_likelihood else 1.0

    def arrived(self, weights: Floats, seen: Stretches, M: Floats) -> Floats:
        """(J, m, m) shares of the information in sums over stretches with weights (J, B); M (B, m, m) is their scores' covariance."""
        if self.fit.is_likelihood:
            return np.asarray(np.einsum("jb,bmn->jmn", weights, M) @ np.linalg.pinv(M.sum(axis=0), hermitian=True))
        parts = np.einsum("jb,bde->jde", weights, seen.inputs)
        return self._of_inputs(parts @ np.linalg.pinv(seen.inputs.sum(axis=0), hermitian=True))

    def _of_inputs(self, share: Floats) -> Floats:
        """(.., m, m) shares of the inputs' information (.., D, D) as they are for steps: W'(I ⊗ share)MW."""
        scaled = self.whiten.T.reshape(self.whiten.shape[1], -1, share.shape[-1]) @ share[..., None, :, :]
        flat = scaled.reshape(*share.shape[:-2], self.whiten.shape[1], -1)
        return np.asarray(flat @ (self.fit.outer @ self.whiten))


def steps_of(found: Scored, score: Callable[[Data], Floats]) -> _Steps:
    """The steps of the scores (n, L D) that `score` gives for the sets of a block."""
    values, vectors = np.linalg.eigh(found.outer)
    usable = values > 1e-10 * values[-1]
    whiten = vectors[:, usable] / np.sqrt(values[usable])
    onto = np.linalg.qr(whiten[: len(found.information)].T)[0] if found.is_likelihood else np.eye(whiten.shape[1])
    return _Steps(found, score, whiten, float(EXTREME * np.sqrt(usable.sum() / found.n_sets)), onto)


def change_point(passes: Passes, found: Fit) -> Change | None:
    """A change of the parameters, if either test finds one, or if it is so large that it drowns the noise."""
    scored = Scored(found.n_sets, found.outer, found.information, found.basis)
    return change_of_scores(passes, scored, lambda block: block_scores(block, found))


def change_of_scores(passes: Passes, found: Scored, score: Callable[[Data], Floats]) -> Change | None:
    """The same for any estimate, by the scores (n, L D) of its sets."""
    N = found.n_sets
    if N < ENOUGH:
        return None
    steps, count = steps_of(found, score), int(np.clip(N // SETS_A_STRETCH, 1, STRETCHES))
    seen = passes.total(lambda block, before: _stretches(block, before, steps, count, N))
    ones = np.ones(seen.score.shape[1])
    jumps, walks = jump_probability(seen, steps, N, ones), walk_probability(seen, steps, ones)
    if jumps > JUMPS and walks > WALKS:
        return None
    return _judged(passes, seen, steps, jumps, walks) or _large_change(passes, seen, steps)


def _judged(passes: Passes, seen: Stretches, steps: _Steps, jumps: float, walks: float) -> Change | None:
    """What both tests found, if memory does not explain it."""
    found, N = steps.fit, steps.fit.n_sets
    where = dated(passes, seen, steps, N)
    if not found.basis.has_memory:
        return Change(where, jumps, walks)
    growth = growths(passes, steps, where, N)
    if np.all(growth == 1.0):  # the change alone made them alike
        return Change(where, jumps, walks)
    jumps = jump_probability(seen, steps, N, growth)
    return Change(where, jumps, 1.0) if jumps < WITH_MEMORY else None


def _large_change(passes: Passes, seen: Stretches, steps: _Steps) -> Change | None:
    r"""A change that makes up most of the spread of the scores, so that its own stretch of time hides it from the test of jumps.

    Along each whitened score the sums are compared with :math:`2 e^{-2x^2}` in units of the whole spread, the change included; memory, if
    there is any, is that which is left on both sides of it.
    """
    found, N, onto = steps.fit, steps.fit.n_sets, steps.onto
    m = onto.shape[1]
    after = _ends(len(seen.score), N)
    inner = _inner(after, N)
    if not inner.any():
        return None
    mean = seen.score.sum(axis=0) @ onto / N
    unit = np.sqrt(np.maximum(np.diag(onto.T @ seen.outer.sum(axis=0) @ onto) - N * mean**2, 1e-300))
    sums = (np.cumsum(seen.score @ onto, axis=0)[:-1] - after[:, None] * mean) * inner[:, None] / unit
    far = abs(sums).max(axis=0)
    b, direction = int(abs(sums).max(axis=1).argmax()), np.zeros((m, 1))
    direction[far.argmax()] = np.sign(sums[b, far.argmax()])
    where = _to_the_set(passes, b, after, mean, direction, steps)
    growth = growths(passes, steps.tested, where, N) if found.basis.has_memory else np.ones(m)
    p = min(float(2.0 * m * np.exp(-2.0 * (far / growth).max() ** 2)), 1.0)
    return Change(where, p, 1.0) if p < CERTAIN else None


def surely_changed(passes: Passes, found: Fit) -> bool:
    """Whether there is a change that chance makes in one of 100,000 fits."""
    change = change_point(passes, found)
    return change is not None and min(change.jumps, change.walks) < CERTAIN


def _stretches(block: Data, before: int, steps: _Steps, count: int, n_sets: int) -> Stretches:
    place = np.arange(before, before + len(block)) * count // n_sets
    return Stretches.of(steps(block), as_matrices(block), place, count)


def bridges(seen: Stretches, steps: _Steps, growth: Floats) -> tuple[Floats, Floats]:
    """(B - 1, m) sums along the direction of each parameter up to the end of each stretch but the last, and their variances."""
    of_stretch = seen.covariance(growth)
    S, M = (np.cumsum(part, axis=0) for part in (seen.score, of_stretch))
    K = steps.arrived(np.tri(len(S) - 1, len(S)), seen, of_stretch)
    mixed = K @ M[:-1]
    cov = M[:-1] - mixed - np.swapaxes(mixed, 1, 2) + K @ M[-1] @ np.swapaxes(K, 1, 2)
    R = steps.towards
    return (S[:-1] - K @ S[-1]) @ R, np.einsum("mi,bmn,ni->bi", R, cov, R, optimize=True) * steps.lost


def jump_probability(seen: Stretches, steps: _Steps, n_sets: int, growth: Floats) -> float:
    """How probable sums as long as the longest, of all parameters, would be without a jump."""
    sums, variances = bridges(seen, steps, growth)
    count, D = len(seen.score), seen.inputs.shape[1]
    inner = _inner(_ends(count, n_sets), n_sets)
    if not inner.any():
        return 1.0
    far = abs(sums[inner]).max(axis=0) / np.maximum(2.0 * np.sqrt(np.maximum(variances, 0.0).max(axis=0)), 1e-300)
    return min(float(2.0 * far.size * D * np.exp(-2.0 * far.max() ** 2)), 1.0)


def walk_probability(seen: Stretches, steps: _Steps, growth: Floats) -> float:
    """How probable a Q as large would be without a walk."""
    count, r, onto = len(seen.score), steps.onto.shape[1], steps.onto
    waves = min(WAVES, count // 3, NUMBERS // r)
    if waves < 1:
        return 1.0
    j = np.arange(1, waves + 1)[:, None]
    c = np.sqrt(2.0) * np.cos(np.pi * j * (np.arange(count) + 0.5) / count)
    roots = FAR / np.sqrt(FAR**2 + (np.pi * j[:, 0]) ** 2)
    M = seen.covariance(growth)
    K = steps.arrived(c, seen, M)
    coefficients = ((c @ seen.score - K @ seen.score.sum(axis=0)) / growth @ onto) * roots[:, None]
    unit = onto / growth[:, None]
    cov = np.einsum("imjn,mr,ns->irjs", _covariance(c, K, M), unit, unit, optimize=True)
    cov = cov * (roots[:, None, None, None] * roots[:, None]) * steps.lost
    weights = np.linalg.eigvalsh(cov.reshape(waves * r, waves * r))
    return squares_tail(weights[weights > 1e-9 * weights[-1]], float((coefficients**2).sum()))


def _covariance(c: Floats, K: Floats, M: Floats) -> Floats:
    """(J, m, J, m) of sums of (c_j(b) - K_j) s_b, s_b having covariance M_b."""
    both = np.einsum("ib,jb,bmn->imjn", c, c, M, optimize=True)
    mixed = np.einsum("imn,jnp->imjp", K, np.einsum("jb,bmn->jmn", c, M))
    total = np.einsum("imn,np,jqp->imjq", K, M.sum(axis=0), K, optimize=True)
    return np.asarray(both - mixed - mixed.transpose(2, 3, 0, 1) + total)


def dated(passes: Passes, seen: Stretches, steps: _Steps, n_sets: int) -> int:
    r"""After how many sets the sums of the scores, in units of :math:`\sqrt{t (1 - t)}`, are farthest from zero.

    First among the ends of the stretches, then, in a pass of its own, among the sets of the two on either side of it.
    """
    sums, _ = bridges(seen, steps, np.ones(seen.score.shape[1]))
    after = _ends(len(seen.score), n_sets)
    t = after / n_sets
    far = np.where(_inner(after, n_sets)[:, None], abs(sums) / np.sqrt(t * (1.0 - t))[:, None], -1.0)
    b = int(far.max(axis=1).argmax())
    mean = seen.score.sum(axis=0) @ steps.onto / n_sets
    towards = (seen.score[: b + 1].sum(axis=0) @ steps.onto - after[b] * mean)[:, None]
    return _to_the_set(passes, b, after, mean, towards, steps)


def _to_the_set(passes: Passes, b: int, after: Integers, mean: Floats, towards: Floats, steps: _Steps) -> int:
    """Where the sums of tested steps about their mean (r,), along `towards` (r, 1), are farthest, near the end of stretch b."""
    n_sets = steps.fit.n_sets
    edges = np.concatenate([[0], after, [n_sets]])
    first, last = max(int(edges[b]), BEFORE_AND_AFTER), min(int(edges[b + 2]), n_sets - BEFORE_AND_AFTER)
    walk = passes.total(lambda block, before: Walk.of((steps.tested(block) - mean) @ towards, before, first, last))
    return walk.after


def _ends(count: int, n_sets: int) -> Integers:
    """(B - 1,) how many sets the stretches up to each one but the last have."""
    return np.asarray(-(-np.arange(1, count) * n_sets // count))


def _inner(after: Integers, n_sets: int) -> Integers:
    """Which of them have enough sets on either side."""
    return np.asarray((after >= BEFORE_AND_AFTER) & (after <= n_sets - BEFORE_AND_AFTER))


def growths(passes: Passes, steps: Callable[[Data], Floats], after: int, n_sets: int) -> Floats:
    """(m,) by what memory makes the walks of steps (n, m) longer, where a change after so many sets is not what makes them alike."""

    def sides(block: Data, before: int) -> Floats:
        rows, first = steps(block), max(after - before, 0)
        return np.stack([rows[:first].sum(axis=0), rows[first:].sum(axis=0)])

    means = passes.total(sides) / np.array([[after], [n_sets - after]])

    def remainder(block: Data, before: int) -> Remembered:
        late = (np.arange(before, before + len(block)) >= after).astype(np.int64)
        return Remembered.of(steps(block) - means[late])

    return passes.total(remainder).growth


def cut(steps: Floats, longest: float) -> Floats:
    """Steps (n, m), none longer than `longest`."""
    length = np.linalg.norm(steps, axis=1)
    return np.asarray(steps * np.minimum(1.0, longest / np.maximum(length, 1e-300))[:, None])


@dataclass(frozen=True, slots=True, eq=False)
class Walk:
    """Steps added up in time, and where they get farthest; two walks join, the earlier one first.

    Attributes
    ----------
    end : float
        Where the sum ends.
    top : float
        Its largest value among those that count.
    after : int
        After how many sets it has it.
    """

    end: float
    top: float
    after: int

    @classmethod
    def of(cls, steps: Floats, before: int, first: int, last: int) -> Self:
        """Steps (n, 1) of a block that `before` sets precede; what counts is the sum after `first` to `last` sets."""
        path = np.cumsum(steps[:, 0])
        end = float(path[-1]) if len(path) else 0.0
        low, high = max(first - before - 1, 0), last - before
        counted = path[low : max(high, 0)]
        if not len(counted):
            return cls(end, -np.inf, first)
        return cls(end, float(counted.max()), before + low + 1 + int(counted.argmax()))

    def __add__(self, other: Self, /) -> Self:
        reached = self.end + other.top
        later = reached > self.top
        return type(self)(self.end + other.end, reached if later else self.top, other.after if later else self.after)
