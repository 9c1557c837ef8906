package dev.varve.platform.compression.selection;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.varve.api.VarveException;
import dev.varve.platform.compression.selection.SelectionSettings.Edges;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

import java.util.Arrays;
import java.util.List;
import java.util.OptionalInt;
import java.util.stream.IntStream;

class ChunkSelectorTest {
    private static final ChunkSelector USUAL = new ChunkSelector(SelectionSettings.USUAL);
    private static final ChunkSelector NO_EDGES =
            new ChunkSelector(SelectionSettings.USUAL.withEdges(new Edges(0, 0)));

    private static KeepBudget keep(double ratio) {
        return KeepBudget.of(new KeepRatio(ratio));
    }

    private static KeptRange range(int begin, int end, KeepReason reason) {
        return new KeptRange(new TokenRange(begin, end), reason);
    }

    /** Chunks that stay for each of the reasons, where no words come again. */
    @ParameterizedTest
    @CsvSource({
        "65536, 0.05, 8, 24, 70",
        "8192,  0.05, 2, 9,  1",
        "320,   0.05, 0, 1,  0",
        "65536, 0.01, 4, 15, 1",
        "2048,  0.5,  7, 24, 1",
        "2112,  0.5,  8, 24, 1",
    })
    void edgesStayAndTheBestChunksFillTheRest(
            int tokens, double keep, int head, int tail, int others) {
        Selection selection = USUAL.select(Texts.ofDistinct(tokens).text(), keep(keep));

        assertEquals(32 * head, selection.keptTokens(KeepReason.HEAD));
        assertEquals(32 * tail, selection.keptTokens(KeepReason.TAIL));
        assertEquals(32 * others, selection.keptTokens(KeepReason.SCORE));
        assertEquals(32 * (head + tail + others), selection.keptTokens());
        assertEquals(selection.keptTokens() / (double) tokens, selection.actualRatio());
        assertEquals(selection.actualRatio(), selection.droppableRatio());
        assertEquals(new KeepRatio(keep), selection.requested());
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 5, 8})
    void aTextThatIsTooShortStays(int tokens) {
        ScoredText text = new ScoredText(new int[tokens], new float[0], ProtectedSpans.NONE);

        Selection selection = USUAL.select(text, keep(0.05));

        assertTrue(selection.isWhole());
        assertEquals(List.of(range(0, tokens, KeepReason.WHOLE)), selection.kept());
    }

    @Test
    void aTextOfNineTokensIsOneChunkWhichStays() {
        assertTrue(USUAL.select(Texts.ofDistinct(9).text(), keep(0.05)).isWhole());
    }

    @ParameterizedTest
    @ValueSource(ints = {9, 33, 320, 5000})
    void allOfATextIsTheText(int tokens) {
        Texts text = Texts.ofDistinct(tokens);

        Selection selection = USUAL.select(text.text(), keep(1));

        assertTrue(selection.isWhole());
        assertEquals(1, selection.actualRatio());
        assertArrayEquals(text.ids(), selection.of(text.ids()));
    }

    @Test
    void theBestChunksStayInTheOrderOfTheText() {
        Texts text = Texts.ofDistinct(640).score(480, 512, 0.9f).score(96, 128, 0.8f);

        Selection selection = NO_EDGES.select(text.text(), keep(0.1));

        assertEquals(
                List.of(range(96, 128, KeepReason.SCORE), range(480, 512, KeepReason.SCORE)),
                selection.kept());
        int[] kept = selection.of(text.ids());
        assertArrayEquals(Arrays.copyOfRange(text.ids(), 96, 128), Arrays.copyOf(kept, 32));
        assertEquals(64, kept.length);
    }

    @Test
    void ofEqualChunksTheFirstStay() {
        Selection selection = NO_EDGES.select(Texts.ofDistinct(6400).text(), keep(0.05));

        assertEquals(List.of(range(0, 320, KeepReason.SCORE)), selection.kept());
    }

    @Test
    void wordsOfTheEndMakeTheirPlaceStayWithItsNeighbours() {
        Texts text = Texts.ofDistinct(6400).put(3205, 1, 2, 3, 4).put(6350, 1, 2, 3, 4);

        Selection selection = NO_EDGES.select(text.text(), keep(0.005));

        // Chunk 100, and two on each side; they are more than was asked for, so the best one stays.
        assertEquals(
                List.of(
                        range(0, 32, KeepReason.SCORE),
                        range(98 * 32, 103 * 32, KeepReason.ANCHOR)),
                selection.kept());
        assertEquals(0.03, selection.actualRatio());
    }

    @Test
    void wordsThatStandEverywhereAreNoAnchors() {
        Texts text = Texts.ofDistinct(64_000).put(63_950, 1, 2, 3, 4);
        for (int i = 0; i < 8; i++) {
            text.put(3200 + 640 * i, 1, 2, 3, 4);
        }
        ChunkSelector eight =
                new ChunkSelector(
                        SelectionSettings.USUAL
                                .withEdges(new Edges(0, 0))
                                .withAnchors(
                                        AnchorSettings.USUAL.reaching(
                                                OptionalInt.of(0), OptionalInt.of(8))));

        assertEquals(8 * 32, eight.select(text.text(), keep(0.0005)).keptTokens(KeepReason.ANCHOR));
        text.put(40_000, 1, 2, 3, 4);
        assertEquals(0, eight.select(text.text(), keep(0.0005)).keptTokens(KeepReason.ANCHOR));
    }

    @Test
    void wordsOfTheLastNinetySixTokensAskAndNoOthers() {
        Texts text = Texts.ofDistinct(6400).put(3205, 1, 2, 3, 4);

        text.put(6304, 1, 2, 3, 4);
        assertEquals(5 * 32, anchored(text));

        text.put(6303, 1, 2, 3, 4);
        // The place before the query is one where its words could stand; they do not.
        assertEquals(0, anchored(text));
    }

    private static int anchored(Texts text) {
        return NO_EDGES.select(text.text(), keep(0.005)).keptTokens(KeepReason.ANCHOR);
    }

    @Test
    void wordsLeaveRoomForTheBestChunks() {
        Texts text = Texts.ofDistinct(6400).score(1600, 1632, 0.9f).score(5120, 5152, 0.8f);
        // 8 places, each with two chunks on each side: twice what is asked for, which is 20.
        for (int i = 0; i < 8; i++) {
            text.put(2240 + 320 * i, 1, 2, 3, 4).score(2240 + 320 * i, 2272 + 320 * i, 0.5f);
        }
        text.put(6350, 1, 2, 3, 4);

        Selection selection = NO_EDGES.select(text.text(), keep(0.1).atMost(40));

        assertEquals(40 * 32, selection.keptTokens());
        // The best 10 chunks are the two, and 8 of those with words.
        assertEquals(
                List.of(range(1600, 1632, KeepReason.SCORE), range(5120, 5152, KeepReason.SCORE)),
                selection.kept().stream()
                        .filter(each -> each.reason() == KeepReason.SCORE)
                        .toList());
        assertEquals(38 * 32, selection.keptTokens(KeepReason.ANCHOR));
    }

    @Test
    void wordsThatAreFewCountAsPartOfWhatWasAskedFor() {
        Texts text = Texts.ofDistinct(6400).put(3205, 1, 2, 3, 4).put(6350, 1, 2, 3, 4);

        Selection selection = NO_EDGES.select(text.text(), keep(0.03));

        assertEquals(5 * 32, selection.keptTokens(KeepReason.ANCHOR));
        assertEquals(32, selection.keptTokens(KeepReason.SCORE));
    }

    @Test
    void aBoundLeavesOutTheWorstOfWhatMustStay() {
        Texts text = Texts.ofDistinct(6400).put(3205, 1, 2, 3, 4).put(6350, 1, 2, 3, 4);
        text.score(101 * 32, 102 * 32, 0.5f).score(99 * 32, 100 * 32, 0.4f);

        Selection selection = NO_EDGES.select(text.text(), keep(0.005).atMost(2));

        assertEquals(
                List.of(
                        range(99 * 32, 100 * 32, KeepReason.ANCHOR),
                        range(101 * 32, 102 * 32, KeepReason.ANCHOR)),
                selection.kept());
    }

    @Test
    void aBoundHoldsForEdgesAndForWhatWasAskedForAsWell() {
        Selection selection = USUAL.select(Texts.ofDistinct(6400).text(), keep(0.5).atMost(10));

        assertEquals(10 * 32, selection.keptTokens());
        assertEquals(2 * 32, selection.keptTokens(KeepReason.HEAD));
        assertEquals(7 * 32, selection.keptTokens(KeepReason.TAIL));
    }

    @Test
    void protectedTokensStayBesideWhatWasAskedFor() {
        Texts text = Texts.ofDistinct(3200).score(1600, 1632, 0.9f);

        Selection selection =
                NO_EDGES.select(
                        text.protect(
                                new TokenRange(0, 320),
                                new TokenRange(1610, 1612),
                                new TokenRange(2500, 2503)),
                        keep(0.02));

        // 90 chunks may be left out, 1.8 of which shall stay.
        assertEquals(
                List.of(
                        range(0, 320, KeepReason.PROTECTED),
                        range(1600, 1610, KeepReason.SCORE),
                        range(1610, 1612, KeepReason.PROTECTED),
                        range(1612, 1632, KeepReason.SCORE),
                        range(2500, 2503, KeepReason.PROTECTED)),
                selection.kept());
        assertEquals(
                List.of(
                        new TokenRange(0, 320),
                        new TokenRange(1600, 1632),
                        new TokenRange(2500, 2503)),
                selection.runs());
        assertEquals(30 / 2875.0, selection.droppableRatio());
    }

    @Test
    void edgesThatAreProtectedLeaveTheirRoomToOthers() {
        Texts text = Texts.ofDistinct(8192);

        Selection selection =
                USUAL.select(
                        text.protect(new TokenRange(0, 64), new TokenRange(8192 - 288, 8192)),
                        keep(0.05));

        // 245 chunks may be left out, 12 of which shall stay: 2 + 9 at the edges, and one.
        assertEquals(64 + 288, selection.keptTokens(KeepReason.PROTECTED));
        assertEquals(12 * 32, selection.keptTokens(KeepReason.SCORE));
    }

    @Test
    void aTextThatIsProtectedStays() {
        Selection selection =
                USUAL.select(Texts.ofDistinct(500).protect(new TokenRange(0, 500)), keep(0.05));

        assertTrue(selection.isWhole());
        assertEquals(1, selection.droppableRatio());
    }

    @Test
    void marksBetweenMessagesAreNoAnchors() {
        Texts text = Texts.ofDistinct(3200).put(3150, 1, 2, 3, 4).put(1600, 1, 2, 3, 4);
        TokenRange mark = new TokenRange(1602, 1603);

        assertEquals(
                0, NO_EDGES.select(text.protect(mark), keep(0.01)).keptTokens(KeepReason.ANCHOR));
    }

    @Test
    void tokensThatComeAgainMakeTheirChunksStay() {
        Texts text = Texts.ofDistinct(6400);
        for (int i = 0; i < 5; i++) {
            text.put(640 * (i + 1), 7);
        }
        for (int i = 0; i < 4; i++) {
            text.put(640 * (i + 1) + 64, 3).put(640 * (i + 1) + 128, 2);
        }
        text.put(3000, 9).put(4000, 9).put(5000, 9);
        SelectionSettings settings = SelectionSettings.USUAL.withEdges(new Edges(0, 0));
        ChunkSelector repeats =
                new ChunkSelector(settings.withRepeats(RecurringTokenSettings.USUAL));

        Selection selection = repeats.select(text.text(), keep(0.05));

        // The most frequent token first, then the lowest id: 5 + 4 chunks, and one of the third.
        assertEquals(10 * 32, selection.keptTokens(KeepReason.REPEAT));
        assertEquals(
                List.of(640, 704, 768, 1280, 1408, 1920, 2048, 2560, 2688, 3200).stream()
                        .map(at -> at / 32)
                        .sorted()
                        .toList(),
                chunks(selection));
    }

    @Test
    void tokensThatComeAgainStopWhereItIsEnough() {
        Texts text = Texts.ofDistinct(6400);
        for (int i = 0; i < 6; i++) {
            text.put(640 * (i + 1), 7);
        }
        ChunkSelector three =
                new ChunkSelector(
                        SelectionSettings.USUAL
                                .withEdges(new Edges(0, 0))
                                .withRepeats(new RecurringTokenSettings(4, 32, OptionalInt.of(3))));

        Selection selection = three.select(text.text(), keep(0.1));

        assertEquals(3 * 32, selection.keptTokens(KeepReason.REPEAT));
        assertEquals(20 * 32, selection.keptTokens());
    }

    private static List<Integer> chunks(Selection selection) {
        return selection.kept().stream()
                .flatMap(
                        each ->
                                IntStream.range(
                                                each.tokens().begin() / 32,
                                                each.tokens().end() / 32)
                                        .boxed())
                .toList();
    }

    @Test
    void followedAnchorsSayThatTheyAreSuch() {
        Texts text = Texts.ofDistinct(6400).put(3205, 1, 2, 3, 4, 5).put(6350, 1, 2, 3, 4);
        text.put(1000, 5);
        ChunkSelector transitive =
                new ChunkSelector(
                        SelectionSettings.USUAL
                                .withEdges(new Edges(0, 0))
                                .withTransitive(TransitiveSettings.USUAL));

        Selection selection = transitive.select(text.text(), keep(0.05));

        assertEquals(5 * 32, selection.keptTokens(KeepReason.ANCHOR));
        assertEquals(32, selection.keptTokens(KeepReason.TRANSITIVE));
        assertEquals(4 * 32, selection.keptTokens(KeepReason.SCORE));
        assertFalse(selection.isWhole());
    }

    @Test
    void whatIsNoScoredTextIsRefused() {
        assertThrows(
                IllegalArgumentException.class, () -> new ScoredText(new int[0], new float[0]));
        assertThrows(
                IllegalArgumentException.class, () -> new ScoredText(new int[20], new float[19]));
        assertThrows(
                IllegalArgumentException.class,
                () -> Texts.ofDistinct(20).protect(new TokenRange(19, 21)));
        float[] scores = new float[20];
        scores[12] = Float.NaN;
        VarveException error =
                assertThrows(VarveException.class, () -> new ScoredText(new int[20], scores));
        assertEquals(VarveException.Kind.BACKEND_FAILED, error.kind());
        assertEquals(
                "drafter: expected numbers as scores, found NaN at token 12", error.getMessage());
    }

    @ParameterizedTest
    @CsvSource({"1023, 2, 8", "1024, 4, 16", "2047, 4, 16", "2048, 8, 32", "1, 2, 8"})
    void anchorsReachAsFarAsTheTextIsLong(int chunks, int radius, int hits) {
        assertEquals(new AnchorReach(radius, hits), AnchorSettings.USUAL.reach(chunks));
    }

    @Test
    void aGivenReachComesBeforeTheLengthAndMayBeNothing() {
        OptionalInt none = OptionalInt.empty();

        assertEquals(
                new AnchorReach(0, 8),
                AnchorSettings.USUAL.reaching(OptionalInt.of(0), none).reach(1));
        assertEquals(
                new AnchorReach(2, 0),
                AnchorSettings.USUAL.reaching(none, OptionalInt.of(0)).reach(1));
        assertEquals(
                new AnchorReach(7, 9),
                AnchorSettings.USUAL.reaching(OptionalInt.of(7), OptionalInt.of(9)).reach(4000));
        assertThrows(
                IllegalArgumentException.class,
                () -> AnchorSettings.USUAL.reaching(OptionalInt.of(-1), none));
    }

    @Test
    void noHitsAreNoAnchors() {
        Texts text = Texts.ofDistinct(6400).put(3205, 1, 2, 3, 4).put(6350, 1, 2, 3, 4);
        ChunkSelector none =
                new ChunkSelector(
                        SelectionSettings.USUAL.withAnchors(
                                AnchorSettings.USUAL.reaching(
                                        OptionalInt.empty(), OptionalInt.of(0))));

        assertEquals(0, none.select(text.text(), keep(0.05)).keptTokens(KeepReason.ANCHOR));
    }
}
