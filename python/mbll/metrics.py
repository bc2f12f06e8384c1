"""How good a predictive distribution is where the outputs are known.

Every metric takes ``(y, prediction)``, or ``(y, mean, std)`` for Gaussians of any other model. With several outputs the
result covers all of them together; ``per_output=True`` gives an array with one value per output. The formulas are in
docs/metrics.md.
"""

from __future__ import annotations

import numpy as np

from ._core import Prediction, _metrics, _to_numpy, normal

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

CENTRAL_LEVELS = np.arange(1, 100) / 100


def _prediction(prediction, std):
    if isinstance(prediction, Prediction):
        if std is not None:
            raise ValueError("std: was given beside a Prediction, expected only with a mean")
        return prediction
    if std is None:
        raise ValueError("std: is missing, expected (y, prediction) or (y, mean, std)")
    return normal(prediction, std)


def rmse(y, prediction, std=None, *, per_output=False):
    """Root of the mean squared distance between y and the predicted mean."""
    if std is None and not isinstance(prediction, Prediction):
        std = np.ones_like(_to_numpy(prediction, "prediction"))  # does not matter here
    prediction = _prediction(prediction, std)
    return _metrics.output_rmse(prediction, y) if per_output else _metrics.rmse(prediction, y)


def nll(y, prediction, std=None, *, per_output=False):
    """Mean of -ln p(y | data): joint over the outputs, or of each marginal."""
    prediction = _prediction(prediction, std)
    return _metrics.output_nll(prediction, y) if per_output else _metrics.nll(prediction, y)


def crps(y, prediction, std=None, *, per_output=False):
    """Mean continuous ranked probability score; over the outputs its mean."""
    each = _metrics.output_crps(_prediction(prediction, std), y)
    return each if per_output else float(each.mean())


def sharpness(prediction, std=None, *, per_output=False):
    """Root of the mean predictive variance: of each output, or of their sum. Takes no y."""
    each = _metrics.output_sharpness(_prediction(prediction, std))
    return each if per_output else float(np.sqrt(np.square(each).sum()))


def interval_score(y, prediction, std=None, *, level=0.95, per_output=False):
    """Mean width of the central interval plus the penalty for values outside; over the outputs its mean."""
    each = _metrics.output_interval_score(_prediction(prediction, std), y, level)
    return each if per_output else float(each.mean())


def pit(y, prediction, std=None):
    """Marginal probability of values below y: uniform on (0, 1) where the predictive is calibrated."""
    return _metrics.pit(_prediction(prediction, std), y)


def calibration_curve(y, prediction, std=None, *, levels=CENTRAL_LEVELS, per_output=False):
    """Share of samples inside the regions of these levels, from 0 to 1: central intervals (per output) or ellipsoids.

    Shape (m,), or (m, p) per output.
    """
    prediction = _prediction(prediction, std)
    levels = np.asarray(levels, dtype=float)
    if levels.ndim != 1 or levels.size == 0:
        raise ValueError(f"levels: found shape {levels.shape}, expected (m,) with m > 0")
    if not ((levels >= 0) & (levels <= 1)).all():
        raise ValueError("levels: expected numbers from 0 to 1")
    # The regions of the levels 0 and 1 are nothing and everything.
    inside = (levels > 0) & (levels < 1)
    joint, marginal = _metrics.calibration_curve(prediction, y, levels[inside])
    shares = marginal if per_output else joint
    result = np.broadcast_to(levels[:, None] if per_output else levels, (levels.size, *shares.shape[1:])).copy()
    result[inside] = shares
    return result


def coverage(y, prediction, std=None, *, level=0.95, per_output=False):
    """Share of samples inside the region of one level."""
    shares = calibration_curve(y, prediction, std, levels=[level], per_output=per_output)[0]
    return shares if per_output else float(shares)


def ece(y, prediction, std=None, *, levels=CENTRAL_LEVELS, per_output=False):
    """Expected calibration error: mean over the levels of |share inside - level|.

    The levels are 0.01, 0.02, ..., 0.99. With ``levels=np.linspace(0, 1, 100)`` this is the mean absolute calibration
    error of uncertainty-toolbox.
    """
    shares = calibration_curve(y, prediction, std, levels=levels, per_output=per_output)
    levels = np.asarray(levels, dtype=float)
    if per_output:
        return np.abs(shares - levels[:, None]).mean(axis=0)
    return float(np.abs(shares - levels).mean())
