package dev.varve.contracts;

import dev.varve.api.VarveException;
import dev.varve.api.transport.Connection;
import dev.varve.api.transport.Listener;
import dev.varve.api.transport.TransportOptions;
import dev.varve.api.transport.TransportProvider;

import java.io.EOFException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;

/** Carries bytes within the process: the smallest transport that keeps the contract. */
public class MemoryTransport implements TransportProvider {
    private static final int QUEUE_BYTES = 1 << 16;

    private static final Map<String, MemoryListener> LISTENERS = new HashMap<>();

    /** As the service loader makes it. */
    public MemoryTransport() {}

    @Override
    public String scheme() {
        return "memory";
    }

    @Override
    public Connection connect(String address, TransportOptions options) throws IOException {
        requireName(address);
        MemoryListener listener;
        synchronized (LISTENERS) {
            listener = LISTENERS.get(address);
        }
        if (listener == null) {
            throw new IOException("memory:" + address + ": nobody listens");
        }
        return listener.connect();
    }

    @Override
    public Listener listen(String address, TransportOptions options) throws IOException {
        requireName(address);
        MemoryListener listener = new MemoryListener(address);
        synchronized (LISTENERS) {
            if (LISTENERS.putIfAbsent(address, listener) != null) {
                throw new IOException("memory:" + address + ": is taken");
            }
        }
        return listener;
    }

    private static void requireName(String address) {
        if (!address.matches("[a-z0-9]+")) {
            throw new VarveException(
                    VarveException.Kind.INVALID_REQUEST,
                    "memory:" + address.replace('\n', ' ') + ": expected letters and digits");
        }
    }

    /** Connections that wait to be accepted. */
    private static final class MemoryListener implements Listener {
        private final String name;
        private final Deque<Connection> waiting = new ArrayDeque<>();
        private boolean closed;

        MemoryListener(String name) {
            this.name = name;
        }

        synchronized Connection connect() throws IOException {
            requireOpen();
            Pipe there = new Pipe();
            Pipe back = new Pipe();
            waiting.add(new MemoryConnection(there, back));
            notifyAll();
            return new MemoryConnection(back, there);
        }

        @Override
        public String address() {
            return "memory:" + name;
        }

        @Override
        public synchronized Connection accept() throws IOException {
            while (waiting.isEmpty()) {
                requireOpen();
                await(this);
            }
            requireOpen();
            return waiting.remove();
        }

        private void requireOpen() throws IOException {
            if (closed) {
                throw new IOException("the listener is closed");
            }
        }

        @Override
        public void close() {
            synchronized (this) {
                closed = true;
                notifyAll();
            }
            synchronized (LISTENERS) {
                LISTENERS.remove(name, this);
            }
        }
    }

    /** Bytes in one direction. */
    private static final class Pipe {
        private final ByteBuffer queue = ByteBuffer.allocate(QUEUE_BYTES);
        private Optional<Object> closedBy = Optional.empty();

        synchronized void write(ByteBuffer source) throws IOException {
            while (source.hasRemaining()) {
                if (closedBy.isPresent()) {
                    throw new IOException("closed");
                }
                int count = Math.min(source.remaining(), queue.remaining());
                queue.put(source.slice(source.position(), count));
                source.position(source.position() + count);
                notifyAll();
                if (source.hasRemaining()) {
                    await(this);
                }
            }
        }

        synchronized void read(ByteBuffer target, Object reader) throws IOException {
            while (target.hasRemaining()) {
                if (closedBy.filter(reader::equals).isPresent()) {
                    throw new IOException("closed");
                }
                queue.flip();
                int count = Math.min(target.remaining(), queue.remaining());
                target.put(queue.slice(queue.position(), count));
                queue.position(queue.position() + count);
                queue.compact();
                notifyAll();
                if (target.hasRemaining() && closedBy.isPresent()) {
                    throw new EOFException("the other side closed");
                }
                if (target.hasRemaining()) {
                    await(this);
                }
            }
        }

        synchronized void close(Object by) {
            closedBy = closedBy.or(() -> Optional.of(by));
            notifyAll();
        }
    }

    private static final class MemoryConnection implements Connection {
        private final Pipe in;
        private final Pipe out;

        MemoryConnection(Pipe in, Pipe out) {
            this.in = in;
            this.out = out;
        }

        @Override
        public String peer() {
            return "this process";
        }

        @Override
        public boolean sameHost() {
            return true;
        }

        @Override
        public void read(ByteBuffer target) throws IOException {
            in.read(target, this);
        }

        @Override
        public void write(ByteBuffer... parts) throws IOException {
            for (ByteBuffer part : parts) {
                out.write(part);
            }
        }

        @Override
        public void close() {
            in.close(this);
            out.close(this);
        }
    }

    private static void await(Object monitor) throws IOException {
        try {
            monitor.wait();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IOException("interrupted", e);
        }
    }
}
