package dev.varve.platform.http.trace;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.Test;

import java.text.MessageFormat;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.ResourceBundle;
import java.util.concurrent.atomic.AtomicLong;

class ServerErrorLogTest {
    private static final long SECOND = 1_000_000_000L;

    private final AtomicLong nanos = new AtomicLong(-5 * SECOND);
    private final List<String> lines = new ArrayList<>();
    private final List<Throwable> traces = new ArrayList<>();

    private ServerErrorLog log(System.Logger.Level least) {
        return new ServerErrorLog(new Recorder(least), nanos::get);
    }

    private final class Recorder implements System.Logger {
        private final Level least;

        Recorder(Level least) {
            this.least = least;
        }

        @Override
        public String getName() {
            return "recorder";
        }

        @Override
        public boolean isLoggable(Level level) {
            return level.getSeverity() >= least.getSeverity();
        }

        @Override
        public void log(Level level, ResourceBundle bundle, String message, Throwable thrown) {
            traces.add(thrown);
        }

        @Override
        public void log(Level level, ResourceBundle bundle, String format, Object... values) {
            lines.add(level + " " + new MessageFormat(format, Locale.ROOT).format(values));
        }
    }

    @Test
    void failureIsOneLineWithItsRequestIdAndNoText() {
        log(System.Logger.Level.INFO).log("req-1", new NumberFormatException("secret"));

        assertEquals(1, lines.size());
        assertTrue(
                lines.getFirst()
                        .startsWith(
                                "ERROR request req-1 failed: java.lang.NumberFormatException at "
                                        + ServerErrorLogTest.class.getName()),
                lines.getFirst());
        assertFalse(lines.getFirst().contains("secret"), lines.getFirst());
        assertTrue(traces.isEmpty());
    }

    @Test
    void stackTraceIsLoggedAtDebugOnceAMinute() {
        ServerErrorLog log = log(System.Logger.Level.DEBUG);
        RuntimeException first = new IllegalStateException("a");
        RuntimeException late = new IllegalStateException("c");

        log.log("1", first);
        nanos.addAndGet(59 * SECOND);
        log.log("2", new IllegalStateException("b"));
        nanos.addAndGet(SECOND);
        log.log("3", late);

        assertEquals(3, lines.size());
        assertEquals(List.of(first, late), traces);
    }
}
