"""Times at which packets arrive over emulated links."""

from typing import NamedTuple, Optional


class LinkRules(NamedTuple):
    """What every link does to packets.

    bits_per_second: rate of each direction of a link
    delay: seconds from the end of sending to arrival at the switch's other side
    queue_bytes: a packet that finds more bytes before it is dropped, as by a switch with full buffers
    """

    bits_per_second: float
    delay: float
    queue_bytes: int = 500_000

    def seconds(self, size: int) -> float:
        """Returns the time to send a packet of some bytes."""
        return 8 * size / self.bits_per_second


class Direction:
    """One direction of a link, which sends one packet at a time."""

    def __init__(self, rules: LinkRules) -> None:
        self._rules = rules
        self._free = 0.0

    def send(self, size: int, now: float) -> Optional[float]:
        """Returns when a packet is sent completely, or None if its queue is full."""
        start = max(now, self._free)
        if start - now > self._rules.seconds(self._rules.queue_bytes):
            return None
        self._free = start + self._rules.seconds(size)
        return self._free


class Route:
    """The way of packets from one host to another: up to the switch, through it, and down."""

    def __init__(self, rules: LinkRules, up: Direction, down: Direction) -> None:
        self._rules = rules
        self._up = up
        self._down = down

    def arrival(self, size: int, now: float) -> Optional[float]:
        """Returns when a packet of some bytes arrives, or None if it is lost."""
        sent = self._up.send(size, now)
        return None if sent is None else self._down.send(size, sent + self._rules.delay)
