"""The closed forms through Python against 60-digit arithmetic, at the tolerances of the C++ tests."""

import numpy as np
import pytest

import mbll
from conftest import golden_cases


def normal(case):
    return mbll.condition(mbll.MatrixNormal(case["M"], case["V"], case["K"]), case["Phi"], case["Y"], case["sigma"])


@pytest.mark.parametrize("case", golden_cases(full=False))
def test_evidence_and_prediction(case):
    expected = case.expected["normal"]
    posterior = normal(case)
    case.close(posterior.log_evidence, expected["log_evidence"])
    prediction = posterior.predict(case["Phi_new"], case["sigma_new"])
    case.close(prediction.mean, np.transpose(expected["predictive_mean"]))
    scale = prediction.epistemic[:, 0] / posterior.V[0, 0]
    if "epistemic_scale" in expected:
        case.close(scale, expected["epistemic_scale"])


@pytest.mark.parametrize("case", golden_cases(full=True))
def test_covariance_known(case):
    expected = case.expected["normal"]
    posterior = normal(case)
    case.close(posterior.mean, expected["posterior_mean"])
    case.close(posterior.column_covariance, expected["posterior_column_covariance"])
    prediction = posterior.predict(case["Phi_new"], case["sigma_new"])
    check_parts(case, prediction, expected)
    assert posterior.Psi is None and posterior.nu == np.inf


@pytest.mark.parametrize("case", golden_cases(full=True))
def test_covariance_unknown(case):
    expected = case.expected["t"]
    prior = mbll.NormalInverseWishart(case["M"], case["K"], case["Psi"], case.input["nu"])
    posterior = mbll.condition(prior, case["Phi"], case["Y"], case["sigma"])
    case.close(posterior.log_evidence, expected["log_evidence"])
    case.close(posterior.Psi, expected["posterior_scale"])
    assert posterior.nu == expected["posterior_dof"]
    check_parts(case, posterior.predict(case["Phi_new"], case["sigma_new"]), expected)


def check_parts(case, prediction, expected):
    case.close(prediction.aleatoric_cov, expected["aleatoric"])
    case.close(prediction.epistemic_cov, expected["epistemic"])
    np.testing.assert_allclose(prediction.total_cov, prediction.aleatoric_cov + prediction.epistemic_cov, rtol=1e-14)
    diagonal = np.diagonal(prediction.total_cov, axis1=1, axis2=2)
    np.testing.assert_allclose(prediction.total, diagonal, rtol=1e-13)
    case.close(prediction.log_prob(case["Y_new"]), expected["log_predictive_each"])
    case.close(prediction.log_prob_joint(case["Y_new"]), expected["log_predictive_joint"])


@pytest.mark.parametrize("case", golden_cases(full=True))
def test_unrelated_covariances(case):
    expected = case.expected["unrelated"]
    posterior = mbll.condition_unrelated(
        case["M"], case["V"], case["K"], case["U"], case["Phi"], case["Y"], case["sigma"]
    )
    case.close(posterior.log_evidence, expected["log_evidence"])
    case.close(posterior.mean, expected["posterior_mean"])
    if "posterior_covariance" in expected:
        case.close(posterior.covariance, expected["posterior_covariance"])
    prediction = posterior.predict(case["Phi_new"], case["sigma_new"])
    case.close(prediction.mean, np.transpose(expected["predictive_mean"]))
    case.close(prediction.epistemic_cov, expected["epistemic"])


@pytest.mark.parametrize("case", golden_cases(full=True))
def test_one_em_step(case):
    one_step = {"structure": "full", "max_steps": 1, "accelerate": False}
    data = case["Phi"], case["Y"], case["sigma"]
    prior = mbll.MatrixNormal(case["M"], case["V"], case["K"])
    expected = case.expected["normal"]
    case.close(mbll.em(prior, *data, **one_step).prior.K, expected["K_update"]["full"])
    hyperprior = (case["hyper_scale"], case.input["hyper_dof"])
    fixed = mbll.em(prior, *data, hyperprior=hyperprior, **one_step)
    case.close(fixed.prior.K, expected["K_update_hyper_fixed_mean"]["full"])
    joint = mbll.em(prior, *data, hyperprior=hyperprior, update_mean=True, **one_step)
    case.close(joint.prior.K, expected["K_update_hyper_joint"]["full"])
    case.close(joint.prior.M, expected["posterior_mean"])
    wishart = mbll.NormalInverseWishart(case["M"], case["K"], case["Psi"], case.input["nu"])
    unknown = mbll.em(wishart, *data, **one_step)
    case.close(unknown.prior.K, case.expected["t"]["K_update"]["full"])
    case.close(unknown.prior.Psi, case.expected["t"]["Psi_update"]["full"])
