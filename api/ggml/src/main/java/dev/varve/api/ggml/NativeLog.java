package dev.varve.api.ggml;

import java.util.function.BiConsumer;
import java.util.function.Supplier;

/**
 * Joins the pieces that ggml logs to lines. A line arrives in several calls, of which only the
 * first has its level. Several threads log at once, so each has its own line buffer.
 */
final class NativeLog {
    private static final int DEBUG = 1;
    private static final int WARN = 3;
    private static final int ERROR = 4;
    private static final int CONTINUED = 5;

    /** The incomplete line of a thread. */
    private static final class PartialLine {
        private int level = DEBUG;
        private final StringBuilder text = new StringBuilder();
    }

    private final ThreadLocal<PartialLine> unfinished = ThreadLocal.withInitial(PartialLine::new);
    private final BiConsumer<System.Logger.Level, String> lines;

    /**
     * @param lines receives each complete line, on the thread that logged its end
     */
    NativeLog(BiConsumer<System.Logger.Level, String> lines) {
        this.lines = lines;
    }

    /**
     * Logs one piece.
     *
     * @param level {@code enum ggml_log_level}
     * @param piece text with any number of line ends; not read for ggml's debug level
     */
    void take(int level, Supplier<String> piece) {
        PartialLine line = unfinished.get();
        if (level != CONTINUED) {
            if (!line.text.isEmpty()) {
                end(line, line.text.length(), 0);
            }
            line.level = level;
        }
        if (line.level == DEBUG) {
            return;
        }
        line.text.append(piece.get());
        int end;
        while ((end = line.text.indexOf("\n")) >= 0) {
            end(line, end, 1);
        }
    }

    private void end(PartialLine line, int length, int separator) {
        String text = line.text.substring(0, length).strip();
        line.text.delete(0, length + separator);
        lines.accept(level(line.level), text);
    }

    /** Maps ggml's INFO to debug, because it is too detailed for the operator of a server. */
    private static System.Logger.Level level(int level) {
        return switch (level) {
            case ERROR -> System.Logger.Level.ERROR;
            case WARN -> System.Logger.Level.WARNING;
            default -> System.Logger.Level.DEBUG;
        };
    }
}
