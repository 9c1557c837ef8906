"""Sends long prompts to addresses in turn, and prints the times to the first token as JSON."""

import argparse
import json
import sys

from cluster.chat import ask, body
from cluster.workload import Texts


def main() -> None:
    """Sends the prompts: NAME=ADDRESS=TEXTS for each side; sides with equal TEXTS get equal prompts."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("sides", nargs="+")
    parser.add_argument("--count", type=int, required=True)
    parser.add_argument("--words", type=int, required=True)
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    sides = [each.split("=") for each in options.sides]
    texts = Texts(options.seed)
    results: dict = {name: [] for name, _, _ in sides}
    for number in range(options.count):
        for name, address, kind in sides if number % 2 else reversed(sides):
            message = {"role": "user", "content": texts.text(f"{kind} {number}", options.words)}
            reply = ask(address, body([message], 16))
            results[name].append(
                {
                    "ttft_ms": round(1e3 * reply.first, 1),
                    "prompt_tokens": reply.prompt_tokens,
                    "cached_tokens": reply.cached_tokens,
                    "source": reply.cache_source,
                    "text": reply.text,
                }
            )
    json.dump(results, sys.stdout)


if __name__ == "__main__":
    main()
