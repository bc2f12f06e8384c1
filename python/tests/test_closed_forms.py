import pickle

import numpy as np
import pytest

import mbll

N, D, P, L = 40, 5, 3, 7


@pytest.fixture
def problem(rng):
    A = rng.standard_normal((P, D))
    Phi = rng.standard_normal((N, D))
    sigma = rng.uniform(0.5, 2, N)
    Y = Phi @ A.T + sigma[:, None] * rng.standard_normal((N, P))
    return Phi, Y, sigma


def spd(rng, n):
    root = rng.standard_normal((n, n))
    return root @ root.T + n * np.eye(n)


@pytest.fixture(params=["known", "unknown"])
def prior(request, rng):
    M = rng.standard_normal((P, D))
    if request.param == "known":
        return mbll.MatrixNormal(M, spd(rng, P), spd(rng, D))
    return mbll.NormalInverseWishart(M, spd(rng, D), spd(rng, P), 2 * P + 3.0)


def test_a_posterior_is_the_next_prior(prior, problem):
    Phi, Y, sigma = problem
    whole = mbll.condition(prior, Phi, Y, sigma)
    first = mbll.condition(prior, Phi[:15], Y[:15], sigma[:15])
    both = mbll.condition(first, Phi[15:], Y[15:], sigma[15:])
    np.testing.assert_allclose(both.mean, whole.mean, rtol=1e-10)
    np.testing.assert_allclose(both.column_covariance, whole.column_covariance, rtol=1e-10)
    np.testing.assert_allclose(first.log_evidence + both.log_evidence, whole.log_evidence, rtol=1e-12)
    assert both.samples == N
    again = mbll.condition(first.as_prior(), Phi[15:], Y[15:], sigma[15:])
    np.testing.assert_array_equal(again.mean, both.mean)


@pytest.mark.parametrize("points", [3, 25])  # fewer and more than features: two ways to compute it
def test_joint_density_is_the_conditional_evidence(prior, problem, points):
    Phi, Y, sigma = problem
    first = mbll.condition(prior, Phi[points:], Y[points:], sigma[points:])
    joint = first.predict(Phi[:points], sigma[:points]).log_prob_joint(Y[:points])
    update = mbll.condition(first, Phi[:points], Y[:points], sigma[:points])
    np.testing.assert_allclose(joint, update.log_evidence, rtol=1e-11)


def test_unrelated_collapses_to_shared_when_noise_and_prior_agree(rng, problem):
    Phi, Y, sigma = problem
    M, V, K = rng.standard_normal((P, D)), spd(rng, P), spd(rng, D)
    shared = mbll.condition(mbll.MatrixNormal(M, V, K), Phi[5:], Y[5:], sigma[5:])
    unrelated = mbll.condition_unrelated(M, V, K, V, Phi[5:], Y[5:], sigma[5:])
    np.testing.assert_allclose(unrelated.mean, shared.mean, rtol=1e-9)
    np.testing.assert_allclose(unrelated.log_evidence, shared.log_evidence, rtol=1e-12)
    expected, found = (post.predict(Phi[:5], sigma[:5]) for post in (shared, unrelated))
    np.testing.assert_allclose(found.total_cov, expected.total_cov, rtol=1e-9)
    np.testing.assert_allclose(found.log_prob_joint(Y[:5]), expected.log_prob_joint(Y[:5]), rtol=1e-9)
    updated = mbll.condition(unrelated, Phi[:5], Y[:5], sigma[:5])
    np.testing.assert_allclose(updated.mean, mbll.condition(shared, Phi[:5], Y[:5], sigma[:5]).mean, rtol=1e-9)


def test_statistics_add_merge_and_pickle(prior, problem):
    Phi, Y, sigma = problem
    left, right = mbll.Statistics(D, P), mbll.Statistics(D, P)
    left.add(Phi[:10], Y[:10], sigma[:10])
    right.add(Phi[10:], Y[10:], sigma[10:])
    left.merge(pickle.loads(pickle.dumps(right)))
    assert (left.features, left.outputs, left.samples) == (D, P, N)
    np.testing.assert_allclose(left.log_noise, 2 * np.log(sigma).sum())
    stacked = np.hstack([Phi, Y]) / sigma[:, None]
    np.testing.assert_allclose(left.root.T @ left.root, stacked.T @ stacked, rtol=1e-12)
    pieces, whole = mbll.condition(prior, left), mbll.condition(prior, Phi, Y, sigma)
    np.testing.assert_allclose(pieces.mean, whole.mean, rtol=1e-10)
    np.testing.assert_allclose(pieces.log_evidence, whole.log_evidence, rtol=1e-12)


def test_statistics_of_a_refused_block_stay_as_they_were(problem):
    Phi, Y, sigma = problem
    statistics = mbll.Statistics(D, P)
    statistics.add(Phi, Y, sigma)
    before = statistics.root
    with pytest.raises(ValueError, match="Y"):
        statistics.add(Phi, np.full_like(Y, np.nan), sigma)
    np.testing.assert_array_equal(statistics.root, before)
    assert statistics.samples == N


def test_scalars_and_diagonals_stand_for_covariances(rng, problem):
    Phi, Y, sigma = problem
    M = np.zeros((P, D))
    diagonal = rng.uniform(1, 2, D)
    short = mbll.condition(mbll.MatrixNormal(M, 2.0, diagonal), Phi, Y, sigma)
    long = mbll.condition(mbll.MatrixNormal(M, 2 * np.eye(P), np.diag(diagonal)), Phi, Y, sigma)
    np.testing.assert_allclose(short.log_evidence, long.log_evidence, rtol=1e-13)
    one = mbll.condition(mbll.MatrixNormal(M, 2.0, diagonal), Phi, Y)
    same = mbll.condition(mbll.MatrixNormal(M, 2.0, diagonal), Phi, Y, 1.0)
    assert one.log_evidence == same.log_evidence


def test_prediction_is_the_distribution_that_it_says(prior, problem):
    scipy_stats = pytest.importorskip("scipy.stats")
    Phi, Y, sigma = problem
    prediction = mbll.condition(prior, Phi, Y, sigma).predict(Phi[:L], sigma[:L])
    assert len(prediction) == L
    dof = prediction.dof
    scale = np.sqrt(prediction.total * (1 if np.isinf(dof) else (dof - 2) / dof))
    marginal = scipy_stats.norm(prediction.mean, scale) if np.isinf(dof) else scipy_stats.t(dof, prediction.mean, scale)
    np.testing.assert_allclose(prediction.cdf(Y[:L]), marginal.cdf(Y[:L]), rtol=1e-9)
    lower, upper = prediction.interval(0.9)
    # Not its ppf: SciPy 1.10 has only eight right digits of the quantiles of t.
    np.testing.assert_allclose(marginal.cdf(lower), 0.05, rtol=1e-9)
    np.testing.assert_allclose(marginal.sf(upper), 0.05, rtol=1e-9)
    np.testing.assert_allclose(prediction.std**2, prediction.total, rtol=1e-14)
    draws = prediction.sample(4000, seed=3)
    assert draws.shape == (4000, L, P)
    # Mean of 4000 draws: six standard errors fail once in 10⁷ runs over these 21 values.
    assert (np.abs(draws.mean(axis=0) - prediction.mean) < 6 * prediction.std / np.sqrt(4000)).all()
    np.testing.assert_array_equal(draws, prediction.sample(4000, seed=3))


def test_pickles_predict_the_same_bits(prior, problem):
    Phi, Y, sigma = problem
    posterior = mbll.condition(prior, Phi, Y, sigma)
    for original in (prior, posterior):
        copy = pickle.loads(pickle.dumps(original))
        expected = mbll.condition(original, Phi, Y, sigma).predict(Phi, sigma)
        found = mbll.condition(copy, Phi, Y, sigma).predict(Phi, sigma)
        np.testing.assert_array_equal(found.mean, expected.mean)
        np.testing.assert_array_equal(found.log_prob(Y), expected.log_prob(Y))


def test_em_climbs_and_ends(problem):
    Phi, Y, sigma = problem
    prior = mbll.MatrixNormal(np.zeros((P, D)), np.eye(P), 1e-3)
    result = mbll.em(prior, Phi, Y, sigma, constant_noise=True, tol=1e-8)
    assert result.converged and result.end == "converged"
    assert (np.diff(result.trace) >= -1e-10 * np.abs(result.trace[:-1])).all()
    assert len(result.trace) == len(result.history["noise_scale"]) <= result.steps + 1
    np.testing.assert_allclose(result.sigma, result.noise_scale * sigma)
    again = mbll.condition(result.prior, Phi, Y, result.sigma)
    np.testing.assert_allclose(again.log_evidence, result.posterior.log_evidence, rtol=1e-12)
    np.testing.assert_allclose(result.trace[-1], result.posterior.log_evidence, rtol=1e-12)
    k = result.prior.K[0, 0]
    np.testing.assert_allclose(result.prior.K, k * np.eye(D))
    for nearby_k, nearby_sigma in ((1.05 * k, 1.0), (k, 1.05), (k / 1.05, 1.0), (k, 1 / 1.05)):
        nearby = mbll.MatrixNormal(np.zeros((P, D)), np.eye(P), nearby_k)
        assert mbll.condition(nearby, Phi, Y, nearby_sigma * result.sigma).log_evidence < result.trace[-1]


def test_em_from_statistics_and_with_a_callback(problem):
    Phi, Y, sigma = problem
    prior = mbll.MatrixNormal(np.zeros((P, D)), np.eye(P), 1.0)
    data = mbll.Statistics(D, P)
    data.add(Phi, Y, sigma)
    result = mbll.em(prior, data, structure="diagonal", hyperprior="identity")
    same = mbll.em(prior, Phi, Y, sigma, structure="diagonal", hyperprior=(np.eye(D), 1.0))
    np.testing.assert_array_equal(result.trace, same.trace)
    seen = []
    stopped = mbll.em(prior, data, progress=lambda steps, objective: seen.append(objective) or len(seen) < 2)
    assert stopped.end == "stopped" and len(seen) == 2
    with pytest.raises(ZeroDivisionError):
        mbll.em(prior, data, progress=lambda steps, objective: 1 / 0)
