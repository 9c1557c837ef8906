package dev.varve.platform.compression.selection;

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

import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.stream.IntStream;

class ChunkSelectorTest {
    private static final ChunkSelector USUAL = new ChunkSelector(SelectionSettings.USUAL);
    private static final ChunkSelector NO_EDGES =
            selector(AnchorSettings.USUAL, false, Optional.empty());

    private static ChunkSelector selector(
            AnchorSettings anchors, boolean hops, Optional<RecurringTokenSettings> repeats) {
        return new ChunkSelector(new SelectionSettings(new Edges(0, 0), anchors, hops, repeats));
    }

    private static AnchorSettings reaching(OptionalInt radius, OptionalInt mostHits) {
        return new AnchorSettings(96, 4, radius, mostHits);
    }

    private static ScoredText scored(int[] ids, float[] scores) {
        return new ScoredText(ids, scores, new ProtectedSpans(List.of()));
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
    void edgesAreKeptAndTheBestChunksFillTheRest(
            int tokens, double keep, int head, int tail, int others) {
        Selection selection =
                USUAL.select(
                        Texts.ofDistinct(tokens).text(), new KeepRatio(keep), Integer.MAX_VALUE);

        assertEquals(32 * head, Texts.kept(selection, KeepReason.HEAD));
        assertEquals(32 * tail, Texts.kept(selection, KeepReason.TAIL));
        assertEquals(32 * others, Texts.kept(selection, KeepReason.SCORE));
        assertEquals(32 * (head + tail + others), selection.keptTokens());
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 5, 8})
    void shortTextIsKept(int tokens) {
        ScoredText text =
                new ScoredText(new int[tokens], new float[0], new ProtectedSpans(List.of()));

        Selection selection = USUAL.select(text, new KeepRatio(0.05), Integer.MAX_VALUE);

        assertTrue(selection.isWhole());
        assertEquals(List.of(range(0, tokens, KeepReason.WHOLE)), selection.kept());
    }

    @Test
    void textOfNineTokensIsOneChunkAndIsKept() {
        assertTrue(
                USUAL.select(Texts.ofDistinct(9).text(), new KeepRatio(0.05), Integer.MAX_VALUE)
                        .isWhole());
    }

    @ParameterizedTest
    @ValueSource(ints = {9, 33, 320, 5000})
    void ratioOfOneKeepsTheText(int tokens) {
        Texts text = Texts.ofDistinct(tokens);

        Selection selection = USUAL.select(text.text(), new KeepRatio(1), Integer.MAX_VALUE);

        assertTrue(selection.isWhole());
    }

    @Test
    void bestChunksAreKeptInTextOrder() {
        Texts text = Texts.ofDistinct(640).score(480, 512, 0.9f).score(96, 128, 0.8f);

        Selection selection = NO_EDGES.select(text.text(), new KeepRatio(0.1), Integer.MAX_VALUE);

        assertEquals(
                List.of(range(96, 128, KeepReason.SCORE), range(480, 512, KeepReason.SCORE)),
                selection.kept());
    }

    @Test
    void ofEqualChunksTheFirstAreKept() {
        Selection selection =
                NO_EDGES.select(
                        Texts.ofDistinct(6400).text(), new KeepRatio(0.05), Integer.MAX_VALUE);

        assertEquals(List.of(range(0, 320, KeepReason.SCORE)), selection.kept());
    }

    @Test
    void wordsOfTheQueryKeepTheirChunksAndNeighbours() {
        Texts text = Texts.ofDistinct(6400).put(3205, 1, 2, 3, 4).put(6350, 1, 2, 3, 4);

        Selection selection = NO_EDGES.select(text.text(), new KeepRatio(0.005), Integer.MAX_VALUE);

        // Chunk 100, and two on each side; they are more than was asked for, so the best one stays.
        assertEquals(
                List.of(
                        range(0, 32, KeepReason.SCORE),
                        range(98 * 32, 103 * 32, KeepReason.ANCHOR)),
                selection.kept());
    }

    @Test
    void frequentWordsAreNoAnchors() {
        Texts text = Texts.ofDistinct(64_000).put(63_950, 1, 2, 3, 4);
        for (int i = 0; i < 8; i++) {
            text.put(3200 + 640 * i, 1, 2, 3, 4);
        }
        ChunkSelector eight =
                selector(reaching(OptionalInt.of(0), OptionalInt.of(8)), false, Optional.empty());

        assertEquals(
                8 * 32,
                Texts.kept(
                        eight.select(text.text(), new KeepRatio(0.0005), Integer.MAX_VALUE),
                        KeepReason.ANCHOR));
        text.put(40_000, 1, 2, 3, 4);
        assertEquals(
                0,
                Texts.kept(
                        eight.select(text.text(), new KeepRatio(0.0005), Integer.MAX_VALUE),
                        KeepReason.ANCHOR));
    }

    @Test
    void onlyTheLastNinetySixTokensAreTheQuery() {
        Texts text = Texts.ofDistinct(6400).put(3205, 1, 2, 3, 4);

        text.put(6304, 1, 2, 3, 4);
        assertEquals(5 * 32, anchored(text));

        text.put(6303, 1, 2, 3, 4);
        // The place before the query is one where its words could stand; they do not.
        assertEquals(0, anchored(text));
    }

    private static int anchored(Texts text) {
        return Texts.kept(
                NO_EDGES.select(text.text(), new KeepRatio(0.005), Integer.MAX_VALUE),
                KeepReason.ANCHOR);
    }

    @Test
    void anchorsLeaveRoomForTheBestChunks() {
        Texts text = Texts.ofDistinct(6400).score(1600, 1632, 0.9f).score(5120, 5152, 0.8f);
        // 8 places, each with two chunks on each side: twice what is asked for, which is 20.
        for (int i = 0; i < 8; i++) {
            text.put(2240 + 320 * i, 1, 2, 3, 4).score(2240 + 320 * i, 2272 + 320 * i, 0.5f);
        }
        text.put(6350, 1, 2, 3, 4);

        Selection selection = NO_EDGES.select(text.text(), new KeepRatio(0.1), 40);

        assertEquals(40 * 32, selection.keptTokens());
        // The best 10 chunks are the two, and 8 of those with words.
        assertEquals(
                List.of(range(1600, 1632, KeepReason.SCORE), range(5120, 5152, KeepReason.SCORE)),
                selection.kept().stream()
                        .filter(each -> each.reason() == KeepReason.SCORE)
                        .toList());
        assertEquals(38 * 32, Texts.kept(selection, KeepReason.ANCHOR));
    }

    @Test
    void anchorsCountAsPartOfTheKeepRatio() {
        Texts text = Texts.ofDistinct(6400).put(3205, 1, 2, 3, 4).put(6350, 1, 2, 3, 4);

        Selection selection = NO_EDGES.select(text.text(), new KeepRatio(0.03), Integer.MAX_VALUE);

        assertEquals(5 * 32, Texts.kept(selection, KeepReason.ANCHOR));
        assertEquals(32, Texts.kept(selection, KeepReason.SCORE));
    }

    @Test
    void maximumRemovesTheLowestScoringMandatoryChunks() {
        Texts text = Texts.ofDistinct(6400).put(3205, 1, 2, 3, 4).put(6350, 1, 2, 3, 4);
        text.score(101 * 32, 102 * 32, 0.5f).score(99 * 32, 100 * 32, 0.4f);

        Selection selection = NO_EDGES.select(text.text(), new KeepRatio(0.005), 2);

        assertEquals(
                List.of(
                        range(99 * 32, 100 * 32, KeepReason.ANCHOR),
                        range(101 * 32, 102 * 32, KeepReason.ANCHOR)),
                selection.kept());
    }

    @Test
    void maximumAppliesToEdgesAndTheKeepRatio() {
        Selection selection = USUAL.select(Texts.ofDistinct(6400).text(), new KeepRatio(0.5), 10);

        assertEquals(10 * 32, selection.keptTokens());
        assertEquals(2 * 32, Texts.kept(selection, KeepReason.HEAD));
        assertEquals(7 * 32, Texts.kept(selection, KeepReason.TAIL));
    }

    @Test
    void protectedTokensAreKeptBesideTheKeepRatio() {
        Texts text = Texts.ofDistinct(3200).score(1600, 1632, 0.9f);

        Selection selection =
                NO_EDGES.select(
                        text.protect(
                                new TokenRange(0, 320),
                                new TokenRange(1610, 1612),
                                new TokenRange(2500, 2503)),
                        new KeepRatio(0.02),
                        Integer.MAX_VALUE);

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
    }

    @Test
    void protectedEdgesLeaveTheirRoomToOthers() {
        Texts text = Texts.ofDistinct(8192);

        Selection selection =
                USUAL.select(
                        text.protect(new TokenRange(0, 64), new TokenRange(8192 - 288, 8192)),
                        new KeepRatio(0.05),
                        Integer.MAX_VALUE);

        // 245 chunks may be left out, 12 of which shall stay: 2 + 9 at the edges, and one.
        assertEquals(64 + 288, Texts.kept(selection, KeepReason.PROTECTED));
        assertEquals(12 * 32, Texts.kept(selection, KeepReason.SCORE));
    }

    @Test
    void protectedTextIsKept() {
        Selection selection =
                USUAL.select(
                        Texts.ofDistinct(500).protect(new TokenRange(0, 500)),
                        new KeepRatio(0.05),
                        Integer.MAX_VALUE);

        assertTrue(selection.isWhole());
    }

    @Test
    void messageStartTokensAreNoAnchors() {
        Texts text = Texts.ofDistinct(3200).put(3150, 1, 2, 3, 4).put(1600, 1, 2, 3, 4);
        TokenRange mark = new TokenRange(1602, 1603);

        assertEquals(
                0,
                Texts.kept(
                        NO_EDGES.select(text.protect(mark), new KeepRatio(0.01), Integer.MAX_VALUE),
                        KeepReason.ANCHOR));
    }

    @Test
    void repeatedTokensKeepTheirChunks() {
        Texts text = Texts.ofDistinct(6400);
        for (int i = 0; i < 5; i++) {
            text.put(640 * (i + 1), 7);
        }
        for (int i = 0; i < 4; i++) {
            text.put(640 * (i + 1) + 64, 3).put(640 * (i + 1) + 128, 2);
        }
        text.put(3000, 9).put(4000, 9).put(5000, 9);
        ChunkSelector repeats =
                selector(AnchorSettings.USUAL, false, Optional.of(RecurringTokenSettings.USUAL));

        Selection selection = repeats.select(text.text(), new KeepRatio(0.05), Integer.MAX_VALUE);

        // The most frequent token first, then the lowest id: 5 + 4 chunks, and one of the third.
        assertEquals(10 * 32, Texts.kept(selection, KeepReason.REPEAT));
        assertEquals(
                List.of(640, 704, 768, 1280, 1408, 1920, 2048, 2560, 2688, 3200).stream()
                        .map(at -> at / 32)
                        .sorted()
                        .toList(),
                chunks(selection));
    }

    @Test
    void repeatedTokensStopAtTheirLimit() {
        Texts text = Texts.ofDistinct(6400);
        for (int i = 0; i < 6; i++) {
            text.put(640 * (i + 1), 7);
        }
        ChunkSelector three =
                selector(
                        AnchorSettings.USUAL,
                        false,
                        Optional.of(new RecurringTokenSettings(4, 32, OptionalInt.of(3))));

        Selection selection = three.select(text.text(), new KeepRatio(0.1), Integer.MAX_VALUE);

        assertEquals(3 * 32, Texts.kept(selection, KeepReason.REPEAT));
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
    void transitiveAnchorsAreReported() {
        Texts text = Texts.ofDistinct(6400).put(3205, 1, 2, 3, 4, 5).put(6350, 1, 2, 3, 4);
        text.put(1000, 5);
        ChunkSelector transitive = selector(AnchorSettings.USUAL, true, Optional.empty());

        Selection selection =
                transitive.select(text.text(), new KeepRatio(0.05), Integer.MAX_VALUE);

        assertEquals(5 * 32, Texts.kept(selection, KeepReason.ANCHOR));
        assertEquals(32, Texts.kept(selection, KeepReason.TRANSITIVE));
        assertEquals(4 * 32, Texts.kept(selection, KeepReason.SCORE));
        assertFalse(selection.isWhole());
    }

    @Test
    void invalidScoredTextIsRefused() {
        assertThrows(IllegalArgumentException.class, () -> scored(new int[0], new float[0]));
        assertThrows(IllegalArgumentException.class, () -> scored(new int[20], new float[19]));
        assertThrows(
                IllegalArgumentException.class,
                () -> Texts.ofDistinct(20).protect(new TokenRange(19, 21)));
        float[] scores = new float[20];
        scores[12] = Float.NaN;
        VarveException error =
                assertThrows(VarveException.class, () -> scored(new int[20], scores));
        assertEquals(VarveException.Kind.BACKEND_FAILED, error.kind());
        assertEquals("drafter: expected finite scores, found NaN at token 12", error.getMessage());
    }

    @ParameterizedTest
    @CsvSource({"1023, 2, 8", "1024, 4, 16", "2047, 4, 16", "2048, 8, 32", "1, 2, 8"})
    void anchorReachGrowsWithTheText(int chunks, int radius, int hits) {
        assertEquals(radius, AnchorSettings.USUAL.radius(chunks));
        assertEquals(hits, AnchorSettings.USUAL.mostHits(chunks));
    }

    @Test
    void configuredReachOverridesTheDefaultAndMayBeZero() {
        OptionalInt none = OptionalInt.empty();

        assertEquals(0, reaching(OptionalInt.of(0), none).radius(1));
        assertEquals(8, reaching(OptionalInt.of(0), none).mostHits(1));
        assertEquals(0, reaching(none, OptionalInt.of(0)).mostHits(1));
        assertEquals(7, reaching(OptionalInt.of(7), OptionalInt.of(9)).radius(4000));
        assertEquals(9, reaching(OptionalInt.of(7), OptionalInt.of(9)).mostHits(4000));
        assertThrows(IllegalArgumentException.class, () -> reaching(OptionalInt.of(-1), none));
    }

    @Test
    void noOccurrencesMeanNoAnchors() {
        Texts text = Texts.ofDistinct(6400).put(3205, 1, 2, 3, 4).put(6350, 1, 2, 3, 4);
        ChunkSelector none =
                selector(reaching(OptionalInt.empty(), OptionalInt.of(0)), false, Optional.empty());

        assertEquals(
                0,
                Texts.kept(
                        none.select(text.text(), new KeepRatio(0.05), Integer.MAX_VALUE),
                        KeepReason.ANCHOR));
    }
}
