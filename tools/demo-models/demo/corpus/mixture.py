"""The corpus as a whole: which sources it has, and how much of each."""

import itertools
import random
from typing import Callable, Iterator, NamedTuple, Union

from demo.corpus import arithmetic, facts, lists, smalltalk, snippets, stories, toolcalls
from demo.corpus.dialog import Conversation, Question


Stream = Callable[[random.Random, str], Iterator[Union[Conversation, str]]]


class Source(NamedTuple):
    """`share` is the part of the corpus' tokens that comes from here."""

    name: str
    share: float
    stream: Stream


def _with_idle_tools(stream: Stream) -> Stream:
    """Offers tools in some conversations that need none, so that chats with tools stay chats."""

    def offering(rng: random.Random, split: str):
        for conversation in stream(rng, split):
            if rng.random() < 0.12:
                tools = [offer.tool for offer in toolcalls.offers(rng, rng.randint(1, 3))]
                conversation = Conversation(conversation.messages, tools)
            yield conversation

    return offering


SOURCES = (
    Source("arithmetic", 0.13, arithmetic.conversations),
    Source("drills", 0.07, arithmetic.drills),
    Source("facts", 0.16, _with_idle_tools(facts.conversations)),
    Source("smalltalk", 0.13, _with_idle_tools(smalltalk.conversations)),
    Source("toolcalls", 0.36, toolcalls.conversations),
    Source("stories", 0.03, stories.documents),
    Source("story requests", 0.03, stories.conversations),
    Source("lists", 0.035, _with_idle_tools(lists.conversations)),
    Source("snippets", 0.04, snippets.conversations),
    Source("code", 0.015, snippets.documents),
)


def streams(seed: int, split: str) -> list:
    """One endless stream per source, in the order of `SOURCES`."""
    return [source.stream(random.Random(f"{seed} {source.name} {split}"), split) for source in SOURCES]


def questions(seed: int, per_kind: int) -> Iterator[Question]:
    """Closed questions from what the training never sees: kinds in turn."""
    sources = (arithmetic.questions, facts.questions, toolcalls.questions, smalltalk.questions)
    started = [source(random.Random(f"{seed} questions {index}")) for index, source in enumerate(sources)]
    for _ in range(per_kind):
        for stream in started:
            yield next(stream)


def sample(seed: int, split: str, count: int) -> Iterator[Union[Conversation, str]]:
    """`count` conversations and documents of all sources in turn, without regard to their shares."""
    return itertools.islice(itertools.chain.from_iterable(zip(*streams(seed, split))), count)
