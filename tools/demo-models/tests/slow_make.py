"""All steps from nothing to a file with its references, in small."""

import contextlib
import io
import json
import tempfile
import unittest
from pathlib import Path
from unittest import mock

from demo import evaluate, gguf
from demo.__main__ import VOCABULARY, Maker
from demo.train import Plan


class MakeTest(unittest.TestCase):
    def test_the_steps_lead_from_nothing_to_a_model_that_was_evaluated(self):
        plan = Plan(steps=2, long_steps=1, report_every=1, evaluate_every=2)
        with tempfile.TemporaryDirectory() as folder, contextlib.redirect_stdout(io.StringIO()) as printed:
            maker = Maker("laguna", plan, Path(folder), Plan(steps=1, long_steps=0))
            maker.prepare()
            maker.train()
            maker.export()
            with mock.patch.multiple(evaluate, MOST_TOKENS={}, MOST_TOKENS_OF_OTHERS=3):
                maker.evaluate(part=0)
            maker.train_draft()
            maker.export_draft()
            draft, _ = gguf.read(maker.draft_file)
            metadata, tensors = gguf.read(maker.model_file)
            reference = json.loads((maker.evaluation / "laguna.logits.json").read_text())
            logits = (maker.evaluation / "laguna.logits.f32").read_bytes()
            self._check_next_round(maker, Path(folder) / "again")
            self._check_average(maker, Path(folder) / "average")
        self.assertEqual("laguna", metadata["general.architecture"])
        self.assertEqual("dflash", draft["general.architecture"])
        self.assertEqual(VOCABULARY, len(tensors["token_embd.weight"]))
        self.assertEqual(4 * VOCABULARY * len(reference["positions"]), len(logits))
        self.assertIn("laguna: corpus of 12288 tokens", printed.getvalue())
        self.assertRegex(printed.getvalue(), r"laguna: \d of 7 right")

    def _check_next_round(self, maker, folder):
        """It begins with the weights and the vocabulary of the one before, and reads other rows."""
        again = Maker("laguna", maker.plan, folder)
        again.prepare(maker.model_file)
        known, rows = ((each.folder / "tokenizer.json", each.folder / "short.npz") for each in (maker, again))
        self.assertEqual(known[0].read_bytes(), rows[0].read_bytes())
        self.assertNotEqual(known[1].read_bytes(), rows[1].read_bytes())
        _, tensors = gguf.read(maker.model_file)
        for name, weight in again.initial().weights.items():
            self.assertTrue((weight.numpy() == tensors[name]).all(), name)

    def _check_average(self, maker, folder):
        """Q8_0 and F16 differ a little, and the mean lies between."""
        files = [maker.model_file, maker.folder / "varve-demo-laguna-q8_0.gguf"]
        average = Maker("laguna", maker.plan, folder)
        average.average(files)
        name = "blk.3.attn_q.weight"
        first, second, mean = (gguf.read(file)[1][name] for file in (*files, average.model_file))
        self.assertFalse((first == second).all())
        self.assertLess(abs((first + second) / 2 - mean).max(), 1e-3)


if __name__ == "__main__":
    unittest.main()
