package dev.varve.platform.shard;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.varve.api.ggml.GgmlType;
import dev.varve.api.model.LayerRange;
import dev.varve.api.model.LayerState;
import dev.varve.api.model.ModelShape;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import java.util.List;
import java.util.OptionalInt;

/** Which parts of a sequence there are, and which positions a window needs. */
class CacheLayoutTest {
    private static final CacheTypes TYPES = new CacheTypes(GgmlType.Q8_0, GgmlType.F16);
    private static final ModelShape SHAPE =
            new ModelShape(
                    "layout",
                    new ModelShape.Sizes(8, 61, 4096),
                    List.of(
                            new LayerState.FullAttention(2, 32, 16),
                            new LayerState.Recurrent(3, 8, 4, 1),
                            new LayerState.SlidingAttention(300, 1, 32, 32),
                            new LayerState.FullAttention(1, 64, 32)),
                    0);
    private static final CacheLayout LAYOUT = CacheLayout.of(SHAPE, SHAPE.allLayers(), TYPES, 1024);
    private static final RowLayout FIRST = new RowLayout(GgmlType.Q8_0, 64, GgmlType.F16, 32);
    private static final RowLayout LAST = new RowLayout(GgmlType.Q8_0, 64, GgmlType.F16, 32);
    private static final KvSlotSpan SPAN = new KvSlotSpan(512, 1024);

    @Test
    void rowsAreThoseOfTheFullLayersAtTheSequenceSlots() {
        assertEquals(
                List.of(
                        new CachePart.Rows(0, FIRST, 812, 300, 20),
                        new CachePart.Rows(3, LAST, 812, 300, 20)),
                LAYOUT.rows(SPAN, 300, 20));
        assertEquals(2 * (68 + 64), LAYOUT.bytesPerToken());
        assertThrows(IllegalArgumentException.class, () -> LAYOUT.rows(SPAN, 1024, 1));
    }

    @Test
    void statesAreThoseOfAllOtherLayersWithWindowsLast() {
        RowLayout window = new RowLayout(GgmlType.Q8_0, 32, GgmlType.F16, 32);

        assertEquals(
                List.of(
                        new CachePart.State(1, List.of(16L, 16L), 3, 600),
                        new CachePart.Window(2, window, 3, 256, 600)),
                LAYOUT.states(3, 600));
        assertTrue(LAYOUT.forgets());
    }

    @Test
    void rangeHasThePartsOfItsLayers() {
        CacheLayout tail = CacheLayout.of(SHAPE, new LayerRange(2, 4), TYPES, 1024);

        assertEquals(List.of(3), tail.rows(SPAN, 0, 1).stream().map(CachePart::layer).toList());
        assertEquals(List.of(2), tail.states(1, 9).stream().map(CachePart::layer).toList());
    }

    @Test
    void fullAttentionModelForgetsNothing() {
        ModelShape shape = PlainModel.attentionOnly(2, 512).shape();
        CacheLayout layout = CacheLayout.of(shape, shape.allLayers(), CacheTypes.f16(), 0);

        assertFalse(layout.forgets());
        assertEquals(List.of(), layout.states(1, 7));
    }

    /** The next token sees the {@code window - 1} positions before it. */
    @ParameterizedTest
    @CsvSource({
        "300, 1, 0", "300, 299, 0", "300, 554, 0", "300, 555, 256", "300, 810, 256",
        "300, 811, 512", "1, 255, 0", "1, 256, 256", "257, 511, 0", "257, 512, 256"
    })
    void windowStartsWithTheBlockOfTheOldestVisiblePosition(int window, int end, int first) {
        WindowRegionPositions rule = new WindowRegionPositions(OptionalInt.of(window), 1024);

        assertEquals(first, rule.first(end));
        assertTrue(rule.first(end) <= Math.max(0, end - (window - 1)));
        assertEquals(0, rule.begin(end), "nothing was dropped from a region of 1024");
    }

    @Test
    void regionStartsLaterAfterADrop() {
        WindowRegionPositions rule = new WindowRegionPositions(OptionalInt.of(300), 1024);

        assertEquals(0, rule.begin(1024));
        assertEquals(rule.first(1025), rule.begin(1025));
        assertEquals(512, rule.begin(1025));
        assertEquals(2048, new WindowRegionPositions(OptionalInt.empty(), 256).first(2048));
    }
}
