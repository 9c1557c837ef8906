"""A draft sees its context and its own block, and learns what its target would say."""

import tempfile
import unittest
from pathlib import Path

import torch

from demo import gguf, layers
from demo.draft import Draft, labels
from demo.export import export_draft
from demo.families import FAMILIES
from demo.models import MODELS
from demo.tokenizer import Tokenizer


class DraftTest(unittest.TestCase):
    def setUp(self):
        torch.manual_seed(3)
        layers.half_products(False)

    def test_a_block_sees_what_is_before_its_anchor_and_no_other_block(self):
        for name, kind in MODELS.items():
            draft = Draft(kind(64), 5)
            tokens = torch.randint(64, (1, 200))
            later = tokens.clone()
            later[0, 101] = (later[0, 101] + 1) % 64
            earlier = tokens.clone()
            earlier[0, 99] = (earlier[0, 99] + 1) % 64
            alone = self._guesses(draft, tokens, [[100]])
            together = self._guesses(draft, tokens, [[40, 100, 150]])
            self.assertLess((alone[0, 0] - together[0, 1]).abs().max(), 1e-4, name)
            self.assertLess((alone - self._guesses(draft, later, [[100]])).abs().max(), 1e-4, name)
            self.assertGreater((alone - self._guesses(draft, earlier, [[100]])).abs().max(), 1e-4, name)

    @staticmethod
    def _guesses(draft, tokens, anchors):
        with torch.no_grad():
            features, _ = draft.observe(tokens)
            return draft.guesses(features, tokens, torch.tensor(anchors))

    def test_slots_are_turned_to_the_positions_behind_their_anchor(self):
        rope = Draft(MODELS["qwen35"](64), 5).rope
        turned = rope(torch.ones(1, 1, 2, 64), torch.tensor([[3, 13]]))
        self.assertTrue(torch.equal(turned[0, 0], rope(torch.ones(1, 1, 14, 64))[0, 0, [3, 13]]))

    def test_labels_are_what_the_target_says_up_to_its_first_other_word(self):
        text = torch.tensor([[1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12]])
        written = torch.ones_like(text, dtype=torch.bool)
        chosen = text + 1
        chosen[0, 3] = 40
        found = labels(text, written, chosen, 4, torch.Generator().manual_seed(1), count=8)
        for row, anchor in enumerate(found.anchors[0].tolist()):
            counted = (found.weights[0, row] > 0).tolist()
            wanted = found.tokens[0, row].tolist()
            self.assertEqual(chosen[0, anchor : anchor + 3].tolist(), wanted)
            # The text goes on with 5 where the target says 40.
            others = [at for at in range(3) if anchor + at == 3]
            reached = others[0] + 1 if others else 3
            self.assertEqual([at < reached for at in range(3)], counted, anchor)

    def test_nothing_is_guessed_beyond_an_answer(self):
        text = torch.arange(20)[None]
        written = (text >= 5) & (text < 9)
        found = labels(text, written, text + 1, 4, torch.Generator().manual_seed(1), count=16)
        for row, anchor in enumerate(found.anchors[0].tolist()):
            expected = [5 <= anchor and anchor + slot < 9 for slot in (1, 2, 3)]
            self.assertEqual(expected, (found.weights[0, row] > 0).tolist(), anchor)

    def test_a_file_says_what_the_network_is(self):
        for name, kind in MODELS.items():
            family = FAMILIES[name]
            tokenizer = Tokenizer.learn(family, ["one two three two one"] * 3, 300)
            draft = Draft(kind(len(tokenizer.tokens)), tokenizer.ids[family.padding])
            with tempfile.TemporaryDirectory() as folder:
                path = Path(folder) / "draft.gguf"
                export_draft(draft, tokenizer, gguf.F32, path)
                metadata, tensors = gguf.read(path)
            self.assertEqual("dflash", metadata["general.architecture"])
            self.assertEqual(draft.captures, list(metadata["dflash.target_layers"]))
            self.assertEqual(draft.mask, metadata["tokenizer.ggml.mask_token_id"])
            self.assertEqual(set(draft.weights), set(tensors))


if __name__ == "__main__":
    unittest.main()
