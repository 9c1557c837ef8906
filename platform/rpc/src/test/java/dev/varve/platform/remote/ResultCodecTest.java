package dev.varve.platform.remote;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.varve.api.backend.ComputeDevice.Phase;
import dev.varve.api.model.LayerRange;
import dev.varve.platform.shard.Batch;
import dev.varve.platform.shard.CacheChanges;
import dev.varve.platform.shard.CapturedFeature;
import dev.varve.platform.shard.ChunkPlacement;
import dev.varve.platform.shard.HostActivations;
import dev.varve.platform.shard.KvSlotSpan;
import dev.varve.platform.shard.LogitsBuffers;
import dev.varve.platform.shard.PageQuery;
import dev.varve.platform.shard.PageScores;
import dev.varve.platform.shard.RequestedOutput;
import dev.varve.platform.shard.SequenceChunk;
import dev.varve.platform.shard.ShardMemory;
import dev.varve.platform.shard.ShardResult;
import dev.varve.platform.wire.Message;
import dev.varve.platform.wire.WireErrorCode;
import dev.varve.platform.wire.WireException;

import org.junit.jupiter.api.Test;

import java.nio.ByteBuffer;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;

/** Encoded results of a shard of layers 1 and 2, with captures and pages. */
class ResultCodecTest {
    private static final ShardMemory MEMORY = new ShardMemory(1, 2, 3, 4);

    /** No short float has this value. */
    private static final float LONG = 1.0000001f;

    private static ResultCodec codec(int width) {
        return new ResultCodec(
                BoundaryType.F16, new LayerRange(1, 3), OptionalInt.of(2), 10, width);
    }

    private static Batch batch(List<Integer> captures) {
        return new Batch(
                List.of(
                        new SequenceChunk(
                                1,
                                new int[] {5},
                                ChunkPlacement.start(new KvSlotSpan(0, KvSlotSpan.BLOCK), 1),
                                RequestedOutput.NONE)),
                Phase.PREFILL,
                captures);
    }

    private static ShardResult result(List<CapturedFeature> features) {
        return new ShardResult(
                new float[0],
                new int[0],
                0,
                Optional.of(new HostActivations(new float[] {LONG, LONG}, 1)),
                features);
    }

    private static CapturedFeature feature(int layer) {
        return new CapturedFeature(layer, new float[] {LONG, layer}, 1);
    }

    @Test
    void featuresAreSentUnroundedBesideARoundedBoundary() {
        ResultCodec codec = codec(2);
        Batch batch = batch(List.of(0, 1, 2, 3));
        ShardResult sent = result(List.of(feature(2), feature(3)));

        ShardResult received =
                codec.decode(batch, codec.encode(batch, sent, MEMORY, 1), new LogitsBuffers())
                        .result();

        assertEquals(
                List.of(2, 3), received.features().stream().map(CapturedFeature::layer).toList());
        assertArrayEquals(new float[] {LONG, 2}, received.features().getFirst().values());
        assertArrayEquals(new float[] {1, 1}, received.boundary().orElseThrow().values());
    }

    @Test
    void featuresOfOtherLayersOrTooFewAreRefused() {
        ResultCodec codec = codec(2);
        Batch batch = batch(List.of(2, 3));
        for (List<CapturedFeature> wrong :
                List.of(
                        List.<CapturedFeature>of(),
                        List.of(feature(3)),
                        List.of(feature(1), feature(2)),
                        List.of(feature(3), feature(2)))) {
            WireException refusal =
                    assertThrows(
                            WireException.class,
                            () ->
                                    codec.decode(
                                            batch,
                                            codec.encode(batch, result(wrong), MEMORY, 1),
                                            new LogitsBuffers()),
                            () -> wrong.stream().map(CapturedFeature::layer).toList().toString());
            assertEquals(WireErrorCode.INVALID_REQUEST, refusal.code());
        }
    }

    @Test
    void featuresBeyondAMessageAreReported() {
        ShardResult sent = result(Collections.nCopies(64, feature(2)));

        WireException refusal =
                assertThrows(
                        WireException.class,
                        () -> codec(1 << 24).encode(batch(List.of(2)), sent, MEMORY, 1));

        assertEquals(WireErrorCode.TOO_LARGE, refusal.code());
        assertTrue(refusal.getMessage().contains("64 captures"), refusal.getMessage());
    }

    /** Asks about two pages, and about one. */
    private static Batch asking() {
        Batch plain = batch(List.of());
        PageQuery two =
                new PageQuery(
                        0,
                        List.of(
                                new PageQuery.PagePlace(7, 64),
                                new PageQuery.PagePlace(8, PageQuery.PagePlace.ON_HOST)));
        PageQuery one = new PageQuery(0, List.of(new PageQuery.PagePlace(7, 64)));
        return new Batch(
                CacheChanges.NONE,
                List.of(plain.chunks().getFirst(), other()),
                Phase.PREFILL,
                List.of(),
                List.of(two, one));
    }

    private static SequenceChunk other() {
        KvSlotSpan span = new KvSlotSpan(KvSlotSpan.BLOCK, KvSlotSpan.BLOCK);
        return new SequenceChunk(
                2, new int[] {5}, ChunkPlacement.start(span, 2), RequestedOutput.NONE);
    }

    private static ShardResult scored(PageScores... scores) {
        return new ShardResult(
                new float[0],
                new int[0],
                0,
                Optional.of(new HostActivations(new float[] {LONG, LONG, LONG, LONG}, 2)),
                List.of(),
                List.of(scores));
    }

    private static ShardResult passed(Batch batch, ShardResult sent) {
        return codec(2).decode(batch, codec(2).encode(batch, sent, MEMORY, 1), new LogitsBuffers())
                .result();
    }

    @Test
    void scoresAreSentUnroundedWithQueryAndLayer() {
        ShardResult received =
                passed(
                        asking(),
                        scored(
                                new PageScores(0, 1, new float[] {LONG, -2}),
                                new PageScores(0, 2, new float[] {0, Float.NaN}),
                                new PageScores(1, 2, new float[] {-LONG})));

        assertEquals(List.of(1, 2), received.scoresOf(0).stream().map(PageScores::layer).toList());
        assertArrayEquals(new float[] {LONG, -2}, received.scoresOf(0).getFirst().values());
        assertArrayEquals(new float[] {0, Float.NaN}, received.scoresOf(0).getLast().values());
        assertEquals(List.of(2), received.scoresOf(1).stream().map(PageScores::layer).toList());
        assertArrayEquals(new float[] {-LONG}, received.scoresOf(1).getFirst().values());
    }

    @Test
    void unrequestedScoresAreRefused() {
        PageScores sound = new PageScores(0, 1, new float[2]);

        assertRefused("query: expected 0 to 1, found 2", new PageScores(2, 1, new float[1]));
        assertRefused("query: expected 0 to 1, found -1", new PageScores(-1, 1, new float[1]));
        assertRefused(
                "layer of scores: expected 1 to 2, found 0", new PageScores(0, 0, new float[2]));
        assertRefused(
                "layer of scores: expected 1 to 2, found 3", new PageScores(0, 3, new float[2]));
        assertRefused(
                "result: expected 20 bytes, found 16", sound, new PageScores(1, 1, new float[0]));
        assertRefused("result: expected 16 bytes, found 20", new PageScores(0, 1, new float[3]));
        assertRefused("scores: expected 0 to 4, found 5", sound, sound, sound, sound, sound);
    }

    @Test
    void duplicateOrUnorderedLayerIsRefused() {
        PageScores first = new PageScores(0, 1, new float[2]);
        PageScores second = new PageScores(0, 2, new float[2]);
        PageScores third = new PageScores(1, 1, new float[1]);

        assertRefused("layer of scores: expected 2 to 2, found 1", first, first);
        assertRefused("layer of scores: expected 3 to 2, found 1", second, first);
        assertRefused("query: expected 1 to 1, found 0", third, second);
        assertRefused("layer of scores: expected 2 to 2, found 1", first, second, third, third);
    }

    private static void assertRefused(String why, PageScores... wrong) {
        Batch batch = asking();
        WireException refusal =
                assertThrows(WireException.class, () -> passed(batch, scored(wrong)), why);
        assertEquals(why, refusal.getMessage());
        assertEquals(WireErrorCode.INVALID_REQUEST, refusal.code());
    }

    @Test
    void scoresOfABatchWithoutQueriesAreRefused() {
        ShardResult plain = result(List.of());
        ShardResult sent =
                new ShardResult(
                        plain.logits(),
                        plain.best(),
                        0,
                        plain.boundary(),
                        List.of(),
                        List.of(new PageScores(0, 1, new float[1])));

        WireException refusal =
                assertThrows(WireException.class, () -> passed(batch(List.of()), sent));

        assertEquals("scores: expected 0 to 0, found 1", refusal.getMessage());
    }

    @Test
    void truncatedScoresAreRefused() {
        Batch batch = asking();
        Message whole =
                codec(2).encode(batch, scored(new PageScores(0, 2, new float[] {1, 2})), MEMORY, 1);

        for (int length = 0; length < whole.meta().remaining(); length++) {
            Message cut = new Message(whole.type(), whole.meta().slice(0, length), whole.payload());
            assertThrows(
                    WireException.class,
                    () -> codec(2).decode(batch, cut, new LogitsBuffers()),
                    "of " + length + " small bytes");
        }
        for (int length = 0; length < whole.payload().remaining(); length++) {
            Message cut = new Message(whole.type(), whole.meta(), whole.payload().slice(0, length));
            assertThrows(
                    WireException.class,
                    () -> codec(2).decode(batch, cut, new LogitsBuffers()),
                    "of " + length + " large bytes");
        }
    }

    @Test
    void memoryIncludesItsHostPages() {
        FieldWriter fields = new FieldWriter();
        ShardMemory memory = new ShardMemory(1, 2, 3, 4, 5L << 33);
        ResultCodec.putMemory(fields, memory);

        assertEquals(memory, ResultCodec.memory(new FieldReader(fields.done())));
        ByteBuffer negative =
                new FieldWriter().number(0L).number(0L).number(0L).number(0L).number(-1L).done();
        WireException refusal =
                assertThrows(
                        WireException.class, () -> ResultCodec.memory(new FieldReader(negative)));
        assertEquals(
                "host pages: expected 0 to 9223372036854775807, found -1", refusal.getMessage());
    }
}
