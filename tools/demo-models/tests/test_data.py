"""Rows are filled with texts as whole as they can be."""

import itertools
import unittest

from demo.corpus.dialog import Conversation, assistant, user
from demo.corpus.mixture import Source
from demo.data import Packer
from demo.families import FAMILIES
from demo.tokenizer import Tokenizer

LENGTH = 240


def _sources():
    def stream(rng, split):
        for index in itertools.count():
            text = "abc " * rng.choice((1, 2, 3, 130))
            yield Conversation((user(text), assistant(f"{index}")))

    return (Source("texts", 1.0, stream),)


class PackerTest(unittest.TestCase):
    def setUp(self):
        family = FAMILIES["qwen35"]
        self.tokenizer = Tokenizer.learn(family, ["abc abc abc"] * 4, 300)
        self.end = self.tokenizer.ids["<|im_end|>"]

    def _cut(self, patient):
        """Tokens of texts that have lost their end, in forty rows."""
        rows = Packer(self.tokenizer, 3, "train", _sources(), patient).rows(40, LENGTH).tokens.tolist()
        self.assertEqual({LENGTH + 1}, {len(row) for row in rows})
        return sum(row[::-1].index(self.end) for row in rows)

    def test_a_patient_packer_keeps_ends_that_another_cuts(self):
        self.assertLess(self._cut(patient=True), self._cut(patient=False) / 2)

    def test_the_same_seed_gives_the_same_rows(self):
        first, second = (Packer(self.tokenizer, 3, "train", _sources(), True).rows(20, LENGTH) for _ in range(2))
        self.assertTrue((first.tokens == second.tokens).all())
        self.assertTrue((first.weights == second.weights).all())


if __name__ == "__main__":
    unittest.main()
