"""A model as it is shipped: read back from its GGUF file, evaluated, and used as a reference for other programs."""

import json
from pathlib import Path
from typing import List, NamedTuple

import numpy
import torch

from demo import gguf
from demo.corpus.dialog import HELD_OUT, Question
from demo.data import Packer, Rows
from demo.evaluate import Answer, answers
from demo.families import Family
from demo.model import Model
from demo.models import MODELS
from demo.tokenizer import Tokenizer
from demo.train import held_out_loss

LENGTH = 512
# Longer than any sliding window, and not a multiple of anything.
_REFERENCE_TOKENS = 599


class Losses(NamedTuple):
    """Nats per token: of the assistant's part of held-out text, and of all of it."""

    written: float
    all: float


class Release:
    """What PyTorch makes of a model file, in full precision."""

    def __init__(self, family: Family, path: Path, seed: int):
        metadata, tensors = gguf.read(path)
        self.name = family.name
        self.tokenizer = Tokenizer.of_metadata(family, metadata)
        self.model: Model = MODELS[family.name](len(self.tokenizer.tokens))
        self.model.load(tensors)
        self._held_out = Packer(self.tokenizer, seed, HELD_OUT).rows(64, LENGTH)

    def losses(self) -> Losses:
        everything = Rows(self._held_out.tokens, numpy.full_like(self._held_out.weights, 255))
        return Losses(held_out_loss(self.model, self._held_out), held_out_loss(self.model, everything))

    def answers(self, questions: List[Question]) -> List[Answer]:
        return answers(self.model, self.tokenizer, questions)

    def write_reference(self, folder: Path) -> None:
        """Tokens, and the logits at some of their positions: `NAME.logits.json` and raw F32 `NAME.logits.f32`."""
        tokens = self._held_out.tokens[:2, :LENGTH].reshape(-1)[:_REFERENCE_TOKENS].tolist()
        positions = list(range(6, len(tokens), 12))
        self.model.be_exact()
        with torch.no_grad():
            logits = self.model.logits(torch.tensor([tokens]))[0, positions]
        logits.numpy().astype("<f4").tofile(folder / f"{self.name}.logits.f32")
        description = {"tokens": tokens, "positions": positions, "vocabulary": len(self.tokenizer.tokens)}
        (folder / f"{self.name}.logits.json").write_text(json.dumps(description) + "\n")
