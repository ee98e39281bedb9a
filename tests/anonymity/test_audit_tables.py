"""The tables of the audit: their cells against the numbers that they show."""

import json

import numpy as np
import pytest

from tests.anonymity.test_auditing import QUICK, records, twins
from vieta.anonymity import audit, audit_tables
from vieta.findings import marked
from vieta.laws.noise import Laplace


@pytest.fixture(scope="module")
def found():
    return audit(records([0.0, 1.0, 10.0], 0.36, n=1000), draws=500, added=[0.0, 0.05, 1.0, 200.0])


def test_cells_show_the_numbers(found):
    rows = audit_tables.systems(found)
    assert [row[0] for row in rows] == ["1", "2", "3"]
    for row, named, others in zip(rows, found.now.reidentification, found.alike.look_alikes - 1):
        assert row[2].strip("<>%").isdigit()
        assert abs(float(row[2].strip("<>%")) / 100 - named) < 0.011
        assert row[3] == (str(others) if others else "none")
    assert [row[0] for row in audit_tables.learned(found)] == ["1,000", "10,000", "100,000"]
    assert [row[0] for row in audit_tables.noise(found)] == ["none", "0.05", "1", "200"]
    assert audit_tables.noise(found)[0][3] == "as many records"
    assert audit_tables.noise(found)[3][3] == "over 10,000 times as many"
    errors = found.tradeoff.analyst.max(axis=(1, 2))
    assert audit_tables.noise(found)[2][3] == f"{(errors[2] / errors[0]) ** 2:,.1f} times as many"


def test_chance_is_one_over_all_orders(found):
    assert audit_tables.guesses(found)[0][2] == "1 in 6"
    assert audit_tables.guesses(found)[1][2] == "33%"


def test_the_text_has_every_cell_and_no_long_line(found):
    text = audit_tables.summary(found)
    assert max(map(len, text.splitlines())) <= audit_tables.WIDTH + 2
    for table in (audit_tables.systems, audit_tables.learned, audit_tables.noise):
        assert all(cell in text for row in table(found) for cell in row)
    assert all(line[:30] in text for line in marked(found.findings))


def test_data_is_ready_for_json_and_complete(found):
    data = json.loads(json.dumps(audit_tables.to_dict(found), allow_nan=False))
    assert data["now"]["mc_error"] == found.now.mc_error
    assert data["noise"] == {"law": "gaussian", "variance": list(found.noise.variance)}
    assert data["serious"] is found.serious
    assert [one["severity"] for one in data["findings"]] == [one.severity for one in found.findings]


def test_vectors_are_cut_short_and_laws_are_named():
    theta = np.array([[1.0, 2.0, 3.0, 4.0], [5.0, 6.0, 7.0, 8.0], [0.0, 1.0, 1.0, 1.0]])
    found = audit(twins(theta=theta, noise_var=np.eye(4), imaginary=0 * theta), noise=Laplace(np.eye(4)), **QUICK)
    assert audit_tables.systems(found)[0][1] == "1, 2, 3, .. (4)"
    assert audit_tables.head(found)[1] == "noise of one reading: Laplace, standard deviation 1, 1, 1, 1"
    assert "Laplace" in audit_tables.told_apart(found)


def test_what_is_not_known_is_said_so():
    found = audit(twins(), **QUICK)  # two coincide
    assert [row[3] for row in audit_tables.noise(found)] == ["not known"] * 2
    assert audit_tables.learned(found)[0][1] == "infinite"
