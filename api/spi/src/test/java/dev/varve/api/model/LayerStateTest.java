package dev.varve.api.model;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.varve.api.model.LayerState.Custom;
import dev.varve.api.model.LayerState.Custom.Part;
import dev.varve.api.model.LayerState.FullAttention;
import dev.varve.api.model.LayerState.Recurrent;
import dev.varve.api.model.LayerState.SharedAttention;
import dev.varve.api.model.LayerState.SlidingAttention;
import dev.varve.api.model.LayerState.ValueRows;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import java.util.List;

class LayerStateTest {
    private static final FullAttention FULL = new FullAttention(2, 32, 16);

    @Test
    void customStateHasTheElementsOfAllItsParts() {
        Custom state =
                new Custom(
                        List.of(new Part("far", List.of(8L, 3L)), new Part("near", List.of(8L))));

        assertEquals(32, state.elements());
        assertEquals(0, Custom.nothing().elements());
    }

    @Test
    void valuesInKeysAreNotLongerThanTheKeys() {
        FullAttention whole = new FullAttention(1, 32, 32, ValueRows.IN_KEYS);

        assertEquals(ValueRows.IN_KEYS, whole.valueRows());
        assertEquals(ValueRows.SEPARATE, FULL.valueRows());
        assertEquals(ValueRows.SEPARATE, new SlidingAttention(9, 1, 32, 32).valueRows());
        assertThrows(
                IllegalArgumentException.class,
                () -> new FullAttention(1, 32, 33, ValueRows.IN_KEYS));
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "Far", "far.1", "far 1", "ä", "a/b"})
    void partNeedsAPlainName(String name) {
        assertThrows(IllegalArgumentException.class, () -> new Part(name, List.of(1L)));
    }

    @Test
    void partHasOneToThreePositiveExtents() {
        for (List<Long> shape :
                List.of(List.<Long>of(), List.of(0L), List.of(2L, -1L), List.of(1L, 1L, 1L, 1L))) {
            assertThrows(IllegalArgumentException.class, () -> new Part("far", shape), "" + shape);
        }
        assertThrows(
                ArithmeticException.class,
                () -> new Part("far", List.of(1L << 40, 1L << 40)).elements());
    }

    @Test
    void partNamesAreUnique() {
        Part part = new Part("far", List.of(1L));

        assertThrows(IllegalArgumentException.class, () -> new Custom(List.of(part, part)));
    }

    @Test
    void onlyStatesThatCannotBeTruncatedForget() {
        assertFalse(shape(FULL, new SharedAttention(0), Custom.nothing()).forgets());
        assertTrue(shape(new Custom(List.of(new Part("far", List.of(1L))))).forgets());
        assertTrue(shape(new SlidingAttention(8, 2, 32, 32)).forgets());
        assertTrue(shape(new Recurrent(4, 64, 16, 2)).forgets());
    }

    @Test
    void recurrentStateHasConvolutionRowsAndMatrices() {
        Recurrent state = new Recurrent(4, 64, 16, 2);

        assertEquals(3 * 64, state.convElements());
        assertEquals(16 * 16 * 2, state.matrixElements());
        assertThrows(IllegalArgumentException.class, () -> new Recurrent(1, 64, 16, 2));
    }

    @Test
    void sharedRowsReferToAnEarlierAttentionLayer() {
        assertThrows(
                IllegalArgumentException.class,
                () -> shape(new Recurrent(4, 64, 16, 2), new SharedAttention(0)));
        assertThrows(IllegalArgumentException.class, () -> shape(new SharedAttention(0)));
        assertThrows(IllegalArgumentException.class, () -> shape(FULL, new SharedAttention(2)));
    }

    @Test
    void allSlidingLayersHaveOneWindow() {
        assertEquals(
                8,
                shape(FULL, new SlidingAttention(8, 2, 32, 32), new SlidingAttention(8, 1, 64, 64))
                        .window()
                        .getAsInt());
        assertTrue(shape(FULL).window().isEmpty());
        assertThrows(
                IllegalArgumentException.class,
                () ->
                        shape(
                                new SlidingAttention(8, 2, 32, 32),
                                new SlidingAttention(9, 2, 32, 32)));
    }

    private static ModelShape shape(LayerState... layers) {
        return new ModelShape("x", new ModelShape.Sizes(64, 320, 128), List.of(layers), 0);
    }
}
