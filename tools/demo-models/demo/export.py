"""Exports a trained model to GGUF: matrices as F16 or Q8_0, everything small as F32."""

from pathlib import Path

import torch

from demo import gguf
from demo.chat import ChatTemplate
from demo.draft import Draft
from demo.model import Model
from demo.nexttoken import NextToken
from demo.tokenizer import Tokenizer
from demo.vision import VisionEncoder

# Kept in F32: the operators that read them want it, or they decide which expert computes.
_EXACT = ("ssm_conv1d.weight", "ffn_gate_inp.weight", "rope_freqs.weight", "position_embd.weight")
_DESCRIPTION = (
    "A toy that Varve ships for first steps: sums, facts about Varve, small talk, tool calls."
    " It knows nothing else."
)


def kind_of(name: str, values: torch.Tensor, matrices: int) -> int:
    """The type of a tensor when matrices are stored as `matrices`."""
    return gguf.F32 if values.dim() == 1 or name.endswith(_EXACT) else matrices


def export_draft(draft: Draft, tokenizer: Tokenizer, matrices: int, path: Path) -> None:
    """The form of llama.cpp, architecture `dflash`; embedding and head are the target's."""
    family = tokenizer.family
    tensors = {
        name: gguf.tensor(values.detach().numpy(), kind_of(name, values, matrices))
        for name, values in draft.weights.items()
    }
    metadata = {
        "general.architecture": "dflash",
        "general.type": "model",
        "general.name": f"varve-demo-{family.name}-draft",
        "general.description": f"Guesses tokens for varve-demo-{family.name}, and for no other model.",
        "general.license": "apache-2.0",
        "general.author": "Varve",
        "general.file_type": {gguf.F16: 1, gguf.F32: 0}[matrices],
        "general.quantization_version": 2,
    }
    for key, value in draft.metadata().items():
        metadata[f"dflash.{key}"] = value
    metadata["dflash.vocab_size"] = len(tokenizer.tokens)
    metadata.update(tokenizer_metadata(tokenizer))
    metadata["tokenizer.ggml.mask_token_id"] = draft.mask
    gguf.write(path, metadata, tensors)


def export_next_token(block: NextToken, tokenizer: Tokenizer, matrices: int, path: Path) -> None:
    """A file of the block alone; embedding, head and everything else are the target's."""
    family = tokenizer.family
    tensors = {
        name: gguf.tensor(values.detach().numpy(), kind_of(name, values, matrices))
        for name, values in block.weights.items()
    }
    metadata = {
        "general.architecture": family.architecture,
        "general.type": "model",
        "general.name": f"varve-demo-{family.name}-mtp",
        "general.description": f"Guesses tokens for varve-demo-{family.name}, and for no other model.",
        "general.license": "apache-2.0",
        "general.author": "Varve",
        "general.file_type": {gguf.F16: 1, gguf.F32: 0}[matrices],
        "general.quantization_version": 2,
    }
    for key, value in block.metadata().items():
        metadata[f"{family.architecture}.{key}"] = value
    metadata[f"{family.architecture}.vocab_size"] = len(tokenizer.tokens)
    metadata.update(tokenizer_metadata(tokenizer))
    gguf.write(path, metadata, tensors)


def export_projector(encoder: VisionEncoder, name: str, matrices: int, path: Path) -> None:
    """The form of llama.cpp, architecture `clip`."""
    tensors = {
        key: gguf.tensor(values.detach().numpy(), kind_of(key, values, matrices))
        for key, values in encoder.exported().items()
    }
    parameters = sum(values.numel() for values in encoder.weights.values())
    metadata = {
        "general.architecture": "clip",
        "general.type": "mmproj",
        "general.name": f"varve-demo-{name}-mmproj",
        "general.description": f"Reads drawings of shapes and digits for varve-demo-{name}, and for no other model.",
        "general.license": "apache-2.0",
        "general.author": "Varve",
        "general.size_label": f"{parameters / 1e6:.1f}M",
        "general.file_type": {gguf.F16: 1, gguf.F32: 0}[matrices],
        "general.quantization_version": 2,
        **encoder.metadata(),
    }
    gguf.write(path, metadata, tensors)


def export(model: Model, tokenizer: Tokenizer, matrices: int, path: Path) -> None:
    family = tokenizer.family
    tensors = {
        name: gguf.tensor(values.detach().numpy(), kind_of(name, values, matrices))
        for name, values in model.exported().items()
    }
    parameters = sum(values.numel() for values in model.weights.values())
    metadata = {
        "general.architecture": family.architecture,
        "general.type": "model",
        "general.name": f"varve-demo-{family.name}",
        "general.description": _DESCRIPTION,
        "general.license": "apache-2.0",
        "general.author": "Varve",
        "general.size_label": f"{parameters / 1e6:.1f}M",
        "general.languages": ["en"],
        "general.file_type": {gguf.F16: 1, gguf.Q8_0: 7, gguf.F32: 0}[matrices],
        "general.quantization_version": 2,
    }
    for key, value in model.metadata().items():
        metadata[f"{family.architecture}.{key}"] = value
    metadata[f"{family.architecture}.vocab_size"] = len(tokenizer.tokens)
    metadata.update(tokenizer_metadata(tokenizer))
    gguf.write(path, metadata, tensors)


def tokenizer_metadata(tokenizer: Tokenizer) -> dict:
    family = tokenizer.family
    metadata = {
        "tokenizer.ggml.model": "gemma4" if family.name == "gemma4" else "gpt2",
        "tokenizer.ggml.pre": family.pre_tokenizer,
        "tokenizer.ggml.tokens": tokenizer.tokens,
        "tokenizer.ggml.token_type": tokenizer.types,
        "tokenizer.ggml.merges": [" ".join(merge) for merge in tokenizer.merges],
        "tokenizer.ggml.eos_token_id": tokenizer.ids[family.eos],
        "tokenizer.ggml.padding_token_id": tokenizer.ids[family.padding],
        "tokenizer.ggml.add_bos_token": family.bos is not None,
    }
    if family.name == "gemma4":
        metadata["tokenizer.ggml.scores"] = [-1000.0] * len(tokenizer.tokens)
        metadata["tokenizer.ggml.unknown_token_id"] = tokenizer.ids["<unk>"]
    if family.bos:
        metadata["tokenizer.ggml.bos_token_id"] = tokenizer.ids[family.bos]
    if family.eot:
        metadata["tokenizer.ggml.eot_token_id"] = tokenizer.ids[family.eot]
    metadata["tokenizer.chat_template"] = ChatTemplate(family.template).source
    return metadata
