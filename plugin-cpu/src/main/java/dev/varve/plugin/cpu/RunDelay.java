package dev.varve.plugin.cpu;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.OptionalLong;

/**
 * How long the calling thread was ready to run and did not get a core, since it began: the second
 * number of Linux's {@code schedstat}. Reading it takes a few microseconds.
 */
final class RunDelay {
    private static final int LONGEST_LINE = 128;

    private final Path file;
    private final ByteBuffer line = ByteBuffer.allocate(LONGEST_LINE);
    private Thread owner;
    private FileChannel open;

    /**
     * @param file names the statistics of the thread that opens it, {@code
     *     /proc/thread-self/schedstat}
     */
    RunDelay(Path file) {
        this.file = file;
    }

    /** Nanoseconds; nothing where the system does not count them. */
    OptionalLong nanos() {
        try {
            if (owner != Thread.currentThread()) {
                close();
                open = FileChannel.open(file, StandardOpenOption.READ);
                owner = Thread.currentThread();
            }
            line.clear();
            open.read(line, 0);
            String[] numbers =
                    new String(line.array(), 0, line.position(), StandardCharsets.US_ASCII)
                            .strip()
                            .split(" ");
            return numbers.length < 2
                    ? OptionalLong.empty()
                    : OptionalLong.of(Long.parseLong(numbers[1]));
        } catch (IOException | NumberFormatException e) {
            return OptionalLong.empty();
        }
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
