import numpy as np
import pytest
from scipy.special import betaln

from tests.likelihood.cases import passes_of
from vieta.errors import InputError
from vieta.laws.noise import Density, Finite, Gaussian, Laplace, Skewed, StudentT
from vieta.likelihood.assumed import assume


def test_names_are_estimated_and_objects_are_known():
    assert assume() == assume("gaussian", "estimate")
    assert (assume("laplace").law, assume("laplace").known) == (Laplace(), False)
    assert (assume("student-t", 2.0).law, assume("student-t", 2.0).known) == (StudentT(2.0), True)
    assert (assume(Laplace(4.0)).law, assume(Laplace(4.0)).known) == (Laplace(4.0), True)
    assert (assume(StudentT(df=3), 9.0).law, assume(StudentT(df=3), 9.0).known) == (StudentT(9.0, df=3), True)
    assert not assume(StudentT(df=3), "estimate").known
    assert assume(2.0).law == Gaussian(2.0)


def test_an_unknown_variance_begins_where_the_sums_residuals_are():
    rng = np.random.default_rng(0)
    readings = rng.normal(scale=3.0, size=(4000, 2))
    data = passes_of(readings)
    assert abs(assume("laplace").begin(data).variance / 9.0 - 1) < 5 * np.sqrt(2 / 4000)
    several = assume("laplace").begin(passes_of(readings, blocks=7)).variance
    assert abs(several / assume("laplace").begin(data).variance - 1) < 1e-12
    plane = passes_of(rng.normal(size=(400, 2, 2)) @ np.diag([1.0, 3.0]))
    assert np.shape(assume("gaussian").begin(plane).variance) == (2, 2)
    assert assume("gaussian", 4.0).begin(data) == Gaussian(4.0)
    assert assume("gaussian", 4.0).begin_at(np.eye(1)) == Gaussian(4.0)
    assert assume("laplace").begin_at(np.array([[3.0]])) == Laplace(3.0)


@pytest.mark.parametrize(
    ("law", "noise_var", "code", "text"),
    [
        (
            "normal",
            None,
            "unknown-law",
            "law='normal' is not known. Choose one of gaussian, laplace, student-t",
        ),
        ("gaussian", 0.0, "noise-var-zero", "noise_var=0.0 must be positive: without noise there is no likelihood"),
        ("gaussian", "guess", "noise-var-value", "noise_var='guess' must be a variance, or 'estimate'"),
        (Gaussian([1.0, 2.0]), None, "variance-per-system", r"shape \(2,\), one for each system, but without labels"),
        ("gaussian", np.ones((2, 1, 1)), "variance-per-system", r"shape \(2, 1, 1\), one for each system"),
    ],
)
def test_options_that_name_no_law_are_refused(law, noise_var, code, text):
    with pytest.raises(InputError, match=text) as error:
        assume(law, noise_var)
    assert error.value.code == code


def test_laws_that_are_no_laws_are_refused():
    with pytest.raises(ValueError, match="must not be negative"):
        assume("gaussian", -1.0)
    with pytest.raises(ValueError, match="must be a variance or a law with a density"):
        assume(Gaussian)


def test_laws_without_density_are_refused_when_they_are_needed():
    with pytest.raises(ValueError, match="Finite has no density"):
        assume(Finite()).law.log_density(np.zeros((2, 1)))
    assert assume(Density(lambda v: -0.5 * v**2 - 0.5 * np.log(2 * np.pi)), 4.0).law.variance == 4.0


def end(a):
    """A law on (-1, 1) whose density ends like x^(a-1)."""
    constant = np.log(2.0) * (1 - 2 * a) - betaln(a, a)
    return Density(lambda v: np.where(abs(v) < 1, (a - 1) * np.log(np.maximum(1 - v**2, 1e-99)) + constant, -np.inf))


@pytest.mark.parametrize("a", [1.0, 1.5, 2.0, 3.0])
def test_laws_that_end_abruptly_are_refused(a):
    with pytest.raises(
        InputError, match=r"the density of Density noise ends abruptly. .*Give a law that fades away"
    ) as e:
        assume(end(a))
    assert (e.value.code, e.value.facts) == ("law-ends-abruptly", {"law": "Density"})


@pytest.mark.parametrize(
    "law", [end(4.0), end(6.0), Skewed(1.0, skewness=1.0), StudentT(df=2.1)], ids=["4", "6", "skewed", "t"]
)
def test_laws_that_fade_away_are_taken(law):
    assert assume(law).known
