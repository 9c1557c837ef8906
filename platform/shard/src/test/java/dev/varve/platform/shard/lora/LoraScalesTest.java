package dev.varve.platform.shard.lora;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import java.util.List;
import java.util.Map;

class LoraScalesTest {
    private static final LoraTerms TERMS = new LoraTerms(Map.of(), List.of(1f, 0f));

    @Test
    void loadedScalesAreNotNamedAgain() {
        assertSame(LoraScales.AS_LOADED, LoraScales.of(List.of(1f, -0f), TERMS.loaded()));
        assertEquals(List.of(1f, 0.5f), LoraScales.of(List.of(1f, 0.5f), TERMS.loaded()).values());
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
    void scalesAreOfAllAdaptersOrAsLoaded() {
        assertTrue(TERMS.accept(LoraScales.AS_LOADED));
        assertTrue(TERMS.accept(new LoraScales(List.of(1f, 2f))));
        assertFalse(TERMS.accept(new LoraScales(List.of(1f))));
        assertFalse(LoraTerms.NONE.accept(new LoraScales(List.of(1f))));
    }
}
