package dev.varve.platform.compression.selection;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;

import org.junit.jupiter.api.Test;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.function.IntPredicate;
import java.util.stream.IntStream;

class TokenAlignedTextTest {
    /** Characters of 1, 2, 3 and 4 bytes, white space of 1, 2 and 3 bytes among them. */
    private static final List<String> CHARACTERS =
            List.of("a", "b", "é", "本", "🙂", " ", "\n", "\u00a0", "\u3000");

    /**
     * A text whose tokens are as long as a cut at random makes them. Some have no bytes, and some
     * are special, also in the middle of a character.
     */
    static TokenAlignedText cut(String text, Random random) {
        byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
        List<byte[]> pieces = new ArrayList<>();
        int at = 0;
        while (at < bytes.length) {
            int end = Math.min(bytes.length, at + random.nextInt(4));
            pieces.add(Arrays.copyOfRange(bytes, at, end));
            at = end;
        }
        return of(pieces, id -> id % 7 == 3);
    }

    static TokenAlignedText of(String... pieces) {
        return of(
                Arrays.stream(pieces)
                        .map(piece -> piece.getBytes(StandardCharsets.UTF_8))
                        .toList());
    }

    /** Those that begin with an angle bracket are special. */
    private static TokenAlignedText of(List<byte[]> pieces) {
        return of(pieces, id -> pieces.get(id).length > 0 && pieces.get(id)[0] == '<');
    }

    private static TokenAlignedText of(List<byte[]> pieces, IntPredicate special) {
        return TokenAlignedText.of(
                IntStream.range(0, pieces.size()).toArray(), pieces::get, special);
    }

    static String text(Random random, int characters) {
        StringBuilder text = new StringBuilder();
        for (int i = 0; i < characters; i++) {
            text.append(CHARACTERS.get(random.nextInt(CHARACTERS.size())));
        }
        return text.toString();
    }

    @Property(tries = 300)
    void tokensOfCharactersAreAllThatHoldOneOfTheirBytes(
            @ForAll @IntRange(min = 1, max = 30) int characters, @ForAll long seed) {
        Random random = new Random(seed);
        String text = text(random, characters);
        TokenAlignedText pieces = cut(text, random);
        int begin = text.offsetByCodePoints(0, random.nextInt(characters));
        int end = text.offsetByCodePoints(begin, 1);

        TokenRange range = pieces.tokensOf(new CharRange(begin, end));

        int firstByte = text.substring(0, begin).getBytes(StandardCharsets.UTF_8).length;
        int lastByte = text.substring(0, end).getBytes(StandardCharsets.UTF_8).length - 1;
        String found = pieces.text(range);
        assertTrue(found.contains(text.substring(begin, end)), text + ": " + found);
        // One token less at either end does not hold the character.
        assertEquals(range.begin(), tokenOfByte(pieces, firstByte), text);
        assertTrue(range.end() - 1 >= tokenOfByte(pieces, lastByte), text);
    }

    /** By asking for the text of more and more tokens; a cut character counts one at least. */
    private static int tokenOfByte(TokenAlignedText pieces, int index) {
        int token = 0;
        while (pieces.bytesBefore(token + 1) <= index) {
            token++;
        }
        return token;
    }

    @Test
    void tokenOfAPartialCharacterBelongsToIt() {
        byte[] smile = "🙂".getBytes(StandardCharsets.UTF_8);
        TokenAlignedText pieces =
                of(
                        List.of(
                                "a".getBytes(StandardCharsets.UTF_8),
                                new byte[] {smile[0], smile[1]},
                                new byte[] {smile[2]},
                                new byte[] {smile[3], 'b'},
                                new byte[] {'c'}));

        assertEquals(new TokenRange(1, 4), pieces.tokensOf(new CharRange(1, 3)));
        assertEquals(new TokenRange(1, 4), pieces.tokensOf(new CharRange(2, 3)));
        assertEquals(new TokenRange(3, 4), pieces.tokensOf(new CharRange(3, 4)));
        assertEquals(new TokenRange(0, 1), pieces.tokensOf(new CharRange(0, 1)));
        assertEquals(
                new ProtectedSpans(List.of(new TokenRange(0, 1), new TokenRange(4, 5))),
                pieces.protect(List.of(new CharRange(4, 5), new CharRange(0, 1))));
        assertThrows(IllegalArgumentException.class, () -> pieces.tokensOf(new CharRange(4, 6)));
    }

    @Test
    void invalidUtf8MayBeSplitAnywhere() {
        TokenAlignedText pieces =
                of(
                        List.of(
                                new byte[] {(byte) 0xE6},
                                new byte[] {(byte) 0x9C},
                                new byte[] {'a'},
                                new byte[] {(byte) 0x9C},
                                new byte[] {(byte) 0xF0}));

        for (int border = 0; border <= 5; border++) {
            assertTrue(pieces.isCharacterBorder(border), "border " + border);
        }
    }
}
