"""Laguna's architecture: full and sliding layers with heads of their own, and routed experts beside a shared one."""

import torch
from torch.nn import functional as F

from demo.layers import Rope, attention, heads_first, heads_last, linear, norm, sliding_attention, softplus
from demo.model import Model

EPS = 1e-6


class Laguna(Model):
    layers = 8
    period = 4
    width = 160
    heads_full, heads_sliding, kv_heads, head_size = 3, 4, 1, 64
    window = 128
    rope_dims, rope_base = 32, 5e5
    rope_dims_sliding, rope_base_sliding = 64, 1e4
    yarn_factor, yarn_original, yarn_fast, yarn_slow = 4.0, 1024, 32.0, 1.0
    leading_dense = 1
    feed_forward = 448
    experts, used, expert_feed_forward, shared_feed_forward = 8, 2, 64, 64
    expert_scale = 2.5
    context = 8192

    # How far a router's bias moves per step towards an even load.
    bias_step = 0.002

    def __init__(self, vocabulary: int, seed: int = 1):
        super().__init__(seed)
        self.vocabulary = vocabulary
        self.rope = Rope(
            self.rope_dims,
            self.rope_base,
            yarn=(self.yarn_factor, self.yarn_original, self.yarn_fast, self.yarn_slow),
        )
        self.rope_sliding = Rope(self.rope_dims_sliding, self.rope_base_sliding)
        self.loads = torch.zeros(self.layers, self.experts)
        d = self.width
        self.table("token_embd.weight", vocabulary, d, deviation=0.5)
        self.table("output.weight", vocabulary, d, deviation=0.02)
        self.constant("output_norm.weight", d)
        for layer in range(self.layers):
            b = f"blk.{layer}."
            heads = self.heads(layer)
            self.constant(b + "attn_norm.weight", d)
            self.constant(b + "ffn_norm.weight", d)
            self.matrix(b + "attn_q.weight", heads * self.head_size, d)
            self.matrix(b + "attn_k.weight", self.kv_heads * self.head_size, d)
            self.matrix(b + "attn_v.weight", self.kv_heads * self.head_size, d)
            self.matrix(b + "attn_output.weight", d, heads * self.head_size, gain=0.1)
            self.table(b + "attn_gate.weight", heads, d, deviation=0.02)
            self.constant(b + "attn_q_norm.weight", self.head_size)
            self.constant(b + "attn_k_norm.weight", self.head_size)
            (self._declare_dense if layer < self.leading_dense else self._declare_experts)(b)

    def heads(self, layer):
        return self.heads_sliding if self.is_sliding(layer) else self.heads_full

    def is_sliding(self, layer):
        return layer % self.period != 0

    def _declare_dense(self, b):
        self._declare_ffn(b, "", self.feed_forward)

    def _declare_ffn(self, b, suffix, length):
        self.matrix(f"{b}ffn_gate{suffix}.weight", length, self.width)
        self.matrix(f"{b}ffn_up{suffix}.weight", length, self.width)
        self.matrix(f"{b}ffn_down{suffix}.weight", self.width, length, gain=0.1)

    def _declare_experts(self, b):
        d, length = self.width, self.expert_feed_forward
        self.table(b + "ffn_gate_inp.weight", self.experts, d, deviation=0.02)
        self.constant(b + "exp_probs_b.bias", self.experts, value=0.0)
        self.matrix(b + "ffn_gate_exps.weight", self.experts, length, d)
        self.matrix(b + "ffn_up_exps.weight", self.experts, length, d)
        self.matrix(b + "ffn_down_exps.weight", self.experts, d, length, gain=0.1)
        self._declare_ffn(b, "_shexp", self.shared_feed_forward)

    def hidden(self, tokens):
        x = self.embedding(tokens)
        for layer in range(self.layers):
            self.tap(x)
            w = self._layer(layer)
            y = x + self._attend(layer, norm(x, w("attn_norm.weight"), EPS), w)
            f = norm(y, w("ffn_norm.weight"), EPS)
            if layer < self.leading_dense:
                x = y + _swiglu(f, w, "")
            else:
                x = y + self._routed(layer, f, w) + _swiglu(f, w, "_shexp")
        self.tap(x)
        return norm(x, self.weights["output_norm.weight"], EPS)

    def head(self, hidden):
        return linear(hidden, self.weights["output.weight"])

    def _layer(self, layer):
        return lambda name: self.weights[f"blk.{layer}.{name}"]

    def _attend(self, layer, h, w):
        heads = self.heads(layer)
        sliding = self.is_sliding(layer)
        rope = self.rope_sliding if sliding else self.rope
        q = rope(norm(heads_first(linear(h, w("attn_q.weight")), heads), w("attn_q_norm.weight"), EPS))
        k = rope(norm(heads_first(linear(h, w("attn_k.weight")), self.kv_heads), w("attn_k_norm.weight"), EPS))
        v = heads_first(linear(h, w("attn_v.weight")), self.kv_heads)
        scale = self.head_size**-0.5
        mixed = sliding_attention(q, k, v, scale, self.window) if sliding else attention(q, k, v, scale)
        gate = softplus(linear(h, w("attn_gate.weight"))).transpose(1, 2).unsqueeze(-1)
        return linear(heads_last(mixed * gate), w("attn_output.weight"))

    def _routed(self, layer, f, w):
        """Computes every expert for every token, which is quicker here than gathering, and weighs most with 0."""
        router = w("ffn_gate_inp.weight")
        p = torch.sigmoid(f @ router.t())
        chosen = (p.detach() + w("exp_probs_b.bias").detach()).topk(self.used, -1).indices
        picked = torch.zeros_like(p).scatter_(-1, chosen, 1.0)
        if p.requires_grad:
            self.loads[layer] += picked.sum((0, 1))
        share = p * picked
        share = share / share.sum(-1, keepdim=True).clamp(min=6.103515625e-5) * self.expert_scale
        rows = self.experts * self.expert_feed_forward
        inner = F.silu(linear(f, w("ffn_gate_exps.weight").reshape(rows, -1)))
        inner = inner * linear(f, w("ffn_up_exps.weight").reshape(rows, -1))
        of_each = inner.reshape(*share.shape, self.expert_feed_forward)
        inner = (of_each * share.unsqueeze(-1)).reshape(inner.shape)
        down = w("ffn_down_exps.weight").permute(1, 0, 2).reshape(self.width, rows)
        return linear(inner, down)

    def statistics(self):
        loads = self.loads.clone()
        self.loads.zero_()
        return loads

    def after_step(self, counts):
        """Moves the selection bias of busy experts down and of idle ones up (Wang et al., arXiv:2408.15664)."""
        for layer in range(self.leading_dense, self.layers):
            load = counts[layer]
            self.weights[f"blk.{layer}.exp_probs_b.bias"] += self.bias_step * torch.sign(load.mean() - load)

    def metadata(self):
        return {
            "block_count": self.layers,
            "context_length": self.context,
            "embedding_length": self.width,
            "feed_forward_length": self.feed_forward,
            "attention.head_count": [self.heads(layer) for layer in range(self.layers)],
            "attention.head_count_kv": self.kv_heads,
            "attention.key_length": self.head_size,
            "attention.value_length": self.head_size,
            "attention.layer_norm_rms_epsilon": EPS,
            "attention.sliding_window": self.window,
            "attention.sliding_window_pattern": [self.is_sliding(layer) for layer in range(self.layers)],
            "rope.dimension_count": self.rope_dims,
            "rope.dimension_count_swa": self.rope_dims_sliding,
            "rope.freq_base": self.rope_base,
            "rope.freq_base_swa": self.rope_base_sliding,
            "rope.scaling.type": "yarn",
            "rope.scaling.factor": self.yarn_factor,
            "rope.scaling.original_context_length": self.yarn_original,
            "rope.scaling.yarn_beta_fast": self.yarn_fast,
            "rope.scaling.yarn_beta_slow": self.yarn_slow,
            "leading_dense_block_count": self.leading_dense,
            "expert_count": self.experts,
            "expert_used_count": self.used,
            "expert_feed_forward_length": self.expert_feed_forward,
            "expert_shared_feed_forward_length": self.shared_feed_forward,
            "expert_shared_count": 1,
            "expert_weights_scale": self.expert_scale,
            "expert_weights_norm": True,
            "expert_gating_func": 2,
        }


def _swiglu(f, w, suffix):
    gate = F.silu(linear(f, w(f"ffn_gate{suffix}.weight")))
    return linear(gate * linear(f, w(f"ffn_up{suffix}.weight")), w(f"ffn_down{suffix}.weight"))
