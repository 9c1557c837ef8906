package dev.varve.platform.grammar.pattern;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.varve.platform.grammar.regex.Lexer;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.function.Predicate;
import java.util.stream.IntStream;

/** How characters become bytes. */
class TextRegexBuilderTest {
    private final Reading reading = new Reading();
    private final TextRegexBuilder plain =
            new TextRegexBuilder(reading.store(), StringEscaping.PLAIN);
    private final TextRegexBuilder json =
            new TextRegexBuilder(reading.store(), StringEscaping.JSON);

    /** Random sets, with ranges that begin and end where lengths change. */
    @Test
    void setMatchesItsCharactersOnly() {
        int[] edges = {
            0, 0x7F, 0x80, 0x7FF, 0x800, 0xFFF, 0xD7FF, 0xE000, 0xFFFF, 0x10000, 0x10FFFF
        };
        for (int seed = 0; seed < 200; seed++) {
            Random random = new Random(seed);
            List<CodePointSet> ranges = new ArrayList<>();
            for (int i = random.nextInt(5); i >= 0; i--) {
                int first = edges[random.nextInt(edges.length)] + random.nextInt(3);
                ranges.add(
                        CodePointSet.range(
                                Math.min(first, 0x10FFFF),
                                Math.min(0x10FFFF, first + random.nextInt(0x2000))));
            }
            CodePointSet set = CodePointSet.union(ranges);
            Lexer lexer = reading.lexer(plain.character(set));
            for (int edge : edges) {
                IntStream.rangeClosed(edge - 3, edge + 3)
                        .filter(CodePointSet.ALL::contains)
                        .forEach(codePoint -> check(ranges, lexer, codePoint, set));
            }
        }
    }

    private static void check(
            List<CodePointSet> ranges, Lexer lexer, int codePoint, CodePointSet set) {
        byte[] bytes = Character.toString(codePoint).getBytes(StandardCharsets.UTF_8);
        boolean expected = ranges.stream().anyMatch(contains(codePoint));
        assertEquals(expected, Reading.matches(lexer, bytes), set + ", " + codePoint);
    }

    private static Predicate<CodePointSet> contains(int codePoint) {
        return set ->
                IntStream.range(0, set.rangeCount())
                        .anyMatch(i -> set.first(i) <= codePoint && codePoint <= set.last(i));
    }

    @Test
    void everyCharacterMatchesOnceAndMalformedBytesNever() {
        Lexer lexer = reading.lexer(plain.characters(1, 1));
        int found = 0;
        for (int codePoint = 0; codePoint <= 0x10FFFF; codePoint++) {
            if (Character.getType(codePoint) != Character.SURROGATE) {
                byte[] bytes = Character.toString(codePoint).getBytes(StandardCharsets.UTF_8);
                found += Reading.matches(lexer, bytes) ? 1 : 0;
            }
        }

        assertEquals(0x110000 - 0x800, found);
        byte[][] malformed = {
            {(byte) 0xC0, (byte) 0x80},
            {(byte) 0xC1, (byte) 0xBF},
            {(byte) 0xE0, (byte) 0x9F, (byte) 0xBF},
            {(byte) 0xED, (byte) 0xA0, (byte) 0x80},
            {(byte) 0xF0, (byte) 0x8F, (byte) 0xBF, (byte) 0xBF},
            {(byte) 0xF4, (byte) 0x90, (byte) 0x80, (byte) 0x80},
            {(byte) 0xFF},
            {(byte) 0x80}
        };
        for (byte[] bytes : malformed) {
            assertFalse(
                    Reading.matches(lexer, bytes), new String(bytes, StandardCharsets.ISO_8859_1));
        }
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '~',
            quoteCharacter = '`',
            value = {
                "a               ~ true",
                "\\n             ~ true",
                "\\/             ~ true",
                "\\u0061         ~ true",
                "\\u00e9         ~ true",
                "\\uD83D\\uDE00  ~ true",
                "\\ud83d\\ude00  ~ true",
                "😀              ~ true",
                "\"              ~ false",
                "\\              ~ false",
                "\\uD83D         ~ false",
                "\\uDE00         ~ false",
                "\\uD83D\\u0061  ~ false",
                "\\x             ~ false",
                "ab              ~ false",
            })
    void jsonCharacterMatchesInAnyEscaping(String text, boolean valid) {
        assertEquals(valid, reading.matches(json.characters(1, 1), text));
    }

    @Test
    void charactersAreCounted() {
        assertTrue(reading.matches(json.characters(2, 3), "\\uD83D\\uDE00\\n"));
        assertFalse(reading.matches(json.characters(2, 3), "\\n"));
    }

    @Test
    void literalIsWrittenCanonically() {
        assertTrue(reading.matches(json.literal("a\"\n\u0001é😀"), "a\\\"\\n\\u0001é😀"));
        assertTrue(plain.literal("\uD800").isNothing());
    }
}
