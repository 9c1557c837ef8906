"""Synthetic chats: sessions of several turns behind a few system prompts that many sessions share."""

import random
from pathlib import Path
from typing import List, NamedTuple

WORDS = Path(__file__).resolve().parents[2] / "src/main/resources/dev/varve/bench/http/words.txt"


class Shape(NamedTuple):
    """Sizes of a workload; lengths are in words."""

    sessions: int = 36
    turns: int = 4
    systems: int = 4
    system_words: int = 150
    user_words: int = 40
    output_tokens: int = 24
    seed: int = 1


class Texts:
    """Texts of plain words, equal for equal names and seeds."""

    def __init__(self, seed: int) -> None:
        self._seed = seed
        self._words = WORDS.read_text(encoding="utf-8").split()

    def text(self, name: str, words: int) -> str:
        chosen = random.Random(f"{self._seed} {name}")
        return " ".join(chosen.choice(self._words) for _ in range(words))


class Session:
    """One chat, which grows by a turn at a time."""

    def __init__(self, shape: Shape, texts: Texts, number: int) -> None:
        system = texts.text(f"system {number % shape.systems}", shape.system_words)
        self.messages: List[dict] = [{"role": "system", "content": system}]
        self._shape = shape
        self._texts = texts
        self._number = number
        self._turn = 0

    def next(self) -> List[dict]:
        """Adds the user's next message."""
        user = self._texts.text(f"session {self._number} turn {self._turn}", self._shape.user_words)
        self.messages.append({"role": "user", "content": user})
        self._turn += 1
        return self.messages

    def answered(self, text: str) -> None:
        """Adds the response."""
        self.messages.append({"role": "assistant", "content": text})


def rounds(shape: Shape) -> List[List[int]]:
    """Returns for each round the sessions that send their next turn, in a random order.

    Sessions of one round are independent of each other, so clients may send them at the same time. Half of the sessions
    begin in the second half of the rounds: a cache must keep the earlier ones meanwhile.
    """
    order = random.Random(shape.seed)
    all_rounds: List[List[int]] = [[] for _ in range(shape.turns + shape.turns // 2)]
    for session in range(shape.sessions):
        begin = (session % 2) * (shape.turns // 2)
        for turn in range(shape.turns):
            all_rounds[begin + turn].append(session)
    for each in all_rounds:
        order.shuffle(each)
    return all_rounds
