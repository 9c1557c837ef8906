"""Routing by cache events: each request goes where most of its prompt is cached, or where least work waits."""

import http.client
import json
import threading
from typing import Dict, List, Optional, Tuple

from cluster.zmtp import Subscriber, Unpacker

BLOCK = 256


class CachedBlocks:
    """The blocks of a server's cache, as its events report them. For several threads."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._clear()

    def _clear(self) -> None:
        self._hashes: Dict[Tuple[Optional[int], tuple], int] = {}
        self._keys: Dict[int, Tuple[Optional[int], tuple]] = {}
        self._media: Dict[int, set] = {}

    def apply(self, event: dict) -> None:
        """Takes one event in the order of the server."""
        with self._lock:
            if event["type"] == "AllBlocksCleared":
                self._clear()
            elif event["type"] == "BlockStored":
                key = (event["parent_block_hash"], tuple(event["token_ids"]))
                block = event["block_hashes"][0]
                self._hashes[key] = block
                self._keys[block] = key
                self._media.setdefault(block, set()).add(event["medium"])
            else:
                for block in event["block_hashes"]:
                    self._remove(block, event["medium"])

    def _remove(self, block: int, medium: str) -> None:
        media = self._media.get(block, set())
        media.discard(medium)
        if not media:
            self._media.pop(block, None)
            self._hashes.pop(self._keys.pop(block, None), None)

    def cached(self, tokens: List[int]) -> int:
        """Returns how many tokens of a prompt are cached, in whole blocks from its beginning."""
        parent: Optional[int] = None
        with self._lock:
            for begin in range(0, len(tokens) - BLOCK + 1, BLOCK):
                parent = self._hashes.get((parent, tuple(tokens[begin : begin + BLOCK])))
                if parent is None:
                    return begin
        return len(tokens) // BLOCK * BLOCK


class EventRouter:
    """Chooses servers by their events.

    servers: HOST:PORT of the server to HOST:PORT of its events
    """

    def __init__(self, servers: Dict[str, str]) -> None:
        self._lock = threading.Lock()
        self._pending = {address: 0 for address in servers}
        self._chosen = {address: 0 for address in servers}
        self._missing: Dict[int, Tuple[str, int]] = {}
        self._blocks = {address: CachedBlocks() for address in servers}
        self._first = next(iter(servers))
        self.events = 0
        self.event_bytes = 0
        self.gaps = 0
        self._subscribers = []
        for address, events in servers.items():
            host, port = events.rsplit(":", 1)
            subscriber = Subscriber(host, int(port))
            self._subscribers.append(subscriber)
            threading.Thread(target=self._listen, args=(subscriber, self._blocks[address]), daemon=True).start()

    def _listen(self, subscriber: Subscriber, blocks: CachedBlocks) -> None:
        expected = None
        try:
            while True:
                _, number, batch = subscriber.message()
                found = int.from_bytes(number, "big")
                with self._lock:
                    self.gaps += expected is not None and found != expected
                    self.event_bytes += len(batch)
                expected = found + 1
                for event in Unpacker(batch).value()[1]:
                    blocks.apply(event)
                    with self._lock:
                        self.events += 1
        except (EOFError, OSError, ValueError):
            return

    def choose(self, messages: List[dict]) -> str:
        """Returns the server where the fewest tokens must be computed before and for a request."""
        tokens = self._tokens(messages)
        with self._lock:
            cost = {}
            for address, blocks in self._blocks.items():
                missing = len(tokens) - blocks.cached(tokens)
                cost[address] = (self._pending[address] + missing, self._chosen[address])
            best = min(cost, key=cost.get)
            missing = cost[best][0] - self._pending[best]
            self._pending[best] += missing
            self._chosen[best] += 1
            self._missing[id(messages)] = (best, missing)
            return best

    def done(self, messages: List[dict]) -> None:
        """Reports that a request has ended."""
        with self._lock:
            address, missing = self._missing.pop(id(messages))
            self._pending[address] -= missing

    def _tokens(self, messages: List[dict]) -> List[int]:
        prompt = self._post("/apply-template", {"messages": messages})["prompt"]
        return self._post("/tokenize", {"content": prompt})["tokens"]

    def _post(self, route: str, request: dict) -> dict:
        host, port = self._first.rsplit(":", 1)
        connection = http.client.HTTPConnection(host, int(port), timeout=60)
        try:
            connection.request("POST", route, json.dumps(request), {"Content-Type": "application/json"})
            response = connection.getresponse()
            text = response.read()
            if response.status != 200:
                raise ValueError(f"{route}: status {response.status}: {text[:300]!r}")
            return json.loads(text)
        finally:
            connection.close()

    def close(self) -> None:
        for subscriber in self._subscribers:
            subscriber.close()
