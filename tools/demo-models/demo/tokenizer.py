"""Byte-pair encoding: learning the merges, and encoding with them.

Three kinds, as the GGUF files name them: `qwen35` and `laguna` merge symbols of GPT-2's byte alphabet inside the words
of a pre-tokenizer; `gemma4` merges characters of whole lines, with U+2581 for spaces. For `gemma4` the merges are
learned inside words only, so that no merge ever crosses a word: encoding word by word then equals encoding by lines.
"""

import heapq
import json
import re
from collections import Counter, defaultdict
from pathlib import Path
from typing import Dict, Iterable, List, Mapping, Sequence, Tuple

import regex

from demo.families import Family

SPACE = "\u2581"

_CONTRACTIONS = r"'[sS]|'[tT]|'[rR][eE]|'[vV][eE]|'[mM]|'[lL][lL]|'[dD]"
_QWEN35 = regex.compile(
    _CONTRACTIONS
    + r"|[^\r\n\p{L}\p{N}]?[\p{L}\p{M}]+|\p{N}| ?[^\s\p{L}\p{M}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+"
)
_QWEN2 = regex.compile(
    _CONTRACTIONS + r"|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+"
)
_NEWLINE_RUNS = regex.compile(r"[^\n]+|\n+")
_GEMMA_WORDS = regex.compile(rf"\n+|{SPACE}?\p{{L}}+|\p{{N}}|{SPACE}?[^\s\p{{L}}\p{{N}}{SPACE}]+|{SPACE}|.", regex.S)


def words(pre_tokenizer: str, text: str) -> List[str]:
    """The pieces that merges never cross."""
    if pre_tokenizer == "qwen35":
        return _QWEN35.findall(text)
    if pre_tokenizer == "laguna":
        return [word for run in _NEWLINE_RUNS.findall(text) for word in _QWEN2.findall(run)]
    return _GEMMA_WORDS.findall(text.replace(" ", SPACE))


def byte_alphabet() -> List[str]:
    """GPT-2's spelling of each byte: printable Latin-1 bytes as they are, the others from U+0100 on."""
    printable = {*range(0x21, 0x7F), *range(0xA1, 0xAD), *range(0xAE, 0x100)}
    others = iter(range(0x100, 0x200))
    return [chr(value) if value in printable else chr(next(others)) for value in range(256)]


_ALPHABET = byte_alphabet()


def symbols(pre_tokenizer: str, word: str) -> Tuple[str, ...]:
    """What the merging of a word begins with."""
    if pre_tokenizer == "gemma4":
        return tuple(word)
    return tuple(_ALPHABET[value] for value in word.encode("utf-8"))


def learn_merges(counts: Counter, merge_count: int) -> List[Tuple[str, str]]:
    """The most frequent pairs, one after the other; ties go to the pair that sorts first.

    `counts` tells how often each sequence of symbols occurs.
    """
    pieces = [list(sequence) for sequence in counts]
    weights = list(counts.values())
    pairs: Dict[Tuple[str, str], int] = defaultdict(int)
    where: Dict[Tuple[str, str], set] = defaultdict(set)
    for index, piece in enumerate(pieces):
        for pair in zip(piece, piece[1:]):
            pairs[pair] += weights[index]
            where[pair].add(index)
    heap = [(-count, pair) for pair, count in pairs.items()]
    heapq.heapify(heap)
    merges: List[Tuple[str, str]] = []
    while heap and len(merges) < merge_count:
        negative, pair = heapq.heappop(heap)
        if pairs.get(pair, 0) != -negative:
            continue
        merges.append(pair)
        changed = set()
        for index in where.pop(pair):
            piece = pieces[index]
            for old in zip(piece, piece[1:]):
                pairs[old] -= weights[index]
                changed.add(old)
            pieces[index] = piece = _merge(piece, pair)
            for new in zip(piece, piece[1:]):
                pairs[new] += weights[index]
                where[new].add(index)
                changed.add(new)
        pairs.pop(pair, None)
        for other in changed:
            if pairs.get(other, 0) > 0:
                heapq.heappush(heap, (-pairs[other], other))
    return merges


def _merge(piece: Sequence[str], pair: Tuple[str, str]) -> List[str]:
    merged = []
    position = 0
    while position < len(piece):
        if position + 1 < len(piece) and (piece[position], piece[position + 1]) == pair:
            merged.append(pair[0] + pair[1])
            position += 2
        else:
            merged.append(piece[position])
            position += 1
    return merged


class Tokenizer:
    """Encodes text with a family's special tokens and learned merges."""

    def __init__(self, family: Family, tokens: Sequence[str], types: Sequence[int], merges: Sequence[Tuple[str, str]]):
        self.family = family
        self.tokens = list(tokens)
        self.types = list(types)
        self.merges = [tuple(merge) for merge in merges]
        self.ids = {token: index for index, token in enumerate(self.tokens)}
        self._ranks = {merge: rank for rank, merge in enumerate(self.merges)}
        marks = (mark for mark in family.marks.values() if mark in self.ids)
        specials = sorted((*family.control, *family.visible, *marks), key=len, reverse=True)
        self._specials = re.compile("(" + "|".join(re.escape(token) for token in specials) + ")")
        self._cache: Dict[str, List[int]] = {}

    @staticmethod
    def learn(family: Family, texts: Iterable[str], size: int) -> "Tokenizer":
        """Learns a vocabulary of `size` tokens from rendered text; special tokens take no part."""
        specials = re.compile("|".join(re.escape(token) for token in (*family.control, *family.visible)))
        counts: Counter = Counter()
        for text in texts:
            for part in specials.split(text):
                counts.update(words(family.pre_tokenizer, part))
        sequences: Counter = Counter()
        for word, count in sorted(counts.items()):
            sequences[symbols(family.pre_tokenizer, word)] += count
        tokens, types = _base_vocabulary(family, counts)
        merges = []
        for merge in learn_merges(sequences, size):
            if len(tokens) == size:
                break
            if merge[0] + merge[1] not in tokens:
                tokens[merge[0] + merge[1]] = len(tokens)
                types.append(1)
            merges.append(merge)
        return Tokenizer(family, list(tokens), types, merges)

    def encode(self, text: str) -> List[int]:
        """Text in which special tokens are recognised wherever they stand."""
        ids: List[int] = []
        for index, part in enumerate(self._specials.split(text)):
            if index % 2:
                ids.append(self.ids[part])
            else:
                for word in words(self.family.pre_tokenizer, part):
                    ids += self._encode_word(word)
        return ids

    def decode(self, ids: Iterable[int]) -> str:
        """The text of tokens, special ones included."""
        inverse = {symbol: value for value, symbol in enumerate(_ALPHABET)}
        data = bytearray()
        for token_id in ids:
            token, kind = self.tokens[token_id], self.types[token_id]
            if kind == 6:
                data.append(int(token[3:5], 16))
            elif kind != 1:
                data += token.encode()
            elif self.family.pre_tokenizer == "gemma4":
                data += token.replace(SPACE, " ").encode()
            else:
                data += bytes(inverse[symbol] for symbol in token)
        return data.decode("utf-8", errors="replace")

    def _encode_word(self, word: str) -> List[int]:
        known = self._cache.get(word)
        if known is None:
            known = self._cache[word] = self._merged_ids(word)
        return known

    def _merged_ids(self, word: str) -> List[int]:
        if self.family.pre_tokenizer == "gemma4" and word.strip("\n") == "" and word in self.ids:
            return [self.ids[word]]
        piece = list(symbols(self.family.pre_tokenizer, word))
        while len(piece) > 1:
            ranked = [(self._ranks.get(pair), index) for index, pair in enumerate(zip(piece, piece[1:]))]
            known = [entry for entry in ranked if entry[0] is not None]
            if not known:
                break
            _, index = min(known)
            piece[index : index + 2] = [piece[index] + piece[index + 1]]
        ids: List[int] = []
        for symbol in piece:
            if symbol in self.ids:
                ids.append(self.ids[symbol])
            else:
                ids += [self.ids[f"<0x{value:02X}>"] for value in symbol.encode("utf-8")]
        return ids

    def with_marks(self) -> "Tokenizer":
        """The same with the marks of the family, which a vocabulary from before them lacks."""
        tokens, types = list(self.tokens), list(self.types)
        for value, mark in self.family.marks.items():
            if mark not in self.ids:
                place = self.ids[_ALPHABET[value]]
                tokens[place], types[place] = mark, 3
        return Tokenizer(self.family, tokens, types, self.merges)

    @staticmethod
    def of_metadata(family: Family, metadata: Mapping[str, object]) -> "Tokenizer":
        """The tokenizer in the metadata of a GGUF file."""
        merges = [tuple(merge.split(" ")) for merge in metadata["tokenizer.ggml.merges"]]
        return Tokenizer(family, metadata["tokenizer.ggml.tokens"], metadata["tokenizer.ggml.token_type"], merges)

    def save(self, path: Path) -> None:
        content = {"family": self.family.name, "tokens": self.tokens, "types": self.types, "merges": self.merges}
        path.write_text(json.dumps(content, ensure_ascii=False), encoding="utf-8")

    @staticmethod
    def load(family: Family, path: Path) -> "Tokenizer":
        content = json.loads(path.read_text(encoding="utf-8"))
        return Tokenizer(family, content["tokens"], content["types"], content["merges"])


def _base_vocabulary(family: Family, counts: Counter) -> Tuple[Dict[str, int], List[int]]:
    """Everything but merges: special tokens, bytes and, for `gemma4`, newline runs and characters."""
    entries: List[Tuple[str, int]] = []
    if family.pre_tokenizer == "gemma4":
        entries += [(token, 3) for token in family.control]
        entries += [(token, 4) for token in family.visible]
        entries += [("\n" * count, 1) for count in (1, 2, 3)]
        entries += [(f"<0x{value:02X}>", 6) for value in range(256)]
        entries.append((SPACE, 1))
        entries += [(chr(value), 1) for value in range(0x21, 0x7F)]
        frequent = Counter()
        for word, count in counts.items():
            for letter in word:
                frequent[letter] += count
        entries += [(letter, 1) for letter in sorted(frequent) if ord(letter) > 0x7E and frequent[letter] >= 20]
    else:
        for value, symbol in enumerate(_ALPHABET):
            mark = family.marks.get(value)
            entries.append((symbol, 1) if mark is None else (mark, 3))
        entries += [(token, 3) for token in family.control]
        entries += [(token, 4) for token in family.visible]
    tokens: Dict[str, int] = {}
    types: List[int] = []
    for token, kind in entries:
        if token not in tokens:
            tokens[token] = len(tokens)
            types.append(kind)
    return tokens, types
