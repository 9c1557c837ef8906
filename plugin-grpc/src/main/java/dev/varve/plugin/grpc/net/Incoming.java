package dev.varve.plugin.grpc.net;

import io.grpc.Detachable;
import io.grpc.HasByteBuffer;

import java.io.ByteArrayInputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;

/** A received message, still in the network's buffers. For one thread at a time. */
final class Incoming implements AutoCloseable {
    private static final int SCRATCH_BYTES = 64 << 10;

    private final InputStream stream;
    private int remaining;

    private Incoming(InputStream stream, int remaining) {
        this.stream = stream;
        this.remaining = remaining;
    }

    /** Takes ownership of the bytes from the caller, who closes its stream on return. */
    static Incoming of(InputStream message) {
        try {
            int bytes = message.available();
            // Keeps the buffers, so that they are copied once: to the reader's buffer.
            return message instanceof Detachable detachable
                    ? new Incoming(detachable.detach(), bytes)
                    : new Incoming(new ByteArrayInputStream(message.readAllBytes()), bytes);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    boolean isEmpty() {
        return remaining == 0;
    }

    /** Copies as many bytes as are available and fit. */
    void drainTo(ByteBuffer target) throws IOException {
        int left = Math.min(remaining, target.remaining());
        remaining -= left;
        byte[] scratch = {};
        while (left > 0) {
            int moved;
            if (target.hasArray()) {
                int offset = target.arrayOffset() + target.position();
                moved = stream.read(target.array(), offset, left);
                requireBytes(moved);
                target.position(target.position() + moved);
            } else if (stream instanceof HasByteBuffer buffers && buffers.byteBufferSupported()) {
                ByteBuffer source = buffers.getByteBuffer();
                moved = Math.min(left, source.remaining());
                requireBytes(moved);
                target.put(source.slice(source.position(), moved));
                stream.skipNBytes(moved);
            } else {
                scratch = scratch.length > 0 ? scratch : new byte[SCRATCH_BYTES];
                moved = stream.read(scratch, 0, Math.min(left, scratch.length));
                requireBytes(moved);
                target.put(scratch, 0, moved);
            }
            left -= moved;
        }
    }

    private static void requireBytes(int moved) throws EOFException {
        if (moved <= 0) {
            throw new EOFException("a message is shorter than its length field");
        }
    }

    /** Releases the buffers. */
    @Override
    public void close() {
        try {
            stream.close();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
