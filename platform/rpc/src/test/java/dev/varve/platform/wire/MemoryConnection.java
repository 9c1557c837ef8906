package dev.varve.platform.wire;

import dev.varve.api.transport.Connection;

import java.io.EOFException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;

/** Two ends of a connection in memory; each direction holds a limited number of bytes. */
public final class MemoryConnection implements Connection {
    private final Stream in;
    private final Stream out;
    private final boolean sameHost;

    private MemoryConnection(Stream in, Stream out, boolean sameHost) {
        this.in = in;
        this.out = out;
        this.sameHost = sameHost;
    }

    /** Both ends. */
    public record Pair(MemoryConnection client, MemoryConnection server) {}

    /**
     * Two ends that are connected.
     *
     * @param capacity bytes of each direction that nobody has read
     * @param sameHost what both say of each other
     */
    public static Pair pair(int capacity, boolean sameHost) {
        Stream up = new Stream(capacity);
        Stream down = new Stream(capacity);
        return new Pair(
                new MemoryConnection(down, up, sameHost), new MemoryConnection(up, down, sameHost));
    }

    @Override
    public String peer() {
        return "memory";
    }

    @Override
    public boolean sameHost() {
        return sameHost;
    }

    @Override
    public void read(ByteBuffer target) throws IOException {
        in.read(target);
    }

    @Override
    public void write(ByteBuffer... parts) throws IOException {
        for (ByteBuffer part : parts) {
            out.write(part);
        }
    }

    @Override
    public void close() {
        in.close();
        out.close();
    }

    /** Ends only what this side says, as a peer does that goes away after its last word. */
    void closeOutput() {
        out.close();
    }

    /** Waits until the other side has read everything and waits for more, or has closed. */
    void awaitStarving() {
        out.awaitStarving();
    }

    private static final class Stream {
        private final byte[] ring;
        private final ReentrantLock lock = new ReentrantLock();
        private final Condition moved = lock.newCondition();
        private long written;
        private long read;
        private boolean closed;
        private boolean starving;

        Stream(int capacity) {
            ring = new byte[capacity];
        }

        void read(ByteBuffer target) throws IOException {
            lock.lock();
            try {
                while (target.hasRemaining()) {
                    while (read == written && !closed) {
                        starving = true;
                        moved.signalAll();
                        moved.awaitUninterruptibly();
                    }
                    starving = false;
                    if (read == written) {
                        throw new EOFException("closed");
                    }
                    int at = (int) (read % ring.length);
                    int bytes =
                            (int)
                                    Math.min(
                                            Math.min(target.remaining(), written - read),
                                            ring.length - at);
                    target.put(ring, at, bytes);
                    read += bytes;
                    moved.signalAll();
                }
            } finally {
                lock.unlock();
            }
        }

        void write(ByteBuffer source) throws IOException {
            lock.lock();
            try {
                while (source.hasRemaining()) {
                    while (written - read == ring.length && !closed) {
                        moved.awaitUninterruptibly();
                    }
                    if (closed) {
                        throw new IOException("closed");
                    }
                    int at = (int) (written % ring.length);
                    int bytes =
                            (int)
                                    Math.min(
                                            Math.min(
                                                    source.remaining(),
                                                    ring.length - (written - read)),
                                            ring.length - at);
                    source.get(ring, at, bytes);
                    written += bytes;
                    moved.signalAll();
                }
            } finally {
                lock.unlock();
            }
        }

        void awaitStarving() {
            lock.lock();
            try {
                while (!closed && !(starving && read == written)) {
                    moved.awaitUninterruptibly();
                }
            } finally {
                lock.unlock();
            }
        }

        void close() {
            lock.lock();
            try {
                closed = true;
                moved.signalAll();
            } finally {
                lock.unlock();
            }
        }
    }
}
