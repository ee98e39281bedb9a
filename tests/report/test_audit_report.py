"""What is said about an audit: its findings with those of the columns, and how serious they are."""

import json

import pytest

import vieta
from vieta.cli.audience import AUDIT
from vieta.laws import inputs, noise
from vieta.report.audit_report import Audited


@pytest.fixture(scope="module")
def audit():
    records = vieta.simulate((0.0, 1.0, 2.0), n=600, noise=noise.Gaussian(0.6), inputs=inputs.Constant(1.0))
    return vieta.anonymity.audit(records, added=[0.0, 0.5], draws=500)


def test_a_column_that_names_systems_is_the_first_and_serious(audit):
    plain, named = (Audited(audit, ["1"], ["a line"], "vieta audit", naming) for naming in ((), ("who",)))
    assert not plain.serious
    assert named.serious
    assert named.findings[0].code == "column-names-systems"
    assert named.findings[0].facts == {"column": "who", "n_systems": 3}
    assert named.findings[1:] == plain.findings == audit.findings
    assert named.verdict[0].text.startswith("Column 'who' has the same 3 values in every set")
    assert named.verdict[0].grade == "serious"


def test_json_is_the_audit_with_everything_else(audit):
    audited = Audited(audit, ["a", "b"], ["a line"], "vieta audit x", ("who",), AUDIT)
    told = json.loads(json.dumps(audited.to_dict(), allow_nan=False))
    expected = json.loads(json.dumps(audit.to_dict()))
    for name in set(expected) - {"findings", "warnings", "serious"}:
        assert told[name] == expected[name]
    assert told["serious"] is True
    assert told["naming_columns"] == ["who"]
    assert [one["code"] for one in told["findings"]] == ["column-names-systems", *[one.code for one in audit.findings]]
    assert told["warnings"][0] == told["findings"][0]["text"]
    assert told["settings"] == {"data": ["a line"], "version": vieta.__version__, "command": "vieta audit x"}


@pytest.mark.parametrize(("names", "header"), [(["1"], "parameters"), (["a", "b"], "parameters (a, b)")])
def test_systems_are_shown_with_the_names_of_their_parameters(audit, names, header):
    assert Audited(audit, names, [], "").systems_header[1] == header
