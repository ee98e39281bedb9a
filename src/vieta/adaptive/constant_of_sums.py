r"""A constant that the inputs lack, in incomplete sets: by the sums of their readings, as of complete ones.

Where no reading is false, the mean of a set's sum is :math:`\Psi \sum_l p_l \theta_l`, which follows the inputs as that of a complete set
does (`vieta.weighted.missing_constant`). That some systems are missed is noise beside it, whose variance may depend on the inputs.
"""

from dataclasses import replace

from vieta.adaptive.adaptive_fit import AdaptiveFit
from vieta.adaptive.set_model import by_set
from vieta.findings import Finding
from vieta.sets import Data
from vieta.sums import Passes
from vieta.weighted.sum_regression import regress
from vieta.weighted.weighted_findings import of_constant


def of_missing_constant(passes: Passes, found: AdaptiveFit) -> tuple[Finding, ...]:
    """The finding, if no reading may be false; its size is of a reading."""
    if found.chosen.free.rate:
        return ()
    sums = passes.changed(summed(passes.like), summed)
    regression, readings = regress(sums), found.known.n_readings / max(found.known.n_sets, 1)
    missing = of_constant(sums, regression)
    return tuple(replace(one, facts={**one.facts, "size": float(one.facts["size"]) / readings}) for one in missing)


def summed(data: Data) -> Data:
    """Sets of one reading, the sum of all."""
    readings, offsets = data.flat
    return Data(by_set(readings, offsets)[:, None], data.inputs, data.dim)
