"""Draw the sets of a scenario."""

from dataclasses import replace

import numpy as np
from numpy.random import PCG64, Generator, SeedSequence
from numpy.typing import ArrayLike

from vieta.arrays import Floats
from vieta.checks import as_count, as_size, as_theta
from vieta.errors import InputError
from vieta.laws.answers import Answers
from vieta.laws.clutter import Clutter, Nothing
from vieta.laws.detection import Complete, Detection
from vieta.laws.inputs import Inputs
from vieta.laws.labels import Labels
from vieta.laws.linear import respond
from vieta.laws.motion import Motion
from vieta.laws.noise import Noise
from vieta.scenarios.catalogue import get
from vieta.scenarios.interleaving import interleaved
from vieta.scenarios.records import Records, canonical, pick
from vieta.scenarios.scenario import Scenario


def simulate(
    scenario: str | Scenario | ArrayLike,
    n: int | None = None,
    seed: int = 0,
    *,
    noise: Noise | None = None,
    inputs: Inputs | None = None,
    labels: Labels | None = None,
    motion: Motion | None = None,
    detection: Detection | None = None,
    clutter: Clutter | None = None,
    answers: Answers | None = None,
    offset: Inputs | None = None,
) -> Records:
    r"""Draw n unlabeled sets from the model

    .. math:: y_l(k) = \Psi(k)\,\theta_l(k) + v_l(k), \qquad l = 1, \dots, L, \quad k = 0, \dots, n - 1 .

    Parameters
    ----------
    scenario
        The name of a scenario, a `Scenario`, or the parameters (L,) or (L, D).
    n
        Number of sets; the scenario's own when absent.
    seed
        Not negative. Equal seeds give equal records. The parameters, inputs, noise and labels each have a
        stream of their own, as do detection and clutter, so that another law for one of them leaves the draws of the others unchanged;
        and the first sets of a longer simulation are those of a shorter one.
    noise, inputs, labels, motion, detection, clutter, answers, offset
        Laws in place of the scenario's. Parameters alone stand for a scenario with Gaussian noise of variance 1,
        no input, uniform shuffling, constant parameters, and complete sets without false readings.

    >>> from vieta.laws.noise import Gaussian
    >>> records = simulate((-2, 5, 8), n=4, seed=1, noise=Gaussian(1e-4))
    >>> records.sets.shape, records.labels.shape, records.truth.ravel()
    ((4, 3), (4, 3), array([-2., 5., 8.]))
    >>> np.allclose(records.readings, [-2, 5, 8], atol=0.05)
    True
    """
    given = _as_scenario(scenario)
    setting = replace(
        given,
        noise=given.noise if noise is None else noise,
        inputs=given.inputs if inputs is None else inputs,
        labels=given.labels if labels is None else labels,
        motion=given.motion if motion is None else motion,
        detection=given.detection if detection is None else detection,
        clutter=given.clutter if clutter is None else clutter,
        answers=given.answers if answers is None else answers,
        offset=given.offset if offset is None else offset,
    )
    if n is None and setting.n is None:
        raise InputError(
            "length-missing",
            "`n` is missing: scenario {scenario!r} has no length of its own. Say how many sets.",
            scenario=setting.name,
        )
    with np.errstate(all="ignore"):  # parameters may be of any size
        return draw(setting, as_size(setting.n if n is None else n, "n"), as_count(seed, "seed", least=0))


def draw(scenario: Scenario, n: int, seed: int) -> Records:
    """The records of a scenario, from checked arguments."""
    streams = [Generator(PCG64(s)) for s in SeedSequence(seed).spawn(8)]
    for_theta, for_inputs, for_noise, for_labels, for_detection, for_clutter, for_answers, for_offset = streams
    theta = scenario.theta
    path = scenario.motion.draw(for_theta, theta, n)
    psi = scenario.inputs.draw(for_inputs, n, theta.shape[1])
    clean = respond(psi, np.broadcast_to(theta, (n, *theta.shape)) if path is None else path)
    known = scenario.offset.draw(for_offset, n, 1)
    predictors = clean if known is None else clean + known[:, None, None]
    readings = scenario.answers.draw(for_answers, predictors, scenario.noise.draw(for_noise, *clean.shape))
    order = scenario.labels.draw(for_labels, readings)
    sets = pick(_squeeze(readings), order)
    if not (isinstance(scenario.detection, Complete) and isinstance(scenario.clutter, Nothing)):
        seen = np.take_along_axis(scenario.detection.draw(for_detection, readings), order, axis=1)
        places, numbers = for_clutter.spawn(2)
        sets, order = interleaved(sets, order, seen, *scenario.clutter.draw(numbers, predictors), places)
    return Records(
        sets=sets,
        inputs=psi,
        truth=canonical(theta if path is None else path[-1]),
        theta=theta,
        theta_path=path,
        labels=order,
        name=scenario.name,
        seed=seed,
        note=scenario.description,
        offset=known,
    )


def _as_scenario(scenario: str | Scenario | ArrayLike) -> Scenario:
    if isinstance(scenario, Scenario):
        return scenario
    if isinstance(scenario, str):
        return get(scenario)
    return Scenario(name="custom", description="Parameters and laws given by the caller.", theta=as_theta(scenario))


def _squeeze(readings: Floats) -> Floats:
    """Scalar readings without their last axis."""
    return readings[..., 0] if readings.shape[-1] == 1 else readings
