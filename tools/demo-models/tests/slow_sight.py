"""The parts of the training of an image encoder learn, and go on from a checkpoint."""

import random
import tempfile
import unittest
from pathlib import Path

import numpy
import torch

from demo import layers
from demo.data import Rows
from demo.families import QWEN35
from demo.qwen35 import Qwen35
from demo.seeing import Descriptions, NamingTraining, ReadingTraining, Seen, Sight, SightPlan, any_grid, drawn, fit
from demo.tokenizer import Tokenizer
from demo.vision import VisionEncoder

PLAN = SightPlan(steps=24, batch=6, warm_up=2, checkpoint_every=4, report_every=12)


class SightTest(unittest.TestCase):
    def setUp(self):
        layers.half_products(False)
        self._folder = tempfile.TemporaryDirectory()
        self.addCleanup(self._folder.cleanup)
        self.file = Path(self._folder.name) / "checkpoint.pt"
        text = ["It is a red circle. There are two blue stars. I see the digit 7."] * 3
        tokenizer = Tokenizer.learn(QWEN35, text, 320)
        self.sight = Sight(Qwen35(len(tokenizer.tokens)), tokenizer, VisionEncoder(Qwen35.width))

    def _reading(self, rows):
        torch.manual_seed(1)
        texts = Rows(numpy.random.default_rng(1).integers(0, 300, (3, 9), numpy.uint16), None)
        before = Qwen35(len(self.sight.tokenizer.tokens))
        return ReadingTraining(self.sight, rows, before, texts, PLAN, self.file, 1)

    def test_rows_and_model_learn_and_go_on_from_a_checkpoint(self):
        for rows, name in (Descriptions(Qwen35.width), "colour"), (Seen(self.sight.encoder), "mm.0.weight"):
            with self.subTest(name):
                self.file.unlink(missing_ok=True)
                weights = self.sight.model.weights["blk.0.ffn_up.weight"], rows.weights[name]
                starts = [weight.clone() for weight in weights]
                self._reading(rows).run(until=2)
                learned = [weight.clone() for weight in weights]
                for start, weight in zip(starts, weights):
                    self.assertFalse(torch.equal(start, weight))
                    weight.copy_(start)
                again = self._reading(rows)
                self.assertEqual(2, again.step)
                for expected, weight in zip(learned, weights):
                    self.assertTrue(torch.equal(expected, weight))
                again.run(until=3)
                self.assertFalse(torch.equal(learned[1], weights[1]))

    def test_a_model_that_has_not_changed_writes_as_before(self):
        self.assertEqual(0, self._reading(Descriptions(Qwen35.width))._distance().item())

    def test_the_encoder_learns_names_and_goes_on_from_a_checkpoint(self):
        encoder = self.sight.encoder
        start = encoder.weights["v.blk.0.attn_qkv.weight"].clone()
        training = NamingTraining(encoder, PLAN, self.file, 1)
        training.run(until=8)
        named = training.weights["names.count"].clone()
        self.assertFalse(torch.equal(start, encoder.weights["v.blk.0.attn_qkv.weight"]))
        resumed = NamingTraining(VisionEncoder(Qwen35.width), PLAN, self.file, 1)
        self.assertEqual(8, resumed.step)
        self.assertTrue(torch.equal(named, resumed.names.weights["count"]))

    def test_an_encoder_is_fitted_to_the_rows_of_drawings(self):
        descriptions = Descriptions(Qwen35.width)
        rng = random.Random(1)
        batch = drawn(rng, any_grid(rng), 20)
        wanted, distances = descriptions.vectors(batch.scenes), []
        for _ in range(2):
            with torch.no_grad():
                distances.append((self.sight.encoder.rows(batch.images, batch.grid).mean(1) - wanted).norm())
            fit(self.sight.encoder, descriptions, 1, 1, 20)
        self.assertLess(distances[1], distances[0] / 2)


if __name__ == "__main__":
    unittest.main()
