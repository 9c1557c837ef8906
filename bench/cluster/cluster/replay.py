"""Sends the sessions of a workload to an address, and prints hit rate and times as JSON.

Clients wait for each other after every round, so that all placements get the same requests in about the same order.
"""

import argparse
import json
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from typing import List

from cluster.chat import ChatFailure, Reply, ask, body
from cluster.events import EventRouter
from cluster.figures import summary
from cluster.workload import Session, Shape, Texts, rounds


class OneAddress:
    """Sends all requests to one address, such as a router's."""

    def __init__(self, address: str) -> None:
        self._address = address

    def choose(self, _: List[dict]) -> str:
        return self._address

    def done(self, _: List[dict]) -> None:
        """Nothing waits for the end of a request."""


class Replay:
    """Sends all turns of a workload; a failed turn is counted, and its session continues."""

    def __init__(self, router, shape: Shape) -> None:
        self._router = router
        self._shape = shape
        texts = Texts(shape.seed)
        self._sessions = [Session(shape, texts, number) for number in range(shape.sessions)]
        self._replies: List[Reply] = []
        self._failures: List[str] = []
        self._texts: List[str] = []

    def run(self, clients: int) -> dict:
        with ThreadPoolExecutor(clients) as threads:
            for each in rounds(self._shape):
                list(threads.map(self._turn, each))
        return {**summary(self._replies), "failures": self._failures, "texts": sorted(self._texts)}

    def _turn(self, number: int) -> None:
        session = self._sessions[number]
        messages = session.next()
        asked = len(messages)
        begin = time.monotonic()
        address = self._router.choose(messages)
        try:
            # the time of routing counts
            reply = ask(address, body(messages, self._shape.output_tokens))._replace(sent=begin)
            session.answered(reply.text)
            self._replies.append(reply)
            self._texts.append(f"{number} {asked} {reply.text}")
        except ChatFailure as failure:
            session.answered("")
            self._failures.append(str(failure))
        finally:
            self._router.done(messages)


def main() -> None:
    """Replays the workload: ADDRESS, or SERVER=EVENTS for each server that publishes events."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("addresses", nargs="+")
    parser.add_argument("--clients", type=int, default=3)
    parser.add_argument("--shape", type=json.loads, default={})
    options = parser.parse_args()
    shape = Shape(**options.shape)
    if "=" not in options.addresses[0]:
        json.dump(Replay(OneAddress(options.addresses[0]), shape).run(options.clients), sys.stdout)
        return
    router = EventRouter(dict(each.split("=") for each in options.addresses))
    result = Replay(router, shape).run(options.clients)
    router.close()
    events = {"count": router.events, "bytes": router.event_bytes, "missed_batches": router.gaps}
    json.dump({**result, "events": events}, sys.stdout)


if __name__ == "__main__":
    main()
