"""Which part of a prompt a drafter would keep, and how often what is asked for stays.

The rule is that of prompt compression: the attention of the last tokens, smoothed, by chunks, of which the best stay
beside both ends of the prompt and beside places that share words with its end.
"""

import random
from collections import Counter, defaultdict
from typing import Dict, Iterator, List, NamedTuple, Sequence, Set

import numpy
import torch

from demo.chat import ChatTemplate
from demo.corpus import needles
from demo.looking import CHUNK, POOLING, TAIL, Places, token_of
from demo.qwen3 import Qwen3
from demo.tokenizer import Tokenizer

KEEP = 0.1
LENGTHS = (2000, 4000, 8000)
_HEAD_CHUNKS, _TAIL_CHUNKS = 8, 24
_GRAM, _QUERY = 4, 96


class Choice(NamedTuple):
    """Chunks that stay: at the ends, for shared words, and for their scores."""

    edges: Set[int]
    anchors: Set[int]
    best: Set[int]

    def all(self) -> Set[int]:
        return self.edges | self.anchors | self.best


def scores(model: Qwen3, ids: Sequence[int]) -> numpy.ndarray:
    """How much the last tokens look at each: the mean over them of the most that any head of any layer gives."""
    model.looked = []
    with torch.no_grad():
        model.hidden(torch.tensor([ids]))
        found = model.looks(torch.arange(len(ids) - TAIL, len(ids))[None])[0].mean(0)
    model.looked = None
    return found.double().numpy()


def chunk_values(scores: numpy.ndarray) -> numpy.ndarray:
    """Means of the smoothed scores; the window shrinks at both ends, the last chunk may be short."""
    reach = POOLING // 2
    sums = numpy.concatenate(([0.0], numpy.cumsum(scores)))
    at = numpy.arange(len(scores))
    begin, end = numpy.maximum(at - reach, 0), numpy.minimum(at + reach + 1, len(scores))
    smooth = (sums[end] - sums[begin]) / (end - begin)
    return numpy.array([smooth[place : place + CHUNK].mean() for place in range(0, len(scores), CHUNK)])


def choose(ids: Sequence[int], values: numpy.ndarray, keep: float = KEEP, anchored: bool = True) -> Choice:
    """What stays of a prompt whose chunks have these values."""
    count = len(values)
    wanted = max(1, int(count * keep))
    head, tail = _HEAD_CHUNKS, _TAIL_CHUNKS
    if head + tail >= wanted:
        budget = max(1, wanted - 1)
        tail = budget - _HEAD_CHUNKS * budget // (head + tail)
        head = budget - tail
    edges = set(range(min(head, count))) | set(range(max(0, count - tail), count))
    found = anchors(ids, count) if anchored else set()
    room = max(0, wanted - len(edges))
    left = set(range(count)) - edges
    # Words leave half of the room to the best chunks, whether these have words or not.
    fills, length = (left - found, room - len(found - edges)) if len(found - edges) < room else (left, -(-room // 2))
    rest = sorted(fills, key=lambda chunk: (-values[chunk], chunk))
    return Choice(edges, found, set(rest[:length]))


def anchors(ids: Sequence[int], count: int) -> Set[int]:
    """Chunks at and around places that share four tokens with the prompt's end, unless there are many such places."""
    radius, most = next(
        tier for limit, *tier in ((1024, 2, 8), (2048, 4, 16), (float("inf"), 8, 32)) if count < limit
    )
    query = max(0, len(ids) - _QUERY)
    where: Dict[tuple, List[int]] = defaultdict(list)
    for place in range(max(0, query - _GRAM) + 1):
        where[tuple(ids[place : place + _GRAM])].append(place)
    found: Set[int] = set()
    for begin in range(query, len(ids) - _GRAM + 1):
        hits = where.get(tuple(ids[begin : begin + _GRAM]), ())
        if len(hits) <= most:
            for place in hits:
                chunk = place // CHUNK
                found.update(range(max(0, chunk - radius), min(count, chunk + radius + 1)))
    return found


class Prompt(NamedTuple):
    """Tokens, and where the sentence that answers stands: begin and end."""

    ids: List[int]
    begin: int
    end: int

    def chunks(self) -> Set[int]:
        return set(range(self.begin // CHUNK, (self.end - 1) // CHUNK + 1))


def prompts(tokenizer: Tokenizer, seed: int, tokens: int) -> Iterator[Prompt]:
    """Held-out questions at the end of texts, as the chat template puts them, each made of its own seed."""
    template = ChatTemplate(tokenizer.family.template)
    places = Places(tokenizer)
    number = 0
    while True:
        rng = random.Random(f"{seed} survival {tokens} {number}")
        number += 1
        question, sentence = next(needles.sought_questions(rng, tokens))
        text = template.render(question.messages, answer_follows=True)
        ids = tokenizer.encode(text)
        ends = places.ends(ids)
        begin = text.index(sentence)
        yield Prompt(ids, token_of(begin, ends), token_of(begin + len(sentence) - 1, ends) + 1)


class Survival(NamedTuple):
    """Counts of questions, and of those whose sentence stays as a whole."""

    asked: int
    kept: int
    by_score: int
    best: int
    share: float

    def __str__(self) -> str:
        return (
            f"{self.kept} of {self.asked} stay, {self.share:.1%} of the chunks kept; among the best tenth by score"
            f" {self.by_score}, a part of it is the best of all but the ends {self.best}"
        )


def survival(model: Qwen3, tokenizer: Tokenizer, seed: int, tokens: int, count: int) -> Survival:
    found: Counter = Counter()
    share = 0.0
    for _, prompt in zip(range(count), prompts(tokenizer, seed, tokens)):
        values = chunk_values(scores(model, prompt.ids))
        choice = choose(prompt.ids, values)
        kept = choice.all()
        share += len(kept) / len(values) / count
        plain = choose(prompt.ids, values, anchored=False)
        best = numpy.argsort(-values)[: max(1, int(len(values) * KEEP))]
        found["kept"] += prompt.chunks() <= kept
        found["by_score"] += prompt.chunks() <= set(best.tolist())
        found["best"] += bool(prompt.chunks() & plain.all())
    return Survival(count, found["kept"], found["by_score"], found["best"], share)
