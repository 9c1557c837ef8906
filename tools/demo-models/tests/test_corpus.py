"""The corpus is repeatable, and training never sees what the questions ask."""

import itertools
import random
import re
import unittest

from demo.corpus import arithmetic, mixture, needles
from demo.corpus.dialog import HELD_OUT, TRAIN, Conversation


def _texts(split, count):
    for item in mixture.sample(7, split, count):
        if isinstance(item, Conversation):
            yield from (message["content"] for message in item.messages if message["role"] == "user")
        else:
            yield item


def _letters(text):
    """Tokens of a tokenizer of four characters each."""
    return len(text) // 4


def _plain(text):
    return text.lower().strip(" .?!")


class CorpusTest(unittest.TestCase):
    def test_the_same_seed_gives_the_same_corpus(self):
        first = list(mixture.sample(3, TRAIN, 500))
        self.assertEqual(first, list(mixture.sample(3, TRAIN, 500)))
        self.assertNotEqual(first, list(mixture.sample(4, TRAIN, 500)))

    def test_shares_are_the_whole(self):
        for sources in (mixture.SOURCES, mixture.of_long_rows(), mixture.of_long_rows(0.5), mixture.of_draft_rows()):
            self.assertAlmostEqual(1.0, sum(source.share for source in sources))

    def test_no_question_is_asked_in_the_training(self):
        trained = {_plain(text) for text in _texts(TRAIN, 30_000)}
        for question in mixture.questions(7):
            text = _plain(question.messages[-1]["content"])
            # A command of few words may be trained beside another tool; sums and facts never are.
            if question.kind in ("sum", "fact", "feature", "json", "needle"):
                self.assertFalse(text in trained, text)

    def test_no_sum_or_difference_of_held_out_operands_is_trained(self):
        checked = 0
        for text in itertools.islice(arithmetic.drills(random.Random(5), TRAIN), 500):
            for line in text.splitlines():
                parts = line.split()
                if len(parts) == 5 and parts[1] in "+-":
                    self.assertFalse(arithmetic.held_out_pair(int(parts[0]), int(parts[2])), line)
                    checked += 1
        self.assertGreater(checked, 1000)

    def test_questions_of_sums_have_held_out_operands_and_right_results(self):
        asked = [question for question in mixture.questions(9, 2) if question.kind == "sum"]
        self.assertEqual(200, len(asked))
        for question in asked:
            text = question.messages[-1]["content"]
            a, b = (int(number) for number in re.findall(r"\d+", text))
            self.assertTrue(arithmetic.held_out_pair(a, b), text)
            ((result,),) = question.accepted
            self.assertIn(int(result), (a + b, abs(a - b)), text)

    def test_far_needles_are_told_once_and_as_deep_as_asked_for(self):
        asked = needles.far_questions(random.Random(13), 1500, needles.Depths(128, -1100), 3, _letters)
        for question in itertools.islice(asked, 30):
            text = question.messages[-1]["content"]
            ((value,),) = question.accepted
            (told,) = re.finditer(rf"(?<!\w){value}(?!\w)", text, re.I)
            self.assertGreaterEqual(_letters(text[: told.start()]), 128)
            self.assertGreater(_letters(text[told.end() :]), 1050)
            self.assertAlmostEqual(1500, _letters(text), delta=100)

    def test_a_text_without_such_depths_is_refused(self):
        asked = needles.far_questions(random.Random(13), 1500, needles.Depths(800, -1100), 1, _letters)
        with self.assertRaisesRegex(ValueError, "1500 tokens, found 800 to -1100"):
            next(asked)

    def test_far_conversations_ask_for_all_that_they_hold(self):
        conversations = needles.far_conversations(mixture.LONG)(random.Random(17), TRAIN)
        counts = [sum(message["role"] == "user" for message in next(conversations).messages) for _ in range(40)]
        self.assertIn(1, counts)
        self.assertGreater(max(counts), 15)

    def test_held_out_conversations_end_with_the_assistant(self):
        for split in (TRAIN, HELD_OUT):
            for item in mixture.sample(11, split, 2000):
                if isinstance(item, Conversation):
                    self.assertEqual("assistant", item.messages[-1]["role"])
                    self.assertNotIn("tool_calls", item.messages[-1])


if __name__ == "__main__":
    unittest.main()
