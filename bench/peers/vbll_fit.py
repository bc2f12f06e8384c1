"""Epochs of a 2x50 LeakyReLU network with the VBLL regression layer (PyPI `vbll`), one thread.

1000 samples, 8 inputs, one output, batch 32, AdamW, gradients clipped at +-1. Prints "vbll-epoch seconds": the
fastest of its steps times the steps of an epoch. A whole fit of 500 epochs would take minutes and is scaled from it.
"""
import math
import sys
import time

import torch
import vbll

torch.set_num_threads(1)

SAMPLES, INPUTS, WIDTH, BATCH = 1000, 8, 50, 32


class Network(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.backbone = torch.nn.Sequential(
            torch.nn.Linear(INPUTS, WIDTH), torch.nn.LeakyReLU(), torch.nn.Linear(WIDTH, WIDTH), torch.nn.LeakyReLU()
        )
        self.layer = vbll.Regression(WIDTH, 1, regularization_weight=1 / SAMPLES, parameterization="dense")

    def forward(self, x):
        return self.layer(self.backbone(x))


def main(epochs=6):
    torch.manual_seed(1)
    network = Network()
    parameters = list(network.parameters())
    optimiser = torch.optim.AdamW(parameters, lr=1e-3, weight_decay=0.01, foreach=True)
    x = torch.rand(SAMPLES, INPUTS)
    y = x.sum(1, keepdim=True).sin()
    best = float("inf")
    for _ in range(epochs):
        for batch in torch.randperm(SAMPLES).split(BATCH):
            start = time.perf_counter()
            optimiser.zero_grad(set_to_none=True)
            loss = network(x[batch]).train_loss_fn(y[batch])
            loss.backward()
            torch.nn.utils.clip_grad_value_(parameters, 1.0)
            optimiser.step()
            best = min(best, time.perf_counter() - start)
    print(f"vbll-epoch {best * math.ceil(SAMPLES / BATCH):.6f}")


if __name__ == "__main__":
    print(f"PyTorch {torch.__version__}, {torch.get_num_threads()} thread", file=sys.stderr)
    main()
