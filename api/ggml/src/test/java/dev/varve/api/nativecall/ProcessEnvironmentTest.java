package dev.varve.api.nativecall;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import java.util.Optional;

class ProcessEnvironmentTest {
    /** Processes that other tests start inherit it, and do not start with one as long as that. */
    @AfterEach
    void shortenTheLongValue() {
        ProcessEnvironment.set("VARVE_TEST_LONG", "");
    }

    @Test
    void nativeCodeSeesASetVariable() {
        assertEquals(Optional.empty(), ProcessEnvironment.get("VARVE_TEST_VARIABLE"));

        ProcessEnvironment.set("VARVE_TEST_VARIABLE", "one two");

        assertEquals(Optional.of("one two"), ProcessEnvironment.get("VARVE_TEST_VARIABLE"));
    }

    @Test
    void lastValueWins() {
        ProcessEnvironment.set("VARVE_TEST_TWICE", "first");

        ProcessEnvironment.set("VARVE_TEST_TWICE", "");

        assertEquals(Optional.of(""), ProcessEnvironment.get("VARVE_TEST_TWICE"));
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 1, 4095, 4096, 100_000})
    void longValuesRoundTrip(int length) {
        String value = "ü".repeat(length);

        ProcessEnvironment.set("VARVE_TEST_LONG", value);

        assertEquals(Optional.of(value), ProcessEnvironment.get("VARVE_TEST_LONG"));
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "A=B", "=", "A\0B"})
    void invalidVariableNameIsRefused(String name) {
        assertThrows(IllegalArgumentException.class, () -> ProcessEnvironment.set(name, "1"));
    }

    @Test
    void valueWithAnEmbeddedNulIsRefused() {
        assertThrows(
                IllegalArgumentException.class,
                () -> ProcessEnvironment.set("VARVE_TEST_CUT", "a\0b"));
        assertEquals(Optional.empty(), ProcessEnvironment.get("VARVE_TEST_CUT"));
    }
}
