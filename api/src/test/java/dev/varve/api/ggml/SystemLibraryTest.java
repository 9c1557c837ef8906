package dev.varve.api.ggml;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import java.util.Optional;

class SystemLibraryTest {
    @Test
    void aMissingLibraryIsExplainedInTheLoadersWords() {
        String reason = SystemLibrary.whyMissing("libvarve-none.so.9").orElseThrow();

        assertTrue(reason.startsWith("libvarve-none.so.9: cannot open"), reason);
    }

    @Test
    void aLibraryThatIsThereIsNotMissing() {
        assertEquals(Optional.empty(), SystemLibrary.whyMissing("libm.so.6"));
    }

    @Test
    void nativeCodeSeesAVariableThatWasSet() {
        assertEquals(Optional.empty(), ProcessEnvironment.get("VARVE_TEST_VARIABLE"));

        ProcessEnvironment.set("VARVE_TEST_VARIABLE", "one two");

        assertEquals(Optional.of("one two"), ProcessEnvironment.get("VARVE_TEST_VARIABLE"));
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "A=B"})
    void whatIsNoNameOfAVariableIsRefused(String name) {
        assertThrows(IllegalArgumentException.class, () -> ProcessEnvironment.set(name, "1"));
    }
}
