package dev.varve.platform.cli;

import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.varve.platform.setting.Setting;

import org.junit.jupiter.api.Test;

import java.util.logging.Level;
import java.util.logging.LogRecord;

class LogLineTest {
    @Test
    void numbersAreNotLocalized() {
        LogRecord record = new LogRecord(Level.INFO, "port {0} took {1} ms");
        record.setParameters(new Object[] {49152, 1234.5});

        String line = new LogLine().format(record);

        assertTrue(line.endsWith(": port 49152 took 1234.5 ms\n"), line);
    }

    @Test
    void settingsAreShownAsFlagsInMessageAndTrace() {
        LogRecord record = new LogRecord(Level.SEVERE, "not served ({0})");
        record.setParameters(new Object[] {Setting.SHARD_PATIENCE});
        record.setThrown(new IllegalArgumentException(Setting.PARALLEL + ": too many"));

        String line = new LogLine().format(record);

        assertTrue(line.contains(": not served (--shard-patience)\n"), line);
        assertTrue(line.contains("IllegalArgumentException: --parallel: too many\n"), line);
    }
}
