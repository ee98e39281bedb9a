import json

import numpy as np

from vieta.paper.verdicts import NOT_REPRODUCED, REPRODUCED, Report, Row, shown


def test_a_report_is_its_rows_and_settings():
    rows = (Row("a", "1", "2", NOT_REPRODUCED, "because"), Row("b", "1", "1", REPRODUCED))
    report = Report(3, "title", ("one", "two"), rows, figure=None, values={"theta": np.zeros(2)})
    data = json.loads(json.dumps(report.to_dict()))
    assert data["settings"] == ["one", "two"]
    assert data["rows"][0] == {"claim": "a", "paper": "1", "ours": "2", "verdict": "not reproduced", "why": "because"}
    assert data["rows"][1]["why"] == ""
    assert "values" not in data  # arrays stay with whoever calls


def test_parameters_as_text():
    assert shown(np.array([[-2.0], [5.123456]]), 4) == "[-2.0000, 5.1235]"
    assert shown(np.array([[1.0, 2.0], [3.0, 4.0]]), 0) == "[1, 2], [3, 4]"
