package dev.varve.platform.cli;

import java.io.UnsupportedEncodingException;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;
import java.util.logging.ConsoleHandler;
import java.util.logging.Formatter;
import java.util.logging.Handler;
import java.util.logging.Level;
import java.util.logging.LogManager;
import java.util.logging.Logger;
import java.util.stream.Stream;

/** Sends all log messages of the process, also those of libraries, to stderr or a file. */
final class LogSetup {
    /**
     * Loggers of libraries, whose messages below {@code info} are for their authors and contain
     * user data: headers with keys and cookies, texts. Referenced here, because the log manager
     * holds loggers weakly and would lose their level.
     */
    private static final List<Logger> LIBRARIES =
            Stream.of("org.eclipse.jetty", "io.grpc", "io.netty", "jdk", "sun")
                    .map(Logger::getLogger)
                    .toList();

    private static final System.Logger LOG = System.getLogger("dev.varve.cli");

    private static final Logger ROOT = Logger.getLogger("");

    private LogSetup() {}

    /** Level that was set, for child processes that use the same one. */
    static LogLevel level() {
        return Arrays.stream(LogLevel.values())
                .filter(each -> each.level().equals(ROOT.getLevel()))
                .findFirst()
                .orElse(LogLevel.INFO);
    }

    private static Level ofLibraries(LogLevel level) {
        return switch (level) {
            case OFF, ERROR, WARNING -> level.level();
            case INFO -> Level.WARNING;
            case DEBUG, TRACE -> Level.INFO;
        };
    }

    /** Logs to stderr in text. */
    static void configure(LogLevel level) {
        configure(level, console(new TextLogFormatter()));
    }

    /**
     * Logs as the options of a server say.
     *
     * @throws dev.varve.api.VarveException of kind UNAVAILABLE if the log file cannot be written
     */
    static void configure(LogLevel level, LogArguments arguments) {
        Formatter lines = arguments.format().formatter();
        configure(level, arguments.openFile(lines).orElseGet(() -> console(lines)));
        Thread.setDefaultUncaughtExceptionHandler(
                (thread, failure) ->
                        LOG.log(
                                System.Logger.Level.ERROR,
                                "thread " + thread.getName() + " ended with an exception",
                                failure));
    }

    /** Sets the level; libraries log their start only from {@code debug} on. */
    private static void configure(LogLevel level, Handler target) {
        for (Handler handler : ROOT.getHandlers()) {
            ROOT.removeHandler(handler);
            handler.close();
        }
        ROOT.addHandler(target);
        if (LogManager.getLogManager() instanceof ShutdownLogManager manager) {
            manager.keepHandlers();
        }
        ROOT.setLevel(level.level());
        LIBRARIES.forEach(library -> library.setLevel(ofLibraries(level)));
    }

    private static Handler console(Formatter lines) {
        Handler console = new ConsoleHandler();
        try {
            console.setEncoding(StandardCharsets.UTF_8.name());
        } catch (UnsupportedEncodingException e) {
            throw new IllegalStateException("every JDK has UTF-8", e);
        }
        console.setLevel(Level.ALL);
        console.setFormatter(lines);
        return console;
    }
}
