"""The models compute what the architectures define, and survive their file."""

import tempfile
import unittest
from pathlib import Path

import numpy
import torch

from demo import gguf, layers
from demo.delta import gated_delta_rule, token_by_token
from demo.evaluate import is_right, parse_call
from demo.corpus.dialog import Call, Question, user
from demo.layers import attention, sliding_attention
from demo.models import MODELS
from demo.muon import Muon


def _distance(found, expected):
    return ((found - expected).norm() / expected.norm()).item()


class ModelsTest(unittest.TestCase):
    def setUp(self):
        torch.manual_seed(3)
        layers.half_products(False)

    def test_chunks_of_the_delta_rule_are_the_delta_rule(self):
        q, k, v = (torch.randn(2, 4, 192, 64) for _ in range(3))
        q, k = (x / x.norm(dim=-1, keepdim=True) for x in (q, k))
        g, beta = -torch.rand(2, 4, 192) * 0.3, torch.rand(2, 4, 192)
        self.assertLess(_distance(gated_delta_rule(q, k, v, g, beta), token_by_token(q, k, v, g, beta)), 1e-6)

    def test_blocks_of_a_sliding_window_are_the_window(self):
        q, k, v = torch.randn(1, 4, 70, 16), torch.randn(1, 2, 70, 16), torch.randn(1, 2, 70, 16)
        window = 16
        scores = q @ k.repeat_interleave(2, 1).transpose(-1, -2)
        apart = torch.arange(70)[:, None] - torch.arange(70)
        hidden = (apart < 0) | (apart >= window)
        expected = scores.masked_fill(hidden, -torch.inf).softmax(-1) @ v.repeat_interleave(2, 1)
        self.assertLess(_distance(sliding_attention(q, k, v, 1.0, window), expected), 1e-6)
        self.assertLess(_distance(sliding_attention(q, k, v, 1.0, 70), attention(q, k, v, 1.0)), 1e-6)

    def test_no_model_sees_the_future_and_all_see_far(self):
        for name, kind in MODELS.items():
            model = kind(64)
            tokens = torch.randint(64, (1, 300))
            other = tokens.clone()
            other[0, 200] = (other[0, 200] + 1) % 64
            with torch.no_grad():
                before, after = model.logits(tokens), model.logits(other)
            self.assertEqual(0, (before[:, :200] - after[:, :200]).abs().max(), name)
            # Beyond the sliding window of 128 tokens only full attention or a state reaches back.
            first = tokens.clone()
            first[0, 0] = (first[0, 0] + 1) % 64
            with torch.no_grad():
                self.assertGreater((before[:, 290:] - model.logits(first)[:, 290:]).abs().max(), 0, name)

    def test_a_model_comes_back_from_its_file(self):
        for name, kind in MODELS.items():
            model, copy = kind(64, seed=1), kind(64, seed=2)
            tensors = {key: gguf.tensor(value.numpy(), gguf.F32) for key, value in model.exported().items()}
            with tempfile.TemporaryDirectory() as folder:
                path = Path(folder) / "model.gguf"
                gguf.write(path, {"general.architecture": name, "numbers": [1, 2], "flags": [True, False]}, tensors)
                metadata, read = gguf.read(path)
            self.assertEqual({"general.architecture": name, "numbers": [1, 2], "flags": [True, False]}, metadata)
            copy.load(read)
            tokens = torch.randint(64, (1, 40))
            with torch.no_grad():
                self.assertLess(_distance(copy.logits(tokens), model.logits(tokens)), 1e-5, name)

    def test_q8_0_is_close(self):
        values = numpy.random.default_rng(1).normal(size=(8, 64)).astype(numpy.float32)
        stored = gguf.tensor(values, gguf.Q8_0)
        self.assertEqual(8 * 2 * 34, len(stored.data))
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "model.gguf"
            gguf.write(path, {"a": "b"}, {"t": stored})
            read = gguf.read(path)[1]["t"]
        self.assertLess(numpy.abs(read - values).max(), numpy.abs(values).max() / 127)

    def test_muon_steps_have_about_equal_length_in_all_directions(self):
        weight = torch.zeros(96, 32)
        Muon(weight).step(weight, torch.randn(96, 1) @ torch.randn(1, 32) + 0.1 * torch.randn(96, 32), 1.0, 1)
        lengths = torch.linalg.svdvals(weight) / 3**0.5
        self.assertGreater(lengths.min(), 0.3)
        self.assertLess(lengths.max(), 1.3)

    def test_answers_are_judged_by_whole_numbers_and_calls(self):
        question = Question("sum", [user("4 + 8")], accepted=[["12"]])
        self.assertTrue(is_right(question, "4 + 8 = 12.", "qwen35"))
        self.assertFalse(is_right(question, "4 + 8 = 112.", "qwen35"))
        expected = ("get_weather", {"city": "Bern", "days": "2"})
        called = Question("tool", [user("?")], call=Call("get_weather", {"city": "Bern", "days": 2}))
        for family, text in (
            (
                "qwen35",
                "<tool_call>\n<function=get_weather>\n<parameter=city>\nBern\n</parameter>\n"
                "<parameter=days>\n2\n</parameter>\n</function>\n</tool_call>",
            ),
            (
                "laguna",
                "<tool_call>get_weather\n<arg_key>city</arg_key>\n<arg_value>Bern</arg_value>\n"
                "<arg_key>days</arg_key>\n<arg_value>2</arg_value>\n</tool_call>",
            ),
            ("gemma4", '<|tool_call>call:get_weather{city:<|"|>Bern<|"|>,days:2}<tool_call|>'),
        ):
            self.assertEqual(expected, parse_call(text, family))
            self.assertTrue(is_right(called, text, family))
            self.assertFalse(is_right(called, text.replace("Bern", "Rome"), family))


if __name__ == "__main__":
    unittest.main()
