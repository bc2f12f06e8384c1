"""A Bayesian last layer on a frozen PyTorch backbone."""

import sys

import numpy as np

import mbll

try:
    import torch
except ImportError:
    print("skipped: PyTorch is not installed")
    sys.exit()

torch.manual_seed(0)
X = torch.linspace(-3, 3, 400).reshape(-1, 1)
y = torch.sin(2 * X[:, 0]) + 0.1 * torch.randn(400)
backbone = torch.nn.Sequential(torch.nn.Linear(1, 64), torch.nn.Tanh(), torch.nn.Linear(64, 64), torch.nn.Tanh())
network = torch.nn.Sequential(backbone, torch.nn.Linear(64, 1))
optimiser = torch.optim.Adam(network.parameters(), lr=3e-3)
for _ in range(300):
    optimiser.zero_grad()
    torch.nn.functional.mse_loss(network(X)[:, 0], y).backward()
    optimiser.step()

layer = mbll.BayesianLastLayer().fit(backbone(X), y)  # gradients stay behind
near, far = layer.predict_distribution(backbone(torch.tensor([[0.0], [8.0]]))).std
print(f"noise {np.sqrt(layer.noise_covariance_[0, 0]):.3f} (true: 0.1); sd at 0: {near:.3f}, at 8: {far:.3f}")
