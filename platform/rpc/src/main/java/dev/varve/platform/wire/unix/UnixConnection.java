package dev.varve.platform.wire.unix;

import dev.varve.api.transport.Connection;

import java.io.EOFException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;

/**
 * A connected socket. Small reads and writes go through native buffers, so that a message of
 * several parts costs one system call on each side and no large part is copied twice. Runs per
 * message.
 */
final class UnixConnection implements Connection {
    private static final int BUFFER_BYTES = 128 << 10;

    private final SocketChannel channel;
    private final String peer;
    private final ByteBuffer received = ByteBuffer.allocateDirect(BUFFER_BYTES).flip();
    private final ByteBuffer outgoing = ByteBuffer.allocateDirect(BUFFER_BYTES);

    UnixConnection(SocketChannel channel, String peer) {
        this.channel = channel;
        this.peer = peer;
    }

    @Override
    public String peer() {
        return peer;
    }

    @Override
    public boolean sameHost() {
        return true;
    }

    @Override
    public void read(ByteBuffer target) throws IOException {
        while (target.hasRemaining()) {
            if (!received.hasRemaining()) {
                fill();
            }
            int bytes = Math.min(received.remaining(), target.remaining());
            target.put(target.position(), received, received.position(), bytes);
            target.position(target.position() + bytes);
            received.position(received.position() + bytes);
        }
    }

    private void fill() throws IOException {
        received.clear();
        try {
            if (channel.read(received) < 0) {
                throw new EOFException(peer + ": closed by the other side");
            }
        } finally {
            received.flip();
        }
    }

    @Override
    public void write(ByteBuffer... parts) throws IOException {
        outgoing.clear();
        for (ByteBuffer part : parts) {
            while (part.hasRemaining()) {
                int bytes = Math.min(part.remaining(), outgoing.remaining());
                outgoing.put(outgoing.position(), part, part.position(), bytes);
                outgoing.position(outgoing.position() + bytes);
                part.position(part.position() + bytes);
                if (!outgoing.hasRemaining()) {
                    flush();
                }
            }
        }
        flush();
    }

    private void flush() throws IOException {
        outgoing.flip();
        while (outgoing.hasRemaining()) {
            channel.write(outgoing);
        }
        outgoing.clear();
    }

    @Override
    public void close() {
        try {
            channel.close();
        } catch (IOException e) {
            // the descriptor is closed either way, and no unflushed bytes were written
            return;
        }
    }
}
