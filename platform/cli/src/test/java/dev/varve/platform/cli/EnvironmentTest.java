package dev.varve.platform.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.varve.platform.cli.Environment.Stream;

import org.junit.jupiter.api.Test;

import java.nio.file.Path;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

class EnvironmentTest {
    private static Environment of(Map<String, String> variables, Stream... terminals) {
        return new Environment(variables, Optional.empty(), Set.of(terminals));
    }

    @Test
    void personTypesAndReadsOnlyIfBothStreamsAreTerminals() {
        assertTrue(of(Map.of(), Stream.IN, Stream.OUT).isInteractive());
        assertFalse(of(Map.of(), Stream.IN, Stream.ERR).isInteractive());
        assertFalse(of(Map.of(), Stream.OUT, Stream.ERR).isInteractive());
    }

    @Test
    void stateFolderIsThatOfTheVariableOrOfTheHome() {
        assertEquals(
                Optional.of(Path.of("/state/varve")),
                of(Map.of("XDG_STATE_HOME", "/state", "HOME", "/home/a")).stateFolder());
        assertEquals(
                Optional.of(Path.of("/home/a/.local/state/varve")),
                of(Map.of("XDG_STATE_HOME", "relative", "HOME", "/home/a")).stateFolder());
        assertEquals(Optional.empty(), of(Map.of()).stateFolder());
    }
}
