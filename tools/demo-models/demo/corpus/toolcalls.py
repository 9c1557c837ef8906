"""Conversations in which the model calls the tools that the request offers, or does without them.

An offer is one to five tools in any order. Most turns ask for one of them: the model calls it with the values as the
user wrote them, reads the result and says it in a sentence. In other turns no tool is needed, or none fits.
"""

import json
import random
from dataclasses import dataclass, replace
from typing import Iterator, Mapping, Optional

from .dialog import (
    HELD_OUT,
    TRAIN,
    Call,
    Conversation,
    Question,
    Tool,
    assistant,
    calling,
    careless,
    system,
    tool_result,
    user,
)
from .tools import DONE_OBJECTS, KINDS, Kind, Outcome, Slot, invented
from .toolvalues import REASONS, one_of, remark, sentence

SYSTEM_PROMPTS = (
    "You are a helpful assistant.",
    "You are a helpful assistant.",
    "Use the tools when they help.",
    "You are a helpful assistant. Use the tools when they help.",
    "You can call tools.",
    "Answer in one sentence.",
)
INSTRUCTIONS = (
    "{Core}.",
    "{Core}.",
    "{Core}",
    "Please {core}.",
    "{Core}, please.",
    "Can you {core}?",
    "Could you {core}?",
    "Could you please {core}?",
    "Would you {core}?",
    "Now {core}.",
)
DICTATIONS = ("{Core}", "{Core}", "Please {core}", "Now {core}")
OPENERS = ("Hi! ", "Hello! ", "Hey! ", "OK. ", "Hello, one question: ", "Please tell me: ", "Good morning. ", "So: ")
ENDINGS = (" Thanks.", " Thank you.", " Thanks!")
FOLLOW_UPS = {
    TRAIN: (
        "And {before}{value}?",
        "And {before}{value}?",
        "What about {named}?",
        "How about {named}?",
        "And what about {named}?",
        "And now {before}{value}?",
        "Now {before}{value}.",
        "And also {before}{value}.",
    ),
    HELD_OUT: ("And how about {named}?", "Then {before}{value}?"),
}
FOLLOWED = "city|room|word|symbol|id|number|code|dish|key|minutes|time|item|title|device|start|path|year|value|degrees"
NO_TOOL = "I have no tool for that."

# Questions that are trained, questions that are held out, and the answer to them.
SMALL_TALK = (
    (
        ("Hello!", "Hi!", "Hey!", "Hello there.", "Hi there!", "Good morning!", "Good evening.", "Hello."),
        ("Hey there!", "Good day!"),
        "Hello! How can I help you?",
    ),
    (
        (
            "Thanks!",
            "Thank you.",
            "Thank you very much.",
            "Great, thanks.",
            "Many thanks!",
            "Good, thank you.",
            "Thanks.",
        ),
        ("Thanks a lot!", "Perfect, thank you."),
        "You are welcome.",
    ),
    (
        ("Goodbye!", "Bye!", "See you later.", "Good night!", "That was all. Bye.", "Bye bye."),
        ("OK, bye!", "See you!"),
        "Goodbye! Have a good day.",
    ),
    (
        ("How are you?", "How are you today?", "Hi, how are you?", "How do you do?", "Are you well?"),
        ("Hello, how are you?",),
        "I am fine, thank you. How can I help you?",
    ),
    (
        ("What can you do?", "What can you do for me?", "How can you help me?", "Can you help me?", "I need help."),
        ("What are you able to do?", "Help me, please."),
        "I can answer questions and use tools.",
    ),
    (
        ("That is all.", "No, that is all.", "I need nothing else.", "Nothing else.", "That was all."),
        ("I think that is all.",),
        "All right. I am here when you need me.",
    ),
    (
        ("Good.", "Great!", "Very good.", "Nice!", "Well done!", "Perfect!", "You are great."),
        ("Good work!", "That is great."),
        "I am glad to help.",
    ),
)
SUMS = {
    TRAIN: (
        "What is {a} + {b}?",
        "{a} + {b}?",
        "How much is {a} + {b}?",
        "What is {a} plus {b}?",
        "What does {a} + {b} make?",
    ),
    HELD_OUT: ("Tell me {a} + {b}.", "What is the sum of {a} + {b}?"),
}
POPULAR = tuple(kind for kind in KINDS if kind.topics in ("weather", "city_time", "timer", "add", "multiply"))
ARITHMETIC = {"add", "subtract", "multiply", "divide"}
HARD_TO_MISS = ARITHMETIC | {"search", "define", "now", "date", "city_time", "root"}


@dataclass(frozen=True)
class Offered:
    """A tool as a conversation offers it: its kind and the names that its slots have in it."""

    kind: Kind
    tool: Tool
    names: Mapping[str, str]

    def call(self, values: Mapping[str, object]) -> Call:
        return Call(self.tool.name, {self.names[slot.name]: values[slot.name] for slot in self.kind.slots})


@dataclass(frozen=True)
class Request:
    """What a user wants of a tool: the values of its slots, and how the request says them."""

    offered: Offered
    values: Mapping[str, object]
    texts: Mapping[str, str]

    def call(self) -> Call:
        return self.offered.call(self.values)


def offer(kind: Kind, rng: random.Random) -> Offered:
    """A tool of this kind under one of its names, with one choice of names for its parameters."""
    names = parameter_names(kind, rng)
    order = [as_text(slot) if slot.kind == "boolean" and rng.random() < 0.5 else slot for slot in kind.slots]
    if rng.random() < 0.1:
        rng.shuffle(order)
    kind_in_order = kind if order == list(kind.slots) else _with_slots(kind, order)
    parameters = {names[slot.name]: declared_type(slot, rng) for slot in order}
    tool = Tool(styled(rng.choice(kind.names.split()), rng), rng.choice(kind.descriptions), parameters)
    return Offered(kind_in_order, tool, names)


def parameter_names(kind: Kind, rng: random.Random) -> dict:
    """A name for each slot; lists of the same length go together, such as `from, origin` and `to, destination`."""
    choice = rng.randrange(60)
    return {slot.name: slot.names.split()[choice % len(slot.names.split())] for slot in kind.slots}


def as_text(switch: Slot) -> Slot:
    """A slot of truth values that takes their words instead, such as "on" and "off"."""
    words = [word for value in (True, False) for word in switch.spoken[value]]
    return replace(switch, kind="string", pool=one_of(words), spoken=None)


def _with_slots(kind: Kind, slots: list) -> Kind:
    return replace(kind, slots=tuple(slots))


def declared_type(slot: Slot, rng: random.Random) -> str:
    return "number" if slot.kind == "integer" and rng.random() < 0.1 else slot.kind


def styled(name: str, rng: random.Random) -> str:
    """The name of a function as different programmers write it."""
    roll = rng.random()
    if roll < 0.1:
        first, *rest = name.split("_")
        return first + "".join(part.capitalize() for part in rest)
    if roll < 0.18:
        return name + rng.choice(("_tool", "_api", "_v2", "_now", "_1"))
    if roll < 0.24:
        return rng.choice(("my_", "api_", "do_", "home_", "app_")) + name
    return name


def offers(rng: random.Random, count: int, first: Optional[Kind] = None) -> list[Offered]:
    """Tools in any order, no two of which could do the same or have the same name."""
    chosen: list[Offered] = [] if first is None else [offer(first, rng)]
    while len(chosen) < count:
        kind = any_kind(rng)
        candidate = offer(kind, rng)
        taken = any(topics(kind) & topics(other.kind) for other in chosen)
        if not taken and all(candidate.tool.name != other.tool.name for other in chosen):
            chosen.append(candidate)
    rng.shuffle(chosen)
    return chosen


def any_kind(rng: random.Random) -> Kind:
    roll = rng.random()
    if roll < 0.2:
        return invented(rng)
    return rng.choice(POPULAR if roll < 0.35 else KINDS)


def topics(kind: Kind) -> set:
    return set(kind.topics.split())


def spoken(slot: Slot, value: object, rng: random.Random) -> str:
    if slot.spoken is not None:
        return rng.choice(slot.spoken[value])
    quoted = slot.pool is sentence and rng.random() < 0.25
    return rng.choice(("'{}'", '"{}"')).format(value) if quoted else str(value)


def draw(kind: Kind, rng: random.Random) -> dict:
    """Values for the slots of a kind."""
    values = {slot.name: slot.pool(rng) for slot in kind.slots if slot.pool is not None}
    if kind.draw is not None:
        values.update(kind.draw(rng))
    return values


def worded(template: str, rng: random.Random) -> str:
    """A phrasing as a whole message, with its slots still open, so that carelessness does not touch the values."""
    if template[0].islower():
        forms = DICTATIONS if ": " in template else INSTRUCTIONS
        text = rng.choice(forms).format(core=template, Core=template[0].upper() + template[1:])
    else:
        opener = rng.choice(OPENERS) if rng.random() < 0.12 else ""
        ending = rng.choice(ENDINGS) if rng.random() < 0.05 and template[-1] in ".?" else ""
        text = opener + template + ending
    return careless(text, rng) if rng.random() < 0.5 else text


def request(offered: Offered, template: str, rng: random.Random) -> Request:
    """Values for a phrasing; a slot that the phrasing does not mention has its default."""
    values = draw(offered.kind, rng)
    for slot in offered.kind.slots:
        if slot.default is not None and "{%s}" % slot.name not in template:
            values[slot.name] = slot.default
    texts = {slot.name: spoken(slot, values[slot.name], rng) for slot in offered.kind.slots}
    return Request(offered, values, texts)


def ask(offered: Offered, rng: random.Random, split: str) -> tuple[str, Request]:
    """A user's message and the request that it means."""
    template = rng.choice(offered.kind.asks if split == TRAIN else offered.kind.held)
    wanted = request(offered, template, rng)
    return worded(template, rng).format(**wanted.texts), wanted


def react(wanted: Request, rng: random.Random) -> tuple[str, str]:
    """What the tool returns, and what the assistant says about it."""
    kind = wanted.offered.kind
    roll = rng.random()
    if roll < 0.07:
        return failure(kind, rng)
    if roll < 0.12 and not kind.free_result and kind.compute is None:
        return surprise(rng)
    return success(wanted, rng.choice(kind.outcomes), rng)


def failure(kind: Kind, rng: random.Random) -> tuple[str, str]:
    subject = kind.subject
    if kind.slots and kind.compute is None and rng.random() < 0.5:
        error = rng.choice((f"unknown {subject}", f"{subject} not found", f"no such {subject}"))
        return complaint(error, rng), f"I could not find that {subject}."
    error = rng.choice(REASONS)
    return complaint(error, rng), f"That did not work: {error}."


def complaint(error: str, rng: random.Random) -> str:
    forms = (f"error: {error}", f"error: {error}", f"Error: {error}", json.dumps({"error": error}))
    return rng.choice(forms)


def surprise(rng: random.Random) -> tuple[str, str]:
    """A result that is not of the kind one expects: the assistant repeats it."""
    text = remark(rng)
    content = text if rng.random() < 0.7 else json.dumps({rng.choice(("result", "value", "output", "data")): text})
    return content, f"The result is: {text}."


def success(wanted: Request, outcome: Outcome, rng: random.Random) -> tuple[str, str]:
    kind = wanted.offered.kind
    fields = {keys: pool(rng) for keys, pool in outcome.fields.items() if pool is not None}
    computed = {} if kind.compute is None else kind.compute(rng, dict(wanted.values))
    data = {keys: fields.get(keys, computed.get(keys.split()[0])) for keys in outcome.fields}
    texts = {**wanted.texts, **computed, **{keys.split()[0]: value for keys, value in data.items()}}
    answer = outcome.answer.format(**texts)
    if rng.random() < 0.55:
        return rng.choice(outcome.plain).format(**texts), answer
    return json.dumps(structured(wanted, outcome, data, rng)), answer


def structured(wanted: Request, outcome: Outcome, data: Mapping[str, object], rng: random.Random) -> dict:
    """The result as a JSON object, sometimes with the arguments before it."""
    echo = dict(wanted.call().arguments) if rng.random() < 0.2 else {}
    if not data:
        return {**echo, **rng.choice(DONE_OBJECTS)}
    for keys, value in data.items():
        echo[rng.choice(keys.split())] = value
    return echo


def tool_turn(offered: Offered, rng: random.Random, split: str) -> tuple[list[dict], Request]:
    text, wanted = ask(offered, rng, split)
    return [user(text), *called(wanted, rng)], wanted


def called(wanted: Request, rng: random.Random) -> list[dict]:
    """The messages from the call to the answer."""
    content, answer = react(wanted, rng)
    return [calling(wanted.call()), tool_result(content), assistant(answer)]


def followed_slot(kind: Kind) -> Optional[Slot]:
    """The slot that a follow-up such as `And in Oslo?` changes."""
    names = FOLLOWED.split("|")
    return next((slot for slot in kind.slots if slot.name in names and slot.pool is not None), None)


def follow_turn(before: Request, rng: random.Random, split: str) -> tuple[list[dict], Request]:
    """The same request again, with another value."""
    kind = before.offered.kind
    slot = followed_slot(kind)
    value = slot.pool(rng)
    wanted = Request(
        before.offered,
        {**before.values, slot.name: value},
        {**before.texts, slot.name: spoken(slot, value, rng)},
    )
    template = rng.choice(FOLLOW_UPS[split])
    text = careless(template, rng).format(
        before=kind.follow,
        value=wanted.texts[slot.name],
        named="the " * kind.follow.endswith("the ") + wanted.texts[slot.name],
    )
    return [user(text), *called(wanted, rng)], wanted


def pair_turn(offered: list[Offered], rng: random.Random, split: str) -> list[dict]:
    """Two calls in one message: of one tool for two values, or of two tools."""
    pairable = [one for one in offered if one.kind.pairs]
    if pairable and split == TRAIN and rng.random() < 0.7:
        text, first, second = twice(rng.choice(pairable), rng)
    else:
        text, first, second = both(offered, rng, split)
    contents, answers = zip(*(react(wanted, rng) for wanted in (first, second)))
    return [
        user(text),
        calling(first.call(), second.call()),
        *(tool_result(content) for content in contents),
        assistant(" ".join(answers)),
    ]


def twice(offered: Offered, rng: random.Random) -> tuple[str, Request, Request]:
    template = rng.choice(offered.kind.pairs)
    first, second = request(offered, template, rng), request(offered, template, rng)
    texts = {**first.texts, **{name + "_2": text for name, text in second.texts.items()}}
    return worded(template, rng).format(**texts), first, second


def both(offered: list[Offered], rng: random.Random, split: str) -> tuple[str, Request, Request]:
    one, other = rng.sample(offered, 2) if len(offered) > 1 else (offered[0], offered[0])
    head, tail = (rng.choice(each.kind.asks if split == TRAIN else each.kind.held) for each in (one, other))
    first, second = request(one, head, rng), request(other, tail, rng)
    joint = rng.choice((" And ", " Also, ", " Then ", " And also: "))
    head = head[0].upper() + head[1:]
    tail = tail if tail.startswith("I ") else tail[0].lower() + tail[1:]
    return ended(head).format(**first.texts) + joint + ended(tail).format(**second.texts), first, second


def ended(template: str) -> str:
    """A phrasing with its full stop or question mark."""
    return template if template[-1] in ".?" else template + "."


def direct_turn(offered: list[Offered], rng: random.Random, split: str) -> list[dict]:
    """A turn that needs no tool, or that asks for one that is not there."""
    roll = rng.random()
    known = set().union(*(topics(one.kind) for one in offered))
    if roll < 0.3 and not known & ARITHMETIC:
        return sum_turn(rng, split)
    if roll < 0.7:
        return small_talk(rng, split)
    return missing_tool(known, bool(offered), rng, split)


def sum_turn(rng: random.Random, split: str) -> list[dict]:
    a, b = rng.randint(0, 9), rng.randint(0, 9)
    text = rng.choice(SUMS[split]).format(a=a, b=b)
    return [user(careless(text, rng)), assistant(f"{a} + {b} = {a + b}.")]


def small_talk(rng: random.Random, split: str, topic: Optional[int] = None) -> list[dict]:
    trained, held, answer = rng.choice(SMALL_TALK) if topic is None else SMALL_TALK[topic]
    return [user(careless(rng.choice(trained if split == TRAIN else held), rng)), assistant(answer)]


def missing_tool(known: set, some: bool, rng: random.Random, split: str) -> list[dict]:
    """A request for a tool that is not offered; what the model can answer by itself is not asked for."""
    unfit = known | HARD_TO_MISS
    fitting = [kind for kind in KINDS if not topics(kind) & unfit]
    absent = invented(rng) if rng.random() < 0.2 and some else rng.choice(fitting)
    if topics(absent) & known:
        return small_talk(rng, split)
    text, _ = ask(offer(absent, rng), rng, split)
    return [user(text), assistant(NO_TOOL)]


def conversation(rng: random.Random, split: str) -> Conversation:
    offered = offers(rng, rng.choices((0, 1, 2, 3, 4, 5), (5, 25, 25, 20, 15, 10))[0])
    messages = [] if rng.random() < 0.5 else [system(rng.choice(SYSTEM_PROMPTS))]
    before = None
    for _ in range(rng.choices((1, 2, 3), (50, 30, 20))[0]):
        turn, before = next_turn(offered, before, rng, split)
        messages += turn
    if rng.random() < 0.12:
        messages += small_talk(rng, split, topic=1)
    return Conversation(messages, tuple(one.tool for one in offered))


def next_turn(offered: list[Offered], before: Optional[Request], rng: random.Random, split: str) -> tuple:
    """The messages of a turn, and the request in it, if there is one that a follow-up can change."""
    roll = rng.random()
    if not offered or roll < 0.2:
        return direct_turn(offered, rng, split), None
    if roll < 0.27:
        return pair_turn(offered, rng, split), None
    if before is not None and followed_slot(before.offered.kind) is not None and roll < 0.6:
        return follow_turn(before, rng, split)
    return tool_turn(rng.choice(offered), rng, split)


def conversations(rng: random.Random, split: str) -> Iterator[Conversation]:
    """Endless conversations with tools."""
    while True:
        yield conversation(rng, split)


def questions(rng: random.Random) -> Iterator[Question]:
    """Endless questions, each of which one call of an offered tool answers; every kind of tool comes up in turn."""
    while True:
        kinds = [*KINDS, *(invented(rng) for _ in range(6))]
        rng.shuffle(kinds)
        for kind in kinds:
            yield question(kind, rng)


def question(kind: Kind, rng: random.Random) -> Question:
    offered = offers(rng, rng.randint(1, 4), first=kind)
    wanted_tool = next(one for one in offered if one.kind.topics == kind.topics)
    text, wanted = ask(wanted_tool, rng, HELD_OUT)
    messages = [user(text)]
    if rng.random() < 0.3:
        messages.insert(0, system(rng.choice(SYSTEM_PROMPTS)))
    return Question("tool", messages, call=wanted.call(), tools=tuple(one.tool for one in offered))
