"""Turns the corpus into rows of tokens with a weight each."""

import re
from pathlib import Path
from typing import Iterator, List, NamedTuple, Tuple

import numpy

from demo.chat import ChatTemplate
from demo.corpus import mixture
from demo.corpus.dialog import Conversation
from demo.families import Family
from demo.tokenizer import Tokenizer

# What the loss of a token counts: all of what an assistant writes, little of what it reads.
WRITTEN, READ, PROSE = 255, 20, 120
# Of what is read in a round for answers: it learns from them, and remembers the rest.
READ_FOR_ANSWERS = 10
_RESULTS = re.compile(r"(?<== )\S+$", re.M)


class Rows(NamedTuple):
    """tokens: uint16 [rows, length + 1], weights: uint8 of the same shape; a weight belongs to its token."""

    tokens: numpy.ndarray
    weights: numpy.ndarray

    def save(self, path: Path) -> None:
        numpy.savez(path, tokens=self.tokens, weights=self.weights)

    @staticmethod
    def load(path: Path) -> "Rows":
        with numpy.load(path) as stored:
            return Rows(stored["tokens"], stored["weights"])


class Encoder:
    """Renders and encodes what the corpus yields."""

    def __init__(self, tokenizer: Tokenizer, read: int = READ):
        self._read = read
        self._tokenizer = tokenizer
        self._family: Family = tokenizer.family
        self._template = ChatTemplate(self._family.template)

    def encode(self, item) -> Tuple[List[int], List[int]]:
        """Ids and weights."""
        if isinstance(item, Conversation):
            text = self._template.render(item.messages, item.tools)
            return self._weigh(text, list(self._template.answers(text)), WRITTEN, self._read)
        before, after = self._family.document
        results = [(match.start() + len(before), match.end() + len(before)) for match in _RESULTS.finditer(item)]
        is_drill = len(results) > 5
        text = before + item + after
        return self._weigh(text, results if is_drill else [(0, len(text))], WRITTEN if is_drill else PROSE, self._read)

    def _weigh(self, text, spans, inside, outside):
        ids: List[int] = []
        weights: List[int] = []
        position = 0
        for begin, end in spans:
            for part, weight in ((text[position:begin], outside), (text[begin:end], inside)):
                encoded = self._tokenizer.encode(part)
                ids += encoded
                weights += [weight] * len(encoded)
            position = end
        encoded = self._tokenizer.encode(text[position:])
        return ids + encoded, weights + [outside] * len(encoded)


def rendered_sample(family: Family, seed: int, split: str, count: int) -> Iterator[str]:
    """Text to learn a vocabulary from."""
    template = ChatTemplate(family.template)
    for item in mixture.sample(seed, split, count):
        yield template.render(item.messages, item.tools) if isinstance(item, Conversation) else item


# Texts that wait for a row with room for them.
MOST_WAITING = 12


class Packer:
    """Fills rows with whole texts; only the last text of a row is cut.

    A `patient` one cuts a text only where none of those that wait fits: what is asked at the end of long ones stays.
    """

    def __init__(self, tokenizer: Tokenizer, seed: int, split: str, sources=mixture.SOURCES, patient: bool = False):
        self._encoder = Encoder(tokenizer, READ_FOR_ANSWERS if patient else READ)
        self._shares = [source.share for source in sources]
        self._streams = mixture.streams(seed, split, sources)
        self._emitted = [0] * len(self._streams)
        self._most_waiting = MOST_WAITING if patient else 0
        self._waiting: List[Tuple[List[int], List[int]]] = []

    def rows(self, count: int, length: int) -> Rows:
        tokens = numpy.zeros((count, length + 1), numpy.uint16)
        weights = numpy.zeros((count, length + 1), numpy.uint8)
        for row in range(count):
            filled = 0
            while filled <= length:
                ids, weight = self._fitting(length + 1 - filled)
                part = min(len(ids), length + 1 - filled)
                tokens[row, filled : filled + part] = ids[:part]
                weights[row, filled : filled + part] = weight[:part]
                filled += part
        return Rows(tokens, weights)

    def _fitting(self, room: int):
        """The text that waits longest of those that fit, or else the next; it is cut where too many wait."""
        for index, item in enumerate(self._waiting):
            if len(item[0]) <= room:
                return self._waiting.pop(index)
        while len((item := self.text())[0]) > room and len(self._waiting) < self._most_waiting:
            self._waiting.append(item)
        return item

    def text(self):
        """Ids and weights from the source that lags most behind its share."""
        total = sum(self._emitted) + 1
        index = max(range(len(self._streams)), key=lambda i: self._shares[i] - self._emitted[i] / total)
        ids, weights = self._encoder.encode(next(self._streams[index]))
        self._emitted[index] += len(ids)
        return ids, weights
