package dev.varve.plugin.grpc.net;

import io.grpc.Drainable;
import io.grpc.KnownLength;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.ByteBuffer;

/**
 * The next bytes of a writer's buffers as a message. Sending copies it to the send queue before it
 * returns, and advances the positions of the buffers.
 */
final class Outgoing extends InputStream implements KnownLength, Drainable {
    private static final int SCRATCH_BYTES = 64 << 10;

    private final ByteBuffer[] parts;
    private int remaining;

    /** Creates a message of up to {@code limit} bytes of the parts, in their order. */
    Outgoing(ByteBuffer[] parts, int limit) {
        this.parts = parts;
        long bytes = 0;
        for (ByteBuffer part : parts) {
            bytes += part.remaining();
        }
        this.remaining = (int) Math.min(bytes, limit);
    }

    @Override
    public int available() {
        return remaining;
    }

    @Override
    public int drainTo(OutputStream target) throws IOException {
        int drained = remaining;
        byte[] scratch = {};
        for (int i = 0; i < parts.length && remaining > 0; i++) {
            ByteBuffer part = parts[i];
            int bytes = Math.min(remaining, part.remaining());
            if (part.hasArray()) {
                target.write(part.array(), part.arrayOffset() + part.position(), bytes);
                part.position(part.position() + bytes);
            } else {
                scratch = scratch.length > 0 ? scratch : new byte[SCRATCH_BYTES];
                copy(part, bytes, scratch, target);
            }
            remaining -= bytes;
        }
        return drained;
    }

    private static void copy(ByteBuffer part, int bytes, byte[] scratch, OutputStream target)
            throws IOException {
        for (int left = bytes; left > 0; ) {
            int step = Math.min(left, scratch.length);
            part.get(scratch, 0, step);
            target.write(scratch, 0, step);
            left -= step;
        }
    }

    @Override
    public int read() {
        for (ByteBuffer part : parts) {
            if (remaining > 0 && part.hasRemaining()) {
                remaining--;
                return part.get() & 0xFF;
            }
        }
        return -1;
    }
}
