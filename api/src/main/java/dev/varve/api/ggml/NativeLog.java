package dev.varve.api.ggml;

import java.util.function.BiConsumer;
import java.util.function.Supplier;

/**
 * Puts the pieces that ggml logs together to lines. A line comes in several calls, of which only
 * the first has its level, and several threads log at once: each has a line of its own.
 */
final class NativeLog {
    private static final int DEBUG = 1;
    private static final int WARN = 3;
    private static final int ERROR = 4;
    private static final int CONTINUED = 5;

    /** What a thread has not ended yet. */
    private static final class TransferableRequest {
        private int level = DEBUG;
        private final StringBuilder text = new StringBuilder();
    }

    private final ThreadLocal<TransferableRequest> unfinished =
            ThreadLocal.withInitial(TransferableRequest::new);
    private final BiConsumer<System.Logger.Level, String> lines;

    /**
     * @param lines takes each whole line, on the thread that logged its end
     */
    NativeLog(BiConsumer<System.Logger.Level, String> lines) {
        this.lines = lines;
    }

    /**
     * Takes one piece.
     *
     * @param level {@code enum ggml_log_level}
     * @param piece text with any number of line ends; not read for ggml's debug level
     */
    void take(int level, Supplier<String> piece) {
        TransferableRequest line = unfinished.get();
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

    private void end(TransferableRequest line, int length, int separator) {
        String text = line.text.substring(0, length).strip();
        line.text.delete(0, length + separator);
        lines.accept(level(line.level), text);
    }

    /** ggml's INFO is detail for a person who runs a server. */
    private static System.Logger.Level level(int level) {
        return switch (level) {
            case ERROR -> System.Logger.Level.ERROR;
            case WARN -> System.Logger.Level.WARNING;
            default -> System.Logger.Level.DEBUG;
        };
    }
}
