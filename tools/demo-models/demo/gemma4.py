"""Gemma 4's architecture, as its E models have it: sliding and full layers, embeddings per layer, shared KV."""

import torch
from torch.nn import functional as F

from demo.layers import Rope, attention, heads_first, heads_last, linear, norm, rms_norm, sliding_attention
from demo.model import Model

EPS = 1e-6


class Gemma4(Model):
    pattern = (True, True, False) * 3
    owners = 6
    width = 192
    feed_forward = (256,) * 6 + (384,) * 3
    heads, kv_heads = 4, 1
    head_size, head_size_full = 64, 128
    window = 128
    per_layer = 32
    base, base_full = 1e4, 1e6
    rotated_full = 32
    soft_cap = 30.0
    context = 8192
    embedding_scale = width**0.5

    def __init__(self, vocabulary: int, seed: int = 1):
        super().__init__(seed)
        self.vocabulary = vocabulary
        self.layers = len(self.pattern)
        self.factors = torch.full((self.head_size_full // 2,), 1e30)
        self.factors[: self.rotated_full // 2] = 1.0
        self.rope = Rope(self.head_size, self.base)
        self.rope_full = Rope(self.head_size_full, self.base_full, factors=self.factors)
        d = self.width
        # Scaled by sqrt(width) on the way in.
        self.table("token_embd.weight", vocabulary, d, deviation=0.04)
        self.table("per_layer_token_embd.weight", vocabulary, self.per_layer * self.layers, deviation=0.1)
        self.matrix("per_layer_model_proj.weight", self.per_layer * self.layers, d)
        self.constant("per_layer_proj_norm.weight", self.per_layer)
        self.constant("output_norm.weight", d)
        for layer in range(self.layers):
            self._declare(layer, f"blk.{layer}.")

    def _declare(self, layer, b):
        d = self.width
        size = self.size(layer)
        for name in ("attn_norm", "ffn_norm"):
            self.constant(f"{b}{name}.weight", d)
        for name in ("post_attention_norm", "post_ffw_norm", "post_norm"):
            self.constant(f"{b}{name}.weight", d, value=0.2)
        self.matrix(b + "attn_q.weight", self.heads * size, d)
        self.matrix(b + "attn_output.weight", d, self.heads * size)
        # The scores are not divided by sqrt(size): the norms begin with that.
        self.constant(b + "attn_q_norm.weight", size, value=size**-0.25)
        if layer < self.owners:
            self.matrix(b + "attn_k.weight", self.kv_heads * size, d)
            self.matrix(b + "attn_v.weight", self.kv_heads * size, d)
            self.constant(b + "attn_k_norm.weight", size, value=size**-0.25)
        self.matrix(b + "ffn_gate.weight", self.feed_forward[layer], d)
        self.matrix(b + "ffn_up.weight", self.feed_forward[layer], d)
        self.matrix(b + "ffn_down.weight", d, self.feed_forward[layer])
        self.matrix(b + "inp_gate.weight", self.per_layer, d)
        self.matrix(b + "proj.weight", d, self.per_layer)
        self.constant(b + "layer_output_scale.weight", 1)

    def size(self, layer):
        return self.head_size if self.pattern[layer] else self.head_size_full

    def hidden(self, tokens):
        weights = self.weights
        batch, time = tokens.shape
        d, p = self.width, self.per_layer
        x = self.embedding(tokens)
        looked_up = F.embedding(tokens, weights["per_layer_token_embd.weight"]) * p**0.5
        projected = linear(x, weights["per_layer_model_proj.weight"]) * d**-0.5
        projected = norm(projected.reshape(batch, time, self.layers, p), weights["per_layer_proj_norm.weight"], EPS)
        inputs = (projected + looked_up.reshape(batch, time, self.layers, p)) * 2**-0.5
        kept = {}
        for layer in range(self.layers):
            self.tap(x)
            w = self._layer(layer)
            a = self._attend(layer, norm(x, w("attn_norm.weight"), EPS), w, kept)
            y = x + norm(a, w("post_attention_norm.weight"), EPS)
            f = norm(y, w("ffn_norm.weight"), EPS)
            gate = _gelu(linear(f, w("ffn_gate.weight")))
            f = linear(gate * linear(f, w("ffn_up.weight")), w("ffn_down.weight"))
            z = y + norm(f, w("post_ffw_norm.weight"), EPS)
            t = _gelu(linear(z, w("inp_gate.weight"))) * inputs[:, :, layer]
            z = z + norm(linear(t, w("proj.weight")), w("post_norm.weight"), EPS)
            x = z * w("layer_output_scale.weight")
        self.tap(x)
        return norm(x, weights["output_norm.weight"], EPS)

    def head(self, hidden):
        logits = linear(hidden, self.weights["token_embd.weight"])
        return torch.tanh(logits / self.soft_cap) * self.soft_cap

    def _layer(self, layer):
        return lambda name: self.weights[f"blk.{layer}.{name}"]

    def _attend(self, layer, h, w, kept):
        sliding = self.pattern[layer]
        rope = self.rope if sliding else self.rope_full
        q = rope(norm(heads_first(linear(h, w("attn_q.weight")), self.heads), w("attn_q_norm.weight"), EPS))
        if layer < self.owners:
            k = heads_first(linear(h, w("attn_k.weight")), self.kv_heads)
            v = heads_first(linear(h, w("attn_v.weight")), self.kv_heads)
            kept[sliding] = rope(norm(k, w("attn_k_norm.weight"), EPS)), rms_norm(v, EPS)
        k, v = kept[sliding]
        mixed = sliding_attention(q, k, v, 1.0, self.window) if sliding else attention(q, k, v, 1.0)
        return linear(heads_last(mixed), w("attn_output.weight"))

    def exported(self):
        return {**self.weights, "rope_freqs.weight": self.factors}

    def metadata(self):
        return {
            "block_count": self.layers,
            "context_length": self.context,
            "embedding_length": self.width,
            "feed_forward_length": list(self.feed_forward),
            "attention.head_count": self.heads,
            "attention.head_count_kv": self.kv_heads,
            "attention.key_length": self.head_size_full,
            "attention.value_length": self.head_size_full,
            "attention.key_length_swa": self.head_size,
            "attention.value_length_swa": self.head_size,
            "attention.layer_norm_rms_epsilon": EPS,
            "attention.sliding_window": self.window,
            "attention.sliding_window_pattern": list(self.pattern),
            "attention.shared_kv_layers": self.layers - self.owners,
            "embedding_length_per_layer_input": self.per_layer,
            "final_logit_softcapping": self.soft_cap,
            "rope.freq_base": self.base_full,
            "rope.freq_base_swa": self.base,
            "rope.dimension_count": self.head_size_full,
            "rope.dimension_count_swa": self.head_size,
        }


def _gelu(x):
    return F.gelu(x, approximate="tanh")
