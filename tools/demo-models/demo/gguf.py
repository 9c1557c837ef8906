"""Writes GGUF files, version 3, and reads those that were written here."""

import struct
from pathlib import Path
from typing import Dict, Mapping, NamedTuple, Tuple

import numpy

F32, F16, Q8_0 = 0, 1, 8
_ALIGNMENT = 32
_UINT32, _INT32, _FLOAT32, _BOOL, _STRING, _ARRAY = 4, 5, 6, 7, 8, 9
_PLAIN = {_UINT32: "I", _INT32: "i", _FLOAT32: "f", _BOOL: "?"}
_Q8_0_BLOCK = numpy.dtype([("scale", "<f2"), ("values", "i1", 32)])


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
    packed = numpy.empty(len(blocks), _Q8_0_BLOCK)
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


def read(path: Path) -> Tuple[Dict[str, object], Dict[str, numpy.ndarray]]:
    """Metadata, and the tensors as F32 arrays."""
    reader = _Reader(path.read_bytes())
    magic, version, tensor_count, entry_count = reader.unpack("4sIQQ")
    if (magic, version) != (b"GGUF", 3):
        raise ValueError(f"{path}: expected GGUF of version 3, found {magic!r} of version {version}")
    metadata = {}
    for _ in range(entry_count):
        key = reader.plain(_STRING)
        metadata[key] = reader.typed()
    infos = []
    for _ in range(tensor_count):
        name = reader.plain(_STRING)
        (dimensions,) = reader.unpack("I")
        shape = reader.unpack(f"{dimensions}Q")[::-1]
        infos.append((name, shape, *reader.unpack("IQ")))
    begin = _padded(reader.position)
    return metadata, {
        name: _values(reader.data, begin + offset, shape, kind) for name, shape, kind, offset in infos
    }


def replace_metadata(path: Path, metadata: Mapping[str, object]) -> None:
    """Rewrites a file with other metadata; its tensors stay as they are, byte for byte."""
    reader = _Reader(path.read_bytes())
    _, _, tensor_count, entry_count = reader.unpack("4sIQQ")
    for _ in range(entry_count):
        reader.plain(_STRING)
        reader.typed()
    infos = reader.position
    for _ in range(tensor_count):
        reader.plain(_STRING)
        (dimensions,) = reader.unpack("I")
        reader.unpack(f"{dimensions}QIQ")
    head = bytearray(b"GGUF" + struct.pack("<IQQ", 3, tensor_count, len(metadata)))
    for key, value in metadata.items():
        head += _text(key) + _typed(value)
    head += reader.data[infos : reader.position]
    path.write_bytes(head + bytes(_padded(len(head)) - len(head)) + reader.data[_padded(reader.position) :])


def _values(data: bytes, offset: int, shape: tuple, kind: int) -> numpy.ndarray:
    count = int(numpy.prod(shape))
    if kind == Q8_0:
        blocks = numpy.frombuffer(data, _Q8_0_BLOCK, count // 32, offset)
        values = blocks["values"] * blocks["scale"].astype(numpy.float32)[:, None]
    else:
        values = numpy.frombuffer(data, {F32: "<f4", F16: "<f2"}[kind], count, offset)
    return values.astype(numpy.float32).reshape(shape)


class _Reader:
    def __init__(self, data: bytes):
        self.data = data
        self.position = 0

    def unpack(self, pattern: str) -> tuple:
        values = struct.unpack_from("<" + pattern, self.data, self.position)
        self.position += struct.calcsize("<" + pattern)
        return values

    def typed(self):
        (kind,) = self.unpack("I")
        if kind != _ARRAY:
            return self.plain(kind)
        kind, count = self.unpack("IQ")
        return [self.plain(kind) for _ in range(count)]

    def plain(self, kind: int):
        if kind != _STRING:
            return self.unpack(_PLAIN[kind])[0]
        (length,) = self.unpack("Q")
        return self.unpack(f"{length}s")[0].decode("utf-8")


def _padded(length: int) -> int:
    return -(-length // _ALIGNMENT) * _ALIGNMENT


def _text(value: str) -> bytes:
    encoded = value.encode("utf-8")
    return struct.pack("<Q", len(encoded)) + encoded


def _typed(value) -> bytes:
    if isinstance(value, (list, tuple)):
        # Readers want signed integers in arrays, and unsigned ones elsewhere.
        kind = _INT32 if _kind(value[0]) == _UINT32 else _kind(value[0])
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
    return _UINT32


def _plain(kind: int, value) -> bytes:
    if kind == _STRING:
        return _text(value)
    return struct.pack("<" + _PLAIN[kind], value)
