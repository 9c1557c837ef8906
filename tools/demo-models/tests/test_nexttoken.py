"""A block guesses from what is before a token, and learns what its target would say."""

import tempfile
import unittest
from pathlib import Path

import numpy
import torch

from demo import gguf, layers, nexttoken
from demo.export import export_next_token
from demo.families import FAMILIES
from demo.models import MODELS
from demo.nexttoken import CHAIN, NextToken, behind
from demo.tokenizer import Tokenizer


class NextTokenTest(unittest.TestCase):
    def setUp(self):
        torch.manual_seed(3)
        layers.half_products(False)
        self.block = NextToken(MODELS["qwen35"](64))

    def test_a_state_stands_beside_the_token_after_it(self):
        states = torch.arange(1.0, 7).reshape(1, 3, 2)
        self.assertEqual([[0, 0], [1, 2], [3, 4]], behind(states)[0].tolist())

    def test_a_guess_sees_nothing_of_what_comes_later(self):
        tokens = torch.randint(64, (1, 40))
        later = tokens.clone()
        later[0, 20] = (later[0, 20] + 1) % 64
        with torch.no_grad():
            hidden = self.block.target.hidden(tokens)
            pairs = zip(self.block.chain(tokens, hidden), self.block.chain(later, self.block.target.hidden(later)))
            for guess, (first, second) in enumerate(pairs):
                self.assertLess((first[0, :20] - second[0, :20]).abs().max(), 1e-4, guess)
                self.assertGreater((first[0, 20] - second[0, 20]).abs().max(), 1e-4, guess)

    def test_a_guess_counts_while_the_text_says_what_the_target_would(self):
        tokens = numpy.random.default_rng(5).integers(0, 64, (2, 31))
        weights = numpy.full(tokens.shape, 255)
        weights[:, :4] = 20
        ids, _, chosen, counts = nexttoken._observed(self.block, tokens, weights)
        self.assertEqual(CHAIN, len(counts))
        for row in range(2):
            for at in range(30):
                counted = at + 1 >= 4
                for guess in range(CHAIN):
                    before = at - guess
                    if guess > 0:
                        counted = counted and before >= 0 and ids[row, before + 1] == chosen[row, before]
                    self.assertEqual(float(counted), counts[guess][row, at].item(), (row, at, guess))

    def test_a_file_is_that_of_the_block_alone(self):
        tokenizer = Tokenizer.learn(FAMILIES["qwen35"], ["one two three four five"] * 9, 300)
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "block.gguf"
            export_next_token(self.block, tokenizer, gguf.F16, path)
            metadata, tensors = gguf.read(path)
        self.assertEqual("qwen35", metadata["general.architecture"])
        self.assertEqual(self.block.target.layers + 1, metadata["qwen35.block_count"])
        self.assertEqual(1, metadata["qwen35.nextn_predict_layers"])
        self.assertTrue(all(name.startswith(self.block.block) for name in tensors), list(tensors))
        self.assertIn(self.block.block + "nextn.eh_proj.weight", tensors)


if __name__ == "__main__":
    unittest.main()
