package dev.varve.api.gguf;

import dev.varve.api.FileErrors;
import dev.varve.api.VarveException;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.SeekableByteChannel;
import java.nio.file.Path;

/**
 * Little-endian reader of a file's header. Every length is compared with the remaining bytes before
 * anything of that size is allocated. Reads through a window instead of a mapping, so that a file
 * that shrinks meanwhile causes an error and not a crash.
 */
final class GgufInput {
    private static final int WINDOW = 1 << 16;

    /**
     * Longest header: ten times that of the largest vocabularies. A sparse file may claim any
     * length.
     */
    private static final long MAX_HEADER = 128L << 20;

    private final Path file;
    private final SeekableByteChannel channel;
    private final long size;
    private final ByteBuffer window;
    private long windowStart;

    GgufInput(Path file, SeekableByteChannel channel) throws IOException {
        this.file = file;
        this.channel = channel;
        size = channel.size();
        window =
                ByteBuffer.allocate((int) Math.min(WINDOW, Math.max(size, 8)))
                        .order(ByteOrder.LITTLE_ENDIAN)
                        .limit(0);
    }

    Path file() {
        return file;
    }

    long size() {
        return size;
    }

    long position() {
        return windowStart + window.position();
    }

    long remaining() {
        return Math.min(size, MAX_HEADER) - position();
    }

    byte readByte(String field) {
        fill(1, field);
        return window.get();
    }

    short readShort(String field) {
        fill(Short.BYTES, field);
        return window.getShort();
    }

    int readInt(String field) {
        fill(Integer.BYTES, field);
        return window.getInt();
    }

    long readLong(String field) {
        fill(Long.BYTES, field);
        return window.getLong();
    }

    /**
     * Reads a count of elements of at least {@code minimumBytes} each; a count that the rest of the
     * file cannot hold is an error.
     */
    int readCount(String field, int minimumBytes, int limit) {
        long count = readLong(field);
        long fitting = remaining() / minimumBytes;
        long most = Math.min(limit, fitting);
        if (count < 0 || count > most) {
            String found = Long.toUnsignedString(count);
            throw new ModelFormatException(
                    file,
                    field,
                    "at most " + most,
                    most < fitting ? found : found + " in a truncated or corrupt file");
        }
        return (int) count;
    }

    /** Reads bytes that are preceded by their length. */
    byte[] readBytes(String field, int limit) {
        int length = readCount(field + " (length)", 1, limit);
        byte[] bytes = new byte[length];
        read(bytes, 0, length, field);
        return bytes;
    }

    void read(byte[] target, int offset, int length, String field) {
        require(length, field);
        int done = 0;
        while (done < length) {
            int part = Math.min(length - done, window.capacity());
            fill(Math.min(part, 1), field);
            part = Math.min(part, window.remaining());
            window.get(target, offset + done, part);
            done += part;
        }
    }

    private void require(long bytes, String field) {
        if (bytes > remaining()) {
            throw new ModelFormatException(
                    file,
                    field,
                    bytes + " more bytes",
                    remaining() + " bytes before the end of a truncated or corrupt file");
        }
    }

    /** Makes {@code bytes}, at most 8, available in the window. */
    private void fill(int bytes, String field) {
        if (window.remaining() >= bytes) {
            return;
        }
        require(bytes, field);
        try {
            windowStart += window.position();
            window.compact();
            channel.position(windowStart + window.position());
            while (window.position() < bytes) {
                if (channel.read(window) < 0) {
                    throw new ModelFormatException(
                            file,
                            field,
                            bytes + " more bytes",
                            "the end of a truncated or corrupt file");
                }
            }
            window.flip();
        } catch (IOException e) {
            throw new VarveException(
                    VarveException.Kind.UNREADABLE_FILE,
                    file + ": cannot be read: " + FileErrors.reason(e),
                    e);
        }
    }
}
