"""What is said about a watch."""

import json

import vieta
from tests.live.streams import MIXED, made, run
from vieta.report.watch_report import Account, account


def test_an_account_of_a_watch():
    watch = made()
    assert account(watch, 0.9).trouble == "no set has come"
    run(watch, MIXED)
    told = account(watch, 0.9)
    assert told.data_in_words[0] == "600 sets from 605 lines, the latest at t = 599"
    assert told.data_in_words[1] == "left out: 1 line: not JSON"
    assert told.header == ["system", "estimate", "std. error", "90% interval"]
    assert [row[0] for row in told.rows] == ["1", "2"]
    full = json.loads(json.dumps(told.full(), allow_nan=False))
    assert full["theta"] == watch.filter.estimate().theta.tolist()
    assert full["conf_int"] == watch.filter.estimate().conf_int(0.9).tolist()
    assert full["left_out"]["not-json"] == 1
    assert told.brief()["left_out"] == 3


def test_an_estimate_that_cannot_be_made_is_no_error():
    watch = made("lms")
    run(watch, b'{"y": [1, 2], "psi": 0}\n')
    told = account(watch, 0.95)
    assert told.estimate is None
    assert not told.is_sound
    assert told.verdict == [told.trouble]
    assert told.brief()["trouble"] == told.trouble
    assert told.rows == []


def test_labels_that_json_has_but_numbers_have_not():
    for label, expected in (("1e999", None), ("NaN", None), ("[1]", None), ("1" + "0" * 400, 10**400), ('"x"', "x")):
        watch = made()
        run(watch, f'{{"y": [1, 2], "t": {label}}}\n'.encode())
        assert watch.label == expected
        json.dumps(account(watch, 0.95).full(), allow_nan=False)


def test_the_noise_of_one_set_is_not_known():
    f = vieta.SymmetricFilter(3).update([1.0, 5.0, 9.0])
    told = Account(f.estimate(), "", 0.95, 1, 1, None, {}, ())
    assert told.title == "3 systems, method efficient, noise sd not known"
    assert all(row[-2:] == ["not known", "not known"] for row in told.rows)
