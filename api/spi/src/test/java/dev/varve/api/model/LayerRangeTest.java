package dev.varve.api.model;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class LayerRangeTest {
    @ParameterizedTest
    @CsvSource({"0, 0", "5, 5", "5, 4", "-1, 3", "-2147483648, 2147483647"})
    void emptyOrNegativeRangeIsRefused(int begin, int end) {
        String message =
                assertThrows(IllegalArgumentException.class, () -> new LayerRange(begin, end))
                        .getMessage();

        assertEquals("layer range must be non-empty, got [" + begin + ", " + end + ")", message);
    }

    @Test
    void endIsExclusive() {
        LayerRange range = new LayerRange(3, 7);

        assertEquals(4, range.size());
        assertFalse(range.contains(2));
        assertTrue(range.contains(3));
        assertTrue(range.contains(6));
        assertFalse(range.contains(7));
    }
}
