"""What a drafter is trained for: to write, and to look at what a question asks for before it is answered.

The last tokens of a prompt are those of the chat template, alike whatever is asked: they learn to carry the question.
"""

import random
from pathlib import Path
from typing import Iterator, List, NamedTuple, Tuple

import numpy
import torch
from torch.nn import functional as F

from demo.chat import ChatTemplate
from demo.corpus import mixture, needles
from demo.corpus.needles import Sought
from demo.data import READ_FOR_ANSWERS, WRITTEN, Encoder, Packer
from demo.qwen3 import Qwen3
from demo.tokenizer import Tokenizer

# Last tokens of a prompt that look, and the first ones of a text at which they may look as they please.
TAIL, HEAD = 8, 32
# How scores become those of chunks.
POOLING, CHUNK = 13, 32
# Questions of a row; those beyond are not counted.
MOST = 48
# Of the texts.
OTHERS = 0.2


class SoughtRows(NamedTuple):
    """Rows as `Rows` has them, and what is looked for in them.

    spans: int32 [rows, MOST, 5]. Begin of a text, of a question, end of the prompt, begin and end of the sentence that
    answers, as places in the row; zeros where there are fewer questions.
    """

    tokens: numpy.ndarray
    weights: numpy.ndarray
    spans: numpy.ndarray

    def save(self, path: Path) -> None:
        numpy.savez(path, tokens=self.tokens, weights=self.weights, spans=self.spans)

    @staticmethod
    def load(path: Path) -> "SoughtRows":
        with numpy.load(path) as stored:
            return SoughtRows(stored["tokens"], stored["weights"], stored["spans"])


class SoughtEncoder:
    """Renders and encodes texts with what is looked for in them."""

    def __init__(self, tokenizer: Tokenizer):
        self._template = ChatTemplate(tokenizer.family.template)
        self._encoder = Encoder(tokenizer, READ_FOR_ANSWERS)
        self._places = Places(tokenizer)

    def encode(self, sought: Sought) -> Tuple[List[int], List[int], List[Tuple[int, ...]]]:
        """Ids, weights and spans."""
        ids, weights = self._encoder.encode(sought.conversation)
        text = self._template.render(sought.conversation.messages)
        ends = self._places.ends(ids)
        if ends[-1] != len(text) or not text.isascii():
            raise ValueError(f"expected ASCII characters, found {text!r}")
        spans = []
        for (question, sentence), (begin, _) in zip(sought.answers, self._template.answers(text)):
            told = text.find(sentence)
            if not question or told < 0:
                continue
            asked = text.rindex(question, 0, begin)
            last = told + len(sentence) - 1
            spans.append((0, *(token_of(place, ends) for place in (asked, begin, told, last))))
            spans[-1] = *spans[-1][:4], spans[-1][4] + 1
        return ids, weights, spans


class Places:
    """Where the characters of an encoded text of ASCII characters stand among its tokens."""

    def __init__(self, tokenizer: Tokenizer):
        tokens = range(len(tokenizer.tokens))
        self._lengths = numpy.array([len(tokenizer.decode([token])) for token in tokens])

    def ends(self, ids: List[int]) -> numpy.ndarray:
        """How many characters end with each token: the token of a character is the first with more than its place."""
        return numpy.cumsum(self._lengths[ids])


def token_of(character: int, ends: numpy.ndarray) -> int:
    return int(numpy.searchsorted(ends, character, "right"))


def sought_texts(tokenizer: Tokenizer, seed: int, split: str, longest: int) -> Iterator[Tuple]:
    """Encoded texts: those in which something is sought, and some of everything else that a model should know."""
    rng = random.Random(f"{seed} sought {split} {longest}")
    stream = needles.sought_conversations(longest)(rng, split)
    encoder = SoughtEncoder(tokenizer)
    sources = tuple(source for source in mixture.SOURCES if source.name not in ("needles", "drills"))
    others = Packer(tokenizer, seed, split, sources)
    while True:
        if rng.random() < OTHERS:
            yield (*others.text(), [])
        else:
            yield encoder.encode(next(stream))


def pack(encoded: Iterator[Tuple], count: int, length: int) -> SoughtRows:
    """Fills rows with texts; the last one of a row is cut."""
    tokens = numpy.zeros((count, length + 1), numpy.uint16)
    weights = numpy.zeros((count, length + 1), numpy.uint8)
    spans = numpy.zeros((count, MOST, 5), numpy.int32)
    for row in range(count):
        filled = asked = 0
        while filled <= length:
            ids, weight, found = next(encoded)
            part = min(len(ids), length + 1 - filled)
            tokens[row, filled : filled + part] = ids[:part]
            weights[row, filled : filled + part] = weight[:part]
            for span in found:
                if span[2] <= part - 1 and asked < MOST:
                    spans[row, asked] = [place + filled for place in span]
                    asked += 1
            filled += part
    return SoughtRows(tokens, weights, spans)


class Looking:
    """An objective of `Training`."""

    rows = SoughtRows

    def __init__(self, share: float = 2.0):
        """`share` is how much looking counts, beside writing."""
        self._share = share

    def loss(self, model: Qwen3, tokens, weights, spans):
        """The sum of both parts, and their mean, in nats."""
        tokens = torch.from_numpy(tokens.astype(numpy.int64))
        counts = torch.from_numpy(weights[:, 1:].astype(numpy.float32)) / 255
        model.looked = []
        logits = model.logits(tokens[:, :-1])
        each = F.cross_entropy(logits.reshape(-1, logits.shape[-1]), tokens[:, 1:].reshape(-1), reduction="none")
        written = (each * counts.reshape(-1)).sum() / counts.sum().clamp(min=1)
        missed, asked, _ = missing(model, torch.from_numpy(spans.astype(numpy.int64)))
        model.looked = None
        seen = missed.sum() / asked.sum().clamp(min=1)
        self.last = written.item(), seen.item()
        return missed.sum(), written + self._share * seen

    def report(self, model: Qwen3, rows: SoughtRows) -> str:
        total = asked_for = found = 0.0
        written = weight = 0.0
        with torch.no_grad():
            for begin in range(0, len(rows.tokens), 4):
                part = slice(begin, begin + 4)
                model.looked = []
                tokens = torch.from_numpy(rows.tokens[part].astype(numpy.int64))
                logits = model.logits(tokens[:, :-1])
                counts = torch.from_numpy((rows.weights[part][:, 1:] == WRITTEN).astype(numpy.float32))
                each = F.cross_entropy(logits.flatten(0, 1), tokens[:, 1:].flatten(), reduction="none")
                written += (each * counts.flatten()).sum().item()
                weight += counts.sum().item()
                missed, asked, first = missing(model, torch.from_numpy(rows.spans[part].astype(numpy.int64)))
                model.looked = None
                total += missed.sum().item()
                asked_for += asked.sum().item()
                found += first.sum().item()
        return (
            f"writing {written / weight:.3f}, looking {total / asked_for:.3f},"
            f" first at what is asked for {found / asked_for:.1%}"
        )


def missing(model: Qwen3, spans):
    """By question [batch, most], how much less than everything is the value of the chunks that hold what is asked for.

    Values are those that chunks are chosen by, as nats below the sum of all; a mean where the sentence is in several.
    What is looked at the beginning of the text and in the question itself counts neither way. Also returned are which
    questions are asked, and for which of them the chunks are those of the highest values.
    """
    asked = spans[:, :, 2] > 0
    last = max(1, int(asked.sum(1).max()))
    asked = asked[:, :last]
    batch = len(spans)
    begin, question, end, told, told_end = (spans[:, :last, None, field] for field in range(5))
    places = (end - TAIL + torch.arange(TAIL)).clamp(min=0)
    scores = model.looks(places.reshape(batch, -1)).reshape(batch, last, TAIL, -1).mean(2)
    at = torch.arange(scores.shape[-1])
    inside = (at >= told) & (at < told_end)
    counted = inside | ((at >= HEAD) & (at < question) & ((at < begin) | (at >= begin + HEAD)))
    values = _by_chunk(F.avg_pool1d(scores * counted, POOLING, 1, POOLING // 2))
    right = _by_chunk(inside.float()) > 0
    missed = (values + 1e-9).sum(-1, keepdim=True).log() - (values + 1e-9).log()
    count = right.sum(-1).clamp(min=1)
    missed = torch.where(asked, (missed * right).sum(-1) / count, torch.zeros(()))
    lowest = values.masked_fill(~right, torch.inf).amin(-1)
    first = (values > lowest[..., None]).sum(-1) < count
    return missed, asked, first & asked


def _by_chunk(scores):
    """Means [.., chunks] of scores [.., time]."""
    return F.avg_pool1d(scores, CHUNK, CHUNK, ceil_mode=True)
