"""The scikit-learn estimator."""

from __future__ import annotations

from collections.abc import Sequence
from os import PathLike
from typing import Literal, overload

import numpy as np
from sklearn.base import BaseEstimator, MultiOutputMixin, RegressorMixin
from sklearn.utils.validation import check_is_fitted

from ._core import Model, Prediction, _cross_fit_samples
from ._types import ArrayLike, Floats
from ._validation import validate

_NAMES = (
    "features hidden activation degree kernels lengthscale noise covariance prior_mean column_covariance "
    "hyperprior train members epochs batch rate weight_decay validation rounds tolerance max_steps seed threads"
).split()


class MBLLRegressor(MultiOutputMixin, RegressorMixin, BaseEstimator):
    """Regression with calibrated, decomposed uncertainty: features, noise and a Bayesian last layer.

    The options have the names, values and defaults of ``mbll fit`` on the command line.

    Parameters
    ----------
    features : {"mlp", "linear", "poly", "rbf", "fourier"}
        Learned by a network, or fixed.
    hidden, activation
        Widths of the network's hidden layers, 0: chosen by the number of samples; "silu", "leaky_relu", "relu",
        "softplus", "tanh" or "gelu".
    degree, kernels, lengthscale
        Of "poly"; number of "rbf" centres or "fourier" features and their width in standardised inputs (0: chosen by
        evidence).
    noise : {"network", "constant", "given"}
        Where sigma(x) comes from. "given": pass ``sigma`` to `fit`, `predict` and `partial_fit`.
    covariance : {"known", "unknown"}
        Noise covariance between outputs: estimated and fixed, or with its own posterior (t predictive).
    prior_mean, column_covariance, hyperprior
        Prior of the last layer: "zero", "ones" or "pretrained"; "isotropic", "diagonal" or "full"; "none", "identity"
        or "scale-invariant". A pretrained mean under a hyperprior is estimated with the covariance.
    train : {"cross-fitted", "two-phase", "end-to-end"}
        How a network is trained. Data too small to cross-fit (fewer than ``members`` or ``members * (outputs + 1) / 2``
        samples) is trained in two phases.
    members, epochs, batch, rate, weight_decay, validation, rounds
        Of the training; ``epochs=0`` and ``batch=0``: chosen by the number of samples.
    tolerance, max_steps
        Of EM.
    seed : int
        Same seed, data and options: the same bits, whatever the number of threads.
    threads : int
        0: all cores.

    Attributes
    ----------
    log_evidence_ : float
        Log-evidence of the samples that chose the hyperparameters, in the units of y.
    noise_covariance_ : ndarray (p, p)
    n_iter_ : int
        EM steps (of the first member).
    trace_ : ndarray
        Log-evidence + log-hyperprior by EM step; empty where the conditional evidence chose the hyperparameters.
    converged_ : bool
    model_ : the fitted model itself

    At least ten samples are needed, and outputs that are not constant.
    """

    model_: Model
    log_evidence_: float
    noise_covariance_: Floats
    n_iter_: int
    trace_: Floats
    converged_: bool

    def __init__(
        self,
        features: str = "mlp",
        *,
        hidden: Sequence[int] | int = 0,
        activation: str = "silu",
        degree: int = 3,
        kernels: int = 100,
        lengthscale: float = 0.0,
        noise: str = "network",
        covariance: str = "known",
        prior_mean: str = "zero",
        column_covariance: str = "isotropic",
        hyperprior: str = "none",
        train: str = "cross-fitted",
        members: int = 20,
        epochs: int = 0,
        batch: int = 0,
        rate: float = 1e-2,
        weight_decay: float = 0.01,
        validation: float = 0.2,
        rounds: int = 30,
        tolerance: float = 1e-4,
        max_steps: int = 1000,
        seed: int = 0,
        threads: int = 0,
    ) -> None:
        self.features = features
        self.hidden = hidden
        self.activation = activation
        self.degree = degree
        self.kernels = kernels
        self.lengthscale = lengthscale
        self.noise = noise
        self.covariance = covariance
        self.prior_mean = prior_mean
        self.column_covariance = column_covariance
        self.hyperprior = hyperprior
        self.train = train
        self.members = members
        self.epochs = epochs
        self.batch = batch
        self.rate = rate
        self.weight_decay = weight_decay
        self.validation = validation
        self.rounds = rounds
        self.tolerance = tolerance
        self.max_steps = max_steps
        self.seed = seed
        self.threads = threads

    def fit(self, X: ArrayLike, y: ArrayLike, sigma: ArrayLike | None = None) -> MBLLRegressor:
        """Fits the model. X (N, q); y (N,) or (N, p); sigma (N,) with ``noise="given"``."""
        X, y = validate(self, X, y, reset=True)
        self._check_options()
        options = {name: getattr(self, name) for name in _NAMES}
        options["hidden"] = self.hidden if self.hidden is None else np.atleast_1d(self.hidden).tolist()
        outputs = 1 if y.ndim == 1 else y.shape[1]
        if self.train == "cross-fitted" and len(X) < _cross_fit_samples(self.members, outputs):
            options["train"] = "two-phase"
        names = [str(name) for name in getattr(self, "feature_names_in_", ())]
        self._set_model(Model.fit(X, y, sigma, options, names), y.ndim == 1)
        return self

    def partial_fit(self, X: ArrayLike, y: ArrayLike, sigma: ArrayLike | None = None) -> MBLLRegressor:
        """Bayesian update with more samples: features and hyperparameters stay. Fits if there is no model yet."""
        if not hasattr(self, "model_"):
            return self.fit(X, y, sigma)
        X, y = validate(self, X, y)
        self._set_model(self.model_.update(X, y, sigma), self._flat)
        return self

    def predict_distribution(self, X: ArrayLike, sigma: ArrayLike | None = None) -> Prediction:
        """The predictive distribution at X: a `Prediction` with mean, variances, intervals, densities and draws."""
        check_is_fitted(self)
        return self.model_.predict(validate(self, X), sigma, self._flat)

    @overload
    def predict(self, X: ArrayLike, *, sigma: ArrayLike | None = ...) -> Floats: ...
    @overload
    def predict(
        self, X: ArrayLike, return_std: Literal[True], *, sigma: ArrayLike | None = ...
    ) -> tuple[Floats, Floats]: ...
    @overload
    def predict(
        self, X: ArrayLike, *, return_cov: Literal[True], sigma: ArrayLike | None = ...
    ) -> tuple[Floats, Floats]: ...
    def predict(self, X, return_std=False, return_cov=False, sigma=None):
        """Predictive mean, with the standard deviation (shaped like it) or the covariances (N, p, p) on request."""
        if return_std and return_cov:
            raise ValueError("return_std: not together with return_cov, expected one of them")
        prediction = self.predict_distribution(X, sigma)
        if return_std:
            return prediction.mean, prediction.std
        if return_cov:
            return prediction.mean, prediction.total_cov
        return prediction.mean

    def save(self, path: str | PathLike[str]) -> None:
        """Writes the model file of the command line: CBOR if the path ends with ".cbor", else JSON."""
        check_is_fitted(self)
        self.model_.save(str(path))

    @classmethod
    def load(cls, path: str | PathLike[str]) -> MBLLRegressor:
        """An estimator that predicts with the model of a file; its options are the defaults."""
        self = cls()
        model = Model.load(str(path))
        self.n_features_in_ = model.inputs
        names = list(model.input_names)
        if names != [f"x{i + 1}" for i in range(model.inputs)]:
            self.feature_names_in_ = np.array(names, dtype=object)
        self._set_model(model, model.outputs == 1)
        return self

    def _check_options(self):
        """Options that exclude each other, as on the command line."""
        if self.features != "mlp":
            if self.prior_mean == "pretrained":
                raise ValueError("prior_mean: 'pretrained' needs features='mlp'")
        elif self.train == "cross-fitted":
            if self.column_covariance == "full":
                raise ValueError("column_covariance: 'full' needs train='two-phase' or 'end-to-end'")
            if self.prior_mean in ("ones", "pretrained") or self.hyperprior in ("identity", "scale-invariant"):
                raise ValueError("prior_mean, hyperprior: need train='two-phase' or 'end-to-end'")

    def _set_model(self, model, flat):
        self.model_ = model
        self._flat = flat
        self.log_evidence_ = model.log_evidence
        self.noise_covariance_ = model.noise_covariance
        self.n_iter_ = model.em_steps
        self.trace_ = model.trace
        self.converged_ = model.converged
