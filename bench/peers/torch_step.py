"""Training step of the density network in PyTorch eager, tuned: foreach AdamW, one thread, no Python work beyond the step.

    python3 torch_step.py       prints one line "name microseconds" per case
"""
import sys
import time

import torch

torch.set_num_threads(1)

INPUTS = 8
CASES = {  # name: (hidden widths, activation, batch, steps per run)
    "2x50-leaky-relu-32": ((50, 50), torch.nn.LeakyReLU, 32, 4),
    "4x64-softplus-32": ((64,) * 4, torch.nn.Softplus, 32, 3),
    "4x128-softplus-32": ((128,) * 4, torch.nn.Softplus, 32, 2),
    "4x128-softplus-256": ((128,) * 4, torch.nn.Softplus, 256, 1),
}


class DensityNetwork(torch.nn.Module):
    def __init__(self, hidden, activation):
        super().__init__()
        layers, width = [], INPUTS
        for next_width in hidden:
            layers += [torch.nn.Linear(width, next_width), activation()]
            width = next_width
        self.backbone = torch.nn.Sequential(*layers)
        self.head = torch.nn.Linear(width, 2)  # both heads in one product: mean and ln variance

    def forward(self, x):
        return self.head(self.backbone(x)).unbind(1)


def step_time(hidden, activation, batch, steps):
    torch.manual_seed(1)
    network = DensityNetwork(hidden, activation)
    parameters = list(network.parameters())
    optimiser = torch.optim.AdamW(parameters, lr=1e-3, weight_decay=0.01, foreach=True)
    x = torch.rand(batch, INPUTS)
    y = x.sum(1).sin()

    def step():
        optimiser.zero_grad(set_to_none=True)
        mean, log_variance = network(x)
        residual = y - mean
        loss = 0.5 * (log_variance + torch.exp(-log_variance) * residual * residual).mean()
        loss.backward()
        torch.nn.utils.clip_grad_value_(parameters, 1.0)
        optimiser.step()

    # Minimum over many short runs: one that nothing else interrupted.
    best = float("inf")
    end = time.perf_counter() + 5
    while time.perf_counter() < end:
        start = time.perf_counter()
        for _ in range(steps):
            step()
        best = min(best, (time.perf_counter() - start) / steps)
    return best


if __name__ == "__main__":
    print(f"PyTorch {torch.__version__}, {torch.get_num_threads()} thread", file=sys.stderr)
    for name, case in CASES.items():
        print(f"{name} {1e6 * step_time(*case):.3f}", flush=True)
