"""Writes GGUF files, version 3."""

import struct
from pathlib import Path
from typing import Mapping, NamedTuple

import numpy

F32, F16, Q8_0 = 0, 1, 8
_ALIGNMENT = 32
_UINT32, _INT32, _FLOAT32, _BOOL, _STRING, _ARRAY = 4, 5, 6, 7, 8, 9


class Tensor(NamedTuple):
    """`shape` is NumPy's order: rows last but one, elements of a row last."""

    kind: int
    shape: tuple
    data: bytes


def tensor(values: numpy.ndarray, kind: int) -> Tensor:
    """Converts F32 values to a tensor of the kind."""
    values = numpy.ascontiguousarray(values, numpy.float32)
    if kind == F16:
        return Tensor(kind, values.shape, values.astype("<f2").tobytes())
    if kind == Q8_0:
        return Tensor(kind, values.shape, _q8_0(values))
    return Tensor(F32, values.shape, values.astype("<f4").tobytes())


def _q8_0(values: numpy.ndarray) -> bytes:
    """Blocks of 32: a scale in F16 and 32 signed bytes."""
    blocks = values.reshape(-1, 32)
    scales = (numpy.abs(blocks).max(1) / 127).astype(numpy.float32)
    inverse = numpy.divide(1, scales, out=numpy.zeros_like(scales), where=scales > 0)
    packed = numpy.empty(len(blocks), numpy.dtype([("scale", "<f2"), ("values", "i1", 32)]))
    packed["scale"] = scales
    packed["values"] = numpy.rint(blocks * inverse[:, None])
    return packed.tobytes()


def write(path: Path, metadata: Mapping[str, object], tensors: Mapping[str, Tensor]) -> None:
    head = bytearray(b"GGUF" + struct.pack("<IQQ", 3, len(tensors), len(metadata)))
    for key, value in metadata.items():
        head += _text(key) + _typed(value)
    offset = 0
    for name, entry in tensors.items():
        head += _text(name) + struct.pack("<I", len(entry.shape))
        head += struct.pack(f"<{len(entry.shape)}Q", *reversed(entry.shape))
        head += struct.pack("<IQ", entry.kind, offset)
        offset += _padded(len(entry.data))
    with path.open("wb") as file:
        file.write(head + bytes(_padded(len(head)) - len(head)))
        for entry in tensors.values():
            file.write(entry.data + bytes(_padded(len(entry.data)) - len(entry.data)))


def _padded(length: int) -> int:
    return -(-length // _ALIGNMENT) * _ALIGNMENT


def _text(value: str) -> bytes:
    encoded = value.encode("utf-8")
    return struct.pack("<Q", len(encoded)) + encoded


def _typed(value) -> bytes:
    if isinstance(value, (list, tuple)):
        kind = _kind(value[0])
        return struct.pack("<IIQ", _ARRAY, kind, len(value)) + b"".join(_plain(kind, item) for item in value)
    kind = _kind(value)
    return struct.pack("<I", kind) + _plain(kind, value)


def _kind(value) -> int:
    if isinstance(value, bool):
        return _BOOL
    if isinstance(value, str):
        return _STRING
    if isinstance(value, float):
        return _FLOAT32
    return _UINT32 if value >= 0 else _INT32


def _plain(kind: int, value) -> bytes:
    if kind == _STRING:
        return _text(value)
    return struct.pack({_BOOL: "<?", _FLOAT32: "<f", _UINT32: "<I", _INT32: "<i"}[kind], value)
