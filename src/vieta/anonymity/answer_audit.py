"""What the audit needs to know of answers: means that look alike, and whether their order gives anything away."""

import numpy as np

from vieta.anonymity.diversity import Diversity, diversity
from vieta.anonymity.order_evidence import RECORDS
from vieta.anonymity.partial_order import is_ascending, persistence, position_evidence
from vieta.answer_model import AnswerModel
from vieta.answers.answer_associations import answer_logs, drawn_answers, likeliest
from vieta.arrays import Floats
from vieta.sets import Data

DRAWN = 4000  # answers of each system, by which means and their deviations are told


def alike_answers(model: AnswerModel, theta: Floats, design: Data) -> Diversity:
    """Systems whose mean answers are, in root mean square over the sets, closer than the deviation of one."""
    some = design.at(np.linspace(0, len(design) - 1, min(len(design), 100)).astype(np.int64))
    times = max(DRAWN // len(some), 1)
    many = some.at(np.repeat(np.arange(len(some)), times))
    answers = drawn_answers(model, np.random.default_rng(0), many, theta).reshape(len(some), times, -1)
    means = answers.mean(axis=1) / np.sqrt(len(some))
    reach = float(np.sqrt(answers.var(axis=1).mean()))
    return diversity(np.ascontiguousarray(means.T), tolerance=reach)


def answer_order(data: Data, model: AnswerModel, theta: Floats) -> tuple[float, float]:
    """Two z-values as those of `order_evidence`: places of the systems that answers are guessed to be of, from the first records."""
    some, L = data.part(0, RECORDS), len(theta)
    if is_ascending(some):
        return 0.0, 0.0
    order = np.random.default_rng(0).permuted(np.tile(np.arange(L), (len(some), 1)), axis=1)
    mixed = np.take_along_axis(some.sets[:, :, 0], order, axis=1)
    guess = likeliest(answer_logs(model, Data(mixed[:, :, None], some.inputs, some.dim, known=some.known), theta))
    labels = np.empty_like(guess)
    np.put_along_axis(labels, order, guess, axis=1)
    offsets = L * np.arange(len(some) + 1, dtype=np.int64)
    return position_evidence(labels.ravel(), offsets, L), persistence(labels.ravel(), offsets, L)
