"""The Python package's numbers: `.venv/bin/python bench/python_bench.py`.

1. Evidence maximisation for N = 10⁵ samples, d = 128 features, one output: against scikit-learn's BayesianRidge, both
   without intercept and with flat hyperpriors, so that both maximise the same function.
2. What a `predict` call on one sample costs on top of the library's own work.
"""

import time
import timeit

import numpy as np
from sklearn.linear_model import BayesianRidge

import mbll


def seconds(function):
    begin = time.perf_counter()
    result = function()
    return time.perf_counter() - begin, result


def evidence():
    rng = np.random.default_rng(0)
    features = rng.standard_normal((100_000, 128))
    y = features @ rng.standard_normal(128) + rng.standard_normal(100_000)
    ridge = BayesianRidge(fit_intercept=False, alpha_1=0, alpha_2=0, lambda_1=0, lambda_2=0, compute_score=True)
    # An optimum to compare with: their default tolerance stops before it.
    exact = BayesianRidge(**{**ridge.get_params(), "tol": 1e-14, "max_iter": 1000}).fit(features, y)
    theirs = ours = one = float("inf")
    for _ in range(5):  # interleaved: a busy moment of the machine meets all of them
        time_taken, fitted = seconds(lambda: ridge.fit(features, y))
        theirs = min(theirs, time_taken)
        for _ in range(3):
            time_taken, layer = seconds(lambda: mbll.BayesianLastLayer(intercept=False).fit(features, y))
            ours = min(ours, time_taken)
            one = min(one, seconds(lambda: mbll.BayesianLastLayer(intercept=False, threads=1).fit(features, y))[0])
    print("evidence maximum, N = 100000, d = 128, p = 1")
    print(f"  BayesianRidge      {theirs * 1e3:8.1f} ms   log-evidence {fitted.scores_[-1]:.4f}")
    print(f"  BayesianLastLayer  {ours * 1e3:8.1f} ms   log-evidence {layer.log_evidence_:.4f}   {theirs / ours:.0f} times faster")
    print(f"    on one thread    {one * 1e3:8.1f} ms   {theirs / one:.0f} times faster")
    print(f"  relative distance to the converged optimum: {abs(layer.log_evidence_ / exact.scores_[-1] - 1):.1e}")


def one_sample():
    rng = np.random.default_rng(1)
    d, p = 128, 6
    prior = mbll.MatrixNormal(np.zeros((p, d)), 1.0, 1.0)
    posterior = mbll.condition(prior, rng.standard_normal((500, d)), rng.standard_normal((500, p)))
    phi, sigma = rng.standard_normal((1, d)), np.ones(1)

    def microseconds(function, number=5000):
        return min(timeit.repeat(function, number=number, repeat=7)) / number * 1e6

    call = microseconds(lambda: posterior.predict(phi, sigma))
    inside = posterior._predict_time(phi, sigma, 5000) * 1e6
    print("predict on one sample, d = 128, p = 6")
    print(f"  from Python {call:.2f} µs, inside the library {inside:.2f} µs: {call - inside:.2f} µs on top")
    print(f"  with .mean and .std {microseconds(lambda: (lambda q: (q.mean, q.std))(posterior.predict(phi, sigma))):.2f} µs")


if __name__ == "__main__":
    evidence()
    one_sample()
