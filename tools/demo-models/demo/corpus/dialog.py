"""What the sources of the corpus yield: conversations, plain documents and closed questions."""

import random
import re
from dataclasses import dataclass
from typing import Mapping, Optional, Sequence

TRAIN = "train"
HELD_OUT = "held_out"


@dataclass(frozen=True)
class Tool:
    """A function that a request offers. `parameters` maps a name to its JSON type, such as `string`."""

    name: str
    description: str
    parameters: Mapping[str, str]

    def declaration(self) -> dict:
        """The tool as an OpenAI request declares it."""
        properties = {name: {"type": kind} for name, kind in self.parameters.items()}
        return {
            "type": "function",
            "function": {
                "name": self.name,
                "description": self.description,
                "parameters": {"type": "object", "properties": properties, "required": list(properties)},
            },
        }


@dataclass(frozen=True)
class Call:
    """A call of a tool, as an assistant's message holds it."""

    name: str
    arguments: Mapping[str, object]


def system(content: str) -> dict:
    return {"role": "system", "content": content}


def user(content: str) -> dict:
    return {"role": "user", "content": content}


def assistant(content: str) -> dict:
    return {"role": "assistant", "content": content}


def calling(*calls: Call) -> dict:
    """An assistant's message that calls tools and says nothing."""
    functions = [{"name": call.name, "arguments": dict(call.arguments)} for call in calls]
    return {
        "role": "assistant",
        "content": "",
        "tool_calls": [{"type": "function", "function": function} for function in functions],
    }


def tool_result(content: str) -> dict:
    return {"role": "tool", "content": content}


@dataclass(frozen=True)
class Conversation:
    """Messages of a chat, the last of them the assistant's, and the tools that it was offered."""

    messages: Sequence[dict]
    tools: Sequence[Tool] = ()


@dataclass(frozen=True)
class Question:
    """A conversation that ends with the user's turn and has one right answer: a text or a call.

    `accepted` holds lists of words: an answer is right if it has all words of one of them, regardless of case.
    A word of digits must not stand beside other digits.
    """

    kind: str
    messages: Sequence[dict]
    accepted: Sequence[Sequence[str]] = ()
    call: Optional[Call] = None
    tools: Sequence[Tool] = ()


def says(text: str, words: Sequence[str]) -> bool:
    """Whether a text has all of the words, as a question accepts them."""
    return all(_has(text, word) for word in words)


def _has(text: str, word: str) -> bool:
    pattern = re.escape(word)
    if word.isdigit():
        pattern = rf"(?<!\d){pattern}(?!\d)"
    return re.search(pattern, text, re.I) is not None


def careless(text: str, rng: random.Random) -> str:
    """What people do to a sentence when they type in a hurry: no capitals, no full stop."""
    roll = rng.random()
    if roll < 0.12:
        text = text[:1].lower() + text[1:]
    elif roll < 0.22:
        text = text.lower()
    if rng.random() < 0.2 and text[-1:] in ".?!":
        text = text[:-1]
    return text
