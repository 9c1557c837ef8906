package dev.varve.platform.tokenizer;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import dev.varve.api.VarveException;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.stream.Collectors;

class UnigramTest {
    private static Tokenizer tokenizer(boolean merging, byte[] map) {
        return TestVocabulary.empty("t5", "")
                .token("<pad>", TokenType.CONTROL, 0)
                .token("</s>", TokenType.CONTROL, 0)
                .token("<unk>", TokenType.UNKNOWN, 0)
                .token("\u2581", TokenType.NORMAL, -2)
                .token("a", TokenType.NORMAL, -3)
                .token("b", TokenType.NORMAL, -3)
                .token("ab", TokenType.NORMAL, -4)
                .token("\u2581a", TokenType.NORMAL, -4.5f)
                .token("abab", TokenType.NORMAL, -9)
                .token("\u00e9", TokenType.NORMAL, -5)
                .rules(
                        new TextRules(
                                Optional.empty(),
                                true,
                                false,
                                new NormalizerRules(
                                        false, false, merging, map, OptionalInt.empty())))
                .tokenizer();
    }

    private static String pieces(Tokenizer tokenizer, String text) {
        return Arrays.stream(tokenizer.encode(text, false))
                .mapToObj(
                        id ->
                                new String(tokenizer.piece(id, true), StandardCharsets.UTF_8)
                                        .replace(' ', '_'))
                .collect(Collectors.joining(" "));
    }

    @Test
    void bestSumOfScoresWins() {
        Tokenizer tokenizer = tokenizer(true, NormalizerRules.NO_MAP);

        // _ + ab is -6, _a + b -7.5; two times ab is -8, more than abab.
        assertEquals("_ ab", pieces(tokenizer, "ab"));
        assertEquals("_ ab ab", pieces(tokenizer, "abab"));
        assertEquals("_a", pieces(tokenizer, "a"));
    }

    @Test
    void unknownCharactersInARowAreOneToken() {
        Tokenizer tokenizer = tokenizer(true, NormalizerRules.NO_MAP);

        assertEquals("_a <unk> b", pieces(tokenizer, "axy\ud83d\ude00b"));
    }

    @Test
    void spacesAreMergedWhereTheFileSaysSo() {
        assertEquals("_a _a", pieces(tokenizer(true, NormalizerRules.NO_MAP), "  a   a "));
        assertEquals("_ _ _a _ _a _", pieces(tokenizer(false, NormalizerRules.NO_MAP), "  a  a "));
    }

    @Test
    void charactersAreReplaced() {
        assertEquals("_ ab a", pieces(tokenizer(true, map('x', "ab")), "xa"));
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 3, 5, 7, 100})
    void brokenMapIsRefusedOrHarmless(int length) {
        byte[] map = new byte[length];
        map[0] = 8;
        if (length < 12) {
            assertEquals(
                    VarveException.Kind.CORRUPT_FILE,
                    assertThrows(VarveException.class, () -> tokenizer(true, map)).kind());
        } else {
            assertEquals("_a", pieces(tokenizer(true, map), "a"));
        }
    }

    /** A double-array trie that replaces one ASCII character. */
    private static byte[] map(char character, String replacement) {
        int[] units = new int[512];
        // The root's children are at 256 ^ character; that of the character is a leaf, whose value
        // is at the place to which its base points.
        units[0] = 256 << 10;
        int child = 256 ^ character;
        units[child] = character | 1 << 8 | (child ^ 2) << 10;
        units[2] = 0;
        ByteBuffer bytes =
                ByteBuffer.allocate(4 + 4 * units.length + replacement.length() + 1)
                        .order(ByteOrder.LITTLE_ENDIAN);
        bytes.putInt(4 * units.length);
        Arrays.stream(units).forEach(bytes::putInt);
        bytes.put(replacement.getBytes(StandardCharsets.UTF_8));
        return bytes.array();
    }
}
