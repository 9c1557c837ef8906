package dev.varve.plugin.cpu;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.OptionalLong;

/**
 * Time that the calling thread was ready to run without a core: the second number of Linux's {@code
 * schedstat}. Reading it takes a few microseconds.
 */
final class RunDelay {
    private static final int LONGEST_LINE = 128;

    private final Path file;
    private final ByteBuffer line = ByteBuffer.allocate(LONGEST_LINE);
    private Thread owner;
    private FileChannel open;

    /** Last reading of {@link #owner}, in nanoseconds. */
    private OptionalLong last = OptionalLong.empty();

    /**
     * @param file names the statistics of the thread that opens it, {@code
     *     /proc/thread-self/schedstat}
     */
    RunDelay(Path file) {
        this.file = file;
    }

    /**
     * Returns the nanoseconds since the last call.
     *
     * @return nothing at the first call of a thread, and if the system does not count them
     */
    OptionalLong sinceLast() {
        OptionalLong before = owner == Thread.currentThread() ? last : OptionalLong.empty();
        last = read();
        return before.isPresent() && last.isPresent()
                ? OptionalLong.of(last.getAsLong() - before.getAsLong())
                : OptionalLong.empty();
    }

    private OptionalLong read() {
        try {
            if (owner != Thread.currentThread()) {
                close();
                open = FileChannel.open(file, StandardOpenOption.READ);
                owner = Thread.currentThread();
            }
            line.clear();
            open.read(line, 0);
            return secondNumber(line.flip());
        } catch (IOException e) {
            return OptionalLong.empty();
        }
    }

    /** Parses digit by digit, since strings would be garbage in every step. */
    private static OptionalLong secondNumber(ByteBuffer text) {
        int number = 0;
        int digits = 0;
        long value = 0;
        while (text.hasRemaining() && number < 2) {
            int next = text.get();
            if (next >= '0' && next <= '9') {
                value = 10 * value + next - '0';
                digits++;
            } else if (digits > 0 && (next == ' ' || next == '\n')) {
                number++;
                if (number < 2) {
                    value = 0;
                    digits = 0;
                }
            } else {
                return OptionalLong.empty();
            }
        }
        return number == 2 ? OptionalLong.of(value) : OptionalLong.empty();
    }

    void close() {
        if (open != null) {
            try {
                open.close();
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
            open = null;
            owner = null;
        }
    }
}
