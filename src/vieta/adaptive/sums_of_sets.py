r"""A constant or a curve that the inputs lack, in incomplete sets: by the sums of their readings, as of complete ones.

Where no reading is false, the mean of a set's sum is :math:`\Psi \sum_l p_l \theta_l`, which follows the inputs as that of a complete set
does (`vieta.weighted.missing_constant`, `vieta.weighted.specification`). That some systems are missed is noise beside it, whose variance may
depend on the inputs.
"""

from dataclasses import replace

from vieta.adaptive.adaptive_fit import AdaptiveFit
from vieta.adaptive.set_model import by_set
from vieta.findings import Finding, finding
from vieta.sets import Data
from vieta.sums import Passes
from vieta.weighted.specification import specification
from vieta.weighted.sum_regression import regress
from vieta.weighted.weighted_findings import MEANS, as_z, of_constant


def of_sums(passes: Passes, found: AdaptiveFit) -> tuple[Finding, ...]:
    """The findings, if no reading may be false; the size of a constant is of a reading."""
    if found.chosen.free.rate:
        return ()
    sums = passes.changed(summed(passes.like), summed)
    regression, readings = regress(sums), found.known.n_readings / max(found.known.n_sets, 1)
    missing = of_constant(sums, regression)
    if missing:
        return tuple(replace(one, facts={**one.facts, "size": float(one.facts["size"]) / readings}) for one in missing)
    seen = specification(sums, regression)
    return () if seen is None or seen.mean >= MEANS else (finding("curve-missing", z=as_z(seen.mean)),)


def summed(data: Data) -> Data:
    """Sets of one reading, the sum of all."""
    readings, offsets = data.flat
    return Data(by_set(readings, offsets)[:, None], data.inputs, data.dim)
