import numpy as np
import pytest

import mbll
from mbll import metrics


@pytest.fixture
def gaussian(rng):
    mean = rng.standard_normal(300)
    std = rng.uniform(0.5, 2, 300)
    y = mean + 1.3 * std * rng.standard_normal(300)
    return y, mean, std


def test_equal_to_uncertainty_toolbox(gaussian):
    uct = pytest.importorskip("uncertainty_toolbox")
    y, mean, std = gaussian
    for bins in (100, 31):
        theirs = uct.mean_absolute_calibration_error(mean, std, y, num_bins=bins)
        assert metrics.ece(y, mean, std, levels=np.linspace(0, 1, bins)) == pytest.approx(theirs, rel=1e-12)
    assert metrics.crps(y, mean, std) == pytest.approx(uct.crps_gaussian(mean, std, y), rel=1e-10)
    assert metrics.sharpness(mean, std) == pytest.approx(uct.sharpness(std), rel=1e-12)
    assert metrics.nll(y, mean, std) == pytest.approx(uct.nll_gaussian(mean, std, y), rel=1e-12)
    assert metrics.rmse(y, mean, std) == pytest.approx(np.sqrt(np.mean((y - mean) ** 2)), rel=1e-12)
    levels = np.linspace(0.01, 0.99, 99)
    ours = np.mean([metrics.interval_score(y, mean, std, level=level) for level in levels])
    assert ours == pytest.approx(uct.interval_score(mean, std, y), rel=1e-8)


def test_calibration_error_counts_what_lies_inside(gaussian):
    scipy_stats = pytest.importorskip("scipy.stats")
    y, mean, std = gaussian
    levels = np.arange(1, 100) / 100
    inside = np.abs(y - mean)[:, None] <= std[:, None] * scipy_stats.norm.ppf(0.5 + levels / 2)
    assert metrics.ece(y, mean, std) == pytest.approx(np.abs(inside.mean(axis=0) - levels).mean(), rel=1e-12)
    assert metrics.coverage(y, mean, std, level=0.9) == pytest.approx(inside[:, 89].mean(), rel=1e-12)
    assert metrics.coverage(y, mean, std, level=1.0) == 1.0


def test_several_outputs(rng):
    mean, std = rng.standard_normal((50, 2)), rng.uniform(0.5, 2, (50, 2))
    y = mean + std * rng.standard_normal((50, 2))
    prediction = mbll.normal(mean, std)
    np.testing.assert_allclose(prediction.std, std, rtol=1e-12)
    each = [metrics.nll(y[:, j], mean[:, j], std[:, j]) for j in range(2)]
    np.testing.assert_allclose(metrics.nll(y, prediction, per_output=True), each, rtol=1e-12)
    assert metrics.nll(y, prediction) == pytest.approx(sum(each), rel=1e-12)  # independent outputs
    for metric in (metrics.rmse, metrics.crps, metrics.ece, metrics.interval_score, metrics.coverage):
        per_output = metric(y, prediction, per_output=True)
        np.testing.assert_allclose(per_output, [metric(y[:, j], mean[:, j], std[:, j]) for j in range(2)], rtol=1e-9)
        assert np.isscalar(metric(y, prediction))
    assert metrics.rmse(y, prediction) == pytest.approx(np.sqrt(((y - mean) ** 2).sum(axis=1).mean()))
    assert metrics.pit(y, prediction).shape == (50, 2)


def test_wrong_arguments(gaussian):
    y, mean, std = gaussian
    with pytest.raises(ValueError, match="std"):
        metrics.nll(y, mean)
    with pytest.raises(ValueError, match="std"):
        metrics.nll(y, mbll.normal(mean, std), std)
    with pytest.raises(ValueError, match="std"):
        metrics.nll(y, mean, -std)
    with pytest.raises(ValueError, match="y"):
        metrics.nll(y[:5], mean, std)
    with pytest.raises(ValueError, match="levels"):
        metrics.ece(y, mean, std, levels=[0.5, 1.5])
    with pytest.raises(ValueError):
        metrics.ece(np.empty(0), np.empty(0), np.empty(0))
