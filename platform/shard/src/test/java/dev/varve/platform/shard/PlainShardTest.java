package dev.varve.platform.shard;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.varve.api.backend.ComputeDevice.Phase;
import dev.varve.api.gguf.GgufFile;
import dev.varve.api.model.LayerRange;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import java.nio.file.Path;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.stream.IntStream;

/** The fixture that other tests trust: what it computes, and what it refuses. */
class PlainShardTest {
    private static final int BLOCK = KvSlotSpan.BLOCK;
    private static final PlainModel MODEL = PlainModel.mixed(BLOCK);
    private static final int LAYERS = MODEL.shape().layerCount();
    private static final PlainShard.Sizes SIZES =
            new PlainShard.Sizes(
                    3 * BLOCK,
                    6,
                    IntStream.rangeClosed(0, LAYERS).boxed().toList(),
                    RollbackBufferSizes.NONE);
    private static final int[] PROMPT = {5, 17, 3, 3, 60, 0, 22, 41, 9, 13, 28};

    private final PlainShard shard = new PlainShard(MODEL, MODEL.shape().allLayers(), SIZES);

    private static SequenceChunk chunk(
            int slot, int first, int[] tokens, int read, RequestedOutput outputs) {
        return new SequenceChunk(
                slot,
                tokens,
                new ChunkPlacement(first, new KvSlotSpan(slot, BLOCK), read, 1 + slot / BLOCK),
                outputs);
    }

    /** All tokens at once, in a sequence that lies at a slot. */
    private static Batch prompt(int slot) {
        return batch(chunk(slot, 0, PROMPT, SequenceChunk.ZERO_ROW, RequestedOutput.LAST));
    }

    private static Batch batch(SequenceChunk... chunks) {
        return new Batch(List.of(chunks), Phase.PREFILL);
    }

    /** One token behind the prompt of the sequence at a slot. */
    private static Batch next(int slot) {
        return batch(
                chunk(slot, PROMPT.length, new int[] {7}, 1 + slot / BLOCK, RequestedOutput.LAST));
    }

    private static float[] logits(PlainShard shard, Batch batch) {
        return logits(List.of(shard), batch);
    }

    private static float[] logits(List<PlainShard> shards, Batch batch) {
        Optional<LayerActivations> boundary = Optional.empty();
        ShardResult result = null;
        for (PlainShard each : shards) {
            result = each.forward(batch, boundary).join();
            boundary = result.boundary();
        }
        return Arrays.copyOf(result.logits(), result.rows() * MODEL.shape().vocabularySize());
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 2, 3})
    void everySplitMatchesTheWholeModelBitwise(int cut) {
        float[] whole = logits(shard, prompt(0));
        List<PlainShard> halves =
                List.of(
                        new PlainShard(MODEL, new LayerRange(0, cut), SIZES),
                        new PlainShard(MODEL, new LayerRange(cut, LAYERS), SIZES));

        assertArrayEquals(whole, logits(halves, prompt(0)));
        assertArrayEquals(logits(shard, next(0)), logits(halves, next(0)));
    }

    @Test
    void chunksAndBatchesMatchOneSequenceAloneBitwise() {
        float[] whole = logits(shard, prompt(0));
        int[] head = Arrays.copyOf(PROMPT, 4);
        int[] rest = Arrays.copyOfRange(PROMPT, 4, PROMPT.length);

        shard.forward(
                batch(
                        chunk(BLOCK, 0, head, SequenceChunk.ZERO_ROW, RequestedOutput.NONE),
                        chunk(2 * BLOCK, 0, rest, SequenceChunk.ZERO_ROW, RequestedOutput.ALL)),
                Optional.empty());
        float[] chunked =
                logits(
                        shard,
                        batch(
                                chunk(BLOCK, 4, rest, 2, RequestedOutput.LAST),
                                chunk(2 * BLOCK, rest.length, head, 3, RequestedOutput.NONE)));

        assertArrayEquals(whole, chunked);
    }

    @Test
    void everyRowEqualsTheLastRowOfAShorterPrompt() {
        int vocabulary = MODEL.shape().vocabularySize();
        float[] all =
                logits(
                        shard,
                        batch(chunk(0, 0, PROMPT, SequenceChunk.ZERO_ROW, RequestedOutput.ALL)));

        for (int end = 1; end <= PROMPT.length; end++) {
            float[] last =
                    logits(
                            shard,
                            batch(
                                    chunk(
                                            BLOCK,
                                            0,
                                            Arrays.copyOf(PROMPT, end),
                                            SequenceChunk.ZERO_ROW,
                                            RequestedOutput.LAST)));
            assertArrayEquals(
                    last, Arrays.copyOfRange(all, (end - 1) * vocabulary, end * vocabulary));
        }
    }

    @Test
    void bestTokenIsTheArgmaxOfTheLogits() {
        float[] last = logits(shard, prompt(0));
        int expected = 0;
        for (int token = 0; token < last.length; token++) {
            expected = last[token] > last[expected] ? token : expected;
        }

        ShardResult best =
                shard.forward(
                                batch(
                                        chunk(
                                                0,
                                                0,
                                                PROMPT,
                                                SequenceChunk.ZERO_ROW,
                                                RequestedOutput.BEST)),
                                Optional.empty())
                        .join();

        assertEquals(expected, best.best()[0]);
        assertTrue(Float.isNaN(best.logits()[0]));
    }

    @Test
    void everyPromptTokenChangesTheOutput() {
        Set<List<Float>> seen = new HashSet<>();
        seen.add(list(logits(shard, prompt(0))));

        for (int i = 0; i < PROMPT.length; i++) {
            int[] other = PROMPT.clone();
            other[i] = (other[i] + 1) % MODEL.shape().vocabularySize();
            seen.add(
                    list(
                            logits(
                                    shard,
                                    batch(
                                            chunk(
                                                    0,
                                                    0,
                                                    other,
                                                    SequenceChunk.ZERO_ROW,
                                                    RequestedOutput.LAST)))));
        }

        assertEquals(PROMPT.length + 1, seen.size());
    }

    private static List<Float> list(float[] values) {
        return IntStream.range(0, values.length).mapToObj(i -> values[i]).toList();
    }

    @Test
    void copiesPrecedeTheChunksInOrder() {
        PlainModel attention = PlainModel.attentionOnly(2, BLOCK);
        PlainShard plain = new PlainShard(attention, attention.shape().allLayers(), SIZES);
        plain.forward(prompt(0), Optional.empty());
        float[] expected = logits(plain, next(0));

        Batch forked =
                new Batch(
                        CacheChanges.copies(
                                List.of(
                                        new KvSlotCopy(0, BLOCK, PROMPT.length),
                                        new KvSlotCopy(BLOCK, 2 * BLOCK, PROMPT.length))),
                        next(2 * BLOCK).chunks(),
                        Phase.DECODE,
                        List.of());

        assertArrayEquals(expected, logits(plain, forked));
    }

    @Test
    void capturesAreTheActivationsBetweenShards() {
        Batch all =
                new Batch(
                        prompt(0).chunks(),
                        Phase.PREFILL,
                        IntStream.rangeClosed(0, LAYERS).boxed().toList());

        List<CapturedFeature> features = shard.forward(all, Optional.empty()).join().features();

        assertEquals(LAYERS + 1, features.size());
        for (int cut = 1; cut < LAYERS; cut++) {
            ShardResult head =
                    new PlainShard(MODEL, new LayerRange(0, cut), SIZES)
                            .forward(all, Optional.empty())
                            .join();
            assertArrayEquals(head.boundary().orElseThrow().values(), features.get(cut).values());
            assertEquals(cut + 1, head.features().size());
        }
    }

    @Test
    void readsOfUnwrittenRowsAreRefused() {
        assertRefused("slot 0 is read for position 0", PlainModel.attentionOnly(1, BLOCK), next(0));
        assertRefused("state row 1 is read after 11 positions", MODEL, next(0));
        assertRefused(
                "state row 1 is read after 0 positions",
                MODEL,
                batch(chunk(0, 0, PROMPT, 1, RequestedOutput.NONE)));
        assertRefused(
                "token 61", MODEL, batch(chunk(0, 0, new int[] {61}, 0, RequestedOutput.NONE)));
        SequenceChunk chunk = chunk(0, 0, PROMPT, 0, RequestedOutput.NONE);
        SequenceChunk other = chunk(BLOCK, 0, PROMPT, 0, RequestedOutput.NONE);
        assertRefused(
                "overlap in a batch",
                MODEL,
                batch(
                        chunk,
                        new SequenceChunk(
                                1,
                                PROMPT,
                                ChunkPlacement.start(chunk.slots(), 2),
                                RequestedOutput.NONE)));
        assertRefused(
                "sequence 0 twice",
                MODEL,
                batch(
                        chunk,
                        new SequenceChunk(
                                0,
                                PROMPT,
                                ChunkPlacement.start(other.slots(), 2),
                                RequestedOutput.NONE)));
        assertRefused(
                "state row 1 is written twice",
                MODEL,
                batch(
                        chunk,
                        new SequenceChunk(
                                1,
                                PROMPT,
                                ChunkPlacement.start(other.slots(), 1),
                                RequestedOutput.NONE)));
    }

    private static void assertRefused(String why, PlainModel model, Batch batch) {
        PlainShard fresh = new PlainShard(model, model.shape().allLayers(), SIZES);
        IllegalArgumentException refused =
                assertThrows(
                        IllegalArgumentException.class,
                        () -> fresh.forward(batch, Optional.empty()));
        assertTrue(refused.getMessage().contains(why), refused::getMessage);
    }

    @Test
    void recurrentStateCannotBeRewound() {
        shard.forward(prompt(0), Optional.empty());
        Batch again = batch(chunk(0, 4, new int[] {1}, 1, RequestedOutput.BEST));

        IllegalArgumentException refused =
                assertThrows(
                        IllegalArgumentException.class,
                        () -> shard.forward(again, Optional.empty()));

        assertEquals("state row 1 is read after 4 positions and holds 11", refused.getMessage());
    }

    @Test
    void lostShardRefusesCallsUntilRecoveryAndIsThenEmpty() {
        shard.forward(prompt(0), Optional.empty());
        shard.lose("pulled out");
        CompletableFuture<Void> recovered = shard.recover();

        assertTrue(shard.forward(next(0), Optional.empty()).isCompletedExceptionally());
        assertFalse(recovered.isDone());
        assertEquals(ShardHealth.State.MISSING, shard.health().state());

        shard.comeBack();

        assertTrue(recovered.isDone());
        assertEquals(1, shard.health().restarts());
        assertThrows(
                IllegalArgumentException.class, () -> shard.forward(next(0), Optional.empty()));
    }

    @Test
    void modelRoundTripsThroughItsFile(@TempDir Path folder) throws Exception {
        PlainModel read = PlainModel.read(GgufFile.open(MODEL.write(folder)));
        PlainShard other = new PlainShard(read, read.shape().allLayers(), SIZES);

        assertEquals(MODEL.shape(), read.shape());
        assertArrayEquals(logits(shard, prompt(0)), logits(other, prompt(0)));
        assertNotEquals(0, read.weightBytes(new LayerRange(1, 2)));
    }
}
