package dev.varve.platform.shard.lora;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import java.util.List;
import java.util.Map;
import java.util.TreeMap;

class LoraScalesTest {
    private static final LoraTerms TERMS =
            new LoraTerms(Map.of(), new TreeMap<>(Map.of(0, 1f, 1, 0f)));

    @Test
    void loadedScalesAreNotNamedAgain() {
        List<Float> loaded = List.of(1f, 0f);

        assertSame(LoraScales.AS_LOADED, LoraScales.of(List.of(1f, -0f), loaded));
        assertEquals(List.of(1f, 0.5f), LoraScales.of(List.of(1f, 0.5f), loaded).values());
    }

    @Test
    void negativeZeroIsZero() {
        assertEquals(new LoraScales(List.of(0f)), new LoraScales(List.of(-0f)));
    }

    @ParameterizedTest
    @ValueSource(floats = {Float.NaN, Float.POSITIVE_INFINITY, Float.NEGATIVE_INFINITY})
    void aScaleIsFinite(float scale) {
        IllegalArgumentException refused =
                assertThrows(
                        IllegalArgumentException.class, () -> new LoraScales(List.of(1f, scale)));

        assertTrue(refused.getMessage().contains("adapter 1"), refused.getMessage());
    }

    @Test
    void aBatchComputesTheAdaptersThatChangeAnyToken() {
        LoraScales none = new LoraScales(List.of(0f, 0f));
        LoraScales second = new LoraScales(List.of(0f, -1f));

        assertEquals(List.of(), TERMS.active(List.of(none, none)));
        assertEquals(List.of(1), TERMS.active(List.of(none, second)));
        assertEquals(List.of(0), TERMS.active(List.of(LoraScales.AS_LOADED, none)));
        assertEquals(List.of(0, 1), TERMS.active(List.of(second, LoraScales.AS_LOADED)));
    }

    @Test
    void scalesAreOfTheAdaptersOrZero() {
        assertTrue(TERMS.accept(LoraScales.AS_LOADED));
        assertTrue(TERMS.accept(new LoraScales(List.of(1f, 2f))));
        assertTrue(TERMS.accept(new LoraScales(List.of(1f))));
        assertTrue(TERMS.accept(new LoraScales(List.of(1f, 2f, 0f))));
        assertFalse(TERMS.accept(new LoraScales(List.of(1f, 2f, 1f))));
        assertFalse(LoraTerms.NONE.accept(new LoraScales(List.of(1f))));
    }

    @Test
    void scalesBehindTheEndAreZero() {
        assertEquals(0f, new LoraScales(List.of(1f)).of(1, 7));
        assertEquals(7f, LoraScales.AS_LOADED.of(1, 7));
    }

    @Test
    void onlyContentsThatAreUsedDistinguishScales() {
        LoraScales used = new LoraScales(List.of(0f, 1f), List.of("aa", "bb", "cc"));

        assertEquals(List.of("", "bb"), used.contents());
        assertEquals("", used.content(0));
        assertEquals("bb", used.content(1));
        assertEquals(
                new LoraScales(List.of(0f, 0f)),
                new LoraScales(List.of(0f, 0f), List.of("aa", "bb")));
        assertNotEquals(used, new LoraScales(List.of(0f, 1f), List.of("", "dd")));
    }
}
