package dev.varve.platform.remote;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.Test;

class OutputLineTest {
    @Test
    void logLineKeepsItsLevelWithoutItsTime() {
        OutputLine line =
                OutputLine.parse("2026-11-28T10:50:14.405+01:00 WARN  a peer: was rejected");

        assertEquals(System.Logger.Level.WARNING, line.level());
        assertEquals("a peer: was rejected", line.text());
        assertTrue(line.mayExplainFailure());
    }

    @Test
    void infoLinesAreNoReasonForAnExit() {
        assertFalse(
                OutputLine.parse("2026-11-28T10:50:14.405-05:00 INFO  a server")
                        .mayExplainFailure());
    }

    @Test
    void libraryOutputIsUnchanged() {
        OutputLine line = OutputLine.parse("# A fatal error has been detected: SIGSEGV");

        assertEquals(System.Logger.Level.INFO, line.level());
        assertEquals("# A fatal error has been detected: SIGSEGV", line.text());
        assertTrue(line.mayExplainFailure());
    }
}
