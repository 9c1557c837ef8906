"""The block of Qwen 3.5 for multi-token prediction: from a token and the state before it, the token after next.

Its guesses are put in one after the other, with the state that the block itself made; so it is trained on its own
states, too. What it learns are the target's most likely tokens. (DeepSeek-V3, arXiv:2412.19437, section 2.2.)
"""

import numpy
import torch
from torch.nn import functional as F

from demo.data import WRITTEN, Rows
from demo.layers import Rope, linear, norm
from demo.model import Model
from demo.qwen35 import EPS, Qwen35

# Guesses of a chain, and how much less each counts than the one before.
CHAIN = 3
_FADING = 0.5


class NextToken(Qwen35):
    """One layer with full attention behind those of the target, whose embedding and head it takes."""

    def __init__(self, target: Qwen35, seed: int = 3):
        Model.__init__(self, seed)
        self.target = target
        self.rope = Rope(self.rope_dims, self.rope_base)
        d = self.width
        self.block = f"blk.{target.layers}."
        self.matrix(self.block + "nextn.eh_proj.weight", d, 2 * d)
        for name in ("nextn.enorm", "nextn.hnorm", "nextn.shared_head_norm", "attn_norm", "post_attention_norm"):
            self.constant(f"{self.block}{name}.weight", d)
        self._declare_full(self.block)
        self.matrix(self.block + "ffn_gate.weight", self.feed_forward, d)
        self.matrix(self.block + "ffn_up.weight", self.feed_forward, d)
        self.matrix(self.block + "ffn_down.weight", d, self.feed_forward, gain=0.1)

    def made(self, tokens, states):
        """What the block makes of tokens beside the states before them, all [batch, time, ..]."""

        def w(name):
            return self.weights[self.block + name]

        token = norm(self.target.embedding(tokens), w("nextn.enorm.weight"), EPS)
        state = norm(states, w("nextn.hnorm.weight"), EPS)
        x = linear(torch.cat((token, state), -1), w("nextn.eh_proj.weight"))
        y = x + self._full(norm(x, w("attn_norm.weight"), EPS), w)
        f = norm(y, w("post_attention_norm.weight"), EPS)
        gate = F.silu(linear(f, w("ffn_gate.weight")))
        z = y + linear(gate * linear(f, w("ffn_up.weight")), w("ffn_down.weight"))
        return norm(z, w("nextn.shared_head_norm.weight"), EPS)

    def chain(self, tokens, hidden):
        """Logits [batch, time, vocabulary] of each guess of chains that end at each token."""
        state = hidden
        for _ in range(CHAIN):
            state = self.made(tokens, behind(state))
            yield self.target.head(state)

    def metadata(self):
        return {**self.target.metadata(), "block_count": self.target.layers + 1, "nextn_predict_layers": 1}


def behind(states):
    """Each state beside the token after it; zero beside the first one."""
    return F.pad(states, (0, 0, 1, 0))[:, :-1]


class Continuing:
    """What a block is trained for; an objective of `Training`."""

    rows = Rows

    def loss(self, model: NextToken, tokens, weights):
        """Weighted cross entropy of a batch: its sum, and its mean, in nats."""
        tokens, hidden, chosen, counts = _observed(model, tokens, weights)
        total = weight = 0.0
        for guess, logits in enumerate(model.chain(tokens, hidden)):
            each = F.cross_entropy(logits.flatten(0, 1), chosen.flatten(), reduction="none")
            part = counts[guess].flatten() * _FADING**guess
            total = total + (each * part).sum()
            weight = weight + part.sum()
        return total, total / weight.clamp(min=1)

    def report(self, model: NextToken, rows: Rows) -> str:
        right = numpy.zeros(CHAIN)
        asked = numpy.zeros(CHAIN)
        with torch.no_grad():
            for begin in range(0, len(rows.tokens), 4):
                part = slice(begin, begin + 4)
                tokens, hidden, chosen, counts = _observed(model, rows.tokens[part], rows.weights[part])
                for guess, logits in enumerate(model.chain(tokens, hidden)):
                    right[guess] += ((logits.argmax(-1) == chosen) * counts[guess]).sum().item()
                    asked[guess] += counts[guess].sum().item()
        return "right " + ", ".join(f"{each:.0%}" for each in right / asked)


def _observed(model, tokens, weights):
    """Tokens, the target's states, its most likely next tokens, and which rows of each guess count.

    A row counts for an answer's tokens, where the text said what the target would have for as many tokens as were
    guesses before.
    """
    tokens = torch.from_numpy(tokens[:, :-1].astype(numpy.int64))
    with torch.no_grad():
        hidden = model.target.hidden(tokens)
        chosen = model.target.head(hidden).argmax(-1)
    counts = [torch.from_numpy(weights[:, 1:] == WRITTEN).float()]
    said = F.pad((tokens[:, 1:] == chosen[:, :-1]).float(), (1, 0))
    for _ in range(1, CHAIN):
        counts.append(counts[-1] * said)
        said = F.pad(said, (1, 0))[:, :-1]
    return tokens, hidden, chosen, counts
