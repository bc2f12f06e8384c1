import pickle
import subprocess

import numpy as np
import pytest
from sklearn.exceptions import NotFittedError
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.utils.estimator_checks import parametrize_with_checks

import mbll
from conftest import ROOT

PROGRAM = ROOT / "build" / "bin" / "mbll"
QUICK = {"epochs": 40, "members": 2}


@parametrize_with_checks([
    mbll.MBLLRegressor(epochs=60),
    mbll.MBLLRegressor("linear", covariance="unknown"),
    mbll.MBLLRegressor("rbf", kernels=20),
])
def test_scikit_learn_conventions(estimator, check):
    check(estimator)


def test_options_are_those_of_the_library():
    assert mbll.MBLLRegressor().get_params() == mbll._core._default_options()


@pytest.mark.parametrize("train", ["cross-fitted", "two-phase", "end-to-end"])
def test_learns_and_knows_what_it_does_not_know(wave, train):
    X, y = wave
    model = mbll.MBLLRegressor(train=train, epochs=200).fit(X, y)
    assert model.score(X, y) > 0.9
    inside, outside = np.array([[0.5]]), np.array([[6.0]])
    assert model.predict_distribution(outside).epistemic > 4 * model.predict_distribution(inside).epistemic
    assert np.isfinite(model.log_evidence_)
    assert model.noise_covariance_.shape == (1, 1)


def test_shapes_of_one_output(wave):
    X, y = wave
    model = mbll.MBLLRegressor("rbf").fit(X, y)
    mean, std = model.predict(X[:9], return_std=True)
    assert mean.shape == std.shape == (9,)
    assert model.predict(X[:9], return_cov=True)[1].shape == (9, 1, 1)
    prediction = model.predict_distribution(X[:9])
    for array in (prediction.mean, prediction.aleatoric, prediction.epistemic, prediction.total, *prediction.interval()):
        assert array.shape == (9,)
    assert prediction.log_prob(y[:9]).shape == (9,)
    assert prediction.sample(4, seed=1).shape == (4, 9)
    np.testing.assert_allclose(prediction.std, np.sqrt(prediction.aleatoric + prediction.epistemic), rtol=1e-12)
    column = mbll.MBLLRegressor("rbf").fit(X, y[:, None])
    np.testing.assert_array_equal(column.predict(X[:9]), mean[:, None])


@pytest.mark.parametrize("covariance", ["known", "unknown"])
def test_several_outputs(rng, covariance):
    X = rng.standard_normal((80, 3))
    Y = X @ rng.standard_normal((3, 2)) + 0.1 * rng.standard_normal((80, 2)) @ np.array([[1, 0.9], [0, 0.4]])
    model = mbll.MBLLRegressor("linear", covariance=covariance).fit(X, Y)
    prediction = model.predict_distribution(X[:5])
    assert prediction.mean.shape == (5, 2) and prediction.total_cov.shape == (5, 2, 2)
    assert np.isinf(prediction.dof) == (covariance == "known")
    np.testing.assert_allclose(np.diagonal(prediction.total_cov, axis1=1, axis2=2), prediction.total, rtol=1e-12)
    assert model.n_iter_ > 0
    assert (np.diff(model.trace_) >= -1e-9 * np.abs(model.trace_[1:])).all()


def test_partial_fit_is_the_bayesian_update(wave):
    X, y = wave
    model = mbll.MBLLRegressor("rbf").fit(X[:100], y[:100])
    before = model.predict_distribution(X[100:]).epistemic
    pieces = pickle.loads(pickle.dumps(model))
    model.partial_fit(X[100:], y[100:])
    pieces.partial_fit(X[100:120], y[100:120]).partial_fit(X[120:], y[120:])
    assert (model.predict_distribution(X[100:]).epistemic < before).all()
    np.testing.assert_allclose(pieces.predict(X), model.predict(X), rtol=1e-8, atol=1e-10)
    first = mbll.MBLLRegressor("rbf").partial_fit(X, y)
    np.testing.assert_array_equal(first.predict(X), mbll.MBLLRegressor("rbf").fit(X, y).predict(X))


def test_given_noise(rng):
    X = rng.uniform(-1, 1, (60, 1))
    sigma = np.where(X[:, 0] > 0, 1.0, 0.1)
    y = 2 * X[:, 0] + sigma * rng.standard_normal(60)
    model = mbll.MBLLRegressor("linear", noise="given").fit(X, y, sigma=sigma)
    low, high = (model.predict_distribution([[0.0]], sigma=[s]).aleatoric for s in (0.1, 1.0))
    np.testing.assert_allclose(high / low, 100)
    with pytest.raises(ValueError, match="sigma"):
        model.predict(X)
    with pytest.raises(ValueError, match="sigma"):
        mbll.MBLLRegressor("linear").fit(X, y).predict(X, sigma=sigma)
    with pytest.raises(ValueError, match="noise"):
        mbll.MBLLRegressor("linear", noise="given").fit(X, y)


def test_same_seed_same_bits_whatever_the_threads(wave):
    X, y = wave
    one = mbll.MBLLRegressor(seed=3, threads=1, **QUICK).fit(X, y).predict(X)
    two = mbll.MBLLRegressor(seed=3, threads=2, **QUICK).fit(X, y).predict(X)
    other = mbll.MBLLRegressor(seed=4, threads=2, **QUICK).fit(X, y).predict(X)
    np.testing.assert_array_equal(one, two)
    assert (one != other).any()


@pytest.mark.parametrize("suffix", [".json", ".cbor"])
@pytest.mark.parametrize("options", [QUICK, {"features": "rbf"}, {"features": "linear", "covariance": "unknown"}])
def test_a_saved_model_predicts_the_same_bits(wave, tmp_path, options, suffix):
    X, y = wave
    model = mbll.MBLLRegressor(**options).fit(X, y)
    path = tmp_path / f"model{suffix}"
    model.save(path)
    loaded = mbll.MBLLRegressor.load(path)
    expected, found = model.predict_distribution(X), loaded.predict_distribution(X)
    np.testing.assert_array_equal(found.mean, expected.mean)
    np.testing.assert_array_equal(found.std, expected.std)
    np.testing.assert_array_equal(found.log_prob(y), expected.log_prob(y))
    assert loaded.log_evidence_ == model.log_evidence_
    again = tmp_path / f"again{suffix}"
    loaded.save(again)
    assert again.read_bytes() == path.read_bytes()


def test_files_that_are_not_models(wave, tmp_path):
    with pytest.raises(mbll.DataError, match="absent.json"):
        mbll.MBLLRegressor.load(tmp_path / "absent.json")
    (tmp_path / "damaged.json").write_text('{"format": 1')
    with pytest.raises(mbll.DataError, match="damaged.json"):
        mbll.MBLLRegressor.load(tmp_path / "damaged.json")
    with pytest.raises(mbll.DataError, match="nowhere"):
        mbll.MBLLRegressor("linear").fit(*wave).save(tmp_path / "nowhere" / "model.json")


def test_pandas_frames(rng):
    pandas = pytest.importorskip("pandas")
    X = pandas.DataFrame(rng.standard_normal((40, 2)), columns=["height", "weight"])
    Y = pandas.DataFrame({"a": X["height"] + 1, "b": X["weight"] - X["height"]}) + 0.1 * rng.standard_normal((40, 2))
    model = mbll.MBLLRegressor("linear").fit(X, Y)
    assert list(model.feature_names_in_) == ["height", "weight"]
    assert model.model_.input_names == ["height", "weight"]
    assert model.predict(X).shape == (40, 2)
    assert mbll.MBLLRegressor("linear").fit(X, Y["a"]).predict(X).shape == (40,)
    with pytest.raises(ValueError, match="feature names"):
        model.predict(X[["weight", "height"]])


def test_inside_other_estimators(wave):
    X, y = wave
    search = GridSearchCV(mbll.MBLLRegressor("poly"), {"degree": [1, 6]}, cv=3).fit(X, y)
    assert search.best_params_ == {"degree": 6}
    assert make_pipeline(StandardScaler(), mbll.MBLLRegressor("fourier")).fit(X, y).score(X, y) > 0.8


@pytest.mark.parametrize("options, name", [
    ({"features": "mpl"}, "features"), ({"hidden": []}, "hidden"), ({"hidden": (5, 0)}, "hidden"),
    ({"activation": "step"}, "activation"), ({"degree": 0}, "degree"), ({"noise": "loud"}, "noise"),
    ({"covariance": "some"}, "covariance"), ({"prior_mean": "two"}, "prior"), ({"train": "never"}, "train"),
    ({"column_covariance": "thin"}, "structure|covariance"), ({"hyperprior": "flat"}, "hyperprior"),
    ({"members": 1}, "members"), ({"epochs": -1}, "epochs"), ({"epochs": "many"}, "epochs"),
    ({"rate": 0.0}, "rate"), ({"rate": np.nan}, "rate"), ({"batch": -1}, "batch"), ({"seed": -1}, "seed"),
    ({"validation": 1.0}, "validation"), ({"weight_decay": -1.0}, "weight"), ({"hidden": None}, "hidden"),
    ({"prior_mean": "pretrained", "features": "rbf"}, "prior_mean"), ({"column_covariance": "full"}, "column_covariance"),
    ({"hyperprior": "identity"}, "hyperprior"),
])
def test_bad_options_are_named(wave, options, name):
    with pytest.raises(ValueError, match=name):
        mbll.MBLLRegressor(**options).fit(*wave)


def test_bad_data_is_named(wave):
    X, y = wave
    with pytest.raises(ValueError, match="n_samples=9"):
        mbll.MBLLRegressor("linear").fit(X[:9], y[:9])
    with pytest.raises(ValueError, match="constant"):
        mbll.MBLLRegressor("linear").fit(X, np.ones(len(X)))
    with pytest.raises(ValueError, match="sigma"):
        mbll.MBLLRegressor("linear", noise="given").fit(X, y, sigma=np.zeros(len(X)))
    with pytest.raises(NotFittedError):
        mbll.MBLLRegressor().predict(X)
    with pytest.raises(NotFittedError):
        mbll.MBLLRegressor().save("model.json")


@pytest.mark.skipif(not PROGRAM.exists(), reason="the command line is not built")
def test_the_command_line_and_python_share_models(wave, tmp_path):
    """Fitted on either side from the same data: the same file, byte by byte; read by the other: the same numbers."""
    X, y = wave
    table = np.column_stack([X, y])
    data = tmp_path / "data.csv"
    data.write_text("x1,y1\n" + "\n".join(f"{a!r},{b!r}" for a, b in table.tolist()) + "\n")

    def command(*arguments):
        subprocess.run([PROGRAM, *arguments], cwd=tmp_path, check=True, capture_output=True, timeout=200)

    command("fit", "data.csv", "--target", "y1", "--features", "rbf", "--out", "theirs.json")
    mbll.MBLLRegressor("rbf").fit(X, y).save(tmp_path / "ours.json")
    assert (tmp_path / "ours.json").read_bytes() == (tmp_path / "theirs.json").read_bytes()
    prediction = mbll.MBLLRegressor.load(tmp_path / "theirs.json").predict_distribution(X)
    command("predict", "--exact", "ours.json", "data.csv", "--out", "predicted.csv")
    predicted = np.genfromtxt(tmp_path / "predicted.csv", delimiter=",", names=True)
    np.testing.assert_array_equal(predicted["y1"], prediction.mean)
    np.testing.assert_array_equal(predicted["y1_std"], prediction.std)
