"""A switch of packets between network namespaces, with a rate and a delay.

It opens a TUN device for each host, moves it into the host's namespace, and forwards packets between them. So it works
where the kernel has no netem. It prints a line when all devices are up, and ends with its standard input; then it prints
figures of itself as JSON.
"""

import argparse
import fcntl
import heapq
import json
import os
import select
import struct
import subprocess
import sys
import time
from typing import Dict, List, Tuple

from cluster.link import Direction, LinkRules, Route

TUNSETIFF = 0x400454CA
IFF_TUN = 0x0001
IFF_NO_PI = 0x1000
MTU = 9000
PREFIX = "10.77.0."
IDLE_SECONDS = 0.5


class Port:
    """A host's device, and both directions of its link."""

    def __init__(self, number: int, rules: LinkRules) -> None:
        self.fd = os.open("/dev/net/tun", os.O_RDWR | os.O_NONBLOCK)
        self.up = Direction(rules)
        self.down = Direction(rules)
        self.received = 0
        name = f"vlink{os.getpid()}n{number}"[:15]
        fcntl.ioctl(self.fd, TUNSETIFF, struct.pack("16sH22x", name.encode(), IFF_TUN | IFF_NO_PI))
        self.device = name

    def move(self, namespace: str, number: int) -> None:
        """Moves the device into a namespace and gives it an address there."""
        inside = ["ip", "-n", namespace]
        for command in (
            ["ip", "link", "set", self.device, "netns", namespace],
            [*inside, "link", "set", "lo", "up"],
            [*inside, "link", "set", self.device, "mtu", str(MTU), "txqueuelen", "1000"],
            [*inside, "addr", "add", f"{PREFIX}{number}/24", "dev", self.device],
            [*inside, "link", "set", self.device, "up"],
        ):
            subprocess.run(command, check=True)


class Switch:
    """Forwards packets at their times, until the standard input ends."""

    def __init__(self, rules: LinkRules, hosts: Dict[int, str]) -> None:
        self._ports = {number: Port(number, rules) for number in hosts}
        self._rules = rules
        self._routes: Dict[Tuple[int, int], Route] = {}
        self._pending: List[Tuple[float, int, int, bytes]] = []
        self._order = 0
        self._dropped = 0
        self._late: List[float] = []
        for number, namespace in hosts.items():
            self._ports[number].move(namespace, number)

    def run(self) -> None:
        by_fd = {port.fd: number for number, port in self._ports.items()}
        print("ready", flush=True)
        while True:
            wait = self._pending[0][0] - time.monotonic() if self._pending else IDLE_SECONDS
            readable, _, _ = select.select([*by_fd, 0], [], [], max(0.0, wait))
            if 0 in readable and not os.read(0, 1):
                break
            for fd in readable:
                if fd in by_fd:
                    self._read(by_fd[fd], fd)
            self._deliver()

    def _read(self, source: int, fd: int) -> None:
        for _ in range(16):
            try:
                packet = os.read(fd, MTU + 100)
            except BlockingIOError:
                return
            if packet[0] >> 4 == 4 and packet[19] in self._ports:
                self._send(source, packet[19], packet)

    def _send(self, source: int, target: int, packet: bytes) -> None:
        route = self._routes.get((source, target))
        if route is None:
            route = Route(self._rules, self._ports[source].up, self._ports[target].down)
            self._routes[source, target] = route
        arrival = route.arrival(len(packet), time.monotonic())
        if arrival is None:
            self._dropped += 1
            return
        self._order += 1
        heapq.heappush(self._pending, (arrival, self._order, target, packet))

    def _deliver(self) -> None:
        now = time.monotonic()
        while self._pending and self._pending[0][0] <= now:
            due, _, target, packet = heapq.heappop(self._pending)
            port = self._ports[target]
            port.received += len(packet)
            if len(self._late) < 1_000_000:
                self._late.append(now - due)
            try:
                os.write(port.fd, packet)
            except OSError:
                self._dropped += 1

    def figures(self) -> dict:
        """Returns the packets and bytes, and by how much the switch delivered them too late."""
        late = sorted(self._late) or [0.0]
        return {
            "packets": len(self._late),
            "dropped": self._dropped,
            "received_bytes": {str(number): port.received for number, port in self._ports.items()},
            "late_ms_p50": round(1e3 * late[len(late) // 2], 3),
            "late_ms_p99": round(1e3 * late[len(late) * 99 // 100], 3),
        }


def main() -> None:
    """Runs the switch: --rate BITS --delay SECONDS, and NUMBER=NAMESPACE for each host."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rate", type=float, required=True)
    parser.add_argument("--delay", type=float, required=True)
    parser.add_argument("hosts", nargs="+")
    options = parser.parse_args()
    hosts = {int(number): namespace for number, namespace in (each.split("=") for each in options.hosts)}
    switch = Switch(LinkRules(options.rate, options.delay), hosts)
    switch.run()
    json.dump(switch.figures(), sys.stdout)


if __name__ == "__main__":
    main()
