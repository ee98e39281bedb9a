"""The audit: its figures against what happens to labeled records, its words against the data that call for them."""

import json

import numpy as np
import pytest
from numpy.testing import assert_allclose

import vieta
from vieta import theory
from vieta.anonymity import audit, audit_findings, map_error
from vieta.anonymity.order_evidence import guessed_labels
from vieta.anonymity.partial_order import guessed
from vieta.errors import InputError
from vieta.findings import finding
from vieta.laws import clutter, detection, inputs
from vieta.laws.labels import Labeled, Shuffled, Sticky
from vieta.laws.noise import Density, Finite, Gaussian, Laplace, Skewed, Uniform
from vieta.set_requirements import as_incomplete
from vieta.sets import as_data

QUICK = {"draws": 500, "added": [0.0, 1.0]}


def codes(found):
    return [one.code for one in found.findings]


def records(theta, variance, n=2000, seed=0, labels=None, law=None):
    return vieta.simulate(
        theta, n=n, seed=seed, noise=Gaussian(variance), inputs=law or inputs.Identity(), labels=labels or Shuffled()
    )


# --- figures --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("seed", [0, 1])
@pytest.mark.parametrize("law", [inputs.Identity(), inputs.Gaussian()], ids=["constant", "gaussian"])
def test_readings_are_named_as_often_as_the_audit_says(seed, law):
    """The parameters learned without labels, the guess made on the records themselves, the labels used to count only."""
    made = records([0.0, 1.0, 4.0], 0.5, n=2000, seed=seed, law=law)
    found = audit(made, draws=3000, added=[0.0])
    guess = guessed_labels(as_data(made.sets, made.inputs), found.theta, found.noise)
    hits = np.array([(guess == made.labels)[made.labels == l].mean() for l in range(3)])
    error = np.sqrt(0.25 / 2000 + 0.25 / 3000)
    assert np.all(abs(hits - found.now.reidentification) < 5 * error)
    assert not np.all(abs(hits - 0.85 * found.now.reidentification) < 5 * error)
    whole = (guess == made.labels).all(axis=1).mean()
    assert abs(whole - (1 - found.now.probability)) < 5 * error


UNEQUAL = np.array([0.2, 0.6, 1.2])


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("shock", [0.0, 0.8], ids=["alone", "with a shock"])
def test_an_attacker_who_knows_everything_names_no_more_than_the_audit_says(seed, shock):
    """Noise of unequal size: the attacker has the true parameters and deviations, the audit the records. A pooled variance says too little.

    A shock, which all readings of a record share, does not help to hide: the attacker is let know it.
    """
    made = records([0.0, 1.0, 2.2], UNEQUAL**2, n=6000, seed=seed, law=inputs.Gaussian())
    shared = shock * np.random.default_rng(seed).normal(size=(6000, 1))
    found = audit(made.sets + shared, made.inputs, draws=4000, added=[0.0])
    truth = np.array([[0.0], [1.0], [2.2]])
    guess = guessed_labels(as_data(made.sets, made.inputs), truth, Gaussian(UNEQUAL**2))
    reached = (guess == made.labels[:2000]).mean()
    error = np.sqrt(
        0.25 / 2000 + 0.25 / 4000
    )  # of the attack, and of the audit's draws; readings of a record err together
    assert abs(reached - found.now.reidentification.mean()) < 4 * error
    pooled = map_error(found.theta, float(np.mean(UNEQUAL**2)), made.inputs[:500]).reidentification.mean()
    assert pooled < reached - 4 * error
    assert not {"figures-doubtful", "noise-pooled"} & set(codes(found))


def test_records_and_their_estimate_give_the_same():
    made = records([4.0, 5.0], 0.5)
    one = audit(made, **QUICK)
    two = audit(made.sets, made.inputs, **QUICK)
    three = audit(vieta.fit(made.sets, made.inputs), **QUICK)
    assert one.now.probability == two.now.probability == three.now.probability
    assert one.warnings == two.warnings == three.warnings
    assert_allclose(one.now.probability, map_error(one.theta, one.noise).probability)


def test_what_is_learned_is_what_the_estimator_learns():
    made = records([-2.0, 5.0, 8.0], 1.0, n=4000, law=inputs.Gaussian())
    estimate = vieta.fit(made.sets, made.inputs)
    found = audit(made, **QUICK)
    first, second, third = found.learned
    assert (first.records, second.records, third.records) == (4000, 40_000, 400_000)
    assert_allclose(first.stderr / third.stderr, 10.0)
    assert_allclose(third.separation / first.separation, 10.0, rtol=1e-6)
    assert_allclose(first.stderr, estimate.stderr, rtol=0.1)
    closest = theory.efficient_covariance(found.theta, found.noise, inputs.Gaussian()).after(4000)[1:, 1:]
    apart = 3.0 / np.sqrt(closest[0, 0] + closest[1, 1] - 2 * closest[0, 1])
    assert_allclose(first.separation, apart, rtol=0.1)


def test_a_law_that_is_known_is_used():
    made = vieta.simulate([4.0, 5.0], n=2000, seed=0, noise=Laplace(0.5))
    found = audit(made, noise=Laplace(0.5), **QUICK)
    assert found.noise == Laplace(0.5)
    assert_allclose(found.now.probability, map_error(found.theta, Laplace(0.5)).probability)
    assert "noise of one reading: Laplace" in found.summary()


def test_look_alikes_differ_by_less_than_the_noise():
    found = audit(records([0.0, 0.5, 9.0], 1.0, n=20_000), **QUICK)
    assert found.alike.look_alikes.tolist() == [2, 2, 1]
    halved = audit(records([0.0, 0.5, 9.0], 1.0, n=20_000, law=inputs.Constant(4.0)), **QUICK)
    assert halved.alike.look_alikes.tolist() == [1, 1, 1]  # the same parameters, read four times as large


def test_vectors_and_rows_are_audited():
    made = vieta.simulate("example-3", n=500, seed=0)
    assert audit(made, **QUICK).now.reidentification.min() > 0.95
    rows = records([[0.0, 1.0], [2.0, -1.0]], 0.25, n=800, law=inputs.Rows())
    found = audit(rows, **QUICK)
    z = np.random.default_rng(0).normal(size=(200_000, 2)) @ [2.0, -2.0]
    from scipy.stats import norm

    expected = norm.sf(abs(z) / np.sqrt(2 * 0.25)).mean()
    assert_allclose(found.now.probability, expected, atol=0.03)


# --- words ----------------------------------------------------------------------------------------------------------


def test_the_summary_tells_who_what_and_how_much():
    found = audit(records([0.0, 1.0, 10.0], 0.36, n=3000), draws=500)
    text = found.summary()
    assert str(found) == text
    assert max(map(len, text.splitlines())) <= 112
    for words in (
        "3 systems with 1 parameter each, 3,000 records without names",
        "NOW: whose reading is whose, in one record? The best guess is right",
        "(by pure chance 1 in 6)",
        "LEARNED: what an analyst knows of the parameters, without any name",
        "300,000",
        "MORE NOISE: if it were added to every reading before release",
        "as many records",
        "! System 3 stands out",
        "- The parameters themselves are no secret: 3,000 records tell all of them apart",
    ):
        assert words in text


def test_everything_is_ready_for_json():
    found = audit(records([0.0, 1.0, 10.0], 0.36), **QUICK)
    data = json.loads(json.dumps(found.to_dict(), allow_nan=False))
    assert data["n_records"] == 2000
    assert data["noise"]["law"] == "gaussian"
    assert_allclose(data["now"]["reidentification"], found.now.reidentification)
    assert_allclose(data["tradeoff"]["analyst_stderr_one_record"], found.tradeoff.analyst)
    assert [row["records"] for row in data["learned"]] == [2000, 20_000, 200_000]
    assert data["alike"]["k_anonymity"] == 1
    assert data["warnings"] == list(found.warnings)
    assert [one["code"] for one in data["findings"]] == codes(found)
    assert [one["text"] for one in data["findings"]] == list(found.warnings)


def twins(**changes):
    """An estimate of three systems, of which two coincide."""
    fields = {
        "theta": np.array([[1.0], [1.0], [6.0]]), "cov": np.full((3, 3), np.nan), "noise_var": 0.25, "n_sets": 1000,
        "method": "least-squares", "transform": "elementary", "imaginary": np.zeros((3, 1)), "condition": np.inf,
    }  # fmt: skip
    return vieta.Estimate(**(fields | changes))


def test_systems_that_coincide_are_named_as_such():
    found = audit(twins(), **QUICK)
    assert_allclose(found.now.reidentification, [0.5, 0.5, 1.0], atol=1e-3)
    assert np.isinf(found.learned[0].stderr).all()
    assert "twins" in codes(found)
    assert "Systems 1 and 2 have the same parameters" in " ".join(found.warnings)
    data = json.loads(json.dumps(found.to_dict(), allow_nan=False))
    assert data["learned"][0]["stderr"] == [[None]] * 3
    assert "infinite" in found.summary()
    assert "not known" in found.summary()


def test_a_complex_pair_is_not_taken_for_twins():
    own = finding("few-sets", n_sets=3, unknowns=6)
    found = audit(twins(imaginary=np.array([[0.3], [-0.3], [0.0]]), findings=(own,)), **QUICK)
    assert "twins-not-told-apart" in codes(found)
    assert "twins" not in codes(found)
    about = found.findings[codes(found).index("about-estimate")]
    assert about.facts["finding"] is own
    assert str(about) == f"About the estimate: {own}"


@pytest.mark.parametrize(("labels", "code"), [(Labeled(), "order-names-systems"), (Sticky(0.9), "order-persists")])
def test_an_order_that_gives_systems_away_is_found(labels, code):
    assert code in codes(audit(records([0.0, 1.0, 2.0], 0.2, labels=labels), **QUICK))


@pytest.mark.parametrize("seed", range(3))
def test_shuffled_records_of_hidden_systems_raise_no_alarm(seed):
    found = audit(records([0.0, 1.0, 2.0], 0.6, n=4000, seed=seed), **QUICK)
    assert codes(found) == ["parameters-learned"]


DOUBTS = {
    "rival-solution": {"behind": 0.1, "rival": "1, 2"}, "not-certified": {"residual": 2.0}, "not-converged": {},
    "assignment-unsure": {"n_sets": 9, "systems": "1", "share": 0.1}, "model-misfit": {"n_systems": 3, "typical": 4.0}, "shock-not-common": {},
}  # fmt: skip


@pytest.mark.parametrize("code", DOUBTS)
def test_a_doubtful_estimate_makes_every_figure_doubtful(code):
    sound = {"theta": np.array([[1.0], [2.0], [6.0]]), "cov": 1e-4 * np.eye(3), "noise_sd": np.full(3, 0.5)}
    assert not {"figures-doubtful", "noise-pooled"} & set(codes(audit(twins(**sound), **QUICK)))
    found = audit(twins(**sound, findings=(finding(code, **DOUBTS[code]),)), **QUICK)
    first = found.findings[0]
    assert (first.code, first.severity, first.facts) == ("figures-doubtful", "serious", {"reason": code})
    assert found.serious
    assert "Do not rely on the figures" in found.summary()


def test_an_estimate_without_errors_is_doubtful():
    found = audit(twins(theta=np.array([[1.0], [2.0], [6.0]])), **QUICK)
    assert found.findings[0].facts == {"reason": "its errors are not known"}
    assert "noise-pooled" in codes(found)  # nor is the noise of each system
    assert "noise-pooled" not in codes(audit(twins(theta=np.array([[1.0], [2.0], [6.0]])), noise=0.25, **QUICK))


def test_one_system_hides_nothing():
    found = audit(records([3.0], 1.0, n=100), **QUICK)
    assert codes(found)[0] == "one-system"
    assert found.serious


def test_few_records_of_close_systems_are_said_to_tell_little():
    found = audit(twins(theta=np.array([[1.0], [1.3], [6.0]]), noise_var=4.0, n_sets=50), **QUICK)
    assert "parameters-not-learned" in codes(found)


def test_without_noise_everything_is_plain():
    found = audit(twins(theta=np.array([[1.0], [2.0], [6.0]]), noise_var=0.0), **QUICK)
    assert found.now.probability == 0.0
    assert found.learned[0].separation == np.inf
    assert "told apart exactly" in found.summary()
    assert "not known" in found.summary()  # how many times as many records: none were needed


def test_a_noise_matrix_that_is_not_quite_positive_is_put_right():
    theta = np.array([[1.0, 0.0], [2.0, 1.0], [6.0, 1.0]])
    found = audit(twins(theta=theta, noise_var=np.array([[1.0, 0.0], [0.0, -1e-9]]), imaginary=0 * theta), **QUICK)
    assert found.now.probability < 0.01


@pytest.mark.parametrize("seed", range(3))
def test_records_that_the_law_excludes_are_counted(seed):
    """Noise of the right law, and parameters that were learned without it: some readings lie just beyond its edge."""
    law = Skewed(1.0)
    made = vieta.simulate([1.0, 3.0], n=400, seed=seed, noise=law)
    found = audit(made, noise=law, method="efficient", **QUICK)
    out = np.isneginf(vieta.likelihood.log_likelihood(found.theta, law, made.sets)).sum()
    assert 0 < out < 100
    assert found.findings[0].code == "law-excludes-records"
    assert found.findings[0].facts == {"law": "Skewed", "excluded": out, "looked": 400}
    assert "law-excludes-records" not in codes(audit(made, noise=law.scaled(2.0), method="efficient", **QUICK))


def test_an_order_that_turns_round_is_found():
    """Rotated by one from record to record: no system stays anywhere, and still nothing is random."""
    made = records([1.0, 3.0, 6.0], 0.25, n=600, labels=Labeled())
    turned = np.array([np.roll(one, k) for k, one in enumerate(made.sets)])
    found = audit(turned, **QUICK)
    assert found.order[0] < audit_findings.SURE
    assert found.order[1] < -audit_findings.SURE
    assert "order-follows-rule" in codes(found)
    assert found.serious
    shuffled = np.random.default_rng(0).permuted(made.sets, axis=1)
    assert not any(code.startswith("order") for code in codes(audit(shuffled, **QUICK)))


@pytest.mark.parametrize("law", [Skewed(1.0, skewness=1.0), Uniform(1.0)], ids=str)
def test_an_order_is_found_under_a_law_that_excludes_records(law):
    made = records([1.0, 3.0], 1.0, n=400, labels=Labeled())
    found = audit(made, noise=law, draws=500, added=[0.0])
    assert found.order[0] > audit_findings.SURE
    assert "law-excludes-records" in codes(found)


@pytest.mark.parametrize(
    "law", [Uniform(1.0), Density(lambda v: -np.abs(v) - 2 * np.log1p(np.exp(-np.abs(v))))], ids=["uniform", "own"]
)
def test_a_law_that_does_not_grow_is_audited_as_it_is(law):
    found = audit(records([1.0, 3.0], 1.0, n=400), noise=law, draws=500)
    assert found.tradeoff.added.tolist() == [0.0]
    assert codes(found)[-1] == "shape-not-kept"


@pytest.mark.parametrize(("law", "code"), [(Finite(1.0), "audit-without-density"), (0.0, "law-excludes-all")], ids=str)
def test_laws_that_do_not_fit_are_refused(law, code):
    with pytest.raises(InputError) as caught:
        audit(records([1.0, 3.0], 1.0, n=400), noise=law, draws=500)
    assert caught.value.code == code


@pytest.mark.parametrize("noise", [None, 0.0])
def test_an_order_of_records_without_noise_is_found(noise):
    made = records([1.0, 3.0], 0.0, n=400, labels=Labeled(), law=inputs.Sign())
    found = audit(made, noise=noise, **QUICK)
    assert found.order[0] > audit_findings.SURE
    assert "law-excludes-records" not in codes(found)


def test_it_draws():
    assert len(audit(twins(theta=np.array([[1.0], [2.0], [6.0]])), **QUICK).plot().axes) == 2


# --- bad input ------------------------------------------------------------------------------------------------------


def test_readings_of_one_number_for_several_parameters_need_their_inputs():
    estimate = twins(theta=np.array([[1.0, 2.0], [2.0, 0.0], [6.0, 1.0]]))
    with pytest.raises(InputError) as caught:
        audit(estimate)
    assert caught.value.code == "audit-inputs-missing"


def test_what_a_fit_refuses_an_audit_refuses():
    with pytest.raises(ValueError, match="do not show how large the noise is"):
        audit([[1.0, np.nan], [1.0, 2.0]])
    with pytest.raises(ValueError, match="`variance` must not be negative"):
        audit(twins(), noise=-1.0)
    with pytest.raises(ValueError, match="`inputs` must be a law"):
        audit(twins(), inputs=[[1.0, 2.0]])


def test_look_alikes_are_judged_by_their_readings_whatever_the_units():
    law = inputs.Affine(inputs.Uniform(10.0, 30.0))
    theta = np.array([[0.3, 0.11], [0.9, 0.08], [0.5, 0.05]])  # the first two cross at 20
    found = audit(records(theta, 0.2**2, law=law), **QUICK)
    x = np.linspace(10.0, 30.0, 2001)
    apart = np.sqrt(np.mean((0.6 - 0.03 * x) ** 2))
    assert apart < 0.2 < np.sqrt(np.mean((0.2 - 0.06 * x) ** 2))
    assert found.alike.look_alikes.tolist() == [2, 1, 2]
    metres = audit(records(theta * [1.0, 1000.0], 0.2**2, law=inputs.Affine(inputs.Uniform(0.01, 0.03))), **QUICK)
    assert metres.alike.look_alikes.tolist() == [2, 1, 2]


@pytest.mark.parametrize(
    ("theta", "labels", "serious"),
    [([0.0, 1.0, 2.0], Shuffled(), False), ([0.0, 1.0, 2.0], Labeled(), True), ([0.0, 9.0, 20.0], Shuffled(), True)],
)
def test_what_is_serious(theta, labels, serious):
    found = audit(records(theta, 0.6, n=4000, labels=labels), **QUICK)
    assert found.serious is serious
    assert found.to_dict()["serious"] is serious
    assert found.to_dict()["order"]["position"] == found.order[0]
    estimate = vieta.fit(records(theta, 0.6, n=4000, labels=labels).sets)
    assert audit(estimate, **QUICK).order is None


def test_one_record_does_not_tell_how_anonymous_it_is():
    with pytest.raises(InputError) as caught:
        audit([[1.0, 5.0, 9.0]])
    assert caught.value.code == "records-too-few"
    assert audit([[1.0, 5.0, 9.0]], noise=1.0, added=[0.0], draws=100).n_records == 1


def test_the_summary_names_the_law_that_it_predicts_for():
    data = records([0.0, 3.0], 0.36, n=500)
    assert "predicted for Gaussian noise" in audit(data, added=[0.0], draws=100).summary()
    assert "predicted for Laplace noise" in audit(data, noise=Laplace(0.36), added=[0.0], draws=100).summary()


# --- missed and false readings ----------------------------------------------------------------------------------------


def incomplete(n=800, seed=0, variance=1.0, rate=1.0, law=Gaussian):
    return vieta.simulate(
        [-2.0, 5.0, 8.0], n=n, seed=seed, noise=law(variance), inputs=inputs.Gaussian(),
        detection=detection.Independent(0.7), clutter=clutter.Uniform(rate, -10.0, 10.0) if rate else clutter.Nothing(),
    )  # fmt: skip


@pytest.mark.parametrize("seed", [0, 1])
def test_readings_of_incomplete_records_are_named_as_often_as_the_audit_says(seed):
    """Everything learned without labels, the guess made on the records themselves, the labels used to count only."""
    made = incomplete(2000, seed)
    found = audit(made, draws=3000, added=[0.0, 2.0])
    data = as_incomplete(as_data(made.sets, made.inputs), 3)
    guess, labels = guessed(data, found.model), made.labels[made.labels >= -1]
    hits = np.array([(guess == l)[labels == l].mean() for l in range(3)])
    assert np.all(abs(hits - found.now.reidentification) < 5.0 * np.sqrt(0.25 / 1400 + 0.25 / 2100))
    assert found.tradeoff.error[1] > found.tradeoff.error[0]
    assert found.tradeoff.error[0] == found.now.probability
    assert f"seen with probability {found.model.detection[0]:.3g}" in found.summary()
    assert max(found.order) < 5.0
    answer = json.loads(json.dumps(found.to_dict()))
    assert_allclose(answer["detection"], 0.7, atol=0.05)
    assert_allclose(answer["clutter_rate"], 1.0, atol=0.15)


def test_lists_estimates_and_records_give_the_same():
    made = incomplete(500)
    sets = [one[~np.isnan(one)] for one in made.sets]
    one = audit(made, **QUICK)
    two = audit(sets, made.inputs, n_systems=3, **QUICK)
    three = audit(vieta.fit(sets, made.inputs, n_systems=3), made.inputs, **QUICK)
    assert one.now.probability == two.now.probability == three.now.probability
    assert (one.order is None, three.order) == (False, None)


def test_false_readings_hide():
    """By false readings both whole records and single readings get harder to name."""
    missed, false = (audit(incomplete(rate=rate), draws=2000, added=[0.0]) for rate in (0.0, 2.0))
    error = 4.0 * np.hypot(missed.now.mc_error, false.now.mc_error)
    assert false.now.anonymity > missed.now.anonymity + error
    assert false.now.reidentification.mean() < missed.now.reidentification.mean() - error


def test_what_is_not_computed_is_said():
    found = audit(incomplete(1000, law=Laplace), **QUICK)
    assert "added-noise-not-computed" in codes(found)
    assert len(found.tradeoff.added) == 1
    assert "noise of one reading: laplace" in found.summary()
    with pytest.raises(InputError) as caught:
        audit(incomplete(), noise=1.0)
    assert caught.value.code == "audit-noise-learned"
