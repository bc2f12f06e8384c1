"""scikit-learn's own checks of X and y, in whichever form its version has them; and arrays of other libraries."""

from __future__ import annotations

import numpy as np

try:
    from sklearn.utils.validation import validate_data
except ImportError:  # before 1.6 it was a method of the estimator

    def validate_data(estimator, X, y="no_validation", **options):
        return estimator._validate_data(X, y, **options)


def validate(estimator, X, y=None, reset=False):
    """Checked (X, y), or X when there is no y. Raises what scikit-learn raises."""
    X, y = as_array(X), as_array(y)
    if y is None and not reset:
        return validate_data(estimator, X, dtype=np.float64, order="C", reset=False)
    X, y = validate_data(
        estimator, X, y, dtype=np.float64, order="C", reset=reset, multi_output=True, y_numeric=True
    )
    # A model of one sample, or of a handful, would be an invention.
    if reset and len(X) < 10:
        raise ValueError(f"X: n_samples={len(X)}, expected at least 10 samples to fit")
    return X, np.asarray(y, dtype=np.float64)


def as_array(value):
    """What PyTorch, JAX and others hand out as something that NumPy reads; anything else as it is.

    A tensor leaves its gradient and its device behind.
    """
    if hasattr(value, "detach"):
        value = value.detach().cpu()
        if hasattr(value, "double") and not value.is_complex():
            return value.double()  # by PyTorch: NumPy has no bfloat16
    elif str(getattr(value, "dtype", "")) == "bfloat16":
        return np.asarray(value).astype(np.float64)  # a stranger to scikit-learn
    elif not hasattr(value, "__array__") and hasattr(value, "__dlpack__"):
        return np.from_dlpack(value)
    return value
