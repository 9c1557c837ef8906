package dev.varve.platform.speculation;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** A tree has at most as many draft tokens as a step can verify. */
class TreeOptionsTest {
    @Test
    void nodeCountIsFromZeroToTheMaximum() {
        assertEquals(0, new TreeOptions(0, false).draftTokens());
        assertEquals(1, new TreeOptions(1, true).draftTokens());
        assertEquals(TreeOptions.MOST, new TreeOptions(TreeOptions.MOST, true).draftTokens());
    }

    @ParameterizedTest
    @CsvSource({"-1, false", "64, false", "0, true"})
    void otherNumbersAreRefused(int draftTokens, boolean always) {
        IllegalArgumentException thrown =
                assertThrows(
                        IllegalArgumentException.class, () -> new TreeOptions(draftTokens, always));

        assertTrue(thrown.getMessage().endsWith("found " + draftTokens), thrown.getMessage());
    }
}
