package dev.varve.platform.shard;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.varve.api.VarveException;
import dev.varve.api.ggml.GgmlType;
import dev.varve.api.model.LayerRange;
import dev.varve.api.model.LayerState;
import dev.varve.api.model.ModelShape;
import dev.varve.platform.setting.Setting;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import java.util.List;
import java.util.OptionalInt;

/** How large the parts of a sequence are, and which ones a model has. */
class CachePartTest {
    private static final CacheTypes TYPES = new CacheTypes(GgmlType.Q8_0, GgmlType.F16);
    private static final RowLayout LAYOUT = new RowLayout(GgmlType.Q8_0, 64, GgmlType.F16, 16);

    private static ModelShape shape(LayerState... layers) {
        return new ModelShape("parts", new ModelShape.Sizes(8, 61, 4096), List.of(layers), 0);
    }

    private static CacheLayout layout(ModelShape shape) {
        return CacheLayout.of(shape, shape.allLayers(), TYPES, 1024);
    }

    @ParameterizedTest
    @CsvSource({"F32, 3, F32, 5, 2, 64", "F16, 3, F32, 1, 2, 20", "Q8_0, 64, Q4_0, 32, 3, 258"})
    void rowsHaveTheBytesOfTheirTypes(
            GgmlType key, long keyLength, GgmlType value, long valueLength, int rows, long bytes) {
        RowLayout layout = new RowLayout(key, keyLength, value, valueLength);

        assertEquals(bytes, new CachePart.Rows(0, layout, 7, 7, rows).bytes());
        assertEquals(bytes, new CachePart.Window(0, layout, 1, 256, 256 + rows).bytes());
    }

    @Test
    void valuesInKeysHaveNoBytesOfTheirOwn() {
        LayerState.Attention latent =
                new LayerState.FullAttention(1, 64, 32, LayerState.ValueRows.IN_KEYS);
        RowLayout layout = RowLayout.of(latent, TYPES);

        assertEquals(new RowLayout(GgmlType.Q8_0, 64, GgmlType.Q8_0, 0), layout);
        assertEquals(3 * 68, new CachePart.Rows(0, layout, 7, 7, 3).bytes());
        assertEquals(0, layout.valueBytes());
        assertEquals("q8_0[64]", layout.toString());
        assertEquals(68, layout(shape(latent)).bytesPerToken());
    }

    @Test
    void rowsThatAreNoWholeBlocksAreRefusedWithTheSetting() {
        CacheTypes types = new CacheTypes(GgmlType.F16, GgmlType.Q8_0);

        VarveException refusal =
                assertThrows(
                        VarveException.class,
                        () -> RowLayout.of(new LayerState.FullAttention(2, 40, 24), types));

        assertEquals(
                Setting.VALUE_CACHE_TYPE
                        + ": q8_0 stores blocks of 32 elements, but the model's rows have 48",
                refusal.getMessage());
    }

    @Test
    void stateHasFourBytesPerElement() {
        assertEquals(28, new CachePart.State(0, List.of(3L, 4L), 1, 1).bytes());
    }

    @Test
    void impossiblePartsAreRefused() {
        List<Runnable> wrong =
                List.of(
                        () -> new CachePart.Rows(-1, LAYOUT, 0, 0, 1),
                        () -> new CachePart.Rows(0, LAYOUT, -1, 5, 1),
                        () -> new CachePart.HostPageRows(0, LAYOUT, 0, 5, 1),
                        () -> new CachePart.HostPageRows(0, LAYOUT, 1, 60, 5),
                        () -> new CachePart.Rows(0, LAYOUT, 0, 0, 0),
                        () -> new CachePart.Window(0, LAYOUT, SequenceChunk.ZERO_ROW, 0, 1),
                        () -> new CachePart.Window(0, LAYOUT, 1, 255, 256),
                        () -> new CachePart.Window(0, LAYOUT, 1, 256, 256),
                        () -> new CachePart.State(0, List.of(1L), SequenceChunk.ZERO_ROW, 1),
                        () -> new CachePart.State(0, List.of(1L), 1, 0),
                        () -> new RowLayout(GgmlType.F16, 0, GgmlType.F16, 1),
                        () -> new RowLayout(GgmlType.F16, 2, GgmlType.F16, -1),
                        () -> new RowLayout(GgmlType.F16, 2, GgmlType.F32, 0));
        for (int i = 0; i < wrong.size(); i++) {
            assertThrows(IllegalArgumentException.class, wrong.get(i)::run, "part " + i);
        }
    }

    @Test
    void everyStatefulLayerHasItsParts() {
        LayerState own =
                new LayerState.Custom(
                        List.of(
                                new LayerState.Custom.Part("far", List.of(2L, 3L)),
                                new LayerState.Custom.Part("near", List.of(5L))));
        ModelShape shape =
                shape(
                        new LayerState.SlidingAttention(300, 1, 64, 16),
                        new LayerState.FullAttention(2, 32, 8),
                        new LayerState.Recurrent(4, 10, 3, 1),
                        own,
                        LayerState.Custom.nothing());
        LayerState.Recurrent recurrent = (LayerState.Recurrent) shape.layers().get(2);
        List<Long> elements = List.of(recurrent.convElements(), recurrent.matrixElements());

        CacheLayout layout = layout(shape);

        assertTrue(layout.forgets());
        assertEquals(LAYOUT.bytes(1), layout.bytesPerToken());
        assertEquals(
                List.of(new CachePart.Rows(1, LAYOUT, 517, 5, 9)),
                layout.rows(new KvSlotSpan(512, 256), 5, 9));
        assertEquals(
                List.of(
                        new CachePart.State(2, elements, 3, 1000),
                        new CachePart.State(3, List.of(6L, 5L), 3, 1000),
                        new CachePart.Window(0, LAYOUT, 3, 512, 1000)),
                layout.states(3, 1000));
        CacheLayout second = CacheLayout.of(shape, new LayerRange(1, 2), TYPES, 1024);
        assertEquals(List.of(), second.states(3, 1000));
    }

    @Test
    void fullAttentionModelResumesAtEveryPosition() {
        assertFalse(layout(shape(new LayerState.FullAttention(2, 32, 8))).forgets());
    }

    @ParameterizedTest
    @CsvSource({"1, 0, 0", "300, 0, 0", "556, 256, 0", "1024, 512, 0", "1025, 512, 512"})
    void windowStartsAtTheBlockOfTheFirstVisiblePosition(int end, int first, int begin) {
        WindowRegionPositions rule = new WindowRegionPositions(OptionalInt.of(300), 1024);

        assertEquals(first, rule.first(end));
        assertEquals(begin, rule.begin(end));
    }
}
