import numpy as np
import pytest

import mbll

matplotlib = pytest.importorskip("matplotlib")
matplotlib.use("Agg")


@pytest.fixture
def model(wave):
    return mbll.MBLLRegressor("rbf").fit(*wave)


def test_bands_hold_epistemic_inside_total(wave, model, tmp_path):
    grid = np.linspace(-4, 4, 200)
    prediction = model.predict_distribution(grid[:, None])
    ax = mbll.plot.bands(grid, prediction, wave[1], x_data=wave[0])
    total, epistemic = ax.collections
    np.testing.assert_allclose(np.ptp(total.get_paths()[0].vertices[:, 1]), np.ptp(np.concatenate(
        [prediction.mean - 2 * prediction.std, prediction.mean + 2 * prediction.std])))
    assert np.ptp(epistemic.get_paths()[0].vertices[:, 1]) <= np.ptp(total.get_paths()[0].vertices[:, 1])
    ax.figure.savefig(tmp_path / "bands.png")
    with pytest.raises(ValueError, match="x"):
        mbll.plot.bands(grid[:5], prediction)


def test_calibration_shows_the_error(wave, model):
    X, y = wave
    prediction = model.predict_distribution(X)
    ax = mbll.plot.calibration(y, prediction)
    assert f"{mbll.metrics.ece(y, prediction):.3f}" in ax.get_legend().get_texts()[1].get_text()
    line = ax.lines[1].get_ydata()
    assert line[0] == 0 and line[-1] == 1 and line[50] == mbll.metrics.coverage(y, prediction, level=0.5)


def test_trace_of_estimators_results_and_arrays(model):
    for source in (model, model.trace_):
        np.testing.assert_array_equal(mbll.plot.trace(source).lines[0].get_ydata(), model.trace_)
    with pytest.raises(ValueError, match="trace"):
        mbll.plot.trace([])
