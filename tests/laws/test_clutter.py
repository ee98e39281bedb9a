import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy.stats import kstest

from vieta.errors import InputError
from vieta.laws.clutter import Bunched, Following, Gaussian, Histogram, Nothing, Uniform

N = 20_000
SEEDS = range(3)
LAWS = [
    Uniform(2.0, -1.0, 3.0),
    Gaussian(0.5, 1.0, 2.0),
    Histogram(1.0, (0.0, 1.0, 4.0), (0.5, 0.5)),
    Following(1.0, 0.5),
    Bunched(2.0, 3.0),
]


def means(n=N, p=1, seed=0):
    return np.random.default_rng(seed).standard_normal((n, 3, p))


def drawn(law, seed, n=N, p=1):
    return law.draw(np.random.default_rng(seed), means(n, p, seed))


def test_nothing_is_nothing():
    counts, values = drawn(Nothing(), 0, p=2)
    assert counts.sum() == 0
    assert values.shape == (0, 2)


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize("law", LAWS, ids=lambda law: law.name)
def test_numbers_have_their_mean_and_variance(law, seed):
    counts, values = drawn(law, seed)
    spread = law.rate * getattr(law, "dispersion", 1.0)
    assert len(values) == counts.sum()
    assert abs(counts.mean() - law.rate) < 5 * np.sqrt(spread / N)
    fourth = np.mean((counts - law.rate) ** 4)
    assert abs(counts.var() - spread) < 5 * np.sqrt(fourth / N)


@pytest.mark.parametrize("seed", SEEDS)
def test_values_have_their_laws(seed):
    x = drawn(Uniform(2.0, -1.0, 3.0), seed)[1].ravel()
    assert kstest(x, "uniform", args=(-1.0, 4.0)).pvalue > 1e-4
    x = drawn(Gaussian(1.0, 1.0, 2.0), seed)[1].ravel()
    assert kstest(x, "norm", args=(1.0, 2.0)).pvalue > 1e-4
    x = drawn(Histogram(1.0, (0.0, 1.0, 4.0), (0.5, 0.5)), seed)[1].ravel()
    assert abs((x < 1.0).mean() - 0.5) < 5 * np.sqrt(0.25 / len(x))
    assert kstest(x[x > 1.0], "uniform", args=(1.0, 3.0)).pvalue > 1e-4
    assert kstest(x, "uniform", args=(0.0, 4.0)).pvalue < 1e-4  # the negative control


def test_following_clutter_depends_on_the_systems_and_others_do_not():
    for law, depends in ((Following(1.0, 0.5), True), (Gaussian(1.0), False)):
        counts, values = drawn(law, 1)
        middle = np.repeat(means(seed=1).mean(axis=1)[:, 0], counts)
        assert (abs(np.corrcoef(values[:, 0], middle)[0, 1]) > 0.5) == depends


@pytest.mark.parametrize("law", LAWS, ids=lambda law: law.name)
def test_a_longer_draw_begins_with_the_shorter(law):
    given = means(100, 2)
    (few, first), (many, all_) = (law.draw(np.random.default_rng(1), given[:n]) for n in (40, 100))
    assert_array_equal(few, many[:40])
    assert_allclose(first, all_[: len(first)])


@pytest.mark.parametrize(
    ("make", "code"),
    [
        (lambda: Uniform(-1.0), "clutter-rate"),
        (lambda: Uniform(1e9), "clutter-rate"),
        (lambda: Uniform(1.0, 3.0, 3.0), "range-empty"),
        (lambda: Histogram(1.0, (0.0, 1.0), (0.5, 0.5)), "histogram-shape"),
        (lambda: Histogram(1.0, (1.0, 0.0), (1.0,)), "histogram-shape"),
    ],
)
def test_settings_that_make_no_sense_are_refused(make, code):
    with pytest.raises(InputError) as caught:
        make()
    assert caught.value.code == code
