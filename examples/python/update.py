"""New samples without training anew: the posterior is the next prior."""

import numpy as np

import mbll

rng = np.random.default_rng(2)
X = rng.uniform(-2, 2, (400, 1))
y = np.cos(2 * X[:, 0]) + 0.1 * rng.standard_normal(400)
left = X[:, 0] < 0

model = mbll.MBLLRegressor("rbf").fit(X[left], y[left])
at = [[-1.0], [1.0]]
before = model.predict_distribution(at)
model.partial_fit(X[~left], y[~left])
after = model.predict_distribution(at)

for name, prediction in (("left half only", before), ("both halves", after)):
    print(f"{name}: at -1 and 1 {prediction.mean.round(2)}, epistemic sd {np.sqrt(prediction.epistemic).round(3)}")
