package dev.varve.platform.compression.selection;

import static org.junit.jupiter.api.Assertions.assertEquals;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import java.util.BitSet;
import java.util.OptionalInt;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

class TransitiveAnchorsTest {
    private static final int CHUNK = 64;

    /** A text of 40 chunks before its query; chunk 2 has words of the query. */
    private final Texts text = Texts.ofDistinct(40 * CHUNK + 96);

    TransitiveAnchorsTest() {
        words(2, 0, 1);
        text.put(40 * CHUNK + 50, 10, 11, 12, 13);
    }

    /** Writes the words of a number into a chunk. */
    private void words(int chunk, int at, int number) {
        text.put(
                chunk * CHUNK + at, 10 * number, 10 * number + 1, 10 * number + 2, 10 * number + 3);
    }

    private String direct() {
        return show(search(0, chunks()).direct());
    }

    private String expand(int rareTokens, int most) {
        return expand(rareTokens, 8, most, 0);
    }

    private String expand(int rareTokens, int rounds, int most, int radius) {
        ChunkedText chunks = chunks();
        AnchorSearch anchors = search(radius, chunks);
        BitSet direct = anchors.direct();
        return show(
                new TransitiveAnchors(chunks, anchors, rareTokens, rounds).expand(direct, most));
    }

    private ChunkedText chunks() {
        return ChunkedText.of(text.text(), CHUNK);
    }

    private static AnchorSearch search(int radius, ChunkedText chunks) {
        return new AnchorSearch(
                chunks, new AnchorSettings(96, 4, OptionalInt.of(radius), OptionalInt.of(8)));
    }

    private static String show(BitSet chunks) {
        return chunks.stream().mapToObj(Integer::toString).collect(Collectors.joining(" "));
    }

    @Test
    void wordsOfTheQueryLeadToTheirChunk() {
        assertEquals("2", direct());
    }

    @Test
    void directAnchorsMissIndirectReferences() {
        words(2, 20, 2);
        words(17, 5, 2);

        assertEquals("2", direct());
    }

    /** Also where rare tokens lead nowhere, so that only words of the found chunks can. */
    @ParameterizedTest
    @ValueSource(ints = {0, 8})
    void wordsLeadFromChunkToChunk(int rareTokens) {
        words(2, 20, 2);
        words(17, 5, 2);
        words(17, 40, 3);
        words(9, 5, 3);
        words(9, 40, 4);
        words(33, 60, 4);

        assertEquals("2 9 17 33", expand(rareTokens, 10));
    }

    @Test
    void roundsAreLimited() {
        words(2, 20, 2);
        words(17, 5, 2);
        words(17, 40, 3);
        words(9, 5, 3);

        assertEquals("2", expand(0, 0, 10, 0));
        assertEquals("2 17", expand(0, 1, 10, 0));
        assertEquals("2 9 17", expand(0, 2, 10, 0));
    }

    @Test
    void rareTokensAreFollowedInOtherContexts() {
        text.put(2 * CHUNK + 20, 500).put(17 * CHUNK + 3, 500);
        text.put(17 * CHUNK + 50, 501).put(9 * CHUNK + 30, 501);

        assertEquals("2 9 17", expand(8, 10));
        assertEquals("2", expand(1, 10));
        assertEquals("2", expand(0, 10));
    }

    @Test
    void singleTokenOfTheQueryIsNotFollowed() {
        text.put(40 * CHUNK + 10, 500).put(17 * CHUNK + 3, 500);

        assertEquals("2", expand(8, 10));
    }

    @Test
    void roundWithTooManyMatchesIsUndone() {
        // A chain over 20 chunks from chunk 0 on, to which the query leads.
        words(2, 0, 9);
        words(0, 0, 1);
        for (int i = 0; i < 20; i++) {
            text.put(i * CHUNK + 30, 500 + i).put((i + 1) * CHUNK + 10, 500 + i);
        }

        assertEquals("0", expand(8, 5));
        assertEquals(
                IntStream.rangeClosed(0, 20)
                        .mapToObj(Integer::toString)
                        .collect(Collectors.joining(" ")),
                expand(8, 21));
    }

    @Test
    void wordsAreFollowedUpToTheChunkLimit() {
        words(2, 0, 9);
        words(0, 0, 1);
        for (int i = 0; i < 20; i++) {
            words(i, 30, 20 + i);
            words(i + 1, 10, 20 + i);
        }

        assertEquals("0 1 2 3 4", expand(0, 5));
    }

    /**
     * Chunks that anchors find directly stay, even if they exceed the limit for both kinds
     * together.
     */
    @Test
    void directAnchorsAreNeverUndone() {
        for (int i = 0; i < 5; i++) {
            words(3 + i, 0, 1);
        }

        assertEquals("2 3 4 5 6 7", expand(8, 2));
    }

    @Test
    void wordsOfAChunkDoNotLeadToItsNeighbours() {
        words(2, 20, 2);
        words(17, 5, 2);

        assertEquals("1 2 3 16 17 18", expand(0, 8, 40, 1));
    }

    @Test
    void protectedTokensAreNotFollowed() {
        text.put(2 * CHUNK + 20, 500).put(17 * CHUNK + 3, 500);
        ChunkedText chunks =
                ChunkedText.of(text.protect(new TokenRange(17 * CHUNK + 3, 17 * CHUNK + 4)), CHUNK);
        AnchorSearch anchors = search(0, chunks);

        BitSet found = new TransitiveAnchors(chunks, anchors, 8, 8).expand(anchors.direct(), 10);

        assertEquals("2", show(found));
    }
}
