package dev.varve.platform.wire;

import dev.varve.api.transport.Connection;

import java.io.EOFException;
import java.io.IOException;
import java.nio.ByteBuffer;

/** Reads bytes that are there already, keeps what is written. */
final class RecordedConnection implements Connection {
    private final ByteBuffer[] input;
    private final ByteBuffer output = ByteBuffer.allocate(1 << 15);

    RecordedConnection(ByteBuffer... input) {
        this.input = input;
    }

    /** A connection that reads what was written to this one. */
    RecordedConnection written() {
        return new RecordedConnection(output.duplicate().flip());
    }

    @Override
    public String peer() {
        return "recorded";
    }

    @Override
    public boolean sameHost() {
        return false;
    }

    @Override
    public void read(ByteBuffer target) throws IOException {
        for (ByteBuffer part : input) {
            int bytes = Math.min(target.remaining(), part.remaining());
            target.put(target.position(), part, part.position(), bytes);
            target.position(target.position() + bytes);
            part.position(part.position() + bytes);
        }
        if (target.hasRemaining()) {
            throw new EOFException("end of the recording");
        }
    }

    @Override
    public void write(ByteBuffer... parts) {
        for (ByteBuffer part : parts) {
            output.put(part);
        }
    }

    @Override
    public void close() {}
}
