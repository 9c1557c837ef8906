package dev.varve.platform.compression.selection;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class KeepRatioTest {
    @ParameterizedTest
    @ValueSource(
            doubles = {
                0,
                -0.0,
                -0.1,
                1.0000001,
                Double.NaN,
                Double.POSITIVE_INFINITY,
                Double.NEGATIVE_INFINITY
            })
    void invalidRatioIsRefused(double value) {
        assertThrows(IllegalArgumentException.class, () -> new KeepRatio(value));
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "x", "0", "1.5", "NaN", "Infinity", "0x1p-2", "0.5f", " 0.5"})
    void invalidRatioTextIsRefusedAndShown(String text) {
        IllegalArgumentException error =
                assertThrows(IllegalArgumentException.class, () -> KeepRatio.parse(text));

        assertTrue(error.getMessage().startsWith("keep ratio must be "), error.getMessage());
    }

    @Test
    void decimalNumberIsARatio() {
        assertEquals(new KeepRatio(0.05), KeepRatio.parse("0.05"));
        assertEquals(KeepRatio.ALL, KeepRatio.parse("1"));
        assertTrue(KeepRatio.parse("1.0").isAll());
        assertFalse(KeepRatio.USUAL.isAll());
    }

    @ParameterizedTest
    @CsvSource({"0.25, 250", "0.29, 290", "0.0294, 29", "0.0296, 30", "1, 1000", "0.0001, 1"})
    void wireFormatRoundsToAPositiveThousandth(double value, int thousandths) {
        assertEquals(thousandths, new KeepRatio(value).thousandths());
    }

    @Property
    void thousandthRoundTripsThroughTheWireFormat(
            @ForAll @IntRange(min = 1, max = 1000) int thousandths) {
        assertEquals(thousandths, KeepRatio.ofThousandths(thousandths).thousandths());
    }

    @ParameterizedTest
    @ValueSource(ints = {1250, 1001, 0, -1})
    void otherThousandthsAreRefused(int thousandths) {
        IllegalArgumentException error =
                assertThrows(
                        IllegalArgumentException.class, () -> KeepRatio.ofThousandths(thousandths));

        assertEquals(
                "keep ratio must be in (0,1], got " + thousandths + "/1000", error.getMessage());
    }

    @ParameterizedTest
    @CsvSource({
        "2048, 0.05, 102",
        "256,  0.05, 12",
        "10,   0.05, 1",
        "100,  0.29, 29",
        "1000, 0.57, 570",
        "1,    0.9,  1",
        "7,    1,    7"
    })
    void ratioOfACountIsRoundedDownButAtLeastOne(int things, double value, int part) {
        assertEquals(part, new KeepRatio(value).of(things));
    }
}
