"""One-line figures. Needs matplotlib: ``pip install mbll[plot]``. Every function draws into ``ax`` and returns it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from . import metrics
from ._core import EmResult, Prediction
from ._types import ArrayLike, Predicted

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = ["bands", "calibration", "trace"]

_MEAN, _EPISTEMIC, _ALEATORIC = "#1b4f72", "#e67e22", "#5dade2"


def _axes(ax):
    if ax is not None:
        return ax
    try:
        from matplotlib import pyplot
    except ImportError as error:
        raise ImportError("mbll.plot needs matplotlib: pip install mbll[plot]") from error
    return pyplot.subplots(figsize=(7, 4), layout="constrained")[1]


def bands(
    x: ArrayLike,
    prediction: Prediction,
    y: ArrayLike | None = None,
    *,
    output: int = 0,
    widths: float = 2.0,
    x_data: ArrayLike | None = None,
    ax: Axes | None = None,
) -> Axes:
    """Mean with bands of `widths` standard deviations: the epistemic part inside, the total around it.

    x (L,) or (L, 1) belongs to the prediction; y are observations there, or at x_data.
    """
    ax = _axes(ax)
    x = np.asarray(x, dtype=float).reshape(-1)
    if len(x) != len(prediction):
        raise ValueError(f"x: found {len(x)} points, expected {len(prediction)} as in the prediction")
    order = np.argsort(x, kind="stable")

    def column(values):
        return np.asarray(values).reshape(len(x), -1)[order, output]

    mean, epistemic, total = (column(a) for a in (prediction.mean, prediction.epistemic, prediction.total))
    x_line = x[order]
    for variance, color, label in ((total, _ALEATORIC, "total"), (epistemic, _EPISTEMIC, "epistemic")):
        reach = widths * np.sqrt(variance)
        ax.fill_between(x_line, mean - reach, mean + reach, color=color, alpha=0.35, lw=0, label=f"{label} ±{widths:g}σ")
    ax.plot(x_line, mean, color=_MEAN, lw=1.5, label="mean")
    if y is not None:
        at = x if x_data is None else np.asarray(x_data, dtype=float).reshape(-1)
        ax.plot(at, np.asarray(y).reshape(len(at), -1)[:, output], ".", color="0.25", ms=3, zorder=1, label="data")
    ax.set(xlabel="x", ylabel="y")
    ax.legend(frameon=False, ncol=4, loc="lower left", bbox_to_anchor=(0, 1), borderaxespad=0)
    return ax


def calibration(
    y: ArrayLike, prediction: Predicted, std: ArrayLike | None = None, *, ax: Axes | None = None
) -> Axes:
    """Share of samples inside the region of each level, with the expected calibration error."""
    ax = _axes(ax)
    levels = np.linspace(0, 1, 101)
    shares = metrics.calibration_curve(y, prediction, std, levels=levels)
    ax.plot([0, 1], [0, 1], "--", color="0.6", lw=1, label="calibrated")
    ax.plot(levels, shares, color=_MEAN, lw=1.5, label=f"ECE {metrics.ece(y, prediction, std):.3f}")
    ax.fill_between(levels, levels, shares, color=_EPISTEMIC, alpha=0.3, lw=0)
    ax.set(xlabel="level", ylabel="share of samples inside", xlim=(0, 1), ylim=(0, 1), aspect="equal")
    ax.legend(frameon=False, loc="upper left")
    return ax


def trace(result: Any, *, ax: Axes | None = None) -> Axes:
    """Log-evidence (+ hyperprior) by EM step, of an `EmResult`, a fitted estimator or an array."""
    ax = _axes(ax)
    if isinstance(result, EmResult):
        result = result.trace
    values = np.asarray(getattr(result, "trace_", result), dtype=float)
    if values.ndim != 1 or values.size == 0:
        raise ValueError("result: has no EM trace (cross-fitted models choose by conditional evidence, without EM)")
    ax.plot(values, "o-", ms=3, color=_MEAN)
    ax.set(xlabel="accepted EM step", ylabel="log-evidence + log-hyperprior")
    return ax
