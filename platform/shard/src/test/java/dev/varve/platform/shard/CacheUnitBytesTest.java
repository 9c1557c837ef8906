package dev.varve.platform.shard;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.varve.api.ggml.GgmlType;
import dev.varve.api.gguf.GgufTensor;
import dev.varve.api.model.LayerRange;
import dev.varve.api.model.LayerState;
import dev.varve.api.model.ModelShape;
import dev.varve.api.model.TensorSelection;
import dev.varve.api.model.TensorUse;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;

/** Sizes of caches against sums that are spelled out. */
class CacheUnitBytesTest {
    private static final CacheTypes MIXED = new CacheTypes(GgmlType.Q8_0, GgmlType.F16);
    private static final int WINDOW = 300;

    private static ModelShape shape(List<LayerState> layers) {
        return new ModelShape("test", new ModelShape.Sizes(64, 100, 4096), layers, 0);
    }

    private static List<LayerState> randomLayers(SplittableRandom random) {
        List<LayerState> layers = new ArrayList<>();
        layers.add(new LayerState.FullAttention(2, 64, 32));
        for (int i = random.nextInt(8); i > 0; i--) {
            int heads = 1 + random.nextInt(4);
            layers.add(
                    switch (random.nextInt(5)) {
                        case 0 -> new LayerState.FullAttention(heads, 32, 96);
                        case 4 ->
                                new LayerState.FullAttention(
                                        heads, 96, 64, LayerState.ValueRows.IN_KEYS);
                        case 1 -> new LayerState.SlidingAttention(WINDOW, heads, 64, 64);
                        case 2 -> new LayerState.SharedAttention(0);
                        default -> new LayerState.Recurrent(4, 10 * heads, 16, heads);
                    });
        }
        return layers;
    }

    @Test
    void rangeCostsTheSumOfItsLayers() {
        for (long seed = 0; seed < 200; seed++) {
            SplittableRandom random = new SplittableRandom(seed);
            List<LayerState> layers = randomLayers(random);
            int end = 1 + random.nextInt(layers.size());
            LayerRange range = new LayerRange(random.nextInt(end), end);
            long slot = 0;
            long row = 0;
            long window = 0;
            boolean slides =
                    layers.stream().anyMatch(LayerState.SlidingAttention.class::isInstance);
            int region = slides ? 512 + 256 : 0;
            for (LayerState layer : layers.subList(range.begin(), range.end())) {
                // Q8_0: 34 bytes for 32 keys; F16: 2 bytes for a value.
                switch (layer) {
                    case LayerState.FullAttention full ->
                            slot +=
                                    full.kvHeads()
                                            * (full.keyLength() * 34L / 32
                                                    + (full.keyLength() == 96
                                                            ? 0
                                                            : full.valueLength() * 2L));
                    case LayerState.SlidingAttention sliding ->
                            window += (long) region * sliding.kvHeads() * (68 + 128);
                    case LayerState.Recurrent recurrent ->
                            row +=
                                    4L
                                            * (3 * recurrent.convChannels()
                                                    + 256 * recurrent.valueHeads());
                    default -> slot += 0;
                }
            }

            CacheUnitBytes unitBytes = CacheUnitBytes.of(shape(layers), range, MIXED, 256, 4096);

            assertEquals(
                    new CacheUnitBytes(slot, region, row, window),
                    unitBytes,
                    "seed " + seed + layers);
            assertEquals(
                    slot * 1024 + row * 5 + window * 4,
                    CacheUnitBytes.cacheBytes(
                            shape(layers), range, MIXED, new CacheCapacities(1024, 5, region)),
                    "seed " + seed);
        }
    }

    @Test
    void slotsOfASplitModelAddUpToThoseOfTheWhole() {
        for (long seed = 0; seed < 100; seed++) {
            List<LayerState> layers = randomLayers(new SplittableRandom(seed));
            ModelShape shape = shape(layers);
            long parts = 0;
            for (int layer = 0; layer < layers.size(); layer++) {
                parts +=
                        CacheUnitBytes.of(shape, new LayerRange(layer, layer + 1), MIXED, 256, 512)
                                .bytesPerSlot();
            }

            assertEquals(
                    CacheUnitBytes.of(shape, shape.allLayers(), MIXED, 256, 512).bytesPerSlot(),
                    parts,
                    "seed " + seed);
        }
    }

    @ParameterizedTest
    @CsvSource({
        "1, 1, 4096, 512",
        "256, 256, 4096, 512",
        "257, 256, 4096, 768",
        "300, 512, 4096, 1024",
        "300, 512, 700, 768",
        "2147483647, 512, 4096, 4096"
    })
    void regionHoldsWindowAndChunkButNoMoreThanASequence(
            int window, int chunk, int context, int slots) {
        ModelShape shape = shape(List.of(new LayerState.SlidingAttention(window, 1, 32, 32)));

        CacheUnitBytes unitBytes =
                CacheUnitBytes.of(shape, shape.allLayers(), MIXED, chunk, context);

        assertEquals(slots, unitBytes.regionSlots());
    }

    @Test
    void overflowOfBytesIsAnError() {
        ModelShape shape = shape(List.of(new LayerState.FullAttention(1 << 20, 1 << 10, 1 << 10)));
        CacheCapacities capacities = new CacheCapacities(1 << 30, 2, 0);
        ModelShape wide =
                shape(List.of(new LayerState.Recurrent(2, 1, 1 << 14, Integer.MAX_VALUE >> 4)));

        long bytes =
                CacheUnitBytes.cacheBytes(shape, shape.allLayers(), CacheTypes.f16(), capacities);

        assertEquals((4L << 30) << 30, bytes);
        assertThrows(
                ArithmeticException.class,
                () ->
                        CacheUnitBytes.cacheBytes(
                                wide,
                                wide.allLayers(),
                                CacheTypes.f16(),
                                new CacheCapacities(256, Integer.MAX_VALUE, 0)));
    }

    private static TensorSelection outputs(int layer, int heads, int valueLength) {
        GgufTensor tensor =
                new GgufTensor(
                        "blk." + layer + ".attn_output.weight",
                        GgmlType.F32,
                        List.of((long) heads * valueLength, 64L),
                        new GgufTensor.Place(
                                Path.of("model.gguf"), 0, 4L * heads * valueLength * 64));
        return new TensorSelection.Builder().add(tensor, TensorUse.MATMUL).build();
    }

    @Test
    void plainAttentionHoldsAllScoresAndACopyOfTheValues() {
        ModelShape shape = shape(List.of(new LayerState.FullAttention(2, 64, 32)));
        PlainAttentionMemory memory =
                new PlainAttentionMemory(
                        outputs(0, 8, 32), shape, shape.allLayers(), CacheTypes.f16());

        long bytes = memory.bytes(100, 1024);

        long scores = 8L * 100 * 1024 * 4;
        long values = 2L * 32 * 2 * 1024;
        assertEquals(scores + values, bytes);
    }

    @Test
    void plainAttentionOfAWindowIsLimitedToItsBlocks() {
        ModelShape shape = shape(List.of(new LayerState.SlidingAttention(WINDOW, 1, 32, 32)));
        PlainAttentionMemory memory =
                new PlainAttentionMemory(
                        outputs(0, 1, 32), shape, shape.allLayers(), CacheTypes.f16());

        long many = memory.bytes(100, 1 << 20);
        long few = memory.bytes(100, 512);

        // Window and chunk in whole blocks, and one more for where the first block begins.
        long seen = 512 + 256 + 256;
        assertEquals(100 * 4 * seen + 64 * seen, many);
        assertEquals((100 * 4 + 64) * 512L, few);
    }

    @Test
    void mostExpensiveLayerCounts() {
        List<LayerState> layers =
                List.of(
                        new LayerState.FullAttention(1, 32, 32),
                        new LayerState.FullAttention(4, 32, 32),
                        new LayerState.Recurrent(4, 8, 8, 1),
                        new LayerState.SharedAttention(1));
        ModelShape shape = shape(layers);
        TensorSelection none = new TensorSelection(List.of());

        long all =
                new PlainAttentionMemory(none, shape, shape.allLayers(), CacheTypes.f16())
                        .bytes(10, 256);
        long first =
                new PlainAttentionMemory(none, shape, new LayerRange(0, 1), CacheTypes.f16())
                        .bytes(10, 256);
        long recurrent =
                new PlainAttentionMemory(none, shape, new LayerRange(2, 3), CacheTypes.f16())
                        .bytes(10, 256);

        assertEquals(4 * first, all);
        assertTrue(first > 0);
        assertEquals(0, recurrent);
    }
}
