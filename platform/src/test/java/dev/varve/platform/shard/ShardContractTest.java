package dev.varve.platform.shard;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.varve.api.backend.ComputeDevice.Phase;
import dev.varve.api.model.LayerRange;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.SplittableRandom;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

/**
 * What {@link Shard} promises, of any implementation that holds a whole model. All equalities are
 * of bits: the same chunks of a sequence give the same numbers wherever it lies and whatever is
 * computed with it.
 */
public abstract class ShardContractTest {
    private static final int CHUNK = 24;
    private static final int SEQUENCES = 4;
    private static final CacheSizes SIZES =
            new CacheSizes(SEQUENCES * SlotSpan.BLOCK, SEQUENCES + 1, 0);
    private static final long SECONDS = 120;

    private Shard shard;

    /**
     * Opens a shard of all layers.
     *
     * @param sizes least sizes of its caches; slots of regions are the implementation's to add
     * @param captures layers whose input batches may ask for
     */
    protected abstract Shard open(CacheSizes sizes, List<Integer> captures) throws Exception;

    /** Tokens of the model that {@link #open} loads. */
    protected abstract int vocabulary();

    /** Layers of that model. */
    protected abstract int layers();

    /** Elements of an activation between its layers. */
    protected abstract int embeddingLength();

    @BeforeEach
    final void openShard() throws Exception {
        shard = open(SIZES, List.of(0, layers()));
    }

    @AfterEach
    final void closeShard() {
        shard.close();
    }

    private static SlotSpan span(int sequence) {
        return new SlotSpan(sequence * SlotSpan.BLOCK, SlotSpan.BLOCK);
    }

    private int[] tokens(long seed, int count) {
        return new SplittableRandom(seed).ints(count, 0, vocabulary()).toArray();
    }

    private Slice slice(int sequence, int[] text, int begin, int end, OutputRows outputs) {
        return new Slice(
                sequence,
                Arrays.copyOfRange(text, begin, end),
                SlicePlace.next(begin, span(sequence), sequence + 1),
                outputs);
    }

    private ShardResult run(Batch batch) {
        try {
            return shard.forward(batch, Optional.empty()).get(SECONDS, TimeUnit.SECONDS);
        } catch (Exception e) {
            throw new AssertionError("batch of " + batch.slices().size() + " slices", e);
        }
    }

    private ShardResult run(Slice... slices) {
        return run(new Batch(List.of(slices), Phase.PREFILL));
    }

    private float[] rows(ShardResult result) {
        return Arrays.copyOf(result.logits(), result.rows() * vocabulary());
    }

    /** Computes a chunk that is not asked for anything, and then one with all rows. */
    private float[] text(int sequence, int[] text) {
        run(slice(sequence, text, 0, CHUNK, OutputRows.NONE));
        return rows(run(slice(sequence, text, CHUNK, text.length, OutputRows.ALL)));
    }

    private SequencePlace place(int sequence, int tokens) {
        return new SequencePlace(span(sequence), tokens, sequence + 1);
    }

    @Test
    void itSaysWhatItIs() {
        assertEquals(new LayerRange(0, layers()), shard.range());
        assertTrue(!shard.device().isEmpty());
        assertTrue(shard.memory().total() > 0, shard.memory().toString());
        assertEquals(shard.computesOn(), shard.computesOn());
        assertEquals(ShardHealth.State.READY, shard.health().state());
        assertTrue(shard.boundaryMillis() >= 0);
    }

    @Test
    void asManyRowsComeBackAsWereAskedFor() {
        int[] text = tokens(1, CHUNK);

        for (OutputRows outputs : OutputRows.values()) {
            ShardResult result = run(slice(0, text, 0, CHUNK, outputs));

            assertEquals(outputs.count(CHUNK), result.rows(), outputs.name());
            assertTrue(result.boundary().isEmpty(), "the range ends the model");
            if (outputs == OutputRows.LAST || outputs == OutputRows.ALL) {
                assertTrue(result.logits().length >= result.rows() * vocabulary());
            }
        }
    }

    @Test
    void theBestTokenIsTheLargestOfTheLogits() {
        int[] text = tokens(2, CHUNK);
        float[] logits = rows(run(slice(0, text, 0, CHUNK, OutputRows.LAST)));

        int[] best = run(slice(1, text, 0, CHUNK, OutputRows.BEST)).best();

        int largest = 0;
        for (int token = 1; token < vocabulary(); token++) {
            largest = logits[token] > logits[largest] ? token : largest;
        }
        assertArrayEquals(new int[] {largest}, best);
    }

    @Test
    void aSequenceHasTheSameNumbersInEveryPlaceAndAtEveryTime() {
        int[] text = tokens(3, 2 * CHUNK);
        float[] first = text(0, text);
        text(1, tokens(4, 2 * CHUNK));

        assertArrayEquals(first, text(2, text));
        assertArrayEquals(first, text(0, text), "its old rows are still there");
    }

    @Test
    void chunksOfOneBatchDoNotDisturbEachOther() {
        int[] one = tokens(5, 2 * CHUNK);
        int[] other = tokens(6, 2 * CHUNK);
        float[] alone = text(0, one);
        float[] otherAlone = text(1, other);

        run(slice(2, one, 0, CHUNK, OutputRows.NONE), slice(3, other, 0, CHUNK, OutputRows.NONE));
        float[] both =
                rows(
                        run(
                                slice(2, one, CHUNK, one.length, OutputRows.ALL),
                                slice(3, other, CHUNK, other.length, OutputRows.ALL)));

        assertArrayEquals(alone, Arrays.copyOf(both, alone.length));
        assertArrayEquals(otherAlone, Arrays.copyOfRange(both, alone.length, both.length));
    }

    @Test
    void whatIsSavedGoesOnInAnotherPlace() throws Exception {
        int[] text = tokens(7, 2 * CHUNK);
        float[] expected = text(0, text);
        run(slice(1, text, 0, CHUNK, OutputRows.NONE));

        ShardSnapshot snapshot = shard.save(place(1, CHUNK)).get(SECONDS, TimeUnit.SECONDS);
        shard.restore(place(2, CHUNK), snapshot).get(SECONDS, TimeUnit.SECONDS);

        assertEquals(CHUNK, snapshot.tokens());
        assertTrue(snapshot.bytes() > 0);
        assertArrayEquals(expected, rows(run(slice(2, text, CHUNK, text.length, OutputRows.ALL))));
        assertArrayEquals(
                expected,
                rows(run(slice(1, text, CHUNK, text.length, OutputRows.ALL))),
                "saving leaves a sequence as it was");
    }

    @Test
    void aSnapshotThatDoesNotFitIsRefusedAndChangesNothing() throws Exception {
        int[] text = tokens(8, 2 * CHUNK);
        float[] expected = text(0, text);
        run(slice(1, text, 0, CHUNK, OutputRows.NONE));
        ShardSnapshot snapshot = shard.save(place(1, CHUNK)).get(SECONDS, TimeUnit.SECONDS);
        List<SnapshotTensor> tensors = snapshot.tensors();
        SnapshotTensor stranger =
                new SnapshotTensor(
                        "k.999",
                        tensors.getFirst().type(),
                        tensors.getFirst().length(),
                        tensors.getFirst().rows(),
                        tensors.getFirst().data());

        for (ShardSnapshot wrong :
                List.of(
                        new ShardSnapshot(CHUNK, List.of()),
                        new ShardSnapshot(CHUNK, tensors.subList(1, tensors.size())),
                        new ShardSnapshot(CHUNK, append(tensors, stranger)),
                        new ShardSnapshot(CHUNK - 1, tensors))) {
            assertThrows(
                    Exception.class,
                    () -> shard.restore(place(1, CHUNK), wrong).get(SECONDS, TimeUnit.SECONDS));
        }

        assertArrayEquals(expected, rows(run(slice(1, text, CHUNK, text.length, OutputRows.ALL))));
    }

    private static List<SnapshotTensor> append(List<SnapshotTensor> tensors, SnapshotTensor one) {
        return Stream.concat(tensors.stream(), Stream.of(one)).toList();
    }

    @Test
    void rowsAreCopiedBeforeTheSlicesOfTheirBatch() {
        int[] text = tokens(9, 2 * CHUNK);
        float[] expected = text(0, text);
        run(slice(1, text, 0, CHUNK, OutputRows.NONE));
        Slice fork =
                new Slice(
                        2,
                        Arrays.copyOfRange(text, CHUNK, text.length),
                        new SlicePlace(CHUNK, span(2), 2, 3),
                        OutputRows.ALL);

        ShardResult forked =
                run(
                        new Batch(
                                List.of(new SlotCopy(span(1).begin(), span(2).begin(), CHUNK)),
                                List.of(fork),
                                Phase.PREFILL,
                                List.of()));

        assertArrayEquals(expected, rows(forked));
        assertArrayEquals(
                expected,
                rows(run(slice(1, text, CHUNK, text.length, OutputRows.ALL))),
                "the sequence that was forked goes on");
    }

    @Test
    void capturesComeWithOneColumnForEachToken() {
        int[] text = tokens(10, CHUNK);

        ShardResult result =
                run(
                        new Batch(
                                List.of(slice(0, text, 0, CHUNK, OutputRows.LAST)),
                                Phase.PREFILL,
                                List.of(0, layers())));

        assertEquals(List.of(0, layers()), result.features().stream().map(Feature::layer).toList());
        for (Feature feature : result.features()) {
            assertEquals(CHUNK, feature.tokens());
            assertEquals(CHUNK * embeddingLength(), feature.values().length);
        }
    }

    @Test
    void aBatchThatDoesNotFitIsRefusedAndTheShardGoesOn() {
        int[] text = tokens(11, 2 * CHUNK);
        float[] expected = text(0, text);
        run(slice(1, text, 0, CHUNK, OutputRows.NONE));
        Slice good = slice(2, text, 0, CHUNK, OutputRows.NONE);
        int[] unknown = {0, vocabulary()};

        refuse(new Batch(List.of(slice(2, unknown, 0, 2, OutputRows.NONE)), Phase.PREFILL));
        refuse(new Batch(List.of(slice(SEQUENCES, text, 0, 1, OutputRows.NONE)), Phase.PREFILL));
        refuse(new Batch(List.of(good), Phase.PREFILL, List.of(1)));
        assertThrows(
                Exception.class,
                () ->
                        shard.forward(
                                        new Batch(List.of(good), Phase.PREFILL),
                                        Optional.of(
                                                new HostBoundary(
                                                        new float[CHUNK * embeddingLength()],
                                                        CHUNK)))
                                .get(SECONDS, TimeUnit.SECONDS));

        assertArrayEquals(expected, rows(run(slice(1, text, CHUNK, text.length, OutputRows.ALL))));
    }

    /** Refused at the call or by the future, as the shard likes. */
    private void refuse(Batch batch) {
        assertThrows(
                Exception.class,
                () -> shard.forward(batch, Optional.empty()).get(SECONDS, TimeUnit.SECONDS));
    }

    @Test
    void aRehearsalHasTheShapesOfABatchAndLeavesNoTrace() throws Exception {
        int[] text = tokens(13, 2 * CHUNK);
        float[] expected = text(0, text);
        shard.close();
        shard = open(SIZES, List.of(0, layers()));
        assertTrue(shard.canRehearse());

        ShardResult prompt =
                rehearse(
                        new Batch(
                                List.of(slice(0, text, 0, CHUNK, OutputRows.LAST)),
                                Phase.PREFILL,
                                List.of(0, layers())));
        ShardResult token =
                rehearse(
                        new Batch(
                                List.of(slice(0, text, CHUNK, CHUNK + 1, OutputRows.BEST)),
                                Phase.DECODE));

        assertEquals(1, prompt.rows());
        assertTrue(prompt.logits().length >= vocabulary());
        assertEquals(List.of(0, layers()), prompt.features().stream().map(Feature::layer).toList());
        assertEquals(1, token.rows());
        assertArrayEquals(expected, text(0, text));
        assertArrayEquals(expected, text(1, text));
    }

    private ShardResult rehearse(Batch batch) throws Exception {
        return shard.rehearse(batch, Optional.empty()).get(SECONDS, TimeUnit.SECONDS);
    }

    @Test
    void aShardThatWasNotLostIsBackAtOnce() throws Exception {
        shard.recover().get(SECONDS, TimeUnit.SECONDS);

        assertEquals(ShardHealth.State.READY, shard.health().state());
    }

    @Test
    void aClosedShardComputesNoMoreAndMayBeClosedAgain() {
        Slice slice = slice(0, tokens(12, 2), 0, 2, OutputRows.NONE);

        shard.close();
        shard.close();

        refuse(new Batch(List.of(slice), Phase.PREFILL));
    }
}
