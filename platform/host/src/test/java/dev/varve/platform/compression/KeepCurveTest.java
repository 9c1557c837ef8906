package dev.varve.platform.compression;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.varve.platform.compression.selection.KeepRatio;

import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

import java.util.List;

class KeepCurveTest {
    private static final KeepCurve CURVE =
            KeepCurve.parse(List.of("10000:0.5", "40000:0.2", "100000:0.1"));

    @ParameterizedTest
    @CsvSource({
        "0,          0.5",
        "9999,       0.5",
        "10000,      0.5",
        "25000,      0.35",
        "40000,      0.2",
        "70000,      0.15",
        "100000,     0.1",
        "2147483647, 0.1",
    })
    void keepRatioIsInterpolatedLinearlyAndConstantOutside(int tokens, double keep) {
        assertEquals(keep, CURVE.at(tokens).value(), 1e-12);
    }

    @Test
    void flatCurveIsConstant() {
        assertEquals(KeepRatio.USUAL, KeepCurve.USUAL.at(0));
        assertEquals(new KeepRatio(0.05), KeepCurve.USUAL.at(1_000_000));
    }

    @Property
    void fallingCurveKeepsLessOfLongerTexts(
            @ForAll @IntRange(max = 200_000) int first,
            @ForAll @IntRange(max = 200_000) int second) {
        double ofShorter = CURVE.at(Math.min(first, second)).value();
        double ofLonger = CURVE.at(Math.max(first, second)).value();

        assertTrue(ofShorter >= ofLonger, first + " and " + second);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                ":",
                "10000",
                "10000:",
                ":0.5",
                "10000:0",
                "10000:1.5",
                "10000:NaN",
                "-1:0.5",
                "1e4:0.5",
                "99999999999:0.5",
                "10000:0.5:0.2"
            })
    void invalidPointIsRefusedAndShown(String word) {
        IllegalArgumentException error =
                assertThrows(IllegalArgumentException.class, () -> KeepCurve.parse(List.of(word)));

        assertEquals(
                "keep curve: expected points T:R such as 10000:0.5, with R in (0,1] and ascending"
                        + " T, found '"
                        + word
                        + "'",
                error.getMessage());
    }

    @ParameterizedTest
    @CsvSource({"10000:0.5, 10000:0.2", "10000:0.5, 9999:0.2"})
    void nonIncreasingLengthsAreRefused(String first, String second) {
        IllegalArgumentException error =
                assertThrows(
                        IllegalArgumentException.class,
                        () -> KeepCurve.parse(List.of(first, second)));

        assertTrue(error.getMessage().endsWith(" behind 10000"), error.getMessage());
    }

    @Test
    void emptyCurveIsRefused() {
        assertThrows(IllegalArgumentException.class, () -> KeepCurve.parse(List.of()));
    }

    @Test
    void curveMayRise() {
        KeepCurve rising = KeepCurve.parse(List.of("0:0.1", "10:0.2"));

        assertEquals(0.15, rising.at(5).value(), 1e-12);
        assertEquals(KeepRatio.ALL, KeepCurve.parse(List.of("0:1")).at(5));
    }
}
