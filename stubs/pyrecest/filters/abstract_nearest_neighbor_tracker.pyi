from typing import Any

import numpy as np
from numpy.typing import NDArray
from pyrecest.distributions import GaussianDistribution

class AbstractNearestNeighborTracker:
    filter_state: list[GaussianDistribution]
    def __init__(
        self,
        initial_prior: list[GaussianDistribution] = ...,
        association_param: dict[str, Any] = ...,
        log_prior_estimates: bool = ...,
        log_posterior_estimates: bool = ...,
    ) -> None: ...
    def update_linear(
        self,
        measurements: NDArray[np.float64],
        measurement_matrix: NDArray[np.float64],
        covMatsMeas: NDArray[np.float64],
    ) -> None: ...
