"""The parts that the three architectures are made of. Linear weights are [outputs, inputs], as GGUF stores them."""

import math

import torch
from torch.nn import functional as F

# Products in bfloat16 are about four times as fast on processors that know it. For training only.
_half_products = False


def half_products(enabled: bool) -> None:
    """Whether linear layers multiply in bfloat16; their results are F32 in any case."""
    global _half_products
    _half_products = enabled


class _HalfLinear(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x, weight):
        x = x.bfloat16()
        weight = weight.bfloat16()
        ctx.save_for_backward(x, weight)
        return (x @ weight.t()).float()

    @staticmethod
    def backward(ctx, gradient):
        x, weight = ctx.saved_tensors
        gradient = gradient.bfloat16()
        return (gradient @ weight).float(), (gradient.t() @ x).float()


def linear(x, weight):
    """[..., inputs] to [..., outputs]."""
    if not _half_products:
        return x @ weight.t()
    return _HalfLinear.apply(x.reshape(-1, x.shape[-1]), weight).reshape(*x.shape[:-1], weight.shape[0])


class _HalfProduct(torch.autograd.Function):
    @staticmethod
    def forward(ctx, a, b):
        a = a.bfloat16()
        b = b.bfloat16()
        ctx.save_for_backward(a, b)
        return (a @ b).float()

    @staticmethod
    def backward(ctx, gradient):
        a, b = ctx.saved_tensors
        gradient = gradient.bfloat16()
        return (gradient @ b.transpose(-1, -2)).float(), (a.transpose(-1, -2) @ gradient).float()


def product(a, b):
    """a @ b over equal leading dimensions, the last two of each being the matrices."""
    return _HalfProduct.apply(a, b) if _half_products else a @ b


class _RmsNorm(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x, eps):
        scale = torch.rsqrt(x.square().mean(-1, keepdim=True) + eps)
        normed = x * scale
        ctx.save_for_backward(normed, scale)
        return normed

    @staticmethod
    def backward(ctx, gradient):
        normed, scale = ctx.saved_tensors
        along = (gradient * normed).mean(-1, keepdim=True)
        return (gradient - normed * along) * scale, None


def rms_norm(x, eps):
    return _RmsNorm.apply(x, eps)


def norm(x, weight, eps):
    return rms_norm(x, eps) * weight


def softplus(x):
    return F.softplus(x)


class Rope:
    """Rotary embedding of the first `dims` elements of a head, as pairs (p, p + dims / 2).

    `factors` divide the angles. `yarn` = (factor, original context, beta fast, beta slow) blends interpolated and
    original angles and enlarges both parts (Peng et al., YaRN, arXiv:2309.00071).
    """

    def __init__(self, dims, base, factors=None, yarn=None):
        self.dims = dims
        pairs = torch.arange(dims // 2, dtype=torch.float64)
        frequency = base ** (-2 * pairs / dims)
        if factors is not None:
            frequency = frequency / factors.double()
        self._magnitude = 1.0
        if yarn is not None:
            factor, original, fast, slow = yarn

            def pair_of(beta):
                return dims * math.log(original / (2 * math.pi * beta)) / (2 * math.log(base))

            low = max(0, math.floor(pair_of(fast)))
            high = min(dims - 1, math.ceil(pair_of(slow)))
            kept = 1 - ((pairs - low) / max(0.001, high - low)).clamp(0, 1)
            frequency = frequency / factor * (1 - kept) + frequency * kept
            self._magnitude = 1 + 0.1 * math.log(factor)
        self._frequency = frequency
        self._tables = None

    def __call__(self, x, positions=None):
        """x: [batch, heads, time, size], at positions 0 to time - 1, or at those of [batch, time]."""
        time = x.shape[2] if positions is None else int(positions.max()) + 1
        if self._tables is None or len(self._tables[0]) < time:
            angles = torch.arange(max(time, 1024), dtype=torch.float64)[:, None] * self._frequency
            self._tables = (angles.cos() * self._magnitude).float(), (angles.sin() * self._magnitude).float()
        if positions is None:
            cos, sin = (table[:time] for table in self._tables)
        else:
            cos, sin = (table[positions][:, None] for table in self._tables)
        half = self.dims // 2
        first, second, rest = x[..., :half], x[..., half : self.dims], x[..., self.dims :]
        return torch.cat((first * cos - second * sin, second * cos + first * sin, rest), -1)


# Queries of so many positions see the keys up to their last one: half of the scores of long rows are never computed.
_QUERIES = 256


def attention(q, k, v, scale):
    """Causal attention. q: [batch, heads, time, size]; k, v: [batch, kv heads, time, size]."""
    time = q.shape[2]
    q = q * scale
    parts = []
    for begin in range(0, time, _QUERIES):
        end = min(time, begin + _QUERIES)
        parts.append(_attend(q[:, :, begin:end], k[:, :, :end], v[:, :, :end]))
    return parts[0] if len(parts) == 1 else torch.cat(parts, 2)


def _attend(q, k, v):
    """What the last positions of those in `k` and `v` see."""
    batch, heads, time, size = q.shape
    groups = heads // k.shape[1]
    known = k.shape[2]
    future = torch.full((time, known), -torch.inf).triu(known - time + 1).repeat(groups, 1)
    read = masked_attention(q.reshape(batch, k.shape[1], groups * time, size), k, v, future)
    return read.reshape(batch, heads, time, size)


class _HalfAttention(torch.autograd.Function):
    """Keeps the weights in bfloat16 alone, and takes no step over the scores that another one can take along."""

    @staticmethod
    def forward(ctx, q, k, v, mask):
        q, k, v = q.bfloat16(), k.bfloat16(), v.bfloat16()
        scores = (q @ k.transpose(-1, -2)).float().add_(mask)
        weights = torch.softmax(scores, -1).bfloat16()
        ctx.save_for_backward(q, k, v, weights)
        return (weights @ v).float()

    @staticmethod
    def backward(ctx, gradient):
        q, k, v, weights = ctx.saved_tensors
        # What the softmax takes off each row's gradient is the same for all keys: sum of weights x (gradient . v).
        taken = gradient
        gradient = gradient.bfloat16()
        towards = gradient @ v.transpose(-1, -2)
        along = (taken * (weights @ v)).sum(-1, keepdim=True).bfloat16()
        towards = towards.sub_(along).mul_(weights)
        return (
            (towards @ k).float(),
            (towards.transpose(-1, -2) @ q).float(),
            (weights.transpose(-1, -2) @ gradient).float(),
            None,
        )


def masked_attention(q, k, v, mask):
    """q: [..., queries, size]; k, v: [..., keys, size]; the mask is added to the scores."""
    if _half_products:
        return _HalfAttention.apply(q, k, v, mask)
    return ((q @ k.transpose(-1, -2)) + mask).softmax(-1) @ v


def sliding_attention(q, k, v, scale, window):
    """As `attention`, but a token sees itself and the `window` - 1 tokens before it."""
    batch, heads, time, size = q.shape
    if time <= window:
        return attention(q, k, v, scale)
    if time % window:
        padding = (0, 0, 0, window - time % window)
        padded = sliding_attention(F.pad(q, padding), F.pad(k, padding), F.pad(v, padding), scale, window)
        return padded[:, :, :time]
    kv_heads = k.shape[1]
    groups = heads // kv_heads
    blocks = time // window
    q = q.reshape(batch, kv_heads, groups, blocks, window, size).transpose(2, 3)
    q = q.reshape(batch, kv_heads, blocks, groups * window, size)

    def with_block_before(x):
        x = x.reshape(batch, kv_heads, blocks, window, size)
        return torch.cat((F.pad(x, (0, 0, 0, 0, 1, 0))[:, :, :-1], x), 3)

    distance = torch.arange(window)[:, None] + window - torch.arange(2 * window)
    hidden = ((distance < 0) | (distance >= window)).repeat(groups, 1).expand(blocks, -1, -1).clone()
    hidden[0, :, :window] = True
    mask = torch.zeros(hidden.shape).masked_fill(hidden, -torch.inf)
    result = masked_attention(q * scale, with_block_before(k), with_block_before(v), mask)
    result = result.reshape(batch, kv_heads, blocks, groups, window, size)
    return result.transpose(2, 3).reshape(batch, heads, time, size)


def heads_first(x, heads):
    """[batch, time, heads * size] to [batch, heads, time, size]."""
    batch, time, width = x.shape
    return x.reshape(batch, time, heads, width // heads).transpose(1, 2)


def heads_last(x):
    """The inverse of `heads_first`."""
    batch, heads, time, size = x.shape
    return x.transpose(1, 2).reshape(batch, time, heads * size)
