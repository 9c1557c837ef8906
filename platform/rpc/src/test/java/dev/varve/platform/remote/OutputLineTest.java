package dev.varve.platform.remote;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.Test;

class OutputLineTest {
    @Test
    void logLineKeepsItsLevelWithoutItsTime() {
        OutputLine line = OutputLine.parse("10:50:14.405 warning remote: a peer: was turned away");

        assertEquals(System.Logger.Level.WARNING, line.level());
        assertEquals("a peer: was turned away", line.text());
        assertTrue(line.mayExplainFailure());
    }

    @Test
    void infoLinesAreNoReasonForAnExit() {
        assertFalse(OutputLine.parse("10:50:14.405 info remote: a server").mayExplainFailure());
    }

    @Test
    void libraryOutputIsUnchanged() {
        OutputLine line = OutputLine.parse("# A fatal error has been detected: SIGSEGV");

        assertEquals(System.Logger.Level.INFO, line.level());
        assertEquals("# A fatal error has been detected: SIGSEGV", line.text());
        assertTrue(line.mayExplainFailure());
    }
}
