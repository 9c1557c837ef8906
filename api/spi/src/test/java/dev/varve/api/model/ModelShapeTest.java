package dev.varve.api.model;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.varve.api.model.LayerState.FullAttention;
import dev.varve.api.model.LayerState.Recurrent;
import dev.varve.api.model.LayerState.SharedAttention;
import dev.varve.api.model.LayerState.SlidingAttention;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import java.util.ArrayList;
import java.util.List;
import java.util.OptionalInt;

class ModelShapeTest {
    private static final LayerState FULL = new FullAttention(2, 64, 64);
    private static final LayerState SLIDING = new SlidingAttention(512, 2, 64, 64);
    private static final LayerState RECURRENT = new Recurrent(4, 256, 32, 8);

    @ParameterizedTest
    @CsvSource({"0, 9, 9, 0", "9, 0, 9, 0", "9, 9, 0, 0", "9, 9, 9, -1", "-9, 9, 9, 0"})
    void nonPositiveSizesAreRefused(int width, int vocabulary, int context, int skipped) {
        assertThrows(
                IllegalArgumentException.class,
                () ->
                        new ModelShape(
                                "test",
                                new ModelShape.Sizes(width, vocabulary, context),
                                List.of(FULL),
                                skipped));
    }

    @Test
    void modelWithoutLayersIsRefused() {
        String message = assertThrows(IllegalArgumentException.class, () -> shape()).getMessage();

        assertTrue(message.endsWith("got 0 layers, 0 skipped blocks"), message);
    }

    @Test
    void rowsAreSharedOnlyWithAnEarlierLayerThatHasRows() {
        assertEquals(3, shape(FULL, SLIDING, new SharedAttention(1)).layerCount());
        refused("layer 0 shares the rows of layer 0", new SharedAttention(0), FULL);
        refused("layer 0 shares the rows of layer 1", new SharedAttention(1), FULL);
        refused("layer 1 shares the rows of layer 0", RECURRENT, new SharedAttention(0));
        refused(
                "layer 2 shares the rows of layer 1",
                FULL,
                new SharedAttention(0),
                new SharedAttention(1));
        refused("layer 1 shares the rows of layer 7", FULL, new SharedAttention(7));
    }

    @Test
    void allSlidingLayersHaveOneWindow() {
        assertEquals(OptionalInt.of(512), shape(FULL, SLIDING, SLIDING).window());
        assertEquals(OptionalInt.empty(), shape(FULL, RECURRENT).window());
        refused(
                "sliding layers differ in their window",
                SLIDING,
                new SlidingAttention(1024, 2, 64, 64));
    }

    @Test
    void onlyFullAttentionRowsCanBeTruncated() {
        assertFalse(shape(FULL, new SharedAttention(0)).forgets());
        assertTrue(shape(FULL, SLIDING).forgets());
        assertTrue(shape(RECURRENT).forgets());
    }

    @Test
    void layersAreCopied() {
        List<LayerState> layers = new ArrayList<>(List.of(FULL));
        ModelShape shape = new ModelShape("test", new ModelShape.Sizes(9, 9, 9), layers, 0);

        layers.add(SLIDING);

        assertEquals(new LayerRange(0, 1), shape.allLayers());
    }

    private static ModelShape shape(LayerState... layers) {
        return new ModelShape("test", new ModelShape.Sizes(64, 100, 4096), List.of(layers), 0);
    }

    private static void refused(String part, LayerState... layers) {
        String message =
                assertThrows(IllegalArgumentException.class, () -> shape(layers)).getMessage();
        assertTrue(message.contains(part), message);
    }
}
