package dev.varve.platform.remote;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.varve.api.backend.ComputeDevice.Phase;
import dev.varve.api.model.LayerRange;
import dev.varve.platform.shard.Batch;
import dev.varve.platform.shard.Feature;
import dev.varve.platform.shard.HostBoundary;
import dev.varve.platform.shard.OutputRows;
import dev.varve.platform.shard.ShardMemory;
import dev.varve.platform.shard.ShardResult;
import dev.varve.platform.shard.Slice;
import dev.varve.platform.shard.SlicePlace;
import dev.varve.platform.shard.SlotSpan;
import dev.varve.platform.wire.WireCode;
import dev.varve.platform.wire.WireException;

import org.junit.jupiter.api.Test;

import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;

/** What a shard of layers 1 and 2 says about captures. */
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
                        new Slice(
                                1,
                                new int[] {5},
                                SlicePlace.start(new SlotSpan(0, SlotSpan.BLOCK), 1),
                                OutputRows.NONE)),
                Phase.PREFILL,
                captures);
    }

    private static ShardResult result(List<Feature> features) {
        return new ShardResult(
                new float[0],
                new int[0],
                0,
                Optional.of(new HostBoundary(new float[] {LONG, LONG}, 1)),
                features);
    }

    private static Feature feature(int layer) {
        return new Feature(layer, new float[] {LONG, layer}, 1);
    }

    @Test
    void featuresTravelUnroundedBesideARoundedBoundary() {
        ResultCodec codec = codec(2);
        Batch batch = batch(List.of(0, 1, 2, 3));
        ShardResult sent = result(List.of(feature(2), feature(3)));

        ShardResult received =
                codec.decode(batch, codec.encode(batch, sent, MEMORY, 1), new LogitsBuffer())
                        .result();

        assertEquals(List.of(2, 3), received.features().stream().map(Feature::layer).toList());
        assertArrayEquals(new float[] {LONG, 2}, received.features().getFirst().values());
        assertArrayEquals(new float[] {1, 1}, received.boundary().orElseThrow().values());
    }

    @Test
    void featuresOfOtherLayersOrTooFewAreRefused() {
        ResultCodec codec = codec(2);
        Batch batch = batch(List.of(2, 3));
        for (List<Feature> wrong :
                List.of(
                        List.<Feature>of(),
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
                                            new LogitsBuffer()),
                            () -> wrong.stream().map(Feature::layer).toList().toString());
            assertEquals(WireCode.INVALID_REQUEST, refusal.code());
        }
    }

    @Test
    void moreFeaturesThanAMessageHoldsAreTold() {
        ShardResult sent = result(Collections.nCopies(64, feature(2)));

        WireException refusal =
                assertThrows(
                        WireException.class,
                        () -> codec(1 << 24).encode(batch(List.of(2)), sent, MEMORY, 1));

        assertEquals(WireCode.TOO_LARGE, refusal.code());
        assertTrue(refusal.getMessage().contains("64 captures"), refusal.getMessage());
    }
}
