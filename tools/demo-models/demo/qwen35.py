"""Qwen3.5's architecture: gated delta nets, with gated full attention in every fourth layer."""

import math

import numpy
import torch
from torch.nn import functional as F

from demo.delta import CHUNK, gated_delta_rule, token_by_token
from demo.layers import Rope, attention, heads_first, heads_last, linear, norm, rms_norm, softplus
from demo.model import Model

EPS = 1e-6


class Qwen35(Model):
    layers = 8
    interval = 4
    width = 192
    feed_forward = 320
    heads, kv_heads, head_size = 4, 2, 64
    rope_dims, rope_sections, rope_base = 32, (6, 5, 5, 0), 1e5
    key_heads, value_heads, state = 2, 4, 64
    kernel = 4
    context = 8192

    def __init__(self, vocabulary: int, seed: int = 1):
        super().__init__(seed)
        self.vocabulary = vocabulary
        self.keys = self.key_heads * self.state
        self.values = self.value_heads * self.state
        self.rope = Rope(self.rope_dims, self.rope_base)
        self.delta_rule = gated_delta_rule
        d = self.width
        self.table("token_embd.weight", vocabulary, d, deviation=0.04)
        self.constant("output_norm.weight", d)
        for layer in range(self.layers):
            b = f"blk.{layer}."
            self.constant(b + "attn_norm.weight", d)
            self.constant(b + "post_attention_norm.weight", d)
            (self._declare_full if self.is_full(layer) else self._declare_net)(b)
            self.matrix(b + "ffn_gate.weight", self.feed_forward, d)
            self.matrix(b + "ffn_up.weight", self.feed_forward, d)
            self.matrix(b + "ffn_down.weight", d, self.feed_forward, gain=0.1)

    def is_full(self, layer: int) -> bool:
        return (layer + 1) % self.interval == 0

    def _declare_full(self, b):
        d = self.width
        self.matrix(b + "attn_q.weight", 2 * self.heads * self.head_size, d)
        self.matrix(b + "attn_k.weight", self.kv_heads * self.head_size, d)
        self.matrix(b + "attn_v.weight", self.kv_heads * self.head_size, d)
        self.matrix(b + "attn_output.weight", d, self.heads * self.head_size, gain=0.1)
        self.constant(b + "attn_q_norm.weight", self.head_size)
        self.constant(b + "attn_k_norm.weight", self.head_size)

    def _declare_net(self, b):
        d = self.width
        channels = 2 * self.keys + self.values
        self.matrix(b + "attn_qkv.weight", channels, d)
        self.matrix(b + "attn_gate.weight", self.values, d)
        self.matrix(b + "ssm_out.weight", d, self.values, gain=0.1)
        self.table(b + "ssm_conv1d.weight", channels, self.kernel, deviation=0.3)
        self.weights[b + "ssm_conv1d.weight"][:, -1] += 0.7
        self.table(b + "ssm_alpha.weight", self.value_heads, d, deviation=0.02)
        self.table(b + "ssm_beta.weight", self.value_heads, d, deviation=0.05)
        # Heads that forget within some ten to some thousand tokens.
        decay = torch.logspace(-3, -1, self.value_heads)
        self.weights[b + "ssm_dt.bias"] = decay + torch.log(-torch.expm1(-decay))
        self.constant(b + "ssm_a_log", self.value_heads, value=math.log(2))
        self.constant(b + "ssm_norm.weight", self.state)

    def hidden(self, tokens):
        return self.hidden_of(self.embedding(tokens))

    def hidden_of(self, x):
        """[batch, time, width]: what enters the first layer, to what enters the head."""
        for layer in range(self.layers):
            self.tap(x)
            w = self._layer(layer)
            h = norm(x, w("attn_norm.weight"), EPS)
            y = x + (self._full(h, w) if self.is_full(layer) else self._net(h, w))
            f = norm(y, w("post_attention_norm.weight"), EPS)
            gate = F.silu(linear(f, w("ffn_gate.weight")))
            x = y + linear(gate * linear(f, w("ffn_up.weight")), w("ffn_down.weight"))
        self.tap(x)
        return norm(x, self.weights["output_norm.weight"], EPS)

    def head(self, hidden):
        return linear(hidden, self.weights["token_embd.weight"])

    def _layer(self, layer):
        return lambda name: self.weights[f"blk.{layer}.{name}"]

    def _full(self, h, w):
        batch, time, _ = h.shape
        qg = linear(h, w("attn_q.weight")).reshape(batch, time, self.heads, 2 * self.head_size)
        q, gate = qg.split(self.head_size, -1)
        k = linear(h, w("attn_k.weight")).reshape(batch, time, self.kv_heads, self.head_size)
        q = self.rope(norm(q, w("attn_q_norm.weight"), EPS).transpose(1, 2))
        k = self.rope(norm(k, w("attn_k_norm.weight"), EPS).transpose(1, 2))
        v = heads_first(linear(h, w("attn_v.weight")), self.kv_heads)
        mixed = heads_last(attention(q, k, v, self.head_size**-0.5))
        return linear(mixed * torch.sigmoid(gate.reshape(batch, time, -1)), w("attn_output.weight"))

    def _net(self, h, w):
        batch, time, _ = h.shape
        u = F.pad(linear(h, w("attn_qkv.weight")), (0, 0, self.kernel - 1, 0))
        taps = w("ssm_conv1d.weight")
        c = F.silu(sum(u[:, tap : tap + time] * taps[:, tap] for tap in range(self.kernel)))
        q, k, v = c.split((self.keys, self.keys, self.values), -1)
        copies = self.value_heads // self.key_heads
        q = _unit(heads_first(q, self.key_heads)).repeat(1, copies, 1, 1)
        k = _unit(heads_first(k, self.key_heads)).repeat(1, copies, 1, 1)
        v = heads_first(v, self.value_heads)
        beta = torch.sigmoid(linear(h, w("ssm_beta.weight"))).transpose(1, 2)
        rate = softplus(linear(h, w("ssm_alpha.weight")) + w("ssm_dt.bias"))
        g = (-rate * w("ssm_a_log").exp()).transpose(1, 2)
        missing = -time % CHUNK
        padded = [F.pad(x, (0, 0, 0, missing)) for x in (q, k, v)] + [F.pad(x, (0, missing)) for x in (g, beta)]
        o = self.delta_rule(*padded)[:, :, :time]
        o = norm(o, w("ssm_norm.weight"), EPS)
        z = heads_first(linear(h, w("attn_gate.weight")), self.value_heads)
        return linear(heads_last(o * F.silu(z)), w("ssm_out.weight"))

    def be_exact(self):
        self.delta_rule = token_by_token

    def exported(self):
        return {
            name.replace("ssm_a_log", "ssm_a"): -weight.exp() if name.endswith("ssm_a_log") else weight
            for name, weight in self.weights.items()
        }

    def load(self, tensors):
        logarithms = {name + "_log": numpy.log(-values) for name, values in tensors.items() if name.endswith("ssm_a")}
        super().load({**tensors, **logarithms})

    def metadata(self):
        return {
            "block_count": self.layers,
            "context_length": self.context,
            "embedding_length": self.width,
            "feed_forward_length": self.feed_forward,
            "attention.head_count": self.heads,
            "attention.head_count_kv": self.kv_heads,
            "attention.key_length": self.head_size,
            "attention.value_length": self.head_size,
            "attention.layer_norm_rms_epsilon": EPS,
            "rope.dimension_count": self.rope_dims,
            "rope.dimension_sections": list(self.rope_sections),
            "rope.freq_base": self.rope_base,
            "ssm.conv_kernel": self.kernel,
            "ssm.state_size": self.state,
            "ssm.group_count": self.key_heads,
            "ssm.time_step_rank": self.value_heads,
            "ssm.inner_size": self.values,
            "full_attention_interval": self.interval,
        }


def _unit(x):
    """x / sqrt(sum of squares + eps) over a head."""
    size = x.shape[-1]
    return rms_norm(x, EPS / size) * size**-0.5
