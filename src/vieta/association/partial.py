r"""Who is who in a set with missed and false readings: the sum over all partial assignments, and its marginals.

With weights :math:`A_{il}` of reading i as one of system l, :math:`A_{i0}` as a false one, and :math:`q_l` of a system that was missed, a set
of n readings has the weight

.. math:: Z = \sum_M \prod_{(i,l) \in M} A_{il} \prod_{i \notin M} A_{i0} \prod_{l \notin M} q_l ,

M over all partial matchings of readings and systems. Readings are placed one after another; the state is the set S of systems that have a
reading, as far as it still matters:

.. math:: F_{i+1}[S] = F_i[S]\,A_{i0} + \sum_{l \in S} F_i[S \setminus l]\,A_{il} ,

and a system that no later reading can belong to is closed: states without it are multiplied by :math:`q_l`, and it leaves S. All terms
are positive, O(n L 2^w) where w systems are open at a time. Backward sums of the same form give the marginals :math:`P_{il}`.

A pair is left out where :math:`A_{il} < \delta A_{i0} q_l`, which bounds its probability by :math:`\delta` (`IMPOSSIBLE`): readings and systems
that are far apart do not meet, and groups of them factor.
Where many states are left, of up to eleven systems, all subsets of them are gone through instead, with inner loops over contiguous memory.
Where more than `kept` states are left (1024 take more than ten systems within reach of each other), the sum is not computed but
approximated by belief propagation (Williams and Lau 2014), with odds :math:`r_{il} = A_{il}/(A_{i0} q_l)`:

.. math:: \mu_{il} = \frac{r_{il}}{1 + \sum_{j \ne i} r_{jl} \nu_{jl}}, \quad \nu_{il} = \frac{1}{1 + \sum_{k \ne l} \mu_{ik}}, \quad
    P_{il} = \frac{r_{il} \nu_{il}}{1 + \sum_j r_{jl} \nu_{jl}}, \quad
    \log Z \approx \sum_l \log\bigl(1 + \sum_j r_{jl} \nu_{jl}\bigr) + \sum_i \log\bigl(1 + \sum_l \mu_{il}\bigr)
    - \sum_{il} \log(1 + \mu_{il} \nu_{il}) + \sum_i \log A_{i0} + \sum_l \log q_l ,

exact where the pairs that are possible have no cycle.

This module imports numba and is imported where it is needed only.
"""

import numpy as np

from vieta.arrays import Floats, Integers
from vieta.compiled import compile_now, inlined

IMPOSSIBLE = np.log(1e-9)  # logarithm of the probability of a pair that is left out
NEGLIGIBLE = np.log(
    1e-10
)  # logarithm of the weight of a state beside the largest, below which it is left out, over what may favour it later
ROUNDS = 200  # of belief propagation, at the most
SETTLED = 1e-10  # change of a message that ends it
MANY = 160  # states, from which on all subsets of a few systems are gone through instead
DENSE = 11  # systems that are few enough for that
DIRECT = 12  # systems whose sets are their own places in the table
TABLE = 14  # its size for more, as a power of two

Work = tuple[
    Floats, Integers, Integers, Integers, Integers, Integers, Integers, Integers, Floats, Floats, Integers, Integers, Integers, Floats,
    Floats, Floats,
]  # fmt: skip


@compile_now
def partial_workspace(n: int, L: int) -> Work:
    """Scratch arrays for sets of up to n readings and L systems."""
    size = 1 << (L if L <= DIRECT else TABLE)
    dense = 1 << min(L, DENSE)
    return (
        np.empty((n, L + 1)),  # weights of a reading's pairs, that of false readings after the last pair
        np.empty((n, L + 1), np.int64),  # bits of their systems; zero for false readings
        np.empty((n, L), np.int64),  # their systems
        np.empty(n, np.int64),  # how many pairs
        np.empty((n, L), np.int64),  # systems that are closed after a reading
        np.empty(n, np.int64),  # how many
        np.empty(n, np.int64),  # all of them, as bits
        np.empty((n + 1) * size, np.int64),  # states
        np.empty((n + 1) * size),  # F
        np.empty((2, size)),  # B of two layers
        np.empty(n + 2, np.int64),  # where layers begin
        np.full(size, -1, np.int64),  # table of the present layer: places
        np.empty(size, np.int64),  # the slots that are filled
        np.empty(L),  # q
        np.empty((n + 1, dense)),  # F and B of all subsets
        np.empty((2, dense)),
    )


@inlined
def slot_of(S: int, keys: Integers, first: int, table: Integers, direct: bool) -> int:
    """The slot of a state in the table: where it is, or the empty one where it may be put."""
    if direct:
        return S
    mask = table.shape[0] - 1
    at = (S ^ (S >> 13) ^ (S >> 27)) & mask
    while table[at] >= 0 and keys[first + table[at]] != S:
        at = (at + 1) & mask
    return int(at)


@inlined
def prepare(log_weights: Floats, log_clutter: Floats, log_missed: Floats, P: Floats, work: Work) -> tuple[float, float]:
    """Fill the weights of pairs that are not impossible, scaled by each reading's largest, and after which reading each system is closed.

    Returns the logarithm of what was scaled out, and of the largest odds of a pair against a false and a missed reading.
    """
    A, bits, systems, counts, closed, n_closed, closing, _, _, _, _, _, _, q, _, _ = work
    n, L = log_weights.shape
    total, odds = 0.0, 0.0
    for i in range(n):
        top, c = log_clutter[i], 0
        for l in range(L):
            P[i, l] = 0.0
            over = log_weights[i, l] - log_clutter[i] - log_missed[l]
            if over > IMPOSSIBLE:
                bits[i, c], systems[i, c] = 1 << l, l
                A[i, c] = log_weights[i, l]
                top = max(top, log_weights[i, l])
                odds = max(odds, over)
                c += 1
        counts[i] = c
        A[i, c], bits[i, c] = log_clutter[i], 0
        for j in range(c + 1):
            A[i, j] = np.exp(A[i, j] - top)
        total += top
        n_closed[i] = closing[i] = 0
    for l in range(L):
        q[l] = np.exp(log_missed[l])
        at = -1
        for i in range(n - 1, -1, -1):
            if log_weights[i, l] - log_clutter[i] - log_missed[l] > IMPOSSIBLE:
                at = i
                break
        if at < 0:
            total += log_missed[l]
        else:
            closed[at, n_closed[at]] = l
            n_closed[at] += 1
            closing[at] |= 1 << l
    return total, odds


@inlined
def thinned(keys: Integers, F: Floats, first: int, count: int, largest: float, limit: float) -> int:
    """Divide the weights of a layer by the largest, leave out states of little weight, and return how many are left."""
    for s in range(first, first + count):
        F[s] /= largest
    left = 0
    for s in range(first, first + count):
        if F[s] >= limit:
            F[first + left] = F[s]
            keys[first + left] = keys[s]
            left += 1
    return left


@compile_now
def propagate(log_weights: Floats, log_clutter: Floats, log_missed: Floats, P: Floats) -> float:
    """Fill the probabilities (n, L) of pairs in one set by belief propagation, and return about log Z."""
    n, L = log_weights.shape
    r, nu, mu = np.empty((n, L)), np.ones((n, L)), np.empty((n, L))
    sums = np.empty(L)
    for i in range(n):
        for l in range(L):
            over = log_weights[i, l] - log_clutter[i] - log_missed[l]
            r[i, l] = np.exp(min(over, 500.0)) if over > IMPOSSIBLE else 0.0
    for _ in range(ROUNDS):
        change = 0.0
        for l in range(L):
            sums[l] = 0.0
            for i in range(n):
                sums[l] += r[i, l] * nu[i, l]
        for i in range(n):
            total = 0.0
            for l in range(L):
                mu[i, l] = r[i, l] / (1.0 + max(sums[l] - r[i, l] * nu[i, l], 0.0))
                total += mu[i, l]
            for l in range(L):
                t = 1.0 / (1.0 + max(total - mu[i, l], 0.0))
                change = max(change, abs(t - nu[i, l]))
                nu[i, l] = t
        if change < SETTLED:
            break
    log = 0.0
    for l in range(L):
        sums[l] = 0.0
        for i in range(n):
            sums[l] += r[i, l] * nu[i, l]
        log += np.log1p(sums[l]) + log_missed[l]
    for i in range(n):
        total = 0.0
        for l in range(L):
            P[i, l] = r[i, l] * nu[i, l] / (1.0 + sums[l])
            total += mu[i, l]
            log -= np.log1p(mu[i, l] * nu[i, l])
        log += np.log1p(total) + log_clutter[i]
    return log


@inlined
def forward(n: int, L: int, limit: float, kept: int, work: Work) -> float:
    """Fill states and F, layer by layer; returns the logarithm of Z over what was scaled out before, NaN if there are too many states."""
    A, bits, _, counts, closed, n_closed, closing, keys, F, _, begins, table, slots, q, _, _ = work
    direct, total = L <= DIRECT, 0.0
    begins[0], begins[1] = 0, 1
    keys[0], F[0] = 0, 1.0
    for i in range(n):
        end, count = begins[i + 1], 0
        for s in range(begins[i], end):
            for j in range(counts[i] + 1):
                S, f = keys[s], F[s] * A[i, j]
                if S & bits[i, j]:
                    continue
                S |= bits[i, j]
                for c in range(n_closed[i]):
                    if not S >> closed[i, c] & 1:
                        f *= q[closed[i, c]]
                S &= ~closing[i]
                at = slot_of(S, keys, end, table, direct)
                if table[at] >= 0:
                    F[end + table[at]] += f
                elif direct or count < table.shape[0] // 2:
                    table[at], slots[count] = count, at
                    keys[end + count], F[end + count] = S, f
                    count += 1
        largest = 0.0
        for s in range(count):
            table[slots[s]] = -1
            largest = max(largest, F[end + s])
        total += np.log(largest)
        left = thinned(keys, F, end, count, largest, limit)
        if left > kept:
            return np.nan
        begins[i + 2] = end + left
    return total


@inlined
def backward(n: int, L: int, P: Floats, work: Work) -> None:
    """Fill the probabilities of pairs, which were zero, by the backward sums."""
    A, bits, systems, counts, closed, n_closed, closing, keys, F, B, begins, table, slots, q, _, _ = work
    direct = L <= DIRECT
    B[n & 1, 0] = 1.0
    for i in range(n - 1, -1, -1):
        first, end, after = begins[i], begins[i + 1], begins[i + 2]
        here, there = B[i & 1], B[(i + 1) & 1]
        for s in range(end, after):
            slots[s - end] = slot_of(keys[s], keys, end, table, direct)
            table[slots[s - end]] = s - end
        norm = 0.0
        for s in range(first, end):
            b = 0.0
            for j in range(counts[i] + 1):
                S, f = keys[s], A[i, j]
                if S & bits[i, j]:
                    continue
                S |= bits[i, j]
                for c in range(n_closed[i]):
                    if not S >> closed[i, c] & 1:
                        f *= q[closed[i, c]]
                at = slot_of(S & ~closing[i], keys, end, table, direct)
                if table[at] >= 0:
                    f *= there[table[at]]
                    b += f
                    if j < counts[i]:
                        P[i, systems[i, j]] += F[s] * f
            here[s - first] = b
            norm += F[s] * b
        for s in range(after - end):
            table[slots[s]] = -1
        for l in range(L):
            P[i, l] /= norm
        for s in range(end - first):
            here[s] /= norm


@inlined
def spread_forward(source: Floats, target: Floats, bit: int, weight: float) -> None:
    """Add to each state with a bit what the state without it has, times a weight."""
    for block in range(0, source.shape[0], 2 * bit):
        for S in range(block, block + bit):
            target[S + bit] += source[S] * weight


@inlined
def spread_backward(source: Floats, target: Floats, bit: int, weight: float) -> None:
    """Add to each state without a bit what the state with it has, times a weight."""
    for block in range(0, source.shape[0], 2 * bit):
        for S in range(block, block + bit):
            target[S] += source[S + bit] * weight


@inlined
def meeting(F: Floats, B: Floats, bit: int) -> float:
    """Sum of F[S] B[S with the bit] over the states without it."""
    total = 0.0
    for block in range(0, F.shape[0], 2 * bit):
        for S in range(block, block + bit):
            total += F[S] * B[S + bit]
    return total


@compile_now
def associate_densely(n: int, L: int, P: Floats, work: Work, F: Floats, B: Floats) -> float:
    """Fill the probabilities of pairs, after `prepare`, by all subsets of the systems that have a pair; returns what `forward` does.

    `F` (n + 1, 2^DENSE) and `B` (2, 2^DENSE) are scratch.
    """
    A, _, systems, counts, closed, n_closed, _, _, _, _, _, _, _, q, _, _ = work
    place, g = np.empty(L, np.int64), 0
    for l in range(L):
        place[l] = -1
    for i in range(n):
        for c in range(n_closed[i]):
            place[closed[i, c]] = g
            g += 1
    size, total = 1 << g, 0.0
    for S in range(size):
        F[0, S] = 0.0
    F[0, 0] = 1.0
    for i in range(n):
        here, there = F[i, :size], F[i + 1, :size]
        clutter = A[i, counts[i]]
        for S in range(size):
            there[S] = here[S] * clutter
        for j in range(counts[i]):
            spread_forward(here, there, 1 << place[systems[i, j]], A[i, j])
        largest = 0.0
        for S in range(size):
            largest = max(largest, there[S])
        for S in range(size):
            there[S] /= largest
        total += np.log(largest)
    for S in range(size):
        B[n & 1, S] = 1.0
    for l in range(L):
        if place[l] >= 0:
            bit = 1 << place[l]
            for block in range(0, size, 2 * bit):
                for S in range(block, block + bit):
                    B[n & 1, S] *= q[l]
    Z = 0.0
    for S in range(size):
        Z += F[n, S] * B[n & 1, S]
    total += np.log(Z)
    for S in range(size):
        B[n & 1, S] /= Z
    for i in range(n - 1, -1, -1):
        here, there, before = B[i & 1, :size], B[(i + 1) & 1, :size], F[i, :size]
        clutter, norm = A[i, counts[i]], 0.0
        for S in range(size):
            here[S] = there[S] * clutter
        for j in range(counts[i]):
            bit = 1 << place[systems[i, j]]
            spread_backward(there, here, bit, A[i, j])
            P[i, systems[i, j]] = A[i, j] * meeting(before, there, bit)
        for S in range(size):
            norm += before[S] * here[S]
        for S in range(size):
            here[S] /= norm
        for j in range(counts[i]):
            P[i, systems[i, j]] /= norm
    return float(total)


@compile_now
def associate_partially(
    log_weights: Floats, log_clutter: Floats, log_missed: Floats, kept: int, P: Floats, work: Work
) -> float:
    """Fill the probabilities (n, L) of pairs in one set, and return log Z.

    `log_weights` (n, L), `log_clutter` (n,) and `log_missed` (L,) must be finite, but for weights of minus infinity.
    """
    n, L = log_weights.shape
    scaled, odds = prepare(log_weights, log_clutter, log_missed, P, work)
    reached = 0
    for i in range(n):
        reached += work[5][i]
    few = reached <= DENSE
    log = forward(n, L, np.exp(NEGLIGIBLE - 1.5 * odds), MANY if few else kept, work)
    if not np.isnan(log):
        backward(n, L, P, work)
        return scaled + log
    if few:
        return scaled + associate_densely(n, L, P, work, work[14], work[15])
    return propagate(log_weights, log_clutter, log_missed, P)


@compile_now
def associate_sets(
    log_weights: Floats, log_clutter: Floats, log_missed: Floats, offsets: Integers, kept: int, logs: Floats, P: Floats
) -> None:
    """Fill log Z (N,) and the probabilities (R, L) of pairs, for many sets; arguments as in `associate_partially`, sets by `offsets`."""
    most = 0
    for k in range(len(offsets) - 1):
        most = max(most, offsets[k + 1] - offsets[k])
    work = partial_workspace(most, log_weights.shape[1])
    for k in range(len(offsets) - 1):
        a, b = offsets[k], offsets[k + 1]
        logs[k] = associate_partially(log_weights[a:b], log_clutter[a:b], log_missed, kept, P[a:b], work)
