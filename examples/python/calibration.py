"""Figures: bands split into what is noise and what is not known, and how calibrated they are."""

import sys

import numpy as np

import mbll

try:
    from matplotlib import pyplot
except ImportError:
    print("skipped: matplotlib is not installed")
    sys.exit()

rng = np.random.default_rng(3)
X = np.concatenate([rng.uniform(-4, -1, 150), rng.uniform(1, 4, 150)])[:, None]
y = np.sin(2 * X[:, 0]) + 0.2 * rng.standard_normal(300)
model = mbll.MBLLRegressor("rbf").fit(X, y)

figure, axes = pyplot.subplots(1, 3, figsize=(15, 4), layout="constrained")
grid = np.linspace(-6, 6, 400)
mbll.plot.bands(grid, model.predict_distribution(grid[:, None]), y, x_data=X, ax=axes[0])
mbll.plot.calibration(y, model.predict_distribution(X), ax=axes[1])
mbll.plot.trace(model, ax=axes[2])
figure.savefig("calibration.png", dpi=100)
print("wrote calibration.png")
