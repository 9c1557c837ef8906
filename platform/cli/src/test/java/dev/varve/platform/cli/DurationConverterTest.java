package dev.varve.platform.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import java.time.Duration;

class DurationConverterTest {
    @ParameterizedTest
    @CsvSource({"500ms, PT0.5S", "1s, PT1S", "90s, PT90S", "5m, PT5M", "2h, PT2H"})
    void durationIsANumberAndAUnit(String text, Duration expected) {
        assertEquals(expected, new DurationConverter().convert(text));
    }
}
