"""Keeps streams running on one server while long prompts arrive, and prints the longest gaps as JSON.

Each round has the phases in an order of its own, so that a change of the machine's load meets all of them alike. A phase
is `idle` or the address that gets the long prompts. The streams of a phase run on an address of their own.
"""

import argparse
import json
import math
import random
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from typing import List, NamedTuple

from cluster.chat import Reply, ask, body
from cluster.figures import gaps, percentile
from cluster.workload import Texts


class Phase(NamedTuple):
    """A state of the server: where its streams run, and how many long prompts it gets."""

    name: str
    address: str
    prompts: int


class Sizes(NamedTuple):
    """Numbers and lengths of streams and prompts; lengths of prompts in words."""

    streams: int
    stream_tokens: int
    prompt_words: int
    at_once: int


def run_phase(phase: Phase, sizes: Sizes, texts: Texts, label: str) -> dict:
    """Starts the streams, sends the prompts when all of them have begun, and returns the longest gap meanwhile."""
    with ThreadPoolExecutor(sizes.streams + sizes.at_once) as threads:
        streams = [
            threads.submit(ask, phase.address, _request(texts, f"{label} stream {i}", 20, sizes.stream_tokens))
            for i in range(sizes.streams)
        ]
        time.sleep(1)
        begin = time.monotonic()
        prompts = [
            threads.submit(ask, phase.address, _request(texts, f"{label} prompt {i}", sizes.prompt_words, 1))
            for i in range(phase.prompts)
        ]
        answered = [each.result() for each in prompts]
        end = time.monotonic() if answered else math.inf
        replies = [each.result() for each in streams]
    return _figures(replies, answered, begin, end)


def _request(texts: Texts, name: str, words: int, tokens: int) -> dict:
    return body([{"role": "user", "content": texts.text(name, words)}], tokens)


def _figures(streams: List[Reply], prompts: List[Reply], begin: float, end: float) -> dict:
    covered = min(end, *(each.arrivals[-1] for each in streams))
    sources: dict = {}
    for each in prompts:
        name = each.cache_source or "none"
        sources[name] = sources.get(name, 0) + 1
    return {
        "longest_gap_ms": round(1e3 * max(gap for each in streams for gap in gaps(each, begin, covered)), 1),
        "gap_ms_p99": round(1e3 * percentile([gap for each in streams for gap in gaps(each, begin, covered)], 99), 1),
        "seconds": round(covered - begin, 2),
        "prompt_seconds": round(end - begin, 2) if prompts else 0,
        "prompt_tokens": sum(each.prompt_tokens for each in prompts),
        "sources": sources,
    }


def main() -> None:
    """Runs rounds: NAME=ADDRESS=PROMPTS for each phase."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("phases", nargs="+")
    parser.add_argument("--rounds", type=int, required=True)
    parser.add_argument("--sizes", type=json.loads, required=True)
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    phases = [Phase(name, address, int(prompts)) for name, address, prompts in (p.split("=") for p in options.phases)]
    order = random.Random(options.seed)
    texts = Texts(options.seed)
    results: dict = {phase.name: [] for phase in phases}
    for number in range(options.rounds):
        order.shuffle(phases)
        for phase in phases:
            label = f"round {number} {phase.name}"
            results[phase.name].append(run_phase(phase, Sizes(**options.sizes), texts, label))
    json.dump(results, sys.stdout)


if __name__ == "__main__":
    main()
