package dev.varve.bench.http.stream;

import java.io.ByteArrayOutputStream;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;

/**
 * Cuts the bytes from the network into lines. Each gets the time of the read that contained its
 * end, however many reads it was spread over. A line may end with a line feed, or with a carriage
 * return before it.
 */
final class SseLines {
    /** Receives a line without its end. */
    interface Listener {
        void line(String line, long nanos);
    }

    private final Listener listener;
    private final ByteArrayOutputStream pending = new ByteArrayOutputStream();

    SseLines(Listener listener) {
        this.listener = listener;
    }

    /** Accepts the bytes of one read. */
    void read(ByteBuffer bytes, long nanos) {
        while (bytes.hasRemaining()) {
            byte next = bytes.get();
            if (next == '\n') {
                String line = pending.toString(StandardCharsets.UTF_8);
                pending.reset();
                listener.line(
                        line.endsWith("\r") ? line.substring(0, line.length() - 1) : line, nanos);
            } else {
                pending.write(next);
            }
        }
    }

    /** A last line that has no end. */
    String rest() {
        return pending.toString(StandardCharsets.UTF_8);
    }
}
