"""Asks a running server for needles in long texts, and counts what it finds.

Each text is made for the server's own tokenizer, in the wordings that the training never sees.
"""

import argparse
import itertools
import json
import random
import urllib.error
import urllib.request
from pathlib import Path
from typing import Iterator, NamedTuple, Optional, Sequence

from demo.corpus.dialog import Question, says
from demo.corpus.needles import Depths, far_questions

SEED = 20261121
MOST_TOKENS = 48
SECONDS = 600


class Found(NamedTuple):
    """What a server answered; the prompt counts with the chat template around it."""

    question: Question
    answer: str
    prompt_tokens: int

    @property
    def right(self) -> bool:
        return any(says(self.answer, accepted) for accepted in self.question.accepted)

    def described(self) -> dict:
        return {
            "asked": self.question.messages[-1]["content"],
            "accepted": [list(words) for words in self.question.accepted],
            "answer": self.answer,
            "prompt_tokens": self.prompt_tokens,
            "right": self.right,
        }


class Server:
    """A server with Varve's API."""

    def __init__(self, url: str):
        self._url = url.rstrip("/")

    def count(self, text: str) -> int:
        """Tokens of a text."""
        return len(self._post("/tokenize", {"content": text})["tokens"])

    def answer(self, question: Question) -> Found:
        body = {"messages": list(question.messages), "temperature": 0, "max_tokens": MOST_TOKENS}
        given = self._post("/v1/chat/completions", body)
        text = given["choices"][0]["message"]["content"] or ""
        return Found(question, text, given["usage"]["prompt_tokens"])

    def _post(self, path: str, body: dict) -> dict:
        headers = {"Content-Type": "application/json"}
        request = urllib.request.Request(self._url + path, json.dumps(body).encode(), headers)
        try:
            with urllib.request.urlopen(request, timeout=SECONDS) as response:
                return json.load(response)
        except urllib.error.HTTPError as refused:
            raise SystemExit(f"{self._url}{path}: status {refused.code}: {refused.read().decode()}") from refused
        except urllib.error.URLError as failed:
            raise SystemExit(f"{self._url}{path}: {failed.reason}") from failed


def questions(server: Server, tokens: int, depths: Depths, needles: int) -> Iterator[Question]:
    """The same ones for each server with the same tokenizer. Each is made of its own seed."""
    for index in itertools.count():
        rng = random.Random(f"{SEED} finding {tokens} {needles} {index}")
        yield next(far_questions(rng, tokens, depths, needles, server.count))


def main(given: Optional[Sequence[str]] = None) -> None:
    parser = argparse.ArgumentParser(prog="needles", description="Asks a running server for needles in long texts.")
    parser.add_argument("--url", default="http://127.0.0.1:8080", help="of the server; default: %(default)s")
    parser.add_argument("--length", type=int, default=2500, metavar="TOKENS", help="of a text; default: %(default)s")
    parser.add_argument("--count", type=int, default=50, help="of questions; default: %(default)s")
    parser.add_argument(
        "--needles", type=int, default=1, help="told in a text, one of which is asked for; default: %(default)s"
    )
    parser.add_argument(
        "--depth-range",
        type=int,
        nargs=2,
        default=(128, -1100),
        metavar=("BEGIN", "END"),
        help="tokens of the text before a needle; below 0: counted from its end; default: 128 -1100",
    )
    parser.add_argument("--json", type=Path, metavar="FILE", help="where questions and answers are written to")
    arguments = parser.parse_args(given)
    server = Server(arguments.url)
    asked = questions(server, arguments.length, Depths(*arguments.depth_range), arguments.needles)
    answers = []
    for question in itertools.islice(asked, arguments.count):
        answers.append(server.answer(question))
        if not answers[-1].right:
            print(f"wrong: {question.messages[-1]['content'][-80:]!r} -> {answers[-1].answer!r}")
    if arguments.json:
        described = [answer.described() for answer in answers]
        arguments.json.write_text(json.dumps(described, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
    lengths = [answer.prompt_tokens for answer in answers]
    found = sum(answer.right for answer in answers)
    print(f"{found}/{len(answers)} found, in prompts of {min(lengths)} to {max(lengths)} tokens")


if __name__ == "__main__":
    main()
