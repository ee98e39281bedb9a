import numpy as np
from numpy.typing import NDArray

class FilterLMS:
    w: NDArray[np.float64]
    def __init__(self, n: int, mu: float = ..., w: str | NDArray[np.float64] = ...) -> None: ...
    def adapt(self, d: float, x: NDArray[np.float64]) -> None: ...
