"""DFlash draft models: small networks that guess a block of tokens from the hidden states of a target.

A block is the known token and masks; what enters some layers of the target is the context that it looks at. What is
learned are the target's own most likely tokens: of a text they are all found at once, without generating it again.
(Chen et al., DFlash, arXiv:2602.06036.)
"""

from typing import NamedTuple

import numpy
import torch
from torch.nn import functional as F

from demo.data import WRITTEN, Rows
from demo.layers import Rope, heads_first, heads_last, linear, masked_attention, norm
from demo.model import Model

EPS = 1e-6
# How soon later guesses count less: they only count where all before them are right.
_FADING = 4.0
_ANCHORS = 64


class Labels(NamedTuple):
    """Of blocks: anchors [batch, blocks], and of their guesses [batch, blocks, block - 1] tokens and weights."""

    anchors: torch.Tensor
    tokens: torch.Tensor
    weights: torch.Tensor


class Draft(Model):
    layers = 3
    heads, kv_heads, head_size = 4, 2, 64
    feed_forward = 512
    block = 8
    rope_base = 1e5

    def __init__(self, target: Model, mask: int, seed: int = 2):
        super().__init__(seed)
        self.target = target
        self.mask = mask
        d = target.width
        # The inputs of four layers, evenly spread; the last one is the output of the last layer.
        self.captures = [round(target.layers * part / 4) for part in (1, 2, 3, 4)]
        self.rope = Rope(self.head_size, self.rope_base)
        self.matrix("fc.weight", d, len(self.captures) * d)
        self.constant("enc.output_norm.weight", d)
        self.constant("output_norm.weight", d)
        for layer in range(self.layers):
            b = f"blk.{layer}."
            self.constant(b + "attn_norm.weight", d)
            self.constant(b + "ffn_norm.weight", d)
            self.matrix(b + "attn_q.weight", self.heads * self.head_size, d)
            self.matrix(b + "attn_k.weight", self.kv_heads * self.head_size, d)
            self.matrix(b + "attn_v.weight", self.kv_heads * self.head_size, d)
            self.matrix(b + "attn_output.weight", d, self.heads * self.head_size, gain=0.1)
            self.constant(b + "attn_q_norm.weight", self.head_size)
            self.constant(b + "attn_k_norm.weight", self.head_size)
            self.matrix(b + "ffn_gate.weight", self.feed_forward, d)
            self.matrix(b + "ffn_up.weight", self.feed_forward, d)
            self.matrix(b + "ffn_down.weight", d, self.feed_forward, gain=0.1)

    def guesses(self, features, tokens, anchors):
        """Logits [batch, blocks, block - 1, vocabulary] of the blocks that begin at the anchors."""
        batch, blocks = anchors.shape
        known = torch.gather(tokens, 1, anchors)
        ids = torch.full((batch, blocks, self.block), self.mask)
        ids[:, :, 0] = known
        x = self.target.embedding(ids.reshape(batch, -1))
        positions = (anchors[:, :, None] + torch.arange(self.block)).reshape(batch, -1)
        context = norm(linear(features, self.weights["fc.weight"]), self.weights["enc.output_norm.weight"], EPS)
        time = features.shape[1]
        # A slot sees the context before its anchor, and all of its own block.
        unseen = (torch.arange(time) >= anchors[:, :, None]).repeat_interleave(self.block, 1)
        block_of = torch.arange(blocks).repeat_interleave(self.block)
        foreign = (block_of[:, None] != block_of).expand(batch, -1, -1)
        hidden = torch.cat((unseen, foreign), -1).repeat(1, self.heads // self.kv_heads, 1)
        mask = torch.zeros(hidden.shape).masked_fill_(hidden, -torch.inf).unsqueeze(1)
        for layer in range(self.layers):
            x = self._layer(layer, x, context, positions, mask)
        x = norm(x, self.weights["output_norm.weight"], EPS).reshape(batch, blocks, self.block, -1)[:, :, 1:]
        return self.target.head(x)

    def _layer(self, layer, x, context, positions, mask):
        def w(name):
            return self.weights[f"blk.{layer}.{name}.weight"]

        def keys_of(h, at):
            return self.rope(norm(heads_first(linear(h, w("attn_k")), self.kv_heads), w("attn_k_norm"), EPS), at)

        a = norm(x, w("attn_norm"), EPS)
        q = self.rope(norm(heads_first(linear(a, w("attn_q")), self.heads), w("attn_q_norm"), EPS), positions)
        k = torch.cat((keys_of(context, None), keys_of(a, positions)), 2)
        v = torch.cat([heads_first(linear(h, w("attn_v")), self.kv_heads) for h in (context, a)], 2)
        batch, heads, slots, size = q.shape
        q = q.reshape(batch, self.kv_heads, -1, size) * size**-0.5
        read = masked_attention(q, k, v, mask).reshape(batch, heads, slots, size)
        x = x + linear(heads_last(read), w("attn_output"))
        f = norm(x, w("ffn_norm"), EPS)
        return x + linear(F.silu(linear(f, w("ffn_gate"))) * linear(f, w("ffn_up")), w("ffn_down"))

    def observe(self, tokens):
        """What the target makes of texts: features [batch, time, captures x width], and its most likely tokens."""
        with torch.no_grad():
            self.target.taps = []
            hidden = self.target.hidden(tokens)
            features = torch.cat([self.target.taps[capture] for capture in self.captures], -1)
            self.target.taps = None
            return features, self.target.head(hidden).argmax(-1)

    def metadata(self):
        return {
            "block_count": self.layers,
            "context_length": self.target.context,
            "embedding_length": self.target.width,
            "feed_forward_length": self.feed_forward,
            "attention.head_count": self.heads,
            "attention.head_count_kv": self.kv_heads,
            "attention.key_length": self.head_size,
            "attention.value_length": self.head_size,
            "attention.layer_norm_rms_epsilon": EPS,
            "rope.freq_base": self.rope_base,
            "embedding_scale": float(self.target.embedding_scale),
            "block_size": self.block,
            "target_layers": self.captures,
        }


def labels(tokens, written, chosen, block: int, random: torch.Generator, count: int = _ANCHORS) -> Labels:
    """Blocks that begin at random tokens of answers.

    tokens, written: [batch, time]; chosen: the target's token behind each. A guess has a label while the text says
    what the target would have said; the first token that it would not have said is the last label.
    """
    batch, time = tokens.shape
    last = time - block
    odds = written[:, :last].float() + 1e-6
    anchors = torch.multinomial(odds, min(count, last), generator=random)
    at = anchors[:, :, None] + torch.arange(block - 1)
    rows = torch.arange(batch)[:, None, None]
    wanted = chosen[rows, at]
    inside = written[rows, at + 1] & written[rows, anchors[:, :, None]]
    said = (tokens[rows, at + 1] == wanted).cumprod(-1)
    reached = torch.cat((torch.ones_like(said[..., :1]), said[..., :-1]), -1).bool() & inside.cumprod(-1).bool()
    fading = torch.exp(-torch.arange(block - 1) / _FADING)
    return Labels(anchors, wanted, reached * fading)


class Guessing:
    """What a draft is trained for; an objective of `Training`."""

    rows = Rows

    def __init__(self, seed: int):
        self._random = torch.Generator().manual_seed(seed)

    def loss(self, model: Draft, tokens, weights):
        """Weighted cross entropy of a batch: its sum, and its mean, in nats."""
        tokens, features, block_labels = self._observed(model, tokens, weights)
        logits = model.guesses(features, tokens, block_labels.anchors)
        each = F.cross_entropy(logits.reshape(-1, logits.shape[-1]), block_labels.tokens.reshape(-1), reduction="none")
        total = (each * block_labels.weights.reshape(-1)).sum()
        return total, total / block_labels.weights.sum().clamp(min=1)

    def report(self, model: Draft, rows: Rows) -> str:
        right = possible = 0.0
        blocks = 0
        with torch.no_grad():
            for begin in range(0, len(rows.tokens), 4):
                part = slice(begin, begin + 4)
                tokens, features, wanted = self._observed(model, rows.tokens[part], rows.weights[part])
                found = model.guesses(features, tokens, wanted.anchors).argmax(-1)
                labelled = wanted.weights > 0
                right += ((found == wanted.tokens) & labelled).cumprod(-1).sum().item()
                possible += labelled.sum().item()
                blocks += labelled[..., 0].sum().item()
        return f"tokens per step {1 + right / blocks:.2f}, of {1 + possible / blocks:.2f} possible"

    def _observed(self, model, tokens, weights):
        tokens = torch.from_numpy(tokens[:, :-1].astype(numpy.int64))
        features, chosen = model.observe(tokens)
        written = torch.from_numpy(weights[:, :-1] == WRITTEN)
        return tokens, features, labels(tokens, written, chosen, model.block, self._random)
