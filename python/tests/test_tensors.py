"""Tensors straight from PyTorch and JAX. Neither is a requirement of the package: without them, skipped."""

import numpy as np
import pytest

import mbll
from mbll import _core


@pytest.fixture
def problem(rng):
    """Numbers that bfloat16 holds exactly: features (120, 5), outputs (120, 2)."""
    features = rng.integers(-8, 9, (120, 5)) / 4.0
    Y = rng.integers(-8, 9, (120, 2)) / 4.0 + features[:, :2]
    return features, Y


def same_answers(convert, features, Y):
    """What is made of converted arrays is what is made of NumPy's, everywhere arrays go in."""
    expected = mbll.BayesianLastLayer().fit(features[:100], Y[:100])
    found = mbll.BayesianLastLayer().fit(convert(features[:100]), convert(Y[:100]))
    updated = expected.partial_fit(features[100:], Y[100:], 2.0).predict_distribution(features, np.arange(1.0, 121))
    again = found.partial_fit(convert(features[100:]), convert(Y[100:]), 2.0)
    prediction = again.predict_distribution(convert(features), convert(np.arange(1.0, 121)))
    np.testing.assert_array_equal(prediction.mean, updated.mean)
    np.testing.assert_array_equal(prediction.std, updated.std)
    np.testing.assert_array_equal(prediction.log_prob(convert(Y)), updated.log_prob(Y))
    assert mbll.metrics.crps(convert(Y), prediction) == mbll.metrics.crps(Y, updated)
    assert mbll.metrics.rmse(convert(Y), convert(features[:, :2])) == mbll.metrics.rmse(Y, features[:, :2])

    prior = mbll.MatrixNormal(np.zeros((2, 5)), 1.0, 1.0)
    np.testing.assert_array_equal(
        mbll.condition(prior, convert(features), convert(Y)).mean, mbll.condition(prior, features, Y).mean
    )
    regressor = mbll.MBLLRegressor("linear").fit(features, Y)
    converted = mbll.MBLLRegressor("linear").fit(convert(features), convert(Y))
    np.testing.assert_array_equal(converted.predict(convert(features)), regressor.predict(features))


@pytest.mark.parametrize("graph", [False, True], ids=["detached", "requires_grad"])
@pytest.mark.parametrize("dtype", ["float64", "float32", "float16", "bfloat16"])
def test_torch(problem, dtype, graph):
    torch = pytest.importorskip("torch")
    same_answers(lambda a: torch.tensor(a, dtype=getattr(torch, dtype), requires_grad=graph), *problem)


def test_torch_outputs_of_a_network(problem):
    torch = pytest.importorskip("torch")
    features, Y = (torch.tensor(a, dtype=torch.float32) for a in problem)
    network = torch.nn.Sequential(torch.nn.Linear(5, 7), torch.nn.Tanh())
    hidden = network(features)
    assert hidden.requires_grad and not hidden.is_leaf
    prediction = mbll.BayesianLastLayer().fit(hidden, Y).predict(hidden)
    with torch.no_grad():
        assert (mbll.BayesianLastLayer().fit(hidden.numpy(), Y.numpy()).predict(hidden.numpy()) == prediction).all()
    hidden.sum().backward()  # the graph is untouched
    assert network[0].weight.grad is not None


def test_torch_doubles_are_read_in_place():
    torch = pytest.importorskip("torch")
    tensor = torch.ones((6, 3), dtype=torch.float64)
    assert _core._data_address(tensor) == tensor.data_ptr()
    assert _core._data_address(tensor.requires_grad_()) == tensor.data_ptr()
    assert _core._data_address(tensor.T) != tensor.data_ptr()


def test_torch_tensors_that_are_no_real_numbers(problem):
    torch = pytest.importorskip("torch")
    features, Y = (torch.tensor(a) for a in problem)
    for bad in (features + 1j, features.to_sparse(), features.to("meta")):
        with pytest.raises(ValueError, match="^features: "):
            mbll.BayesianLastLayer().fit(bad, Y)
        with pytest.raises(ValueError, match="^Y: "):
            mbll.BayesianLastLayer().fit(features, bad[:, :2] if bad.layout is torch.strided else bad)


@pytest.mark.parametrize("dtype", ["float64", "float32", "float16", "bfloat16"])
def test_jax(problem, dtype):
    jax = pytest.importorskip("jax")
    before = jax.config.jax_enable_x64
    jax.config.update("jax_enable_x64", True)  # no doubles otherwise
    try:
        same_answers(lambda a: jax.numpy.asarray(a, dtype=dtype), *problem)
    finally:
        jax.config.update("jax_enable_x64", before)


def test_jax_inside_a_traced_function(problem):
    jax = pytest.importorskip("jax")
    features, Y = problem
    layer = mbll.BayesianLastLayer().fit(features, Y)
    with pytest.raises(ValueError, match="^features: .*traced"):
        jax.jit(layer.predict)(features)
