"""The two parts of the training of an image encoder learn, and go on from a checkpoint."""

import tempfile
import unittest
from pathlib import Path

import torch

from demo import layers
from demo.families import QWEN35
from demo.qwen35 import Qwen35
from demo.seeing import DescriptionTraining, Sight, SightPlan, SightTraining
from demo.tokenizer import Tokenizer
from demo.vision import VisionEncoder

PLAN = SightPlan(steps=24, batch=12, naming=20, warm_up=2, checkpoint_every=4, report_every=12)


class SightTest(unittest.TestCase):
    def setUp(self):
        layers.half_products(False)
        self._folder = tempfile.TemporaryDirectory()
        self.addCleanup(self._folder.cleanup)
        self.file = Path(self._folder.name) / "checkpoint.pt"
        text = ["It is a red circle. There are two blue stars. I see the digit 7."] * 3
        tokenizer = Tokenizer.learn(QWEN35, text, 320)
        self.sight = Sight(Qwen35(len(tokenizer.tokens)), tokenizer, VisionEncoder(Qwen35.width))

    def _described(self):
        return DescriptionTraining(self.sight, PLAN, self.file, 1)

    def test_rows_learn_what_the_model_writes_and_the_model_stays_as_it_is(self):
        before = {name: weight.clone() for name, weight in self.sight.model.weights.items()}
        training = self._described()
        training.run(until=4)
        first = training.descriptions.weights["colour"].clone()
        again = self._described()
        self.assertEqual(4, again.step)
        self.assertTrue(torch.equal(first, again.descriptions.weights["colour"]))
        again.run()
        self.assertFalse(torch.equal(first, again.descriptions.weights["colour"]))
        for name, weight in self.sight.model.weights.items():
            self.assertTrue(torch.equal(before[name], weight), name)

    def test_the_encoder_learns_names_and_then_rows(self):
        described = DescriptionTraining(self.sight, PLAN, self.file.with_name("rows.pt"), 1).descriptions
        encoder = self.sight.encoder
        start = encoder.weights["v.blk.0.attn_qkv.weight"].clone()
        training = SightTraining(encoder, PLAN, self.file, 1, described)
        training.run(until=20)
        named = training.weights["names.count"].clone()
        self.assertFalse(torch.equal(start, encoder.weights["v.blk.0.attn_qkv.weight"]))
        resumed = SightTraining(VisionEncoder(Qwen35.width), PLAN, self.file, 1, described)
        self.assertEqual(20, resumed.step)
        self.assertTrue(torch.equal(named, resumed.names.weights["count"]))
        resumed.run()
        self.assertEqual(PLAN.steps, resumed.step)


if __name__ == "__main__":
    unittest.main()
