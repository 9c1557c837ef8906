"""Asks a running server for needles in long texts, and counts what it finds.

Each text is made for the server's own tokenizer, in the wordings that the training never sees. Two servers, or two
ways to ask one, are compared cell by cell: by length of the text, number of needles and their depth.
"""

import argparse
import itertools
import json
import math
import random
import urllib.error
import urllib.request
from pathlib import Path
from typing import Iterator, List, NamedTuple, Optional, Sequence, Tuple

from demo.corpus.dialog import Question, says
from demo.corpus.needles import Depths, far_questions

SEED = 20261121
MOST_TOKENS = 48
SECONDS = 600
LEAST_COMPARED = 50  # questions of a cell; fewer tell two servers apart only if one of them finds next to nothing
DEVIATIONS = 1.6448536269514722  # of a normal distribution, within which nine of ten values are


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


class Share(NamedTuple):
    """How many of how many were found."""

    found: int
    count: int

    def interval(self) -> Tuple[float, float]:
        """Where the share of all such questions lies, nine times of ten; see Wilson, JASA 22 (1927), p. 209."""
        share = self.found / self.count
        weight = DEVIATIONS**2 / self.count
        middle = share + weight / 2
        reach = DEVIATIONS * math.sqrt((share * (1 - share) + weight / 4) / self.count)
        return max(0.0, (middle - reach) / (1 + weight)), min(1.0, (middle + reach) / (1 + weight))

    def against(self, plain: "Share") -> str:
        """Whether the share of the plain one lies in the interval of this one."""
        low, high = self.interval()
        share = plain.found / plain.count
        return "worse" if share > high else "better" if share < low else "agree"

    def __str__(self) -> str:
        low, high = self.interval()
        return f"{self.found}/{self.count} found, 90 % interval [{100 * low:.1f} %, {100 * high:.1f} %]"


class Cell(NamedTuple):
    """Questions of one kind; `name` is empty unless the text is divided by depth."""

    tokens: int
    needles: int
    depths: Depths
    name: str = ""

    def __str__(self) -> str:
        needles = "1 needle" if self.needles == 1 else f"1 of {self.needles} needles"
        return f"{self.tokens} tokens, {needles}" + (f", {self.name}" if self.name else "")


class Server:
    """A server with Varve's API; `fields` go into each request."""

    def __init__(self, url: str, fields: Optional[dict] = None):
        self._url = url.rstrip("/")
        self._fields = fields or {}

    def count(self, text: str) -> int:
        """Tokens of a text."""
        return len(self._post("/tokenize", {"content": text})["tokens"])

    def answer(self, question: Question) -> Found:
        body = {"messages": list(question.messages), "temperature": 0, "max_tokens": MOST_TOKENS}
        body.update(self._fields)
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


def questions(server: Server, cell: Cell) -> Iterator[Question]:
    """The same ones for each server with the same tokenizer. Each is made of its own seed."""
    for index in itertools.count():
        seed = f"{SEED} finding {cell.tokens} {cell.needles} {index}" + (f" {cell.name}" if cell.name else "")
        yield next(far_questions(random.Random(seed), cell.tokens, cell.depths, cell.needles, server.count))


def cells(lengths: Sequence[int], needles: Sequence[int], depths: Depths, parts: int) -> List[Cell]:
    """One for each length and number of needles, or so many of them, from the text's begin to its end."""
    made = []
    for tokens, count in itertools.product(lengths, needles):
        for part in range(parts):
            ends = Depths(tokens * part // parts, tokens * (part + 1) // parts)
            made.append(Cell(tokens, count, ends, f"depth {100 * part // parts} to {100 * (part + 1) // parts} %"))
        if not parts:
            made.append(Cell(tokens, count, depths))
    return made


def ask(servers: Sequence[Server], cell: Cell, count: int) -> List[List[Found]]:
    """What each server answers to the same questions; they take turns."""
    answers: List[List[Found]] = [[] for _ in servers]
    for question in itertools.islice(questions(servers[0], cell), count):
        for server, given in zip(servers, answers):
            given.append(server.answer(question))
            if not given[-1].right:
                print(f"wrong: {question.messages[-1]['content'][-80:]!r} -> {given[-1].answer!r}")
    return answers


def report(cell: Cell, names: Sequence[str], answers: Sequence[Sequence[Found]]) -> bool:
    """Prints what was found; False if the second server finds less than the first one."""
    shares = [Share(sum(answer.right for answer in given), len(given)) for given in answers]
    for name, share, given in zip(names, shares, answers):
        lengths = [answer.prompt_tokens for answer in given]
        print(f"{cell}{name}: {share}, in prompts of {min(lengths)} to {max(lengths)} tokens")
    if len(shares) == 1:
        return True
    verdict = shares[1].against(shares[0])
    print(f"{cell}: {verdict}")
    return verdict != "worse"


def _numbers(text: str) -> List[int]:
    numbers = [int(number) for number in text.split(",")]
    if min(numbers) < 1:
        raise ValueError(text)
    return numbers


def _field(text: str) -> Tuple[str, object]:
    name, equals, value = text.partition("=")
    if not (name and equals):
        raise ValueError(text)
    try:
        return name, json.loads(value)
    except ValueError:
        return name, value


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="needles", description="Asks a running server for needles in long texts.")
    parser.add_argument("--url", default="http://127.0.0.1:8080", help="of the server; default: %(default)s")
    parser.add_argument(
        "--length",
        "--cells",
        type=_numbers,
        default=[2500],
        metavar="TOKENS,...",
        help="of a text, one cell for each; default: 2500",
    )
    parser.add_argument("--count", type=int, default=50, help="of questions in a cell; default: %(default)s")
    parser.add_argument(
        "--needles",
        type=_numbers,
        default=[1],
        metavar="NUMBER,...",
        help="told in a text, one of which is asked for; default: 1",
    )
    depth = parser.add_mutually_exclusive_group()
    depth.add_argument(
        "--depth-range",
        type=int,
        nargs=2,
        default=(128, -1100),
        metavar=("BEGIN", "END"),
        help="tokens of the text before a needle; below 0: counted from its end; default: 128 -1100",
    )
    depth.add_argument(
        "--depths", type=int, default=0, metavar="PARTS", help="into which a text is divided, one cell for each"
    )
    parser.add_argument("--against", metavar="URL", help="of a second server of the model, which is compared")
    parser.add_argument(
        "--with",
        dest="fields",
        type=_field,
        action="append",
        default=[],
        metavar="FIELD=VALUE",
        help="of the requests that are compared with plain ones, such as prefill_compression=always; may be repeated",
    )
    parser.add_argument("--json", type=Path, metavar="FILE", help="where questions and answers are written to")
    return parser


def main(given: Optional[Sequence[str]] = None) -> None:
    parser = _parser()
    arguments = parser.parse_args(given)
    servers, names = [Server(arguments.url)], [""]
    if arguments.against or arguments.fields:
        if arguments.count < LEAST_COMPARED:
            parser.error(f"--count: expected {LEAST_COMPARED} or more to compare, found {arguments.count}")
        servers.append(Server(arguments.against or arguments.url, dict(arguments.fields)))
        asked = [arguments.against] if arguments.against else []
        names = [", plain", ", " + " ".join(asked + [f"{name}={value}" for name, value in arguments.fields])]
    described = []
    agrees = True
    for cell in cells(arguments.length, arguments.needles, Depths(*arguments.depth_range), arguments.depths):
        answers = ask(servers, cell, arguments.count)
        agrees &= report(cell, names, answers)
        for name, found in zip(names, answers):
            described += [{"cell": str(cell) + name, **answer.described()} for answer in found]
    if arguments.json:
        arguments.json.write_text(json.dumps(described, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
    if not agrees:
        raise SystemExit("less is found than by plain requests")


if __name__ == "__main__":
    main()
