r"""Whether the parameters behind incomplete sets stay the same over time.

The test of `vieta.weighted.constancy`, by the scores of everything that is estimated: what false readings and the law explain of the scores
of a parameter changes with time where its readings move through them.
"""

from vieta.adaptive.adaptive_fit import AdaptiveFit
from vieta.adaptive.set_errors import all_scores, inverted
from vieta.adaptive.set_model import expect
from vieta.adaptive.set_sums import pieces
from vieta.arrays import Floats
from vieta.findings import Finding, finding
from vieta.sets import Data
from vieta.sums import Passes
from vieta.weighted.constancy import Change, Scored, change_of_scores

ENOUGH = 100  # sets, below which nothing is tested
EXACT = 1e-6  # deviation of the noise, of the range of the readings, below which there is none


def change(passes: Passes, found: AdaptiveFit) -> Change | None:
    """A change of the parameters, if there is one."""
    model, free, counts = found.chosen.model, found.chosen.free, found.chosen.climbed.sums.clutter
    n, L = model.theta.size, len(model.theta)
    everything = found.errors.everything
    J = 1 if model.law.weights is None else len(model.law.weights)
    cut = passes.cut(lambda block: pieces(block, L, J))

    def score(block: Data) -> Floats:
        return all_scores(block, model, expect(block, model), free, counts)

    scored = Scored(
        found.known.n_sets, inverted(everything), inverted(everything[:n, :n]), found.errors.basis, is_likelihood=True
    )
    return change_of_scores(cut, scored, score)


def of_change(passes: Passes, found: AdaptiveFit) -> tuple[Finding, ...]:
    """A finding where the parameters change."""
    noisy = float(found.chosen.model.noise_sd.max()) > EXACT * found.known.extent
    if found.known.n_sets < ENOUGH or not noisy:
        return ()
    there = change(passes, found)
    return () if there is None else (finding("change-in-batch", after=there.after, n_sets=found.known.n_sets),)
