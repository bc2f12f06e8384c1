"""Names for annotations."""

from typing import Union

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ._core import Prediction

Floats = NDArray[np.float64]
Predicted = Union[Prediction, ArrayLike]  # a distribution, or the mean of a Gaussian

__all__ = ["ArrayLike", "Floats", "Predicted"]
