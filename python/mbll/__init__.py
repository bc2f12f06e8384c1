"""Multivariate Bayesian last layer: regression with calibrated, decomposed uncertainty.

Three levels, each usable alone:

* `MBLLRegressor`, a scikit-learn estimator that does everything;
* `BayesianLastLayer`, the last layer for features of other people's networks;
* the closed forms: `condition`, `em`, `Statistics` and the priors.

Arrays are samples-first. `mbll.metrics` scores predictions, `mbll.plot` (matplotlib) draws them.
"""

from typing import TYPE_CHECKING

from . import _core, metrics
from ._core import (
    DataError,
    EmResult,
    MatrixNormal,
    NormalInverseWishart,
    Posterior,
    Prediction,
    Statistics,
    UnrelatedPosterior,
    condition,
    condition_unrelated,
    em,
    normal,
)
from .estimator import MBLLRegressor
from .last_layer import BayesianLastLayer

__version__: str = _core.__version__

__all__ = [
    "BayesianLastLayer",
    "DataError",
    "EmResult",
    "MBLLRegressor",
    "MatrixNormal",
    "NormalInverseWishart",
    "Posterior",
    "Prediction",
    "Statistics",
    "UnrelatedPosterior",
    "__version__",
    "condition",
    "condition_unrelated",
    "em",
    "metrics",
    "normal",
    "plot",
]

if TYPE_CHECKING:
    from . import plot
else:

    def __getattr__(name):
        # matplotlib is an optional extra: it is imported when the first plot asks for it.
        if name == "plot":
            from importlib import import_module

            return import_module(".plot", __name__)
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
