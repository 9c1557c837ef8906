"""What would be kept of a prompt, by the rule of prompt compression."""

import unittest

import numpy
import torch

from demo.qwen3 import Qwen3
from demo.survival import anchors, choose, chunk_values, scores


class SurvivalTest(unittest.TestCase):
    def test_values_are_means_of_smoothed_scores(self):
        given = numpy.zeros(70)
        given[35] = 13.0

        values = chunk_values(given)

        self.assertEqual(3, len(values))
        # Thirteen places have one each, of which three lie in the first chunk.
        self.assertAlmostEqual(3 / 32, values[0])
        self.assertAlmostEqual(10 / 32, values[1])
        self.assertEqual(0, values[2])

    def test_ends_stay_within_their_budget(self):
        ids = list(range(8192))

        choice = choose(ids, numpy.arange(256.0), keep=0.05)

        self.assertEqual({0, 1} | set(range(247, 256)), choice.edges)
        self.assertEqual(set(), choice.anchors)
        self.assertEqual({246}, choice.best)

    def test_places_that_share_words_with_the_end_stay(self):
        ids = list(range(4000))
        ids[1000:1004] = ids[3950:3954]

        self.assertEqual({29, 30, 31, 32, 33}, anchors(ids, 125))

    def test_words_leave_half_of_the_room_to_the_best(self):
        ids = list(range(6400))
        for place in range(1, 8):
            ids[640 * place : 640 * place + 4] = ids[6350:6354]
        values = numpy.zeros(200)
        values[[9, 20, 31]] = 1.0, 2.0, 3.0

        choice = choose(ids, values, keep=0.02)

        self.assertEqual(35, len(choice.anchors))
        self.assertEqual({31}, choice.best)

    def test_equal_values_keep_the_first(self):
        choice = choose(list(range(3200)), numpy.zeros(100), keep=0.4)

        self.assertEqual(set(range(8, 16)), choice.best)

    def test_scores_are_the_most_that_any_head_gives(self):
        torch.manual_seed(4)
        model = Qwen3(64)
        ids = torch.randint(0, 64, (40,)).tolist()

        found = scores(model, ids)

        self.assertEqual(40, len(found))
        self.assertTrue(((found >= 0) & (found <= 1)).all())
        # The last token is seen by itself alone.
        self.assertLessEqual(found[-1], 1 / 8 + 1e-9)


if __name__ == "__main__":
    unittest.main()
