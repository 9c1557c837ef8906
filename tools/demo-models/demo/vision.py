"""The image encoder of Qwen3.5 (projector `qwen3vl_merger`), and how its rows enter the language model."""

from typing import Sequence

import numpy
import torch
from torch.nn import functional as F

from demo.layers import linear
from demo.model import Model
from demo.qwen35 import Qwen35

EPS = 1e-6
MERGE = 2


class Grid:
    """Order of an image's patches: squares of 2 x 2 follow one another by rows, and so do the patches of each."""

    def __init__(self, columns: int, rows: int):
        """Columns and rows of tokens."""
        self.columns, self.rows = columns, rows
        self.places = [
            (row * MERGE + y, column * MERGE + x)
            for row in range(rows)
            for column in range(columns)
            for y in range(MERGE)
            for x in range(MERGE)
        ]

    @property
    def tokens(self) -> int:
        return self.columns * self.rows

    def patches(self, images: numpy.ndarray, side: int) -> torch.Tensor:
        """uint8 [batch, height, width, 3] to F32 [batch, patches, 3 * side * side] between -1 and 1."""
        batch, height, width, _ = images.shape
        cells = images.reshape(batch, self.rows, MERGE, side, self.columns, MERGE, side, 3)
        cells = cells.transpose(0, 1, 4, 2, 5, 7, 3, 6).reshape(batch, len(self.places), -1)
        return torch.from_numpy(cells.astype(numpy.float32)) / 127.5 - 1

    def shares(self, side: int) -> torch.Tensor:
        """[patches, side * side]: how much each row of the position table counts, the corners of both aligned."""
        down, across = (_interpolation(count * MERGE, side) for count in (self.rows, self.columns))
        return torch.stack([torch.outer(down[y], across[x]).reshape(-1) for y, x in self.places])


def _interpolation(count: int, side: int) -> torch.Tensor:
    """[count, side]: shares of the table's entries along one axis."""
    shares = torch.zeros(count, side)
    for index in range(count):
        source = index * (side - 1) / max(1, count - 1)
        lower = min(int(source), side - 1)
        shares[index, lower] += 1 - (source - lower)
        shares[index, min(lower + 1, side - 1)] += source - lower
    return shares


class VisionEncoder(Model):
    """Reads patches of 12 pixels; a token is a square of 24, and a picture has about 16 of them."""

    layers = 3
    width, heads, feed_forward = 96, 4, 256
    patch = 12
    table = 8
    rope_base = 1e4
    least_tokens, most_tokens = 12, 16
    features = width * MERGE * MERGE

    def __init__(self, output: int, seed: int = 1):
        super().__init__(seed)
        self.output = output
        e, merged = self.width, self.features
        self._add("v.patch_embd", e, 3 * self.patch * self.patch)
        self.weights["v.position_embd.weight"] = torch.randn(self.table**2, e, generator=self._random) * 0.02
        for layer in range(self.layers):
            b = f"v.blk.{layer}."
            self._add_norm(b + "ln1")
            self._add_norm(b + "ln2")
            self._add(b + "attn_qkv", 3 * e, e)
            self._add(b + "attn_out", e, e, gain=0.1)
            self._add(b + "ffn_up", self.feed_forward, e)
            self._add(b + "ffn_down", e, self.feed_forward, gain=0.1)
        self._add_norm("v.post_ln")
        self._add("mm.0", merged, merged)
        self._add("mm.2", output, merged, gain=0.3)

    def _add(self, name, rows, columns, gain=1.0):
        self.matrix(name + ".weight", rows, columns, gain=gain)
        self.constant(name + ".bias", rows, value=0)

    def _add_norm(self, name):
        self.constant(name + ".weight", self.width)
        self.constant(name + ".bias", self.width, value=0)

    def rows(self, images: numpy.ndarray, grid: Grid) -> torch.Tensor:
        """uint8 [batch, height, width, 3] to [batch, tokens, output]."""
        return self._project(self.features_of(images, grid), "mm.2")

    def features_of(self, images: numpy.ndarray, grid: Grid) -> torch.Tensor:
        """What the last matrix reads, [batch, tokens, features]."""
        x = self._project(grid.patches(images, self.patch), "v.patch_embd")
        x = x + grid.shares(self.table) @ self.weights["v.position_embd.weight"]
        rotation = self._rotation(grid)
        for layer in range(self.layers):
            b = f"v.blk.{layer}."
            x = x + self._attention(self._norm(x, b + "ln1"), b, rotation)
            inner = F.gelu(self._project(self._norm(x, b + "ln2"), b + "ffn_up"), approximate="tanh")
            x = x + self._project(inner, b + "ffn_down")
        x = self._norm(x, "v.post_ln").reshape(len(images), grid.tokens, -1)
        return F.gelu(self._project(x, "mm.0"), approximate="tanh")

    def project_by(self, matrix: torch.Tensor) -> None:
        """Sets the last matrix and its offset, [features + 1, output]."""
        self.weights["mm.2.weight"].copy_(matrix[:-1].t())
        self.weights["mm.2.bias"].copy_(matrix[-1])

    def _project(self, x, name):
        return linear(x, self.weights[name + ".weight"]) + self.weights[name + ".bias"]

    def _norm(self, x, name):
        return F.layer_norm(x, (self.width,), self.weights[name + ".weight"], self.weights[name + ".bias"], EPS)

    def _rotation(self, grid: Grid):
        """Cosines and sines, [patches, half a head]: the first half turns by the row, the second by the column."""
        size = self.width // self.heads
        frequency = self.rope_base ** (-4 * torch.arange(size // 4, dtype=torch.float32) / size)
        places = torch.tensor(grid.places, dtype=torch.float32)
        angles = torch.cat((places[:, :1] * frequency, places[:, 1:] * frequency), -1)
        return angles.cos(), angles.sin()

    def _attention(self, x, block, rotation):
        batch, patches, _ = x.shape
        joined = self._project(x, block + "attn_qkv").reshape(batch, patches, 3, self.heads, -1).permute(2, 0, 3, 1, 4)
        q, k, v = _rotate(joined[0], rotation), _rotate(joined[1], rotation), joined[2]
        scores = q @ k.transpose(-1, -2) * q.shape[-1] ** -0.5
        mixed = (scores.softmax(-1) @ v).transpose(1, 2).reshape(batch, patches, -1)
        return self._project(mixed, block + "attn_out")

    def exported(self):
        tensors = dict(self.weights)
        kernel = tensors.pop("v.patch_embd.weight").reshape(self.width, 3, self.patch, self.patch) / 2
        # A still picture is both frames of the file's two kernels.
        return {"v.patch_embd.weight": kernel, "v.patch_embd.weight.1": kernel, **tensors}

    def load(self, tensors):
        kernel = tensors["v.patch_embd.weight"] + tensors["v.patch_embd.weight.1"]
        super().load({**tensors, "v.patch_embd.weight": kernel.reshape(self.width, -1)})

    def metadata(self):
        square = (self.patch * MERGE) ** 2
        return {
            "clip.has_vision_encoder": True,
            "clip.projector_type": "qwen3vl_merger",
            "clip.use_gelu": True,
            "clip.vision.image_size": self.table * self.patch,
            "clip.vision.image_min_pixels": self.least_tokens * square,
            "clip.vision.image_max_pixels": self.most_tokens * square,
            "clip.vision.patch_size": self.patch,
            "clip.vision.embedding_length": self.width,
            "clip.vision.feed_forward_length": self.feed_forward,
            "clip.vision.block_count": self.layers,
            "clip.vision.attention.head_count": self.heads,
            "clip.vision.attention.layer_norm_epsilon": EPS,
            "clip.vision.projection_dim": self.output,
            "clip.vision.spatial_merge_size": MERGE,
            "clip.vision.image_mean": [0.5, 0.5, 0.5],
            "clip.vision.image_std": [0.5, 0.5, 0.5],
            "clip.vision.is_deepstack_layers": [False] * self.layers,
        }


def _rotate(x, rotation):
    cos, sin = rotation
    first, second = x.chunk(2, -1)
    return torch.cat((first * cos - second * sin, second * cos + first * sin), -1)


def multimodal_positions(image: int, grid: Grid, length: int) -> torch.Tensor:
    """Time, row and column of each of `length` tokens, [3, length]; the rows of an image begin at `image`."""
    positions = torch.arange(length).repeat(3, 1)
    end = image + grid.tokens
    positions[0, image:end] = image
    index = torch.arange(grid.tokens)
    positions[1, image:end] = image + index // grid.columns
    positions[2, image:end] = image + index % grid.columns
    positions[:, end:] -= grid.tokens - max(grid.columns, grid.rows)
    return positions


class MultimodalRope:
    """Takes the place of a model's rotation, where the positions of tokens have three parts."""

    def __init__(self, positions: torch.Tensor):
        """[batch, 3, time]. Pairs take time, row and column in turn, as far as the sections reach."""
        dims = Qwen35.rope_dims
        parts = [_part(pair) for pair in range(dims // 2)]
        frequency = Qwen35.rope_base ** (-2 * torch.arange(dims // 2, dtype=torch.float64) / dims)
        angles = positions[:, parts].transpose(1, 2).double() * frequency
        self._cos, self._sin = angles.cos().float()[:, None], angles.sin().float()[:, None]
        self._dims = dims

    def __call__(self, x):
        """[batch, heads, time, size]"""
        half = self._dims // 2
        first, second, rest = x[..., :half], x[..., half : self._dims], x[..., self._dims :]
        return torch.cat(
            (first * self._cos - second * self._sin, second * self._cos + first * self._sin, rest), -1
        )


def _part(pair: int, sections: Sequence[int] = Qwen35.rope_sections) -> int:
    """0 for time, 1 for the row, 2 for the column."""
    part = pair % 3
    return part if pair < 3 * sections[part] else 0
