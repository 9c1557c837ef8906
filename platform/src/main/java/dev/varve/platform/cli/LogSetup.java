package dev.varve.platform.cli;

import java.io.UnsupportedEncodingException;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.logging.ConsoleHandler;
import java.util.logging.Handler;
import java.util.logging.Level;
import java.util.logging.Logger;

/** Sends everything that is logged to stderr, one line each. */
final class LogSetup {
    /** Kept, because the log manager holds loggers weakly and would forget the level. */
    private static final Logger JETTY = Logger.getLogger("org.eclipse.jetty");

    private static final Logger ROOT = Logger.getLogger("");

    private LogSetup() {}

    /** The level that was set, for processes that are to log likewise. */
    static LogLevel level() {
        return Arrays.stream(LogLevel.values())
                .filter(each -> each.level().equals(ROOT.getLevel()))
                .findFirst()
                .orElse(LogLevel.INFO);
    }

    /** Sets the level; the libraries tell of their start only from {@code debug} on. */
    static void configure(LogLevel level) {
        for (Handler handler : ROOT.getHandlers()) {
            ROOT.removeHandler(handler);
        }
        Handler console = new ConsoleHandler();
        try {
            console.setEncoding(StandardCharsets.UTF_8.name());
        } catch (UnsupportedEncodingException e) {
            throw new IllegalStateException("every JDK has UTF-8", e);
        }
        console.setLevel(Level.ALL);
        console.setFormatter(new LogLine());
        ROOT.addHandler(console);
        ROOT.setLevel(level.level());
        JETTY.setLevel(level == LogLevel.INFO ? Level.WARNING : level.level());
    }
}
