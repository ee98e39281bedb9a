"""The data that come with the package are what their script makes, and what is said of them is true."""

import gzip
import json

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

import vieta
from vieta.anonymity.order_evidence import guessed_labels
from vieta.data import FILES, STORY, content, meters
from vieta.laws.noise import Gaussian
from vieta.sets import as_data


@pytest.fixture(scope="module")
def records():
    return meters.records()


def test_the_files_are_what_the_script_makes(records):
    assert gzip.decompress(content("meters.csv.gz")).decode() == meters.as_csv(records)
    truth = json.loads(content("meters-truth.json"))
    assert_array_equal(truth["theta"], meters.FLATS)
    assert_array_equal(np.array(truth["labels"]) - 1, records.labels)
    assert f"{len(records.sets):,} hours" in STORY
    assert sum(len(content(name)) for name in FILES) < 300_000


def test_readings_are_such_as_meters_give(records):
    assert records.sets.min() >= 0.0
    assert_allclose(records.sets * 100, (records.sets * 100).round(), atol=1e-9)
    cold = records.inputs[:, 1]
    assert 0.0 < cold.min() < 10.0
    assert 30.0 < cold.max() < 40.0


def test_the_estimate_is_right_and_has_no_findings(records):
    estimate = vieta.fit(records.sets, records.inputs)
    z = (estimate.theta - np.array(meters.FLATS)) / estimate.stderr
    assert estimate.warnings == ()
    assert abs(z).max() < 4.0
    assert abs((estimate.theta * 1.1 - np.array(meters.FLATS)) / estimate.stderr).max() > 4.0  # the test can fail


def test_readings_are_named_about_as_often_as_the_audit_says(records):
    """The audit takes the noise for Gaussian; here it is skewed."""
    found = vieta.anonymity.audit(records, added=[0.0], draws=2000)
    law = Gaussian(found.noise.variance)
    guess = guessed_labels(as_data(records.sets, records.inputs), found.theta, law)
    labels = records.labels[: len(guess)]
    hits = np.array([(guess == labels)[labels == l].mean() for l in range(5)])
    assert_allclose(hits, found.now.reidentification, atol=0.06)
    assert int(hits.argmax()) == 2
    assert "System 3 stands out" in found.warnings[0]
    assert not found.serious
