"""Data that does not fit into memory: statistics of pieces, merged; pieces may come from other processes."""

import pickle

import numpy as np

import mbll

d, p = 20, 2
weights = np.random.default_rng(0).standard_normal((d, p))


def statistics_of_piece(number):
    """What a worker (Dask, Spark, multiprocessing) sends back: (d + p)² numbers, however long its piece is."""
    rng = np.random.default_rng(number + 1)
    Phi = rng.standard_normal((10_000, d))
    Y = Phi @ weights + 0.5 * rng.standard_normal((10_000, p))
    statistics = mbll.Statistics(d, p)
    statistics.add(Phi, Y)
    return pickle.dumps(statistics)


total = mbll.Statistics(d, p)
for number in range(5):
    total.merge(pickle.loads(statistics_of_piece(number)))

start = mbll.MatrixNormal(M=np.zeros((p, d)), V=1.0, K=1.0)
result = mbll.em(start, total, constant_noise=True)
print(total)
print(f"noise {result.noise_scale:.3f} (true: 0.5), EM {result.end} after {result.steps} steps")
print(f"largest error of a weight: {np.abs(result.posterior.mean - weights.T).max():.4f}")
