"""Which inputs can tell which values belong to one system: against the definition, by brute force."""

from itertools import combinations

import numpy as np
import pytest
from numpy.testing import assert_allclose

import vieta
from vieta.errors import NotIdentifiableError
from vieta.pairing import Reach, as_row, groups, require_pairing
from vieta.sets import as_data
from vieta.sums import in_memory


def passes(rows, n_systems=2, blocks=1):
    rows = np.asarray(rows, dtype=float)
    sets = np.zeros((len(rows), n_systems) if rows.ndim == 2 else (len(rows), n_systems, rows.shape[1]))
    return in_memory(as_data(sets, rows), blocks)


def splits(rows):
    """Whether some of the rows span a space that is independent of what the others span: the definition, over all subsets."""
    rows = [row for row in np.asarray(rows, dtype=float) if np.any(row)]
    rank = np.linalg.matrix_rank(rows)
    indices = set(range(len(rows)))
    for size in range(1, len(rows)):
        for chosen in combinations(range(len(rows)), size):
            others = sorted(indices - set(chosen))
            parts = [np.linalg.matrix_rank(np.array(rows)[list(one)]) for one in (chosen, others)]
            if sum(parts) == rank and 0 < parts[0] < rank:
                return True
    return False


DESIGNS = {
    "binary": ([[1, 0], [1, 1]], 2),
    "three levels": ([[1, 0], [1, 1], [1, 2]], 1),
    "one-hot": (np.eye(3), 3),
    "one-hot, scaled": ([[1, 0, 0], [-2, 0, 0], [0, 3, 0], [0, 0, 1]], 3),
    "groups with a covariate": ([[1, 0, 0.3], [1, 0, -1], [0, 1, 0.2], [0, 1, 2]], 1),
    "two lines apart": ([[1, 0, 0, 0], [1, 2, 0, 0], [1, 3, 0, 0], [0, 0, 1, 1], [0, 0, 1, 2], [0, 0, 1, 5]], 2),
    "season": ([[1, np.cos(k), np.sin(k)] for k in range(12)], 1),
}


@pytest.mark.parametrize("name", DESIGNS)
def test_designs(name):
    rows, count = DESIGNS[name]
    assert groups(passes(rows)).count == count
    assert splits(rows) == (count > 1)


@pytest.mark.parametrize("seed", range(40))
def test_sparse_designs_against_all_subsets(seed):
    rng = np.random.default_rng(seed)
    D = int(rng.integers(2, 5))
    rows = rng.integers(-1, 2, size=(int(rng.integers(D, 8)), D)) * (rng.random((1, D)) + 0.5)
    if np.linalg.matrix_rank(rows) == D:
        assert (groups(passes(rows)).count > 1) == splits(rows)


@pytest.mark.parametrize("seed", range(10))
@pytest.mark.parametrize("name", DESIGNS)
def test_several_blocks_are_one(name, seed):
    rng = np.random.default_rng(seed)
    rows, count = DESIGNS[name]
    drawn = np.asarray(rows, dtype=float)[np.concatenate([rng.permutation(len(rows)), rng.integers(0, len(rows), 30)])]
    drawn *= rng.choice([-1.0, 2.0], size=(len(drawn), 1))
    reach = passes(drawn, blocks=5).total(lambda block, _: Reach.of(block.inputs))
    assert reach.groups.count == count
    assert len(reach.psi) <= 2 * drawn.shape[1]


def test_a_late_set_connects():
    rows = np.tile([[1.0, 0.0], [1.0, 1.0]], (2000, 1))
    assert groups(passes(rows)).count == 2
    rows[-1] = [1.0, 2.0]
    assert groups(passes(rows, blocks=3)).count == 1


def test_the_size_of_a_row_does_not_matter():
    """Three levels of b, the third of which comes with inputs a billion times smaller."""
    rows = np.tile([[1.0, 0.0], [1.0, 1.0], [1e-9, 2e-9]], (10, 1))
    assert groups(passes(rows)).count == 1
    rows[2::3] = [1e-9, 1e-9]  # the control
    assert groups(passes(rows)).count == 2


@pytest.mark.parametrize("seed", range(5))
@pytest.mark.parametrize("n", [20, 1000])
def test_heavy_tailed_inputs_pair(n, seed):
    x = np.random.default_rng(seed).standard_cauchy(size=n)
    assert groups(passes(np.stack([np.ones(n), x], axis=1))).count == 1


def test_vectors_are_read_together():
    both = np.stack([np.eye(2), np.eye(2)])
    assert groups(passes(both)).count == 1
    apart = np.array([np.diag([1.0, 0.0]), np.diag([0.0, 1.0])])
    assert groups(passes(apart)).count == 2


def test_no_question_where_readings_tell_all():
    for sets, inputs in (([[1.0, 2.0]], None), ([[1.0, 2.0]], [3.0]), ([[1.0]], [[1.0, 2.0]])):
        data = in_memory(as_data(sets, inputs))
        assert groups(data) is None
        require_pairing(data)


@pytest.mark.parametrize("method", ["efficient", "least-squares", "em", "one-step", "lms", "rls", "averaged"])
def test_every_method_refuses_in_the_same_words(method):
    rng = np.random.default_rng(0)
    b = rng.integers(0, 2, size=200)
    sets = np.stack([b, 2 - 0.5 * b, 4 + 3 * b], axis=1) + 0.1 * rng.normal(size=(200, 3))
    options = (
        {"step": 0.01} if method in ("lms", "averaged") else {"law": "gaussian"} if method in ("em", "one-step") else {}
    )
    with pytest.raises(
        NotIdentifiableError, match=r"fall into 2 groups, with rows such as \[1, 0\] and \[1, 1\].*vieta.fit_groups"
    ) as told:
        vieta.fit(sets, np.stack([np.ones(200), b], axis=1), method=method, **options)
    assert told.value.code == "pairing-not-identified"


def test_rows_are_shown_briefly():
    assert as_row(np.array([1.0, 1 / 3])) == "[1, 0.3333]"
    assert as_row(np.arange(20.0)) == "[0, 1, 2, 3, 4, 5, 6, 7, ..]"


def test_coordinates_give_rows_back():
    rows = np.array([[1.0, 0.0, 2.0], [0.0, 1.0, 1.0], [1.0, 1.0, 3.0]])
    found = groups(passes(rows))
    assert_allclose(found.coordinates(rows) @ found.basis, rows, atol=1e-12)
