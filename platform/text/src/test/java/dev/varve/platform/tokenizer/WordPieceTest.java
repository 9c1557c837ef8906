package dev.varve.platform.tokenizer;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.stream.Collectors;

class WordPieceTest {
    private final Tokenizer tokenizer = vocabulary(true).tokenizer();

    private static TestVocabulary vocabulary(boolean lowerCase) {
        TestVocabulary vocabulary = TestVocabulary.empty("bert", "");
        vocabulary.token("[UNK]", TokenType.UNKNOWN).token("[CLS]", TokenType.CONTROL);
        for (String token :
                new String[] {
                    "\u2581hello",
                    "\u2581cafe",
                    "\u2581un",
                    "happy",
                    "\u2581,",
                    "\u2581Hello",
                    "\u2581\u65e5",
                    "\u2581\u672c",
                    "\u2581+",
                    "s"
                }) {
            vocabulary.token(token, TokenType.NORMAL);
        }
        return vocabulary.rules(
                new TextRules(
                        Optional.empty(),
                        true,
                        false,
                        new NormalizerRules(
                                lowerCase,
                                lowerCase,
                                false,
                                NormalizerRules.NO_MAP,
                                OptionalInt.of(0))));
    }

    private static String pieces(Tokenizer tokenizer, String text) {
        return Arrays.stream(tokenizer.encode(text, false))
                .mapToObj(id -> new String(tokenizer.piece(id, true), StandardCharsets.UTF_8))
                .map(String::strip)
                .collect(Collectors.joining(" "));
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "Hello hello, hello | hello hello , hello",
                "Café cafe | cafe cafe",
                "unhappys | un happy s",
                "unhappyx | [UNK]",
                "hello+hello | hello + hello"
            })
    void wordsAreDividedIntoTheLongestTokens(String text, String expected) {
        assertEquals(expected, pieces(tokenizer, text));
    }

    @Test
    void ideographsStandAlone() {
        assertEquals("\u65e5 \u672c", pieces(tokenizer, "\u65e5\u672c"));
    }

    @Test
    void caseMattersWhereTheFileSaysSo() {
        assertEquals("Hello hello", pieces(vocabulary(false).tokenizer(), "Hello hello"));
    }

    @Test
    void controlCharactersAreDropped() {
        assertEquals("hello hello", pieces(tokenizer, "hel\u0000lo\t\u200dhello\n"));
    }

    @Test
    void suiteOfThePublishedVocabularyMatchesTheReference() {
        GoldenVocabulary golden = GoldenVocabulary.load("bert-bge");
        for (int index = 0; index < golden.ids().size(); index++) {
            String text = golden.texts().get(index);

            assertArrayEquals(
                    golden.ids().get(index),
                    golden.tokenizer().encode(text, false),
                    "text " + index + ": " + text);
        }
    }

    @Test
    void publishedVocabularyPutsTokensAroundTexts() {
        TextFrame frame = GoldenVocabulary.load("bert-bge").tokenizer().frame();

        assertArrayEquals(new int[] {101, 7592, 102}, frame.around(new int[] {7592}));
        assertArrayEquals(
                new int[] {101, 7592, 102, 2088}, frame.around(new int[] {7592}, new int[] {2088}));
    }
}
