"""Scenarios from TOML: what is there is kept, and what is wrong is named."""

from dataclasses import fields

import numpy as np
import pytest
from numpy.testing import assert_array_equal

from vieta.errors import BadFileError
from vieta.laws import inputs, labels, motion, noise
from vieta.scenarios import simulate
from vieta.scenarios.scenario_file import KEYS, LAWS, __doc__, read_scenario

NEEDED = {
    ("inputs", "given"): "array = [1, 2, 3, 4, 5]",
    ("inputs", "line"): "step = 0.5",
    ("labels", "weighted"): "probabilities = [0.25, 0.75]",
    ("labels", "markov"): "transition = [[0.5, 0.5], [0.5, 0.5]]",
    ("clutter", "histogram"): "rate = 1, edges = [0, 1, 4], shares = [0.5, 0.5]",
    ("motion", "jump"): "at = 2, to = [[3, 4], [5, 6]]",
    ("motion", "switching"): "others = [[[3, 4], [5, 6]]], generator = [[-1, 1], [1, -1]], rate = 0.1",
}


def read(tmp_path, text):
    path = tmp_path / "mine.toml"
    path.write_text(text)
    return read_scenario(path)


@pytest.mark.parametrize(("kind", "name"), [(kind, name) for kind, laws in LAWS.items() for name in laws])
def test_every_law_can_be_named_and_drawn_from(tmp_path, kind, name):
    more = f", {NEEDED[kind, name]}" if (kind, name) in NEEDED else ""
    found = read(tmp_path, f"theta = [[1, 2], [2, 3]]\n{kind} = {{ law = '{name}'{more} }}")
    assert type(getattr(found, kind)) is LAWS[kind][name]
    assert len(simulate(found, n=4).sets) == 4


def test_the_example_of_the_documentation(tmp_path):
    found = read(tmp_path, "\n".join(line for line in __doc__.splitlines() if "=" in line and line.startswith("    ")))
    assert_array_equal(found.theta, [[0.5, 0.05], [0.3, 0.11]])
    assert (found.name, found.description, found.n) == ("flats", "Two flats.", 2000)
    assert found.noise == noise.StudentT(0.04, df=5)
    assert found.inputs == inputs.Affine(inputs.Uniform(0, 30))
    assert found.labels == labels.Sticky(0.5)
    assert found.motion == motion.Drift(1e-8)


def test_defaults_are_those_of_a_scenario(tmp_path):
    found = read(tmp_path, "theta = [-2, 5, 8]")
    assert (found.name, found.n) == ("mine", None)
    assert found.noise == noise.Gaussian(1.0)
    assert_array_equal(simulate(found, n=5, seed=3).sets, simulate([-2, 5, 8], n=5, seed=3).sets)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("theta = [1, 2", "is not TOML: "),
        ("n = 3", "`theta` is missing. Give the parameters, one row a system"),
        ("theta = [1, 2]\nnoize = 1", "`noize` is no setting of a scenario. Perhaps `noise` is meant."),
        ("theta = 'a'", "`theta` must be a number or a rectangular array of numbers, got 'a'."),
        ("theta = [[1, 2], [3]]", "`theta` must be a number or a rectangular array"),
        ("theta = [1, nan]", "`theta` must be finite"),
        ("theta = [1, 2]\nn = 2.5", "`n` must be an integer of at least 1, got 2.5 (float)."),
        ("theta = [1, 2]\nname = 3", "`name` must be text in quotes, got 3."),
        ("theta = [1, 2]\nnoise = 0.25", "`noise` must be a table that names its law, for example noise = { law = 'gaussian' }"),
        ("theta = [1, 2]\nnoise = { variance = 1 }", "`noise` must be a table that names its law"),
        ("theta = [1, 2]\nnoise = { law = 'normal' }", "`noise.law` must be one of `gaussian`, `finite`"),
        ("theta = [1, 2]\nnoise = { law = ['gaussian'] }", "`noise.law` must be one of `gaussian`"),
        (
            "theta = [1, 2]\nnoise = { law = 'gaussian', df = 5 }",
            "`noise.df` is no setting of the law 'gaussian'. It has: `variance`.",
        ),
        ("theta = [1, 2]\ninputs = { law = 'sign', x = 5 }", "`inputs.x` is no setting of the law 'sign'. It has none."),
        ("theta = [1, 2]\nnoise = { law = 'gaussian', variance = -1 }", "in `noise`, `variance` must not be negative"),
        ("theta = [1, 2]\nmotion = { law = 'jump', at = 3 }", "`motion.to` is missing: the law 'jump' needs it."),
        (
            "theta = [[1, 2]]\ninputs = { law = 'affine', x = { law = 'uniform', hi = 3 } }",
            "`inputs.x.hi` is no setting of the law 'uniform'. Perhaps `high` is meant.",
        ),
        ("theta = [[1, 2]]\ninputs = { law = 'affine', x = { law = 'rows' } }", "in `inputs`, `x` must be a law of numbers"),
        ("theta = [1, 2]\nnoise = { law = 'gaussian', variance = 2020-01-01 }", "in `noise`, `variance` must be a number"),
    ],
)  # fmt: skip
def test_errors_name_the_file_and_the_key(tmp_path, text, message):
    with pytest.raises(BadFileError) as caught:
        read(tmp_path, text)
    assert str(tmp_path / "mine.toml") in str(caught.value)
    assert message in str(caught.value)


def test_files_that_are_not_there_or_no_text(tmp_path):
    with pytest.raises(BadFileError, match="cannot be read: No such file"):
        read_scenario(tmp_path / "none.toml")
    (tmp_path / "a.toml").write_bytes(b"\xff\xfe\x00")
    with pytest.raises(BadFileError, match="is not TOML"):
        read_scenario(tmp_path / "a.toml")


def test_the_documentation_names_every_key_and_the_command_every_law():
    from vieta.cli.simulate import simulate as command

    assert all(key in __doc__ for key in KEYS)
    for laws in LAWS.values():
        for name, law in laws.items():
            assert name in command.help
            assert all(setting.name in command.help for setting in fields(law))


def test_motion_by_file_moves(tmp_path):
    found = read(tmp_path, "theta = [1, 2]\nmotion = { law = 'jump', at = 2, to = [5, 6] }")
    assert_array_equal(simulate(found, n=4).theta_path[:, :, 0], np.array([[1, 2], [1, 2], [5, 6], [5, 6]]))
