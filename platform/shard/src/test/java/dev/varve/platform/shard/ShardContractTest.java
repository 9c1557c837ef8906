package dev.varve.platform.shard;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.varve.api.VarveException;
import dev.varve.api.backend.ComputeDevice.Phase;
import dev.varve.api.ggml.GgmlType;
import dev.varve.api.model.LayerRange;
import dev.varve.testkit.TestSeed;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.SplittableRandom;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;

/**
 * Contract of {@link Shard} for any implementation that holds a whole model. The tests compare
 * bits: the same chunks of a sequence give the same numbers for any placement in the cache and any
 * other sequences in the batch.
 */
public abstract class ShardContractTest {
    private static final int CHUNK = 24;
    private static final int SEQUENCES = 4;
    private static final int DRAFT = 5;
    private static final CacheCapacities SIZES =
            new CacheCapacities(
                    SEQUENCES * KvSlotSpan.BLOCK,
                    SEQUENCES + 1,
                    0,
                    new RollbackBufferSizes(SEQUENCES, DRAFT));
    private static final long SECONDS = 120;

    private Shard shard;

    /**
     * Opens a shard of all layers.
     *
     * @param capacities least sizes of its caches; slots of regions are the implementation's to add
     * @param captures layers whose input batches may ask for
     */
    protected abstract Shard open(CacheCapacities capacities, List<Integer> captures)
            throws Exception;

    /** Tokens of the model that {@link #open} loads. */
    protected abstract int vocabulary();

    /** Layers of that model. */
    protected abstract int layers();

    /** Elements of an activation between its layers. */
    protected abstract int embeddingLength();

    /** Layout of the shard's cache for a sequence. */
    protected abstract CacheLayout layout();

    @BeforeEach
    final void openShard() throws Exception {
        shard = open(SIZES, List.of(0, layers()));
    }

    @AfterEach
    final void closeShard() {
        shard.close();
    }

    private static KvSlotSpan span(int sequence) {
        return new KvSlotSpan(sequence * KvSlotSpan.BLOCK, KvSlotSpan.BLOCK);
    }

    private int[] tokens(long seed, int count) {
        return new SplittableRandom(TestSeed.of(seed)).ints(count, 0, vocabulary()).toArray();
    }

    private SequenceChunk chunk(
            int sequence, int[] text, int begin, int end, RequestedOutput outputs) {
        return new SequenceChunk(
                sequence,
                Arrays.copyOfRange(text, begin, end),
                ChunkPlacement.next(begin, span(sequence), sequence + 1),
                outputs);
    }

    private ShardResult run(Batch batch) {
        try {
            return shard.forward(batch, Optional.empty()).get(SECONDS, TimeUnit.SECONDS);
        } catch (Exception e) {
            throw new AssertionError("batch of " + batch.chunks().size() + " slices", e);
        }
    }

    private ShardResult run(SequenceChunk... chunks) {
        return run(new Batch(List.of(chunks), Phase.PREFILL));
    }

    private float[] rows(ShardResult result) {
        return Arrays.copyOf(result.logits(), result.rows() * vocabulary());
    }

    /** Computes a chunk that is not asked for anything, and then one with all rows. */
    private float[] text(int sequence, int[] text) {
        run(chunk(sequence, text, 0, CHUNK, RequestedOutput.NONE));
        return rows(run(chunk(sequence, text, CHUNK, text.length, RequestedOutput.ALL)));
    }

    /**
     * The second chunk reads the row that the first one writes, and writes the one that it reads.
     */
    @Test
    void aSequenceContinuesAfterACheckpointOfItsBatch() throws Exception {
        int[] text = tokens(7, 4 * CHUNK);
        int end = 3 * CHUNK;
        run(chunk(0, text, 0, CHUNK, RequestedOutput.NONE));
        run(place(0, text, CHUNK, end, 1, 3, RequestedOutput.NONE));
        float[] apart = rows(run(place(0, text, end, text.length, 3, 1, RequestedOutput.ALL)));
        List<byte[]> states = states(3, end, 1, text.length);
        run(chunk(1, text, 0, CHUNK, RequestedOutput.NONE));
        Batch together =
                new Batch(
                        List.of(
                                place(1, text, CHUNK, end, 2, 4, RequestedOutput.NONE),
                                place(1, text, end, text.length, 4, 2, RequestedOutput.ALL)),
                        Phase.PREFILL);
        if (layout().states(1, end).stream().anyMatch(CachePart.Window.class::isInstance)) {
            refuse(together);
            return;
        }

        assertArrayEquals(apart, rows(run(together)));

        assertSame(states, states(4, end, 2, text.length), "states");
    }

    /** The rows of that case are consecutive, and both chunks have the same length. */
    @Test
    void chunksOfOneSequenceAreComputedInOrder() throws Exception {
        int[] text = tokens(8, 2 * CHUNK);
        float[] apart = text(0, text);
        Batch together =
                new Batch(
                        List.of(
                                place(1, text, 0, CHUNK, 0, 1, RequestedOutput.NONE),
                                place(1, text, CHUNK, text.length, 1, 2, RequestedOutput.ALL)),
                        Phase.PREFILL);
        if (layout().states(1, CHUNK).stream().anyMatch(CachePart.Window.class::isInstance)) {
            refuse(together);
            return;
        }

        assertArrayEquals(apart, rows(run(together)));
    }

    private SequenceChunk place(
            int sequence,
            int[] text,
            int begin,
            int end,
            int readRow,
            int writeRow,
            RequestedOutput outputs) {
        return new SequenceChunk(
                sequence,
                Arrays.copyOfRange(text, begin, end),
                new ChunkPlacement(begin, span(sequence), readRow, writeRow),
                outputs);
    }

    private List<byte[]> states(int checkpoint, int position, int row, int end) throws Exception {
        List<CachePart> parts = new ArrayList<>(layout().states(checkpoint, position));
        parts.addAll(layout().states(row, end));
        KeptParts kept = new KeptParts();
        shard.export(parts, kept).get(SECONDS, TimeUnit.SECONDS);
        return kept.all();
    }

    /** All that a shard keeps of a sequence; its rows in two pieces. */
    private List<CachePart> parts(int sequence, int tokens) {
        List<CachePart> parts = new ArrayList<>(layout().rows(span(sequence), 0, 5));
        parts.addAll(layout().rows(span(sequence), 5, tokens - 5));
        parts.addAll(layout().states(sequence + 1, tokens));
        return parts;
    }

    @Test
    void shardDescribesItself() {
        assertEquals(new LayerRange(0, layers()), shard.range());
        assertTrue(!shard.device().isEmpty());
        assertTrue(shard.memory().total() > 0, shard.memory().toString());
        assertEquals(shard.computesOn(), shard.computesOn());
        assertEquals(ShardHealth.State.READY, shard.health().state());
        assertTrue(shard.boundaryMillis() >= 0);
    }

    @Test
    void requestedNumberOfRowsIsReturned() {
        int[] text = tokens(1, CHUNK);

        for (RequestedOutput outputs : RequestedOutput.values()) {
            ShardResult result = run(chunk(0, text, 0, CHUNK, outputs));

            assertEquals(outputs.count(CHUNK), result.rows(), outputs.name());
            assertTrue(result.boundary().isEmpty(), "the range ends the model");
            if (outputs == RequestedOutput.LAST || outputs == RequestedOutput.ALL) {
                assertTrue(result.logits().length >= result.rows() * vocabulary());
            }
        }
    }

    @Test
    void logitsStayValidForAsManyResultsAsTheCallerAskedFor() {
        shard.keepLogits(3);
        ShardResult[] results = new ShardResult[3];
        float[][] rows = new float[results.length][];

        for (int i = 0; i < results.length; i++) {
            results[i] = run(chunk(i, tokens(i, CHUNK), 0, CHUNK, RequestedOutput.LAST));
            rows[i] = rows(results[i]);
            run(chunk(i + 1, tokens(9, CHUNK), 0, CHUNK, RequestedOutput.NONE));
        }

        for (int i = 0; i < results.length; i++) {
            assertArrayEquals(rows[i], rows(results[i]), "result " + i);
        }
    }

    @Test
    void theBestTokenIsTheLargestOfTheLogits() {
        int[] text = tokens(2, CHUNK);
        float[] logits = rows(run(chunk(0, text, 0, CHUNK, RequestedOutput.LAST)));

        int[] best = run(chunk(1, text, 0, CHUNK, RequestedOutput.BEST)).best();

        int largest = 0;
        for (int token = 1; token < vocabulary(); token++) {
            largest = logits[token] > logits[largest] ? token : largest;
        }
        assertArrayEquals(new int[] {largest}, best);
    }

    @Test
    void resultsDoNotDependOnPlacementOrTime() {
        int[] text = tokens(3, 2 * CHUNK);
        float[] first = text(0, text);
        text(1, tokens(4, 2 * CHUNK));

        assertArrayEquals(first, text(2, text));
        assertArrayEquals(first, text(0, text), "its old rows are still there");
    }

    @Test
    void chunksOfOneBatchAreIndependent() {
        int[] one = tokens(5, 2 * CHUNK);
        int[] other = tokens(6, 2 * CHUNK);
        float[] alone = text(0, one);
        float[] otherAlone = text(1, other);

        run(
                chunk(2, one, 0, CHUNK, RequestedOutput.NONE),
                chunk(3, other, 0, CHUNK, RequestedOutput.NONE));
        float[] both =
                rows(
                        run(
                                chunk(2, one, CHUNK, one.length, RequestedOutput.ALL),
                                chunk(3, other, CHUNK, other.length, RequestedOutput.ALL)));

        assertArrayEquals(alone, Arrays.copyOf(both, alone.length));
        assertArrayEquals(otherAlone, Arrays.copyOfRange(both, alone.length, both.length));
    }

    @Test
    void stateExportedInPartsContinuesInAnotherPlace() throws Exception {
        int[] text = tokens(7, 2 * CHUNK);
        float[] expected = text(0, text);
        run(chunk(1, text, 0, CHUNK, RequestedOutput.NONE));
        List<CachePart> from = parts(1, CHUNK);
        List<CachePart> to = parts(2, CHUNK);

        for (int i = 0; i < from.size(); i++) {
            KeptParts kept = new KeptParts();
            shard.export(List.of(from.get(i)), kept).get(SECONDS, TimeUnit.SECONDS);
            shard.adopt(List.of(to.get(i)), kept).get(SECONDS, TimeUnit.SECONDS);
        }

        assertArrayEquals(
                expected, rows(run(chunk(2, text, CHUNK, text.length, RequestedOutput.ALL))));
        assertArrayEquals(
                expected,
                rows(run(chunk(1, text, CHUNK, text.length, RequestedOutput.ALL))),
                "an export leaves a sequence as it was");
    }

    @Test
    void exportsAndImportsAreOrderedWithCalls() throws Exception {
        int[] text = tokens(14, 2 * CHUNK);
        float[] expected = text(0, text);
        KeptParts kept = new KeptParts();

        forward(chunk(1, text, 0, CHUNK, RequestedOutput.NONE));
        CompletableFuture<Void> exported = shard.export(parts(1, CHUNK), kept);
        forward(chunk(1, text, CHUNK, text.length, RequestedOutput.NONE));
        forward(chunk(1, tokens(15, CHUNK), 0, CHUNK, RequestedOutput.NONE));
        exported.get(SECONDS, TimeUnit.SECONDS);
        forward(chunk(2, tokens(16, CHUNK), 0, CHUNK, RequestedOutput.NONE));
        CompletableFuture<Void> adopted = shard.adopt(parts(2, CHUNK), kept);
        ShardResult found = run(chunk(2, text, CHUNK, text.length, RequestedOutput.ALL));

        assertArrayEquals(expected, rows(found));
        adopted.get(SECONDS, TimeUnit.SECONDS);
    }

    private void forward(SequenceChunk chunk) {
        shard.forward(new Batch(List.of(chunk), Phase.PREFILL), Optional.empty());
    }

    @Test
    void mismatchedPartsAreRefusedAndChangeNothing() {
        int[] text = tokens(8, 2 * CHUNK);
        float[] expected = text(0, text);
        run(chunk(1, text, 0, CHUNK, RequestedOutput.NONE));
        List<CachePart> fitting = parts(1, CHUNK);

        for (CachePart part : fitting) {
            for (CachePart wrong : unfit(part)) {
                List<CachePart> parts = new ArrayList<>(fitting);
                parts.add(wrong);
                KeptParts kept = new KeptParts();

                requireRefused(wrong, shard.export(parts, kept));
                requireRefused(wrong, shard.adopt(parts, KeptParts.zeros(parts)));

                assertEquals(List.of(), kept.all(), () -> wrong + " was exported");
            }
        }

        assertArrayEquals(
                expected, rows(run(chunk(1, text, CHUNK, text.length, RequestedOutput.ALL))));
    }

    /** Parts that differ from one in a thing that no cache has. */
    private List<CachePart> unfit(CachePart part) {
        int beyond = 1 << 20;
        return switch (part) {
            case CachePart.Rows(int layer, RowLayout layout, int slot, int position, int count) ->
                    List.of(
                            new CachePart.Rows(layers(), layout, slot, position, count),
                            new CachePart.Rows(layer, longer(layout), slot, position, count),
                            new CachePart.Rows(layer, typed(layout), slot, position, count),
                            new CachePart.Rows(layer, layout, beyond, position, count),
                            new CachePart.Window(layer, layout, 1, 0, CHUNK));
            case CachePart.HostPageRows(
                            int layer,
                            RowLayout layout,
                            long page,
                            int at,
                            int count) ->
                    List.of(
                            new CachePart.HostPageRows(layers(), layout, page, at, count),
                            new CachePart.HostPageRows(layer, longer(layout), page, at, count),
                            new CachePart.HostPageRows(layer, typed(layout), page, at, count));
            case CachePart.Window(int layer, RowLayout layout, int row, int first, int end) ->
                    List.of(
                            new CachePart.Window(layers(), layout, row, first, end),
                            new CachePart.Window(layer, longer(layout), row, first, end),
                            new CachePart.Window(layer, typed(layout), row, first, end),
                            new CachePart.Window(layer, layout, 1 << 12, first, end),
                            new CachePart.Rows(layer, layout, 0, 0, end));
            case CachePart.State(int layer, List<Long> elements, int row, int end) ->
                    List.of(
                            new CachePart.State(layers(), elements, row, end),
                            new CachePart.State(layer, longer(elements), row, end),
                            new CachePart.State(layer, elements.subList(0, 1), row, end),
                            new CachePart.State(layer, elements, 1 << 12, end));
        };
    }

    private static RowLayout longer(RowLayout layout) {
        return new RowLayout(
                layout.key(), layout.keyLength(), layout.value(), 2 * layout.valueLength());
    }

    private static List<Long> longer(List<Long> elements) {
        List<Long> longer = new ArrayList<>(elements);
        longer.set(0, elements.getFirst() + 1);
        return longer;
    }

    private static RowLayout typed(RowLayout layout) {
        return new RowLayout(
                GgmlType.BF16, layout.keyLength(), layout.value(), layout.valueLength());
    }

    private static void requireRefused(CachePart wrong, CompletableFuture<Void> call) {
        ExecutionException failure =
                assertThrows(
                        ExecutionException.class,
                        () -> call.get(SECONDS, TimeUnit.SECONDS),
                        wrong::toString);
        VarveException reason = assertInstanceOf(VarveException.class, failure.getCause());
        assertEquals(VarveException.Kind.INVALID_REQUEST, reason.kind(), reason::getMessage);
    }

    @Test
    void rowsAreCopiedBeforeTheChunksOfTheirBatch() {
        int[] text = tokens(9, 2 * CHUNK);
        float[] expected = text(0, text);
        run(chunk(1, text, 0, CHUNK, RequestedOutput.NONE));
        SequenceChunk fork =
                new SequenceChunk(
                        2,
                        Arrays.copyOfRange(text, CHUNK, text.length),
                        new ChunkPlacement(CHUNK, span(2), 2, 3),
                        RequestedOutput.ALL);

        ShardResult forked =
                run(
                        new Batch(
                                CacheChanges.copies(
                                        List.of(
                                                new KvSlotCopy(
                                                        span(1).begin(), span(2).begin(), CHUNK))),
                                List.of(fork),
                                Phase.PREFILL,
                                List.of()));

        assertArrayEquals(expected, rows(forked));
        assertArrayEquals(
                expected,
                rows(run(chunk(1, text, CHUNK, text.length, RequestedOutput.ALL))),
                "the sequence that was forked goes on");
    }

    @Test
    void separateCopiesSeeEarlierCalls() throws Exception {
        int[] text = tokens(17, 2 * CHUNK);
        float[] expected = text(0, text);
        int[] other = tokens(18, CHUNK);
        SequenceChunk fork =
                new SequenceChunk(
                        2,
                        Arrays.copyOfRange(text, CHUNK, text.length),
                        new ChunkPlacement(CHUNK, span(2), 2, 3),
                        RequestedOutput.ALL);

        forward(chunk(1, text, 0, CHUNK, RequestedOutput.NONE));
        CompletableFuture<Void> copied =
                shard.change(
                        CacheChanges.copies(
                                List.of(
                                        new KvSlotCopy(span(1).begin(), span(3).begin(), CHUNK),
                                        new KvSlotCopy(span(3).begin(), span(2).begin(), CHUNK))));
        forward(
                new SequenceChunk(
                        1, other, new ChunkPlacement(0, span(1), 0, 4), RequestedOutput.NONE));
        ShardResult forked = run(fork);

        assertArrayEquals(expected, rows(forked));
        copied.get(SECONDS, TimeUnit.SECONDS);
    }

    /** Prefills a sequence chunk by chunk. */
    private void prefill(int sequence, int[] text, int end) {
        for (int begin = 0; begin < end; begin += CHUNK) {
            run(chunk(sequence, text, begin, Math.min(begin + CHUNK, end), RequestedOutput.NONE));
        }
    }

    private static final int LONG = 2 * Pages.TOKENS + 22;

    private static int slot(int sequence, int run) {
        return span(sequence).begin() + run * Pages.TOKENS;
    }

    private ShardResult changed(List<KvRowOperation> moves, SequenceChunk chunk) {
        return run(
                new Batch(
                        new CacheChanges(List.of(), moves),
                        List.of(chunk),
                        Phase.PREFILL,
                        List.of()));
    }

    @Test
    void pagesRoundTripThroughHostMemory() {
        int[] text = tokens(31, LONG + CHUNK);
        prefill(0, text, LONG);
        float[] expected = rows(run(chunk(0, text, LONG, text.length, RequestedOutput.ALL)));
        int[] other = tokens(32, LONG);
        prefill(1, text, LONG);

        SequenceChunk overwrites =
                new SequenceChunk(
                        7,
                        Arrays.copyOf(other, CHUNK),
                        new ChunkPlacement(0, span(1), 0, 4),
                        RequestedOutput.NONE);
        changed(List.of(PageMove.out(11, slot(1, 0)), PageMove.out(12, slot(1, 1))), overwrites);
        ShardResult found =
                changed(
                        List.of(
                                PageMove.in(12, slot(1, 1)),
                                PageMove.in(11, slot(1, 0)),
                                new HostPageFree(11),
                                new HostPageFree(12),
                                new HostPageFree(99)),
                        chunk(1, text, LONG, text.length, RequestedOutput.ALL));

        assertArrayEquals(expected, rows(found));
    }

    /** The sum is that of the pages in the order of their positions, to the last bit. */
    @ParameterizedTest
    @MethodSource("placesOfThreePages")
    void pagesAreReadByPositionInAnyPlace(List<Integer> places) {
        int[] text = tokens(33, LONG + CHUNK + 1);
        int end = LONG + CHUNK;
        prefill(0, text, LONG);
        float[] expected = rows(run(chunk(0, text, LONG, end, RequestedOutput.ALL)));
        float[] next = rows(run(chunk(0, text, end, end + 1, RequestedOutput.ALL)));
        prefill(1, text, LONG);
        List<KvRowOperation> moves = new ArrayList<>();
        for (int page = 0; page < 3; page++) {
            moves.add(PageMove.out(21 + page, slot(1, page)));
        }
        for (int run = 0; run < places.size(); run++) {
            if (places.get(run) != SlotPositionMap.EMPTY) {
                moves.add(PageMove.in(21 + places.get(run), slot(1, run)));
            }
        }
        SlotPositionMap map =
                SlotPositionMap.of(places.stream().mapToInt(Integer::intValue).toArray());

        float[] found = rows(changed(moves, paged(text, LONG, end, map)));
        float[] after = rows(run(paged(text, end, end + 1, map)));

        assertArrayEquals(expected, found);
        assertArrayEquals(next, after, "a single query finds what was written before it");
    }

    /** By run the page that lies there. */
    static List<List<Integer>> placesOfThreePages() {
        return List.of(
                List.of(0, 1, 2, SlotPositionMap.EMPTY),
                List.of(SlotPositionMap.EMPTY, 0, 2, 1),
                List.of(SlotPositionMap.EMPTY, 0, 1, 2),
                List.of(0, SlotPositionMap.EMPTY, 1, 2),
                List.of(2, 1, 0, SlotPositionMap.EMPTY),
                List.of(1, 2, SlotPositionMap.EMPTY, 0));
    }

    private static SequenceChunk paged(int[] text, int begin, int end, SlotPositionMap map) {
        return new SequenceChunk(
                1,
                Arrays.copyOfRange(text, begin, end),
                new ChunkPlacement(begin, span(1), 2, 2, ChunkPlacement.NO_ROLLBACK_BUFFER, map),
                RequestedOutput.ALL);
    }

    @Test
    void hostPageIsExportedAndImportedLikeSlots() throws Exception {
        int[] text = tokens(34, LONG + CHUNK);
        prefill(0, text, LONG);
        float[] expected = rows(run(chunk(0, text, LONG, text.length, RequestedOutput.ALL)));
        prefill(1, text, LONG);
        prefill(2, tokens(35, LONG), LONG);
        KeptParts states = new KeptParts();
        shard.export(layout().states(2, LONG), states).get(SECONDS, TimeUnit.SECONDS);
        KeptParts rest = new KeptParts();
        int tail = LONG - 2 * Pages.TOKENS;
        shard.export(layout().rows(span(1), 2 * Pages.TOKENS, tail), rest)
                .get(SECONDS, TimeUnit.SECONDS);
        shard.change(
                        new CacheChanges(
                                List.of(),
                                List.of(
                                        PageMove.out(31, slot(1, 0)),
                                        PageMove.out(32, slot(1, 1)))))
                .get(SECONDS, TimeUnit.SECONDS);
        KeptParts kept = new KeptParts();
        shard.export(pages(31, 32), kept).get(SECONDS, TimeUnit.SECONDS);

        shard.adopt(pages(41, 42), kept).get(SECONDS, TimeUnit.SECONDS);
        shard.adopt(layout().rows(span(2), 2 * Pages.TOKENS, tail), rest)
                .get(SECONDS, TimeUnit.SECONDS);
        shard.adopt(layout().states(3, LONG), states).get(SECONDS, TimeUnit.SECONDS);
        ShardResult found =
                changed(
                        List.of(PageMove.in(41, slot(2, 0)), PageMove.in(42, slot(2, 1))),
                        chunk(2, text, LONG, text.length, RequestedOutput.ALL));

        assertArrayEquals(expected, rows(found));
        requireRefused(pages(77, 78).getFirst(), shard.export(pages(77, 78), new KeptParts()));
    }

    /** The first two pages of a sequence in host memory, the second one in two pieces. */
    private List<CachePart> pages(long first, long second) {
        List<RowRun> runs =
                List.of(
                        RowRun.onHost(0, Pages.TOKENS, first),
                        RowRun.onHost(Pages.TOKENS, 5, second),
                        RowRun.onHost(Pages.TOKENS + 5, Pages.TOKENS - 5, second));
        List<CachePart> parts = new ArrayList<>();
        layout().rows(runs).forEach(parts::addAll);
        return parts;
    }

    /** The state of a sequence advances by the number of draft tokens that a batch commits. */
    @Test
    void stateIncludesAcceptedDraftTokens() throws Exception {
        int[] text = tokens(21, CHUNK + DRAFT + 1);
        List<float[]> rows = new ArrayList<>();
        List<List<byte[]>> states = new ArrayList<>();
        run(chunk(0, text, 0, CHUNK, RequestedOutput.NONE));
        for (int end = CHUNK + 1; end <= text.length; end++) {
            rows.add(
                    rows(
                            decode(
                                    CacheChanges.NONE,
                                    chunk(0, text, end - 1, end, RequestedOutput.ALL))));
            states.add(exported(0, end));
        }

        for (int counted = 1; counted <= DRAFT; counted++) {
            run(
                    chunk(1, text, 0, CHUNK, RequestedOutput.NONE),
                    chunk(2, text, 0, CHUNK, RequestedOutput.NONE));
            ShardResult guessed =
                    decode(CacheChanges.NONE, drafted(2, text, 0), drafted(1, text, 1));
            CacheChanges commits =
                    new CacheChanges(
                            List.of(commit(2, 0, counted), commit(1, 1, DRAFT)), List.of());

            for (int row = 0; row < 2 * DRAFT; row++) {
                assertArrayEquals(rows.get(row % DRAFT), row(guessed, row), "row " + row);
            }
            int end = CHUNK + counted;
            ShardResult next = decode(commits, chunk(2, text, end, end + 1, RequestedOutput.ALL));
            assertArrayEquals(rows.get(counted), rows(next), counted + " of the tokens counted");
            assertSame(states.get(counted), exported(2, end + 1), "behind the next token");
            assertSame(states.get(DRAFT - 1), exported(1, CHUNK + DRAFT), "where all count");
        }
    }

    /** The changes are made before what reads the state outside of any batch, too. */
    @Test
    void acceptedDraftTokensAreAppliedBetweenBatches() throws Exception {
        int[] text = tokens(22, CHUNK + DRAFT);
        run(chunk(0, text, 0, CHUNK, RequestedOutput.NONE));
        decode(CacheChanges.NONE, chunk(0, text, CHUNK, CHUNK + 1, RequestedOutput.NONE));
        List<byte[]> expected = exported(0, CHUNK + 1);
        run(chunk(1, text, 0, CHUNK, RequestedOutput.NONE));
        int[] wrong = text.clone();
        Arrays.setAll(wrong, i -> i <= CHUNK ? text[i] : (text[i] + 1) % vocabulary());

        decode(CacheChanges.NONE, drafted(1, wrong, 0));
        shard.change(new CacheChanges(List.of(commit(1, 0, 1)), List.of()))
                .get(SECONDS, TimeUnit.SECONDS);

        assertSame(expected, exported(1, CHUNK + 1), "one token counted");
    }

    private ShardResult decode(CacheChanges changes, SequenceChunk... chunks) {
        return run(new Batch(changes, List.of(chunks), Phase.DECODE, List.of()));
    }

    private SequenceChunk drafted(int sequence, int[] text, int rollbackBuffer) {
        return new SequenceChunk(
                sequence,
                Arrays.copyOfRange(text, CHUNK, CHUNK + DRAFT),
                new ChunkPlacement(
                        CHUNK, span(sequence), sequence + 1, sequence + 1, rollbackBuffer),
                RequestedOutput.ALL);
    }

    private static StateCommit commit(int sequence, int rollbackBuffer, int counted) {
        return new StateCommit(rollbackBuffer, sequence + 1, sequence + 1, CHUNK, counted);
    }

    private float[] row(ShardResult result, int row) {
        return Arrays.copyOfRange(result.logits(), row * vocabulary(), (row + 1) * vocabulary());
    }

    private List<byte[]> exported(int sequence, int tokens) throws Exception {
        KeptParts kept = new KeptParts();
        shard.export(parts(sequence, tokens), kept).get(SECONDS, TimeUnit.SECONDS);
        return kept.all();
    }

    private static void assertSame(List<byte[]> expected, List<byte[]> found, String when) {
        assertEquals(expected.size(), found.size());
        for (int part = 0; part < expected.size(); part++) {
            assertArrayEquals(expected.get(part), found.get(part), when + ", part " + part);
        }
    }

    @Test
    void emptyChangesCompleteAtOnce() throws Exception {
        shard.change(CacheChanges.NONE).get(SECONDS, TimeUnit.SECONDS);
    }

    @Test
    void capturesHaveOneColumnPerToken() {
        int[] text = tokens(10, CHUNK);

        ShardResult result =
                run(
                        new Batch(
                                List.of(chunk(0, text, 0, CHUNK, RequestedOutput.LAST)),
                                Phase.PREFILL,
                                List.of(0, layers())));

        assertEquals(
                List.of(0, layers()),
                result.features().stream().map(CapturedFeature::layer).toList());
        for (CapturedFeature feature : result.features()) {
            assertEquals(CHUNK, feature.tokens());
            assertEquals(CHUNK * embeddingLength(), feature.values().length);
        }
    }

    @Test
    void invalidBatchIsRefusedAndTheShardContinues() {
        int[] text = tokens(11, 2 * CHUNK);
        float[] expected = text(0, text);
        run(chunk(1, text, 0, CHUNK, RequestedOutput.NONE));
        SequenceChunk good = chunk(2, text, 0, CHUNK, RequestedOutput.NONE);
        int[] unknown = {0, vocabulary()};

        refuse(new Batch(List.of(chunk(2, unknown, 0, 2, RequestedOutput.NONE)), Phase.PREFILL));
        refuse(
                new Batch(
                        List.of(chunk(SEQUENCES, text, 0, 1, RequestedOutput.NONE)),
                        Phase.PREFILL));
        refuse(new Batch(List.of(good), Phase.PREFILL, List.of(1)));
        assertThrows(
                Exception.class,
                () ->
                        shard.forward(
                                        new Batch(List.of(good), Phase.PREFILL),
                                        Optional.of(
                                                new HostActivations(
                                                        new float[CHUNK * embeddingLength()],
                                                        CHUNK)))
                                .get(SECONDS, TimeUnit.SECONDS));

        assertArrayEquals(
                expected, rows(run(chunk(1, text, CHUNK, text.length, RequestedOutput.ALL))));
    }

    /** Refused at the call or by the future, as the shard likes. */
    private void refuse(Batch batch) {
        assertThrows(
                Exception.class,
                () -> shard.forward(batch, Optional.empty()).get(SECONDS, TimeUnit.SECONDS));
    }

    @Test
    void warmUpHasTheShapesOfABatchAndLeavesNoTrace() throws Exception {
        int[] text = tokens(13, 2 * CHUNK);
        float[] expected = text(0, text);
        shard.close();
        shard = open(SIZES, List.of(0, layers()));
        assertTrue(shard.canWarmUp());

        ShardResult prompt =
                rehearse(
                        new Batch(
                                List.of(chunk(0, text, 0, CHUNK, RequestedOutput.LAST)),
                                Phase.PREFILL,
                                List.of(0, layers())));
        ShardResult token =
                rehearse(
                        new Batch(
                                List.of(chunk(0, text, CHUNK, CHUNK + 1, RequestedOutput.BEST)),
                                Phase.DECODE));

        assertEquals(1, prompt.rows());
        assertTrue(prompt.logits().length >= vocabulary());
        assertEquals(
                List.of(0, layers()),
                prompt.features().stream().map(CapturedFeature::layer).toList());
        assertEquals(1, token.rows());
        assertArrayEquals(expected, text(0, text));
        assertArrayEquals(expected, text(1, text));
    }

    private ShardResult rehearse(Batch batch) throws Exception {
        return shard.warmUp(batch, Optional.empty()).get(SECONDS, TimeUnit.SECONDS);
    }

    @Test
    void recoveryOfAReadyShardCompletesAtOnce() throws Exception {
        shard.recover().get(SECONDS, TimeUnit.SECONDS);

        assertEquals(ShardHealth.State.READY, shard.health().state());
    }

    @Test
    void closedShardRefusesCallsAndClosesTwice() {
        SequenceChunk chunk = chunk(0, tokens(12, 2), 0, 2, RequestedOutput.NONE);

        shard.close();
        shard.close();

        refuse(new Batch(List.of(chunk), Phase.PREFILL));
    }
}
