"""Qwen 3's dense architecture, as small as a drafter may be: every layer has full attention."""

import torch
from torch.nn import functional as F

from demo.layers import Rope, attention, heads_first, heads_last, linear, norm
from demo.model import Model

EPS = 1e-6


class Qwen3(Model):
    """`looked` collects queries [batch, heads, time, size] and keys of all layers, not yet rotated, when it is a list."""

    layers = 4
    width = 192
    feed_forward = 320
    heads, kv_heads, head_size = 4, 2, 64
    rope_base = 1e6
    context = 8192

    def __init__(self, vocabulary: int, seed: int = 1):
        super().__init__(seed)
        self.vocabulary = vocabulary
        self.rope = Rope(self.head_size, self.rope_base)
        self.looked = None
        d = self.width
        self.table("token_embd.weight", vocabulary, d, deviation=0.04)
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

    def prime(self) -> None:
        """Begins with heads that training would take long to find: some see what stands before them, and some what is alike.

        One element of every embedding becomes a constant. Made of it alone, queries and keys are the same everywhere:
        rotated, they fade with distance, and not rotated, they tell nothing apart. Other heads have equal queries and
        keys, in upper layers of what the first ones gathered.
        """
        size, d = self.head_size, self.width
        self.weights["token_embd.weight"][:, 0] = 0.5
        gathered = None
        for layer in range(self.layers):
            b = f"blk.{layer}."
            q, k = (self.weights[f"{b}attn_{name}.weight"] for name in "qk")
            output = self.weights[b + "attn_output.weight"]
            local = layer < self.layers // 2
            for head in range(self.heads):
                group = head * self.kv_heads // self.heads
                rows, keys = slice(head * size, (head + 1) * size), slice(group * size, (group + 1) * size)
                if local and group == 0:
                    q[rows] = 0.05 * q[rows]
                    k[keys] = 0.05 * k[keys]
                    narrow = head % 2 == 0
                    q[rows][slice(4, 9) if narrow else slice(7, 13), 0] = 1.0
                    k[keys][4:13, 0] = 1.0
                    output[:, rows] *= 8
                    if layer == 0 and not narrow:
                        gathered = output[:, rows].clone()
                else:
                    if layer and group == (0 if not local else 1):
                        k[keys] = 0.3 * k[keys] + gathered.t()
                    q[rows] = k[keys]
            for name in "qk":
                self.weights[f"{b}attn_{name}_norm.weight"].fill_(1.5)

    def hidden(self, tokens):
        x = self.embedding(tokens)
        for layer in range(self.layers):
            self.tap(x)
            w = self._layer(layer)
            y = x + self._attend(norm(x, w("attn_norm.weight"), EPS), w)
            f = norm(y, w("ffn_norm.weight"), EPS)
            gate = F.silu(linear(f, w("ffn_gate.weight")))
            x = y + linear(gate * linear(f, w("ffn_up.weight")), w("ffn_down.weight"))
        self.tap(x)
        return norm(x, self.weights["output_norm.weight"], EPS)

    def head(self, hidden):
        return linear(hidden, self.weights["token_embd.weight"])

    def _layer(self, layer):
        return lambda name: self.weights[f"blk.{layer}.{name}"]

    def _attend(self, h, w):
        q = norm(heads_first(linear(h, w("attn_q.weight")), self.heads), w("attn_q_norm.weight"), EPS)
        k = norm(heads_first(linear(h, w("attn_k.weight")), self.kv_heads), w("attn_k_norm.weight"), EPS)
        v = heads_first(linear(h, w("attn_v.weight")), self.kv_heads)
        if self.looked is not None:
            self.looked.append((q, k))
        mixed = attention(self.rope(q), self.rope(k), v, self.head_size**-0.5)
        return linear(heads_last(mixed), w("attn_output.weight"))

    def looks(self, places):
        """Shares of attention [batch, rows, time] that tokens at `places` [batch, rows] give to each token.

        The largest of any head of any layer in `looked`, with queries and keys that are not rotated.
        """
        most = None
        for q, k in self.looked:
            batch, heads, time, size = q.shape
            rows = places.shape[1]
            picked = q.gather(2, places[:, None, :, None].expand(batch, heads, rows, size))
            picked = picked.reshape(batch, self.kv_heads, -1, size) * size**-0.5
            scores = (picked @ k.transpose(-1, -2)).reshape(batch, heads, rows, time)
            later = torch.arange(time) > places[:, None, :, None]
            shares = scores.masked_fill(later, -torch.inf).softmax(-1).amax(1)
            most = shares if most is None else torch.maximum(most, shares)
        return most

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
            "rope.dimension_count": self.head_size,
            "rope.freq_base": self.rope_base,
        }
