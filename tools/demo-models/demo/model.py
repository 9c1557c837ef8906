"""What the trainable models share: named weights, and how a weight is initialised and optimised."""

from typing import Dict, List, Mapping

import numpy
import torch
from torch.nn import functional as F


class Model:
    """A language model whose weights bear the names of its GGUF file.

    `weights` are the trained tensors. `matrices` names those of hidden layers, which an orthogonalising optimizer
    trains. `taps` collects the inputs of the layers when it is a list: features for a draft model.
    """

    def __init__(self, seed: int):
        self._random = torch.Generator().manual_seed(seed)
        self.weights: Dict[str, torch.Tensor] = {}
        self.matrices: List[str] = []
        self.taps = None

    def matrix(self, name, *shape, gain=1.0):
        """A hidden layer's matrix, or a stack of them; rows have about unit norm times the gain."""
        self.weights[name] = torch.randn(*shape, generator=self._random) * gain * shape[-1] ** -0.5
        self.matrices.append(name)

    def table(self, name, *shape, deviation):
        self.weights[name] = torch.randn(*shape, generator=self._random) * deviation

    def constant(self, name, *shape, value=1.0):
        self.weights[name] = torch.full(shape, float(value))

    def tap(self, x):
        if self.taps is not None:
            self.taps.append(x)

    def be_exact(self) -> None:
        """Computes as the definition says from now on, where training takes a quicker and less precise way."""

    def exported(self) -> Dict[str, torch.Tensor]:
        """Tensors as the GGUF file holds them."""
        return dict(self.weights)

    def load(self, tensors: Mapping[str, numpy.ndarray]) -> None:
        """Takes the weights of a GGUF file that was exported."""
        for name, weight in self.weights.items():
            weight.copy_(torch.from_numpy(tensors[name]))

    # What the embeddings of tokens are multiplied with.
    embedding_scale = 1.0

    def embedding(self, tokens):
        """What enters the first layer."""
        return F.embedding(tokens, self.weights["token_embd.weight"]) * self.embedding_scale

    def logits(self, tokens):
        """[batch, time] ids to [batch, time, vocabulary]."""
        return self.head(self.hidden(tokens))

    def after_step(self, counts) -> None:
        """Adjusts what no gradient trains; `counts` is what `statistics` returned, summed over workers."""

    def statistics(self):
        """Numbers of the last forward passes that `after_step` wants; None for none."""
        return None
