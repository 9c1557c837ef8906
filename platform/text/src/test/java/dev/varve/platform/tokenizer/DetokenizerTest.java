package dev.varve.platform.tokenizer;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import java.nio.charset.StandardCharsets;
import java.util.HexFormat;
import java.util.Random;
import java.util.stream.IntStream;

class DetokenizerTest {
    /**
     * Bytes that begin, continue, overflow and break sequences, so that random ones are often
     * nearly valid.
     */
    private static final int[] TRICKY = {
        0x41, 0x7F, 0x80, 0x8F, 0x90, 0x9F, 0xA0, 0xBF, 0xC0, 0xC1, 0xC2, 0xDF, 0xE0, 0xE1, 0xED,
        0xEF, 0xF0, 0xF1, 0xF4, 0xF5, 0xFF, 0x00
    };

    private final Tokenizer tokenizer = TestVocabulary.ofBytes("qwen35").tokenizer();

    @Test
    void characterAppearsWithItsLastByte() {
        Detokenizer detokenizer = tokenizer.detokenizer();

        assertEquals("", detokenizer.push(0xF0));
        assertEquals("", detokenizer.push(0x9F));
        assertEquals("", detokenizer.push(0xA6));
        assertEquals("🦙", detokenizer.push(0x99));
        assertEquals("", detokenizer.finish());
    }

    @ParameterizedTest
    @CsvSource({"F09FA6, \uFFFD", "E4BDA0E5A5, 你\uFFFD", "C3, \uFFFD", "80, \uFFFD", "41, A"})
    void finishReplacesATruncatedCharacter(String hex, String text) {
        Detokenizer detokenizer = tokenizer.detokenizer();
        StringBuilder pushed = new StringBuilder();
        for (byte value : HexFormat.of().parseHex(hex)) {
            pushed.append(detokenizer.push(value & 0xFF));
        }

        pushed.append(detokenizer.finish());

        assertEquals(text, pushed.toString());
    }

    @Test
    void invalidSequenceIsNotHeldBack() {
        Detokenizer detokenizer = tokenizer.detokenizer();
        detokenizer.push(0xE0);

        assertEquals("\uFFFD\uFFFD", detokenizer.push(0x80), "E0 80 is overlong");
    }

    @Test
    void pushAfterFinishIsRefused() {
        Detokenizer detokenizer = tokenizer.detokenizer();
        detokenizer.finish();

        assertThrows(IllegalStateException.class, () -> detokenizer.push(65));
    }

    @Test
    void unknownIdIsRefused() {
        Detokenizer detokenizer = tokenizer.detokenizer();

        assertThrows(IllegalArgumentException.class, () -> detokenizer.push(256));
        assertThrows(IllegalArgumentException.class, () -> detokenizer.push(-1));
    }

    @Test
    void pushedTextIsTheWholeTextWithoutPartialCharacters() {
        Random random = new Random(4711);
        TestVocabulary vocabulary = TestVocabulary.ofBytes("qwen35");
        for (int token = 0; token < 400; token++) {
            vocabulary.byteToken(trickyBytes(random, 1 + random.nextInt(5)));
        }
        Tokenizer many = vocabulary.tokenizer();
        for (int round = 0; round < 20_000; round++) {
            int[] ids = random.ints(random.nextInt(10), 128, many.vocabularySize()).toArray();
            Detokenizer detokenizer = many.detokenizer();
            StringBuilder pushed = new StringBuilder();
            for (int id : ids) {
                String text = detokenizer.push(id);
                assertFalse(endsOrBeginsWithHalf(text), "round " + round);
                pushed.append(text);
            }
            pushed.append(detokenizer.finish());

            assertEquals(many.decode(ids), pushed.toString(), "round " + round);
        }
    }

    @Test
    void everyInvalidMaximalSubpartBecomesOneReplacement() {
        Random random = new Random(4712);
        for (int round = 0; round < 50_000; round++) {
            byte[] bytes = trickyBytes(random, random.nextInt(12));
            int[] ids = IntStream.range(0, bytes.length).map(at -> bytes[at] & 0xFF).toArray();

            assertEquals(
                    decodeByTable(ids),
                    tokenizer.decode(ids),
                    "bytes " + HexFormat.of().formatHex(bytes));
        }
    }

    @Test
    void wholeTextsSurviveAnySplitIntoTokens() {
        Random random = new Random(4713);
        for (int round = 0; round < 2_000; round++) {
            String text = RandomText.of(random, RandomText.NASTY, random.nextInt(20));
            Detokenizer detokenizer = tokenizer.detokenizer();
            StringBuilder pushed = new StringBuilder();
            for (byte value : text.getBytes(StandardCharsets.UTF_8)) {
                pushed.append(detokenizer.push(value & 0xFF));
            }

            assertEquals(text, pushed.toString(), "complete before finish, round " + round);
        }
    }

    private static boolean endsOrBeginsWithHalf(String text) {
        return !text.isEmpty()
                && (Character.isLowSurrogate(text.charAt(0))
                        || Character.isHighSurrogate(text.charAt(text.length() - 1)));
    }

    private static byte[] trickyBytes(Random random, int length) {
        byte[] bytes = new byte[length];
        for (int at = 0; at < length; at++) {
            bytes[at] = (byte) TRICKY[random.nextInt(TRICKY.length)];
        }
        return bytes;
    }

    /** The UTF-8 decoder of the WHATWG encoding standard, from its state table. */
    private static String decodeByTable(int[] bytes) {
        StringBuilder text = new StringBuilder();
        int codePoint = 0;
        int needed = 0;
        int lower = 0x80;
        int upper = 0xBF;
        for (int at = 0; at < bytes.length; at++) {
            int value = bytes[at];
            if (needed == 0) {
                lower = value == 0xE0 ? 0xA0 : value == 0xF0 ? 0x90 : 0x80;
                upper = value == 0xED ? 0x9F : value == 0xF4 ? 0x8F : 0xBF;
                needed = value < 0xC2 || value > 0xF4 ? 0 : value < 0xE0 ? 1 : value < 0xF0 ? 2 : 3;
                codePoint = needed == 0 ? value : value & (0x3F >> needed);
                if (needed == 0) {
                    text.appendCodePoint(value < 0x80 ? value : 0xFFFD);
                }
            } else if (value < lower || value > upper) {
                needed = 0;
                text.append('\uFFFD');
                at--;
            } else {
                lower = 0x80;
                upper = 0xBF;
                codePoint = codePoint << 6 | value & 0x3F;
                if (--needed == 0) {
                    text.appendCodePoint(codePoint);
                }
            }
        }
        return needed == 0 ? text.toString() : text.append('\uFFFD').toString();
    }
}
