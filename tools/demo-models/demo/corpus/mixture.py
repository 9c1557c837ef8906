"""The corpus as a whole: which sources it has, and how much of each."""

import itertools
import random
from typing import Callable, Iterator, NamedTuple, Union

from demo.corpus import (
    arithmetic,
    facts,
    features,
    lists,
    needles,
    objects,
    smalltalk,
    snippets,
    stories,
    toolcalls,
)
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


# Tokens of a row of the corpus: the needles' texts are made to fit.
SHORT, LONG = 1024, 4096

SOURCES = (
    Source("arithmetic", 0.1, arithmetic.conversations),
    Source("drills", 0.06, arithmetic.drills),
    Source("facts", 0.06, _with_idle_tools(facts.conversations)),
    Source("features", 0.06, _with_idle_tools(features.conversations)),
    Source("smalltalk", 0.05, _with_idle_tools(smalltalk.conversations)),
    Source("toolcalls", 0.36, toolcalls.conversations),
    Source("objects", 0.09, _with_idle_tools(objects.conversations)),
    Source("needles", 0.12, needles.conversations(SHORT)),
    Source("stories", 0.015, stories.documents),
    Source("story requests", 0.02, stories.conversations),
    Source("lists", 0.025, _with_idle_tools(lists.conversations)),
    Source("snippets", 0.03, snippets.conversations),
    Source("code", 0.01, snippets.documents),
)

# Long rows teach to find what was read long ago, and keep the rest in mind.
LONG_NEEDLES = 0.65


def of_long_rows(far: float = 0) -> tuple:
    """The sources with the shares of long rows; `far` of the needles' share are long texts asked for all they hold."""
    rest = 1 - next(source.share for source in SOURCES if source.name == "needles")
    sources = tuple(
        Source(source.name, LONG_NEEDLES - far, needles.conversations(LONG))
        if source.name == "needles"
        else source._replace(share=source.share * (1 - LONG_NEEDLES) / rest)
        for source in SOURCES
    )
    return (*sources, Source("far needles", far, needles.far_conversations(LONG))) if far else sources


# A draft reads less prose than its target: it learns from answers only, and those that are hard to guess most often.
DRAFTED = {
    "arithmetic": 0.16,
    "facts": 0.06,
    "features": 0.1,
    "smalltalk": 0.05,
    "toolcalls": 0.25,
    "objects": 0.15,
    "needles": 0.17,
    "story requests": 0.02,
    "lists": 0.02,
    "snippets": 0.02,
}


def of_draft_rows() -> tuple:
    """The sources with the shares of what a draft is trained with."""
    return tuple(source._replace(share=DRAFTED[source.name]) for source in SOURCES if source.name in DRAFTED)


def streams(seed: int, split: str, sources=SOURCES) -> list:
    """One endless stream per source, in their order."""
    return [source.stream(random.Random(f"{seed} {source.name} {source.share} {split}"), split) for source in sources]


# Closed questions: as many of each kind as are asked in the evaluation.
QUESTIONS = (
    (arithmetic.questions, 100),
    (features.questions, 60),
    (facts.questions, 40),
    (objects.questions, 50),
    (needles.questions, 50),
    (toolcalls.questions, 40),
    (smalltalk.questions, 40),
)


def questions(seed: int, part: float = 1) -> Iterator[Question]:
    """Closed questions from what the training never sees, kind after kind; a part of each, one at least."""
    for index, (source, count) in enumerate(QUESTIONS):
        stream = source(random.Random(f"{seed} questions {index}"))
        yield from itertools.islice(stream, max(1, round(count * part)))


def sample(seed: int, split: str, count: int) -> Iterator[Union[Conversation, str]]:
    """`count` conversations and documents of all sources in turn, without regard to their shares."""
    return itertools.islice(itertools.chain.from_iterable(zip(*streams(seed, split))), count)
