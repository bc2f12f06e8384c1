"""Fit, predict with decomposed uncertainty, score, save."""

import numpy as np

import mbll

rng = np.random.default_rng(1)
X = rng.uniform(-3, 3, (300, 1))
y = np.sin(2 * X[:, 0]) + 0.05 * (1 + X[:, 0] ** 2) * rng.standard_normal(300)
train, test = slice(0, 200), slice(200, 300)

model = mbll.MBLLRegressor(seed=1).fit(X[train], y[train])
prediction = model.predict_distribution(X[test])
lower, upper = prediction.interval(0.95)

print(f"RMSE {mbll.metrics.rmse(y[test], prediction):.3f}")
print(f"NLL  {mbll.metrics.nll(y[test], prediction):.3f}")
print(f"ECE  {mbll.metrics.ece(y[test], prediction):.3f}")
print(f"inside the 95 % interval: {np.mean((lower <= y[test]) & (y[test] <= upper)):.0%}")

far = model.predict_distribution([[0.0], [10.0]])
print("standard deviation from what the model does not know, near and far:", np.sqrt(far.epistemic).round(3))
