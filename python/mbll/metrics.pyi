"""Types of metrics.py, where one keyword decides between a number and an array."""

from typing import Literal, overload

from ._types import ArrayLike, Floats, Predicted

__all__ = [
    "calibration_curve",
    "coverage",
    "crps",
    "ece",
    "interval_score",
    "nll",
    "pit",
    "rmse",
    "sharpness",
]

CENTRAL_LEVELS: Floats

@overload
def rmse(
    y: ArrayLike, prediction: Predicted, std: ArrayLike | None = None, *, per_output: Literal[False] = False
) -> float: ...
@overload
def rmse(
    y: ArrayLike, prediction: Predicted, std: ArrayLike | None = None, *, per_output: Literal[True]
) -> Floats: ...
@overload
def nll(
    y: ArrayLike, prediction: Predicted, std: ArrayLike | None = None, *, per_output: Literal[False] = False
) -> float: ...
@overload
def nll(
    y: ArrayLike, prediction: Predicted, std: ArrayLike | None = None, *, per_output: Literal[True]
) -> Floats: ...
@overload
def crps(
    y: ArrayLike, prediction: Predicted, std: ArrayLike | None = None, *, per_output: Literal[False] = False
) -> float: ...
@overload
def crps(
    y: ArrayLike, prediction: Predicted, std: ArrayLike | None = None, *, per_output: Literal[True]
) -> Floats: ...
@overload
def sharpness(
    prediction: Predicted, std: ArrayLike | None = None, *, per_output: Literal[False] = False
) -> float: ...
@overload
def sharpness(
    prediction: Predicted, std: ArrayLike | None = None, *, per_output: Literal[True]
) -> Floats: ...
@overload
def interval_score(
    y: ArrayLike, prediction: Predicted, std: ArrayLike | None = None, *,
    level: float = 0.95, per_output: Literal[False] = False
) -> float: ...
@overload
def interval_score(
    y: ArrayLike, prediction: Predicted, std: ArrayLike | None = None, *, level: float = 0.95, per_output: Literal[True]
) -> Floats: ...
def pit(y: ArrayLike, prediction: Predicted, std: ArrayLike | None = None) -> Floats: ...
def calibration_curve(
    y: ArrayLike, prediction: Predicted, std: ArrayLike | None = None, *,
    levels: ArrayLike = ..., per_output: bool = False
) -> Floats: ...
@overload
def coverage(
    y: ArrayLike, prediction: Predicted, std: ArrayLike | None = None, *,
    level: float = 0.95, per_output: Literal[False] = False
) -> float: ...
@overload
def coverage(
    y: ArrayLike, prediction: Predicted, std: ArrayLike | None = None, *, level: float = 0.95, per_output: Literal[True]
) -> Floats: ...
@overload
def ece(
    y: ArrayLike, prediction: Predicted, std: ArrayLike | None = None, *,
    levels: ArrayLike = ..., per_output: Literal[False] = False
) -> float: ...
@overload
def ece(
    y: ArrayLike, prediction: Predicted, std: ArrayLike | None = None, *,
    levels: ArrayLike = ..., per_output: Literal[True]
) -> Floats: ...
