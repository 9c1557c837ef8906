"""Training can be interrupted, and learns."""

import tempfile
import unittest
from pathlib import Path

import numpy
import torch

from demo.data import Rows
from demo.models import MODELS
from demo.train import Plan, Training, held_out_loss

PLAN = Plan(steps=6, long_steps=2, tokens=128, warm_up=2, report_every=100, evaluate_every=100)


def _rows(count, length):
    """Text in which every token is the one before it plus one."""
    begin = numpy.random.default_rng(length).integers(0, 64, (count, 1))
    tokens = ((begin + numpy.arange(length + 1)) % 64).astype(numpy.uint16)
    return Rows(tokens, numpy.full_like(tokens, 255, numpy.uint8))


class TrainTest(unittest.TestCase):
    def setUp(self):
        self._folder = tempfile.TemporaryDirectory()
        self.addCleanup(self._folder.cleanup)
        self.root = Path(self._folder.name)
        self.files = [self.root / name for name in ("short.npz", "long.npz", "held_out.npz")]
        for file, length in zip(self.files, (64, 128, 64)):
            _rows(16, length).save(file)

    def _train(self, name, plan, folder, until=None):
        place = self.root / folder
        place.mkdir(exist_ok=True)
        training = Training(MODELS[name](64), plan, place)
        training.run(*self.files, until=until)
        return training.model.weights

    def test_an_interrupted_training_gives_the_same_weights(self):
        for name in MODELS:
            whole = self._train(name, PLAN, f"{name} whole")
            self._train(name, PLAN, f"{name} parts", until=3)
            parts = self._train(name, PLAN, f"{name} parts")
            for key, weight in whole.items():
                self.assertTrue(torch.equal(weight, parts[key]), f"{name}: {key}")

    def test_a_checkpoint_of_another_plan_is_refused(self):
        self._train("laguna", PLAN, "one", until=1)
        with self.assertRaisesRegex(SystemExit, "expected a checkpoint of this corpus and plan"):
            self._train("laguna", PLAN._replace(steps=7), "one")

    def test_training_learns(self):
        plan = PLAN._replace(steps=40)
        rows = Rows.load(self.files[2])
        before = held_out_loss(MODELS["laguna"](64), rows)
        model = MODELS["laguna"](64)
        model.weights = self._train("laguna", plan, "learning")
        self.assertLess(held_out_loss(model, rows), before / 2)


if __name__ == "__main__":
    unittest.main()
