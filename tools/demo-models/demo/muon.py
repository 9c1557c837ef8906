"""The optimizers: Muon for hidden matrices, Adam for everything else. State lives in named tensors."""

from pathlib import Path

import torch

_BETA1, _BETA2 = 0.9, 0.95
_MOMENTUM = 0.95
_CPU = Path("/proc/cpuinfo")
# Processors without it emulate products of bfloat16: steps then take three times as long.
_WORKING = torch.bfloat16 if _CPU.exists() and "avx512_bf16" in _CPU.read_text() else torch.float32


class Muon:
    """Steps along the orthogonalised momentum of a matrix, or of each of a stack (Jordan et al., 2024)."""

    def __init__(self, weight):
        self.state = {"momentum": torch.zeros_like(weight)}

    def step(self, weight, gradient, rate, number):
        momentum = self.state["momentum"]
        momentum.mul_(_MOMENTUM).add_(gradient)
        direction = _orthogonal(gradient + _MOMENTUM * momentum)
        weight.sub_(direction, alpha=rate * max(1.0, weight.shape[-2] / weight.shape[-1]) ** 0.5)


class Adam:
    """Kingma and Ba, arXiv:1412.6980."""

    def __init__(self, weight):
        self.state = {"mean": torch.zeros_like(weight), "square": torch.zeros_like(weight)}

    def step(self, weight, gradient, rate, number):
        mean, square = self.state["mean"], self.state["square"]
        mean.lerp_(gradient, 1 - _BETA1)
        square.lerp_(gradient.square(), 1 - _BETA2)
        unbiased = mean / (1 - _BETA1**number)
        weight.sub_(unbiased / ((square / (1 - _BETA2**number)).sqrt() + 1e-8), alpha=rate)


def _orthogonal(matrix):
    """Replaces singular values by about 1, by five steps of a quintic Newton-Schulz iteration."""
    a, b, c = 3.4445, -4.7750, 2.0315
    tall = matrix.shape[-2] > matrix.shape[-1]
    x = matrix.transpose(-1, -2) if tall else matrix
    x = (x / (x.norm(dim=(-2, -1), keepdim=True) + 1e-7)).to(_WORKING)
    for _ in range(5):
        square = x @ x.transpose(-1, -2)
        x = a * x + (b * square + c * (square @ square)) @ x
    x = x.float()
    return x.transpose(-1, -2) if tall else x
