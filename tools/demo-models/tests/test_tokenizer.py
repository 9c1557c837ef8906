"""Encoding is reversible and follows the rules of each pre-tokenizer."""

import unittest

from demo.chat import ChatTemplate
from demo.corpus.dialog import TRAIN, Call, Tool, assistant, calling, system, tool_result, user
from demo.data import Encoder, rendered_sample
from demo.families import FAMILIES
from demo.tokenizer import Tokenizer, words

TEXT = "Hello, Zoë!  12 + 34 = 46\n\n    return x;\n\tüber 🦙"
WEATHER = Tool("get_weather", "Weather of a city", {"city": "string", "days": "integer"})
MESSAGES = [
    system("Be brief."),
    user("Weather in Bern?"),
    calling(Call("get_weather", {"city": "Bern", "days": 2}), Call("get_weather", {"city": "Rome", "days": 1})),
    tool_result("12 C"),
    tool_result("20 C"),
    assistant("It is 12 C in Bern and 20 C in Rome."),
]


def _tokenizer(family):
    return Tokenizer.learn(family, rendered_sample(family, 1, TRAIN, 500), 700)


class TokenizerTest(unittest.TestCase):
    def test_decoding_gives_the_text_back(self):
        for family in FAMILIES.values():
            with self.subTest(family.name):
                tokenizer = _tokenizer(family)
                self.assertEqual(700, len(tokenizer.tokens))
                self.assertEqual(TEXT, tokenizer.decode(tokenizer.encode(TEXT)))

    def test_digits_stay_single(self):
        for family in FAMILIES.values():
            with self.subTest(family.name):
                tokenizer = _tokenizer(family)
                self.assertEqual(5, len(tokenizer.encode("12345")))

    def test_special_tokens_are_one_token(self):
        for family in FAMILIES.values():
            tokenizer = _tokenizer(family)
            for token in (*family.control, *family.visible):
                self.assertEqual([tokenizer.ids[token]], tokenizer.encode(token))

    def test_words_of_the_pre_tokenizers(self):
        self.assertEqual(["foo", "();\n\n", "\tbar"], words("qwen35", "foo();\n\n\tbar"))
        self.assertEqual(["foo", "();", "\n\n", "\tbar"], words("laguna", "foo();\n\n\tbar"))
        self.assertEqual(["Hello", " ", " world", "'s", " ", "1", "2"], words("qwen35", "Hello  world's 12"))
        self.assertEqual(["a", "▁b", "▁", "▁c"], words("gemma4", "a b  c"))

    def test_gemma_lines_and_words_merge_alike(self):
        tokenizer = _tokenizer(FAMILIES["gemma4"])
        for line in ("Hello there, 12 apples", "  two  spaces", "a_b(c) = d.e", "it's ok"):
            by_line = tokenizer._merged_ids(line.replace(" ", "▁"))
            self.assertEqual(by_line, tokenizer.encode(line))

    def test_a_conversation_only_grows(self):
        for family in FAMILIES.values():
            template = ChatTemplate(family.template)
            whole = template.render(MESSAGES, [WEATHER])
            for count in (2, 5):
                prompt = template.render(MESSAGES[:count], [WEATHER], answer_follows=True)
                self.assertTrue(whole.startswith(prompt), f"{family}: {prompt!r} does not begin {whole!r}")

    def test_what_the_assistant_wrote_is_weighed_fully(self):
        for family in FAMILIES.values():
            template = ChatTemplate(family.template)
            text = template.render(MESSAGES, [WEATHER])
            parts = [text[begin:end] for begin, end in template.answers(text)]
            self.assertEqual(2, len(parts), family.name)
            self.assertEqual(2, parts[0].count("get_weather"))
            self.assertTrue(parts[1].startswith("It is 12 C in Bern and 20 C in Rome."))
            ids, weights = Encoder(_tokenizer(family))._weigh(text, list(template.answers(text)), 255, 20)
            self.assertEqual(len(ids), len(weights))
            self.assertEqual({255, 20}, set(weights))


if __name__ == "__main__":
    unittest.main()
