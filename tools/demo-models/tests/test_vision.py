"""Drawings, the image encoder and its place in a prompt are what Varve's runtime computes."""

import random
import tempfile
import unittest
from pathlib import Path

import numpy
import torch

from demo import gguf, layers
from demo.corpus.dialog import Conversation, assistant, user
from demo.drawings import COLOURS, SHAPES, Frame, Scene, asked, draw, framed, scene
from demo.export import export_projector
from demo.families import QWEN35
from demo.layers import Rope
from demo.qwen35 import Qwen35
from demo.seeing import IMAGE, Descriptions, Drawn, Sight, tests
from demo.tokenizer import Tokenizer
from demo.vision import Grid, MultimodalRope, VisionEncoder, multimodal_positions


def _tokenizer():
    return Tokenizer.learn(QWEN35, ["one two three two one"] * 3, 300)


class VisionTest(unittest.TestCase):
    def setUp(self):
        torch.manual_seed(3)
        layers.half_products(False)

    def test_patches_of_a_square_follow_one_another(self):
        grid = Grid(2, 1)
        self.assertEqual([(0, 0), (0, 1), (1, 0), (1, 1), (0, 2), (0, 3), (1, 2), (1, 3)], grid.places)
        image = numpy.arange(4 * 8 * 3, dtype=numpy.uint8).reshape(1, 4, 8, 3)
        second = ((grid.patches(image, 2)[0, 1] + 1) * 127.5).round().int().tolist()
        # Columns 2 and 3 of the rows 0 and 1: all of a channel before the next one.
        self.assertEqual([3 * (8 * y + x) + c for c in range(3) for y in range(2) for x in (2, 3)], second)

    def test_the_position_table_is_read_from_corner_to_corner(self):
        shares = Grid(4, 2).shares(4)
        self.assertTrue(torch.allclose(torch.ones(32), shares.sum(1)))
        self.assertEqual(1, shares[0, 0])
        self.assertEqual(1, shares[-1, 15])

    def test_text_goes_on_behind_the_longer_side_of_an_image(self):
        positions = multimodal_positions(12, Grid(10, 7), 84)
        self.assertEqual([11, 11, 11], positions[:, 11].tolist())
        self.assertEqual([12, 12, 12], positions[:, 12].tolist())
        self.assertEqual([12, 18, 21], positions[:, 81].tolist())
        self.assertEqual([22, 22, 22], positions[:, 82].tolist())

    def test_text_alone_is_turned_as_without_images(self):
        x = torch.randn(2, 4, 9, 64)
        positions = torch.arange(9).repeat(2, 3, 1)
        plain = Rope(Qwen35.rope_dims, Qwen35.rope_base)(x)
        self.assertLess((MultimodalRope(positions)(x) - plain).abs().max(), 1e-5)

    def test_pairs_take_time_row_and_column_in_turn(self):
        x = torch.ones(1, 1, 1, 32)
        for part, pairs in ((0, (0, 3, 6, 9, 12, 15)), (1, (1, 4, 7, 10, 13)), (2, (2, 5, 8, 11, 14))):
            positions = torch.zeros(1, 3, 1, dtype=torch.long)
            positions[0, part] = 7
            turned = MultimodalRope(positions)(x)[0, 0, 0, :16] != 1
            self.assertEqual(set(pairs), set(turned.nonzero().flatten().tolist()))

    def test_a_file_gives_the_same_rows(self):
        encoder = VisionEncoder(64)
        image = numpy.random.default_rng(1).integers(0, 256, (1, 72, 96, 3), dtype=numpy.uint8)
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "mmproj.gguf"
            export_projector(encoder, "test", gguf.F32, path)
            metadata, tensors = gguf.read(path)
        other = VisionEncoder(64, seed=9)
        other.load(tensors)
        self.assertEqual(64, metadata["clip.vision.projection_dim"])
        rows = encoder.rows(image, Grid(4, 3))
        self.assertEqual((1, 12, 64), rows.shape)
        self.assertLess((rows - other.rows(image, Grid(4, 3))).abs().max(), 1e-5)

    def test_marks_take_the_places_of_bytes_that_no_text_has(self):
        tokenizer = _tokenizer()
        before = [chr(value) if mark in QWEN35.marks.values() else mark for value, mark in enumerate(tokenizer.tokens)]
        old = Tokenizer(QWEN35, before, [1 if i < 256 else kind for i, kind in enumerate(tokenizer.types)], ())
        self.assertEqual(tokenizer.types[:256], old.with_marks().types[:256])
        self.assertEqual([0xFE], tokenizer.encode(IMAGE))
        self.assertEqual(3, tokenizer.types[0xFE])
        self.assertEqual("täxt", tokenizer.decode(tokenizer.encode("täxt")))

    def test_other_metadata_leave_the_tensors_alone(self):
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "a.gguf"
            tensors = {"w": gguf.tensor(numpy.arange(96).reshape(3, 32), gguf.F16)}
            gguf.write(path, {"a": "b", "c": [1, 2]}, tensors)
            gguf.replace_metadata(path, {"a": "a longer text than before"})
            metadata, read = gguf.read(path)
        self.assertEqual({"a": "a longer text than before"}, metadata)
        self.assertTrue((read["w"].flatten() == numpy.arange(96)).all())

    def test_rows_of_a_picture_stand_where_the_template_writes_its_mark(self):
        tokenizer = _tokenizer()
        sight = Sight(Qwen35(len(tokenizer.tokens)), tokenizer, VisionEncoder(Qwen35.width))
        content = [{"type": "text", "text": "one"}, {"type": "image"}]
        ids, weights = sight.encode(Conversation([user(content), assistant("two")]), Grid(4, 3))
        marks = [tokenizer.ids[QWEN35.marks[value]] for value in (0xFD, 0xFE, 0xFF)]
        begin = ids.index(marks[0])
        self.assertEqual([marks[1]] * 12 + [marks[2]], ids[begin + 1 : begin + 14])
        self.assertEqual(len(ids), len(weights))

    def test_rows_of_a_picture_are_read(self):
        tokenizer = _tokenizer()
        sight = Sight(Qwen35(len(tokenizer.tokens)), tokenizer, VisionEncoder(Qwen35.width))
        grid = Grid(3, 2)
        tokens = torch.tensor([[1, 0xFD, *[0xFE] * 6, 0xFF, 2]])
        rows = torch.randn(1, 6, Qwen35.width)
        with torch.no_grad():
            first = sight.hidden(tokens, rows, grid)
            second = sight.hidden(tokens, rows + 1, grid)
        self.assertEqual(0, (first - second)[0, :2].abs().max())
        self.assertGreater((first - second)[0, -1].abs().max(), 1e-3)

    def test_each_place_has_the_row_of_the_drawing(self):
        batch = Drawn(Grid(4, 3), None, [Scene("red", "star", 2, -1), Scene("blue", "", 1, 9)])
        rows = Descriptions(8).of(batch)
        self.assertEqual((2, 12, 8), rows.shape)
        self.assertTrue(torch.equal(rows[:, 0], rows[:, 5]))
        self.assertFalse(torch.equal(rows[0], rows[1]))


class DrawingsTest(unittest.TestCase):
    def test_a_seed_gives_the_same_drawing(self):
        for seed in range(20):
            drawings = []
            for _ in range(2):
                rng = random.Random(seed)
                drawings.append(draw(scene(rng), framed(4, 3, 24, rng), rng))
            self.assertEqual((72, 96, 3), drawings[0].shape)
            self.assertTrue((drawings[0] == drawings[1]).all())

    def test_as_many_figures_are_drawn_as_the_scene_has(self):
        for seed in range(12):
            for count in range(1, 6):
                shown = Scene("black", SHAPES[seed % 3], count, -1)
                image = draw(shown, Frame(240, 240, 240, 240), random.Random(seed))
                self.assertEqual(count, _islands(image), (seed, shown))

    def test_questions_have_answers_that_name_what_is_shown(self):
        rng = random.Random(4)
        for _ in range(200):
            shown = scene(rng)
            self.assertIn(shown.colour, COLOURS)
            question, answer = asked(shown, rng)
            self.assertNotIn("{", question)
            self.assertRegex(answer, r"^(I see|It is|They are|There (is|are)) .*\.$")
            self.assertTrue(all(wanted for _, _, wanted in tests(shown)))


def _islands(image: numpy.ndarray) -> int:
    """Connected regions that differ from the paper, but for specks at thin corners."""
    paper = numpy.median(image.reshape(-1, 3), axis=0)
    ink = numpy.abs(image.astype(int) - paper).max(-1) > 70
    found = 0
    while ink.any():
        size = 0
        waiting = [tuple(numpy.argwhere(ink)[0])]
        ink[waiting[0]] = False
        while waiting:
            y, x = waiting.pop()
            size += 1
            for near in ((y - 1, x), (y + 1, x), (y, x - 1), (y, x + 1)):
                if 0 <= near[0] < ink.shape[0] and 0 <= near[1] < ink.shape[1] and ink[near]:
                    ink[near] = False
                    waiting.append(near)
        found += size > 5
    return found


if __name__ == "__main__":
    unittest.main()
