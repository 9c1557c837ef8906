"""A subscriber of ZeroMQ (ZMTP 3.0 without encryption), and a reader of MessagePack: as much as cache events need.

See rfc.zeromq.org/spec/23 and the specification of MessagePack.
"""

import socket
import struct
from typing import Any, List, Tuple

MORE, LONG, COMMAND = 1, 2, 4
GREETING = b"\xff" + 8 * b"\0" + b"\x7f" + b"\x03\0" + b"NULL".ljust(20, b"\0") + b"\0" + 31 * b"\0"


class Subscriber:
    """Receives all messages of a PUB socket, from the moment at which it subscribed."""

    def __init__(self, host: str, port: int) -> None:
        self._socket = socket.create_connection((host, port))
        self._stream = self._socket.makefile("rb")
        self._socket.sendall(GREETING)
        self._read(len(GREETING))
        ready = b"\x05READY" + b"\x0bSocket-Type" + struct.pack(">I", 3) + b"SUB"
        self._socket.sendall(bytes([COMMAND, len(ready)]) + ready)
        self._frame()
        self._socket.sendall(b"\0\x01\x01")

    def _read(self, size: int) -> bytes:
        data = self._stream.read(size)
        if len(data) < size:
            raise EOFError("the publisher closed the connection")
        return data

    def _frame(self) -> Tuple[int, bytes]:
        flags = self._read(1)[0]
        size = struct.unpack(">Q", self._read(8))[0] if flags & LONG else self._read(1)[0]
        return flags, self._read(size)

    def message(self) -> List[bytes]:
        """Returns the frames of the next message; raises EOFError or OSError at the end of the connection."""
        frames: List[bytes] = []
        while True:
            flags, frame = self._frame()
            if flags & COMMAND:
                continue
            frames.append(frame)
            if not flags & MORE:
                return frames

    def close(self) -> None:
        """Ends a wait for a message, too."""
        try:
            self._socket.shutdown(socket.SHUT_RDWR)
        except OSError:
            pass
        self._socket.close()


NUMBERS = {
    0xCA: ">f",
    0xCB: ">d",
    0xCC: ">B",
    0xCD: ">H",
    0xCE: ">I",
    0xCF: ">Q",
    0xD0: ">b",
    0xD1: ">h",
    0xD2: ">i",
    0xD3: ">q",
}
LENGTHS = {
    0xC4: (">B", "bytes"),
    0xC5: (">H", "bytes"),
    0xC6: (">I", "bytes"),
    0xD9: (">B", "text"),
    0xDA: (">H", "text"),
    0xDB: (">I", "text"),
    0xDC: (">H", "array"),
    0xDD: (">I", "array"),
    0xDE: (">H", "map"),
    0xDF: (">I", "map"),
}
CONSTANTS = {0xC0: None, 0xC2: False, 0xC3: True}


class Unpacker:
    """Reads values of MessagePack one after the other."""

    def __init__(self, data: bytes) -> None:
        self._data = data
        self._at = 0

    def _take(self, size: int) -> bytes:
        taken = self._data[self._at : self._at + size]
        if len(taken) < size:
            raise ValueError(f"expected {size} bytes at {self._at}, found {len(taken)}")
        self._at += size
        return taken

    def _number(self, form: str) -> Any:
        return struct.unpack(form, self._take(struct.calcsize(form)))[0]

    def value(self) -> Any:
        """Returns the next value."""
        kind = self._take(1)[0]
        if kind < 0x80 or kind >= 0xE0:
            return kind if kind < 0x80 else kind - 0x100
        if kind < 0xC0:
            short = ((0x90, "map", 0x0F), (0xA0, "array", 0x0F), (0xC0, "text", 0x1F))
            form, mask = next((form, mask) for limit, form, mask in short if kind < limit)
            return self._sized(form, kind & mask)
        if kind in CONSTANTS:
            return CONSTANTS[kind]
        if kind in NUMBERS:
            return self._number(NUMBERS[kind])
        if kind in LENGTHS:
            length, form = LENGTHS[kind]
            return self._sized(form, self._number(length))
        raise ValueError(f"unexpected byte {kind:#x} at {self._at - 1}")

    def _sized(self, form: str, size: int) -> Any:
        if form == "map":
            return {self.value(): self.value() for _ in range(size)}
        if form == "array":
            return [self.value() for _ in range(size)]
        data = self._take(size)
        return data.decode() if form == "text" else data
