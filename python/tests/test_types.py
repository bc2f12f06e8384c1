"""The package is typed: what users write is checked by mypy --strict, and what is wrong is seen."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

import mbll

pytest.importorskip("mypy")

SCRIPT = """
import numpy as np

import mbll

X, y = np.zeros((20, 2)), np.zeros(20)

model = mbll.MBLLRegressor("rbf", kernels=30, hidden=(20, 20)).fit(X, y).partial_fit(X, y)
reveal_type(model)
reveal_type(model.predict(X))
reveal_type(model.predict(X, return_std=True))
reveal_type(model.predict(X, return_cov=True))
reveal_type(model.log_evidence_)
reveal_type(mbll.MBLLRegressor.load("model.json"))
prediction = model.predict_distribution([[0.0, 1.0]])
reveal_type(prediction)
reveal_type(prediction.mean)
reveal_type(prediction.interval(0.9))

layer = mbll.BayesianLastLayer("diagonal", hyperprior=(np.eye(2), 3.0)).fit(X, y, sigma=0.5)
reveal_type(layer)
reveal_type(layer.posterior_)
reveal_type(layer.predict(X, True))
reveal_type(layer.predict_distribution(X).log_prob(y))

prior = mbll.MatrixNormal(M=np.zeros((1, 2)), V=1.0, K=[1.0, 2.0])
posterior = mbll.condition(prior, X, y)
reveal_type(posterior)
reveal_type(mbll.condition(posterior, X, y, 0.5).column_covariance)
unknown = mbll.NormalInverseWishart(np.zeros((1, 2)), 1.0, 1.0, 5.0)
reveal_type(mbll.em(prior, X, y, structure="diagonal", hyperprior="identity"))
result = mbll.em(unknown, X, y, hyperprior=(np.eye(2), 3.0), progress=lambda steps, objective: steps < 10)
reveal_type(result.prior)
reveal_type(result.history["condition"])
statistics = mbll.Statistics(2, 1)
statistics.add(X, y)
reveal_type(mbll.condition(prior, statistics).mean)

reveal_type(mbll.metrics.nll(y, prediction))
reveal_type(mbll.metrics.ece(y, y, np.ones(20), per_output=True))
reveal_type(mbll.plot.trace(layer))
reveal_type(mbll.__version__)

mbll.no_such_function()  # type: ignore[attr-defined]
prediction.median  # type: ignore[attr-defined]
mbll.condition(prior, X, no_such_argument=y)  # type: ignore[call-overload]
layer.fit(X)  # type: ignore[call-arg]
mbll.metrics.rmse(y, prediction, level=0.9)  # type: ignore[call-overload]
"""


def test_a_typed_script(tmp_path):
    # Side by side as in a wheel: an installation that is linked in place has the sources and the stubs apart.
    package = tmp_path / "mbll"
    package.mkdir()
    for folder in {Path(mbll.__file__).parent, Path(mbll._core.__file__).parent}:
        for file in folder.glob("*.py*"):
            shutil.copy(file, package)
        if (folder / "py.typed").exists():
            (package / "py.typed").touch()
    assert (package / "_core.pyi").exists() and (package / "py.typed").exists()
    (tmp_path / "script.py").write_text(SCRIPT)
    result = subprocess.run(
        [sys.executable, "-m", "mypy", "--strict", "--follow-imports=silent", "script.py"],
        cwd=tmp_path, env={**os.environ, "MYPYPATH": str(tmp_path)}, capture_output=True, text=True, timeout=300,
    )
    said = [line for line in result.stdout.splitlines() if line.startswith("script.py")]
    assert said and not [line for line in said if "error" in line], result.stdout + result.stderr
    revealed = [line for line in said if "Revealed type" in line]
    assert len(revealed) == SCRIPT.count("reveal_type")
    assert not [line for line in revealed if '"Any"' in line], result.stdout


def test_the_stub_of_the_metrics_is_up_to_date():
    """Its functions take what those of the module take."""
    import ast
    import inspect

    stub = ast.parse((Path(mbll.metrics.__file__).parent / "metrics.pyi").read_text())
    described = {}
    for node in stub.body:
        if isinstance(node, ast.FunctionDef):
            described.setdefault(node.name, set()).update(a.arg for a in (*node.args.args, *node.args.kwonlyargs))
    assert sorted(described) == mbll.metrics.__all__
    for name, parameters in described.items():
        assert parameters == set(inspect.signature(getattr(mbll.metrics, name)).parameters)
