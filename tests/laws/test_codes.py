import json

import numpy as np
import pytest

from vieta.errors import InputError
from vieta.laws import answers, clutter, detection, inputs, labels, motion, noise
from vieta.laws.codes import LAWS, from_code, quoted, require_known, to_code

ONE_OF_EACH = {
    "noise": [
        noise.Gaussian([[2.0, 0.5], [0.5, 1.0]]),
        noise.Laplace([1.0, 2.0]),
        noise.Uniform(3.0),
        noise.StudentT(0.04, df=5),
        noise.Skewed(1.0, skewness=-1.0),
        noise.Finite(1.0, values=(-1, 0.5), probabilities=(1 / 3, 2 / 3)),
    ],
    "inputs": [
        inputs.Identity(),
        inputs.Constant(2.0),
        inputs.Gaussian(1.0, 2.0),
        inputs.Uniform(-1, 3),
        inputs.Sign(),
        inputs.Rows(0.5),
        inputs.Matrices(rows=2),
        inputs.ScalarMatrices(inputs.Sign()),
        inputs.Line(0.5),
        inputs.Affine(inputs.Uniform(0, 30)),
        inputs.Given([[1.0, 2.0]]),
    ],
    "labels": [
        labels.Labeled(),
        labels.Shuffled(),
        labels.Sticky(0.3),
        labels.Weighted((0.9, 0.1), ((0, 1), (1, 0))),
        labels.Markov(np.eye(2)),
        labels.Sorted(),
        labels.Adversarial(),
    ],
    "motion": [
        motion.Constant(),
        motion.Jump(3, (1.0, 2.0)),
        motion.Switching([[1.0]], [[-1, 1], [1, -1]], rate=0.1),
        motion.Drift(1e-8),
    ],
    "detection": [
        detection.Complete(),
        detection.Independent((0.9, 0.5)),
        detection.Bursts(0.8, length=4.0),
        detection.Saturating(2.0, width=0.5),
    ],
    "clutter": [
        clutter.Nothing(),
        clutter.Uniform(2.0, -1.0, 3.0),
        clutter.Gaussian(0.5, 1.0, 2.0),
        clutter.Histogram(1.0, (0.0, 1.0, 4.0), (0.5, 0.5)),
        clutter.Following(1.0, 0.5),
        clutter.Bunched(2.0, 3.0),
    ],
    "answers": [
        answers.Number(),
        answers.Binary("probit"),
        answers.Ordinal((0.0, 1.5)),
        answers.Count(2.0),
        answers.Rounded(0.5, dither=True),
    ],
    "offset": [
        inputs.Identity(),
        inputs.Constant(2.0),
        inputs.Gaussian(1.0, 2.0),
        inputs.Uniform(-1, 3),
        inputs.Sign(),
    ],
}
CASES = [(kind, law) for kind, of_kind in ONE_OF_EACH.items() for law in of_kind]


def test_every_law_has_a_case_and_a_name():
    for kind, known in LAWS.items():
        assert {type(law) for law in ONE_OF_EACH[kind]} == set(known.values())
        assert all(name == law.name for name, law in known.items())
    assert "density" not in LAWS["noise"]


@pytest.mark.parametrize(("kind", "law"), CASES, ids=lambda case: getattr(case, "name", case))
def test_a_law_survives_json(kind, law):
    back = from_code(json.loads(json.dumps(to_code(law))), kind)
    assert type(back) is type(law)
    assert to_code(back) == to_code(law)
    if not isinstance(law, inputs.Given):  # which compares by identity
        assert back == law


def test_a_law_that_no_file_can_hold_is_refused():
    class Own(noise.Gaussian):
        pass

    for law in (noise.Density(lambda v: -0.5 * v**2 - 0.5 * np.log(2 * np.pi)), Own(), 3.0):
        with pytest.raises(InputError) as caught:
            to_code(law)
        assert caught.value.code == "law-not-writable"


@pytest.mark.parametrize(
    ("code", "kind", "error", "text"),
    [
        ("gaussian", "noise", "law-not-named", "`noise` must be a table that names its law"),
        ({"variance": 1.0}, "noise", "law-not-named", "law = '"),
        ({"law": "cauchy"}, "noise", "law-unknown", "`noise.law` must be one of .*`student-t`.*, got 'cauchy'"),
        ({"law": 3}, "inputs", "law-unknown", "got 3"),
        ({"law": "student-t", "dof": 5}, "noise", "setting-unknown", "`noise.dof` is no setting.*Perhaps `df`"),
        ({"law": "sign", "value": 5}, "inputs", "setting-unknown", "It has none"),
        ({"law": "jump", "at": 5}, "motion", "law-setting-missing", "`motion.to` is missing: the law 'jump' needs it"),
        ({"law": "student-t", "df": 1}, "noise", "out-of-range", "in `noise`, `df` must be one number between 2"),
        (
            {"law": "affine", "x": {"law": "rows"}},
            "inputs",
            "not-numbers-law",
            "in `inputs`, `x` must be a law of numb",
        ),
        ({"law": "affine", "x": {"law": "no"}}, "inputs", "law-unknown", "`inputs.x.law` must be one of"),
    ],
)
def test_codes_that_describe_no_law_are_refused(code, kind, error, text):
    with pytest.raises(InputError, match=text) as caught:
        from_code(code, kind)
    assert caught.value.code == error


def test_unknown_settings_of_other_tables():
    require_known(["n"], ["n", "theta"], "a scenario")
    with pytest.raises(InputError, match="`thetta` is no setting of a scenario"):
        require_known(["n", "thetta"], ["n", "theta"], "a scenario")
    assert quoted([]) == ""
