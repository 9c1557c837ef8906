"""The gated delta rule in chunks of matrix products, for training.

For each head, with a state S of shape [key, value], the rule is, token by token:
`S = exp(g) S; d = beta (v - S' k); S = S + k d'; o = S' q / sqrt(key size)`.
Inside a chunk all updates d follow from one lower triangular system, which is solved for all tokens at once
(Yang et al., Gated Delta Networks, arXiv:2412.06464).
"""

import torch

from demo.layers import product

CHUNK = 64


def gated_delta_rule(q, k, v, g, beta):
    """Shapes: q, k, v [batch, heads, time, size], g and beta [batch, heads, time]; time a multiple of the chunk."""
    batch, heads, time, size = q.shape
    chunks = time // CHUNK
    q, k, v = (x.reshape(batch, heads, chunks, CHUNK, size) for x in (q, k, v))
    g, beta = (x.reshape(batch, heads, chunks, CHUNK) for x in (g, beta))
    decay = g.cumsum(-1)
    # exp(decay_i - decay_j) for j <= i; the others would overflow.
    lower = torch.ones(CHUNK, CHUNK, dtype=torch.bool, device=q.device).tril()
    between = (decay.unsqueeze(-1) - decay.unsqueeze(-2)).masked_fill(~lower, -torch.inf).exp()

    k_beta = k * beta.unsqueeze(-1)
    system = product(k_beta, k.transpose(-1, -2)) * between
    inverse = _InverseOfUnitLower.apply(system.tril(-1))
    updates = product(inverse, v * beta.unsqueeze(-1))
    reads = product(inverse, k_beta * decay.exp().unsqueeze(-1))
    inside = product(q, k.transpose(-1, -2)) * between
    q_decayed = q * decay.exp().unsqueeze(-1)
    k_decayed = k * (decay[..., -1:] - decay).exp().unsqueeze(-1)
    whole = decay[..., -1].exp()

    state = q.new_zeros(batch, heads, size, size)
    outputs = []
    for chunk in range(chunks):
        d = updates[:, :, chunk] - product(reads[:, :, chunk], state)
        outputs.append(product(q_decayed[:, :, chunk], state) + product(inside[:, :, chunk], d))
        state = state * whole[:, :, chunk, None, None] + product(k_decayed[:, :, chunk].transpose(-1, -2), d)
    return torch.stack(outputs, dim=2).reshape(batch, heads, time, size) * size**-0.5


class _InverseOfUnitLower(torch.autograd.Function):
    """(I + A)^-1 for strictly lower triangular A."""

    @staticmethod
    def forward(ctx, strict):
        inverse = _inverse(strict)
        ctx.save_for_backward(inverse)
        return inverse

    @staticmethod
    def backward(ctx, gradient):
        (inverse,) = ctx.saved_tensors
        turned = inverse.transpose(-1, -2)
        return -(turned @ gradient @ turned)


def _inverse(strict):
    """By quarters: of [[P, 0], [A, Q]] it is [[P^-1, 0], [-Q^-1 A P^-1, Q^-1]]."""
    size = strict.shape[-1]
    if size <= 16:
        return _inverse_of_small(strict)
    half = size // 2
    first, second = _inverse(torch.stack((strict[..., :half, :half], strict[..., half:, half:])))
    inverse = torch.zeros_like(strict)
    inverse[..., :half, :half] = first
    inverse[..., half:, half:] = second
    inverse[..., half:, :half] = -(second @ strict[..., half:, :half] @ first)
    return inverse


def _inverse_of_small(strict):
    """The product of (I + (-A)^(2^n)), as high powers of A are zero."""
    power = -strict
    inverse = power + torch.eye(strict.shape[-1], device=strict.device)
    reached = 2
    while reached < strict.shape[-1]:
        power = power @ power
        inverse = inverse + inverse @ power
        reached *= 2
    return inverse


def token_by_token(q, k, v, g, beta):
    """The definition, for tests; same shapes, any time."""
    batch, heads, time, size = q.shape
    state = q.new_zeros(batch, heads, size, size)
    outputs = []
    for t in range(time):
        state = state * g[:, :, t, None, None].exp()
        read = torch.einsum("bhkv,bhk->bhv", state, k[:, :, t])
        d = (v[:, :, t] - read) * beta[:, :, t, None]
        state = state + torch.einsum("bhk,bhv->bhkv", k[:, :, t], d)
        outputs.append(torch.einsum("bhkv,bhk->bhv", state, q[:, :, t]))
    return torch.stack(outputs, dim=2) * size**-0.5
