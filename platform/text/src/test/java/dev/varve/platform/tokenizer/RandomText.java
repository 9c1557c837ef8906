package dev.varve.platform.tokenizer;

import java.util.List;
import java.util.Random;

/** Random texts from pieces where tokenizers go wrong. */
final class RandomText {
    /**
     * Every kind of white space, letters with and without marks, digits of three categories, signs,
     * long s, emoji.
     */
    static final List<String> NASTY =
            List.of(
                    " ",
                    " ",
                    "  ",
                    "\n",
                    "\r",
                    "\r\n",
                    "\t",
                    "\u000B",
                    "\u0085",
                    "\u00A0",
                    "\u2028",
                    "\u3000",
                    "\u200B",
                    "\u001C",
                    "a",
                    "Z",
                    "ZZ",
                    "aB",
                    "カ",
                    "한",
                    "/",
                    "！",
                    "»",
                    "e\u0301",
                    "\u0301",
                    "\u093F",
                    "\u20DD",
                    "ſ",
                    "ß",
                    "İ",
                    "ʰ",
                    "ǅ",
                    "你",
                    "𐐷",
                    "नमस्ते",
                    "1",
                    "२",
                    "½",
                    "Ⅷ",
                    "𝟘",
                    "'",
                    "'s",
                    "'S",
                    "'re",
                    "'LL",
                    "'lL",
                    "'ſ",
                    "'v",
                    "’s",
                    "\"",
                    ".",
                    "--",
                    "();",
                    "$",
                    "€",
                    "_",
                    "\u0000",
                    "\u007F",
                    "🦙",
                    "😶\u200D🌫\uFE0F",
                    "\uFFFD",
                    "\uE000",
                    "\u0378");

    private RandomText() {}

    static String of(Random random, List<String> alphabet, int pieces) {
        StringBuilder text = new StringBuilder();
        for (int piece = 0; piece < pieces; piece++) {
            text.append(alphabet.get(random.nextInt(alphabet.size())));
        }
        return text.toString();
    }
}
