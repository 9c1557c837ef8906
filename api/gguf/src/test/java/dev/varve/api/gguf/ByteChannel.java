package dev.varve.api.gguf;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.channels.SeekableByteChannel;
import java.nio.file.Path;

/** A file in memory, as the parser reads it. */
final class ByteChannel implements SeekableByteChannel {
    private final byte[] content;
    private final long claimedSize;
    private long position;

    private ByteChannel(byte[] content, long claimedSize) {
        this.content = content;
        this.claimedSize = claimedSize;
    }

    /** Parses bytes as a file named {@code test.gguf}. */
    static GgufParser.Parsed parse(byte[] content) {
        return parse(content, content.length);
    }

    /** Parses a file that had {@code claimedSize} bytes when it was opened and has shrunk since. */
    static GgufParser.Parsed parse(byte[] content, long claimedSize) {
        try (SeekableByteChannel channel = new ByteChannel(content, claimedSize)) {
            return new GgufParser(new GgufInput(Path.of("test.gguf"), channel)).parse();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    @Override
    public int read(ByteBuffer target) {
        if (position >= content.length) {
            return -1;
        }
        int count = (int) Math.min(target.remaining(), content.length - position);
        target.put(content, (int) position, count);
        position += count;
        return count;
    }

    @Override
    public int write(ByteBuffer source) {
        throw new UnsupportedOperationException();
    }

    @Override
    public long position() {
        return position;
    }

    @Override
    public SeekableByteChannel position(long value) {
        position = value;
        return this;
    }

    @Override
    public long size() {
        return claimedSize;
    }

    @Override
    public SeekableByteChannel truncate(long size) {
        throw new UnsupportedOperationException();
    }

    @Override
    public boolean isOpen() {
        return true;
    }

    @Override
    public void close() {
        position = 0;
    }
}
