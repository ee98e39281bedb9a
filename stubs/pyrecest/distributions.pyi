import numpy as np
from numpy.typing import NDArray

class GaussianDistribution:
    mu: NDArray[np.float64]
    C: NDArray[np.float64]
    def __init__(self, mu: NDArray[np.float64], C: NDArray[np.float64]) -> None: ...
