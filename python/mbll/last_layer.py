"""A Bayesian last layer on features that come from elsewhere."""

from __future__ import annotations

from typing import Literal, overload

import numpy as np
from sklearn.base import BaseEstimator, MultiOutputMixin, RegressorMixin
from sklearn.exceptions import NotFittedError

from . import _core
from ._core import MatrixNormal, NormalInverseWishart, Posterior, Prediction
from ._types import ArrayLike, Floats


class BayesianLastLayer(MultiOutputMixin, RegressorMixin, BaseEstimator):
    """Bayesian linear regression on features of any network: y = A [phi, 1] + sigma * noise.

    Hyperparameters (prior variance of A, scale of the noise) are estimated by EM; the outputs are standardised first,
    the features are taken as they are. Arrays may come from NumPy, PyTorch, JAX or anything else with DLPack or
    ``__array__``; double precision in C order is used without a copy.

    Parameters
    ----------
    structure : {"isotropic", "diagonal", "full"}
        Form of the prior covariance between features; "diagonal" is automatic relevance determination.
    covariance : {"known", "unknown"}
        Noise covariance between outputs: that of the outputs up to a factor, or with its own posterior (t predictive).
    intercept : bool
        Append the constant 1 to the features.
    hyperprior : None, "identity", "scale-invariant" or (H, nu_K)
        On the prior covariance between features.
    constant_noise : bool
        Estimate one factor on sigma. With False, sigma is taken as given, in the units of Y.
    tol, max_steps, threads
        Of EM; 0 threads: all cores.

    Attributes
    ----------
    log_evidence_, noise_covariance_, n_iter_, trace_, converged_ : as in `MBLLRegressor`
    prior_, posterior_ : of the standardised outputs
    """

    prior_: MatrixNormal | NormalInverseWishart
    posterior_: Posterior
    log_evidence_: float
    n_iter_: int
    trace_: Floats
    converged_: bool

    def __init__(
        self,
        structure: str = "isotropic",
        *,
        covariance: str = "known",
        intercept: bool = True,
        hyperprior: str | tuple[ArrayLike, float] | None = None,
        constant_noise: bool = True,
        tol: float = 1e-4,
        max_steps: int = 1000,
        threads: int = 0,
    ) -> None:
        self.structure = structure
        self.covariance = covariance
        self.intercept = intercept
        self.hyperprior = hyperprior
        self.constant_noise = constant_noise
        self.tol = tol
        self.max_steps = max_steps
        self.threads = threads

    def fit(self, features: ArrayLike, Y: ArrayLike, sigma: ArrayLike | None = None) -> BayesianLastLayer:
        """Estimates the hyperparameters and conditions on the data. features (N, d); Y (N,) or (N, p); sigma (N,)."""
        if self.covariance not in ("known", "unknown"):
            raise ValueError(f"covariance: {self.covariance!r}, expected 'known' or 'unknown'")
        Y = _core._to_numpy(Y, "Y")
        if Y.ndim not in (1, 2) or Y.size == 0:
            raise ValueError(f"Y: found shape {Y.shape}, expected (samples,) or (samples, outputs), not empty")
        if not np.isfinite(Y).all():
            raise ValueError("Y: expected finite numbers, found NaN or infinity")
        outputs = Y.reshape(len(Y), -1)
        p = outputs.shape[1]
        shift = outputs.mean(axis=0) if self.intercept else np.zeros(p)
        scale = np.sqrt(np.square(outputs - shift).mean(axis=0))
        scale[scale == 0] = 1.0
        unit = 1.0  # of the noise that EM sees
        if not self.constant_noise:
            scale[:] = np.sqrt(np.square(scale).mean())  # sigma is one number for all outputs: one unit too
            unit = 1.0 / scale[0]
        data = self._statistics(features, outputs, unit * _number_or_array(sigma), shift, scale)
        V = _correlation((outputs - shift) / scale)
        M = np.zeros((p, data.features))
        if self.covariance == "known":
            prior = _core.MatrixNormal(M, V, 1.0)
        else:
            prior = _core.NormalInverseWishart(M, 1.0, V, 2 * p + 3)
        result = _core.em(
            prior,
            data,
            structure=self.structure,
            hyperprior=self.hyperprior,
            # With V unknown, Psi takes the part of the noise's scale.
            constant_noise=self.constant_noise and self.covariance == "known",
            tol=self.tol,
            max_steps=self.max_steps,
        )
        in_units = data.samples * float(np.log(scale).sum())  # of the density of Y, not of what was standardised
        self._shift, self._scale, self._flat = shift, scale, Y.ndim == 1
        self._given_noise = sigma is not None
        self._noise_factor = unit * result.noise_scale
        self.posterior_ = result.posterior
        self.prior_ = result.prior
        self.n_iter_ = result.steps
        self.converged_ = result.converged
        self.trace_ = result.trace - in_units
        self.log_evidence_ = result.posterior.log_evidence - in_units
        return self

    def partial_fit(self, features: ArrayLike, Y: ArrayLike, sigma: ArrayLike | None = None) -> BayesianLastLayer:
        """Bayesian update with more samples; the hyperparameters stay. Fits if there is no posterior yet."""
        if not hasattr(self, "posterior_"):
            return self.fit(features, Y, sigma)
        data = self._statistics(features, Y, self._noise(sigma), self._shift, self._scale)
        self.posterior_ = _core.condition(self.posterior_, data)
        return self

    def predict_distribution(self, features: ArrayLike, sigma: ArrayLike | None = None) -> Prediction:
        """The predictive distribution: a `Prediction` with mean, variances, intervals, densities and draws."""
        if not hasattr(self, "posterior_"):
            raise NotFittedError("This BayesianLastLayer is not fitted yet: call fit first.")
        return _core._last_layer_predict(
            self.posterior_,
            features,
            self._noise(sigma),
            self._shift,
            self._scale,
            self.intercept,
            self._flat,
        )

    @overload
    def predict(self, features: ArrayLike, *, sigma: ArrayLike | None = ...) -> Floats: ...
    @overload
    def predict(
        self, features: ArrayLike, return_std: Literal[True], *, sigma: ArrayLike | None = ...
    ) -> tuple[Floats, Floats]: ...
    @overload
    def predict(
        self, features: ArrayLike, *, return_cov: Literal[True], sigma: ArrayLike | None = ...
    ) -> tuple[Floats, Floats]: ...
    def predict(self, features, return_std=False, return_cov=False, sigma=None):
        """Predictive mean, with the standard deviation (shaped like it) or the covariances (N, p, p) on request."""
        if return_std and return_cov:
            raise ValueError("return_std: not together with return_cov, expected one of them")
        prediction = self.predict_distribution(features, sigma)
        if return_std:
            return prediction.mean, prediction.std
        if return_cov:
            return prediction.mean, prediction.total_cov
        return prediction.mean

    @property
    def noise_covariance_(self) -> Floats:
        """Covariance of the noise at sigma = 1 in the units of Y: (p, p)."""
        if not hasattr(self, "posterior_"):
            raise NotFittedError("This BayesianLastLayer is not fitted yet: call fit first.")
        V = self._noise_factor**2 * self.posterior_.noise_covariance
        return self._scale[:, None] * V * self._scale

    def _statistics(self, features, Y, sigma, shift, scale):
        return _core._last_layer_statistics(features, Y, sigma, shift, scale, self.intercept, self.threads)

    def _noise(self, sigma):
        if sigma is None and self._given_noise:
            raise ValueError("sigma: is missing, the layer was fitted with one sigma per sample")
        return self._noise_factor * _number_or_array(sigma)


def _number_or_array(sigma):
    return np.float64(1.0) if sigma is None else _core._to_numpy(sigma, "sigma")


def _correlation(Z):
    """Second moments of standardised outputs, with a ridge that keeps constant or collinear ones valid."""
    p = Z.shape[1]
    if p == 1:
        return np.eye(1)
    V = Z.T @ Z / len(Z)
    return V + 1e-9 * np.trace(V) / p * np.eye(p) + np.diag((V.diagonal() == 0).astype(float))
