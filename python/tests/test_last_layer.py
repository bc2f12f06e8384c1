import pickle

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.exceptions import NotFittedError
from sklearn.linear_model import BayesianRidge
from sklearn.model_selection import GridSearchCV

import mbll


@pytest.fixture
def problem(rng):
    features = rng.standard_normal((400, 9))
    weights = rng.standard_normal((9, 2))
    Y = features @ weights + np.array([5.0, -3.0]) + 0.3 * rng.standard_normal((400, 2))
    return features, Y


def test_same_optimum_as_bayesian_ridge(problem):
    """Without an intercept and with flat hyperpriors both maximise the same evidence."""
    features, y = problem[0], problem[1][:, 0] - 5
    ridge = BayesianRidge(
        fit_intercept=False, alpha_1=0, alpha_2=0, lambda_1=0, lambda_2=0, tol=1e-12, compute_score=True
    ).fit(features, y)
    layer = mbll.BayesianLastLayer(intercept=False, tol=1e-10).fit(features, y)
    assert layer.converged_
    assert layer.log_evidence_ == pytest.approx(ridge.scores_[-1], rel=1e-6)
    assert layer.noise_covariance_[0, 0] == pytest.approx(1 / ridge.alpha_, rel=1e-4)
    mean, std = layer.predict(features, return_std=True)
    expected_mean, expected_std = ridge.predict(features, return_std=True)
    np.testing.assert_allclose(mean, expected_mean, atol=1e-5)
    np.testing.assert_allclose(std, expected_std, rtol=1e-4)


@pytest.mark.parametrize("covariance", ["known", "unknown"])
@pytest.mark.parametrize("structure", ["isotropic", "diagonal", "full"])
def test_equal_to_the_closed_forms_in_the_units_of_the_data(problem, covariance, structure):
    """The standardisation inside is a change of variables: densities change by its Jacobian and nothing else."""
    features, Y = problem
    hyperprior = "identity" if structure == "full" else None
    layer = mbll.BayesianLastLayer(structure, covariance=covariance, hyperprior=hyperprior).fit(features[:300], Y[:300])
    prediction = layer.predict_distribution(features[300:])
    # The chain rule of the evidence holds in the units of Y.
    joint = prediction.log_prob_joint(Y[300:])
    updated = pickle.loads(pickle.dumps(layer)).partial_fit(features[300:], Y[300:])
    jacobian = 100 * np.log(layer._scale).sum()
    assert joint == pytest.approx(updated.posterior_.log_evidence - jacobian, rel=1e-9)
    phi = np.hstack([features[300:], np.ones((100, 1))])
    direct = layer.posterior_.predict(phi, layer._noise_factor)
    np.testing.assert_allclose(prediction.mean, direct.mean * layer._scale + layer._shift, rtol=1e-10)
    np.testing.assert_allclose(prediction.std, direct.std * layer._scale, rtol=1e-10)
    assert mbll.metrics.coverage(Y[300:], prediction, level=0.95) > 0.85
    assert np.abs(prediction.mean - Y[300:]).mean() < 0.5


def test_given_noise(rng):
    features = rng.standard_normal((500, 3))
    sigma = np.where(features[:, 0] > 0, 2.0, 0.2)
    y = 100 + features @ [1.0, 2.0, 3.0] + sigma * rng.standard_normal(500)
    scaled = mbll.BayesianLastLayer().fit(features, y, sigma=5 * sigma)  # the factor is estimated
    assert scaled.predict_distribution(features[:1], sigma=5.0).aleatoric[0] == pytest.approx(1.0, rel=0.3)
    exact = mbll.BayesianLastLayer(constant_noise=False).fit(features, y, sigma=sigma)
    np.testing.assert_allclose(exact.predict_distribution(features[:2], sigma=[0.5, 2.0]).aleatoric, [0.25, 4.0])
    with pytest.raises(ValueError, match="sigma"):
        exact.predict(features)


def test_arrays_of_other_libraries(problem):
    class Tensor:
        """Looks like PyTorch's: no __array__ until it is detached and on the CPU."""

        def __init__(self, value, ready=False):
            self.value, self.ready = value, ready

        def detach(self):
            return Tensor(self.value)

        def cpu(self):
            return self.value

    class Capsule:
        """Nothing but DLPack."""

        def __init__(self, value):
            self.value = value

        def __dlpack__(self, **options):
            return self.value.__dlpack__(**options)

        def __dlpack_device__(self):
            return self.value.__dlpack_device__()

    features, Y = problem
    expected = mbll.BayesianLastLayer().fit(features, Y).predict(features)
    for wrap in (Tensor, Capsule, lambda a: a.astype(np.float32)):
        found = mbll.BayesianLastLayer().fit(wrap(features), wrap(Y)).predict(wrap(features))
        np.testing.assert_allclose(found, expected, rtol=1e-3, atol=1e-4)


def test_shapes_and_partial_fit(problem):
    features, Y = problem
    layer = mbll.BayesianLastLayer().partial_fit(features[:50], Y[:50, 0])
    before = layer.predict_distribution(features).epistemic
    assert before.shape == (400,)
    layer.partial_fit(features[50:], Y[50:, 0])
    assert (layer.predict_distribution(features).epistemic < before).all()
    assert layer.predict(features, return_cov=True)[1].shape == (400, 1, 1)
    assert (np.diff(layer.trace_) >= 0).all()


def test_inside_other_estimators(problem):
    """Clones, searches and prints like scikit-learn's own."""
    features, Y = problem
    wide = np.hstack([features, np.random.default_rng(1).standard_normal((400, 150))])  # mostly of no relevance
    search = GridSearchCV(mbll.BayesianLastLayer(), {"structure": ["isotropic", "diagonal"]}, cv=3).fit(wide, Y)
    assert search.best_params_ == {"structure": "diagonal"}
    assert search.best_score_ > 0.9
    assert repr(clone(search.best_estimator_)) == "BayesianLastLayer(structure='diagonal')"


def test_bad_input(problem):
    features, Y = problem
    with pytest.raises(NotFittedError):
        mbll.BayesianLastLayer().predict(features)
    layer = mbll.BayesianLastLayer().fit(features, Y)
    for bad in (features[:, :3], features[0], np.full_like(features, np.nan)):
        with pytest.raises(ValueError, match="features"):
            layer.predict(bad)
    with pytest.raises(ValueError, match=r"^features: .*nan"):
        mbll.BayesianLastLayer().fit(np.where(features > 1, np.nan, features), Y)
    with pytest.raises(ValueError, match=r"^Y: .*nan"):
        layer.partial_fit(features, Y * np.nan)
    for bad in (Y[:5], Y[:, :, None], Y * np.nan, np.empty((0, 2))):
        with pytest.raises(ValueError, match="Y"):
            mbll.BayesianLastLayer().fit(features, bad)
    with pytest.raises(ValueError, match="covariance"):
        mbll.BayesianLastLayer(covariance="some").fit(features, Y)
    with pytest.raises(ValueError, match="structure"):
        mbll.BayesianLastLayer("round").fit(features, Y)
