"""Laws of noise with the distribution of scipy's that each is at variance one."""

import numpy as np
from scipy import stats

from vieta.laws import noise


def logistic(v):
    return -np.abs(v) - 2 * np.log1p(np.exp(-np.abs(v)))


ORACLES = [
    (noise.Gaussian(3.0), stats.norm()),
    (noise.Laplace(0.1), stats.laplace(scale=np.sqrt(0.5))),
    (noise.Uniform(2.0), stats.uniform(-np.sqrt(3), 2 * np.sqrt(3))),
    (noise.StudentT(2.0, df=30), stats.t(30, scale=np.sqrt(28 / 30))),
    (noise.StudentT(1.0, df=2.5), stats.t(2.5, scale=np.sqrt(0.5 / 2.5))),
    (noise.Skewed(1.0, skewness=1.0), stats.gamma(4, loc=-2, scale=0.5)),
    (noise.Skewed(1.0, skewness=2.0), stats.expon(loc=-1)),
    (noise.Density(logistic), stats.logistic(scale=np.sqrt(3) / np.pi)),
]


def name(law):
    return f"{type(law).__name__}{getattr(law, 'df', getattr(law, 'skewness', ''))}"
