package dev.varve.plugin.grpc.net;

import dev.varve.api.transport.Connection;

import java.io.EOFException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Queue;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;

/**
 * A call as a connection. The network's threads deliver messages ({@link #received}), the signal
 * that the send queue has room ({@link #ready}) and the end ({@link #ended}), and never block here.
 *
 * <p>Its memory is bounded: {@link ByteStreams#MESSAGES_AHEAD} requested messages, the window of
 * the network, and {@link ByteStreams#READY_BYTES} plus a message to send.
 */
final class StreamConnection implements Connection {
    /**
     * End of the other side.
     *
     * @param cause nothing if it closed in order
     */
    private record Ending(String how, Optional<Throwable> cause) {}

    private final String peer;
    private final GrpcCall call;

    private final ReentrantLock lock = new ReentrantLock();
    private final Condition readable = lock.newCondition();
    private final Condition writable = lock.newCondition();
    private final Queue<Incoming> incoming = new ArrayDeque<>();
    private Optional<Ending> ending = Optional.empty();
    private boolean closed;

    /** Held while a message is sent or the call is finished, neither of which blocks. */
    private final ReentrantLock sending = new ReentrantLock();

    /** Held by the reader, so that its buffers are not released meanwhile. */
    private final ReentrantLock reading = new ReentrantLock();

    private Optional<Incoming> current = Optional.empty();

    StreamConnection(String peer, GrpcCall call) {
        this.peer = peer;
        this.call = call;
    }

    @Override
    public String peer() {
        return peer;
    }

    /** Always false: a loopback address may be a tunnel, and does not identify the user. */
    @Override
    public boolean sameHost() {
        return false;
    }

    void received(Incoming message) {
        lock.lock();
        try {
            if (!closed) {
                incoming.add(message);
                readable.signal();
                return;
            }
        } finally {
            lock.unlock();
        }
        // There is no reader any more; the rest is consumed so that the other side receives the
        // end.
        message.close();
        call.request(1);
    }

    void ready() {
        lock.lock();
        try {
            writable.signalAll();
        } finally {
            lock.unlock();
        }
    }

    /** Handles an orderly close of the other side. */
    void ended() {
        end(new Ending("the other side closed the connection", Optional.empty()));
    }

    /** Ends the call after the other side ended its half; received data can still be read. */
    void finishAfterPeer() {
        sending.lock();
        try {
            call.finish();
        } finally {
            sending.unlock();
        }
    }

    /** Handles a broken connection. */
    void broken(String how, Throwable cause) {
        end(new Ending("the connection broke: " + how, Optional.of(cause)));
    }

    private void end(Ending how) {
        lock.lock();
        try {
            if (ending.isEmpty()) {
                ending = Optional.of(how);
            }
            readable.signalAll();
            writable.signalAll();
        } finally {
            lock.unlock();
        }
    }

    @Override
    public void read(ByteBuffer target) throws IOException {
        reading.lock();
        try {
            while (target.hasRemaining()) {
                Incoming message = current.isPresent() ? current.get() : await();
                current = Optional.of(message);
                message.drainTo(target);
                if (message.isEmpty()) {
                    current = Optional.empty();
                    message.close();
                    call.request(1);
                }
            }
        } finally {
            reading.unlock();
        }
    }

    private Incoming await() throws IOException {
        lock.lock();
        try {
            while (true) {
                requireOpen();
                Optional<Incoming> message = Optional.ofNullable(incoming.poll());
                if (message.isPresent()) {
                    return message.get();
                }
                if (ending.isPresent()) {
                    throw failure(ending.get(), true);
                }
                readable.awaitUninterruptibly();
            }
        } finally {
            lock.unlock();
        }
    }

    @Override
    public void write(ByteBuffer... parts) throws IOException {
        while (hasRemaining(parts)) {
            awaitWritable();
            sending.lock();
            try {
                requireOpen();
                send(new Outgoing(parts, ByteStreams.SENT_MESSAGE_BYTES));
            } finally {
                sending.unlock();
            }
        }
    }

    private void send(Outgoing message) throws IOException {
        String ended = peer + ": the connection ended while sending";
        try {
            call.send(message);
        } catch (RejectedExecutionException e) {
            throw new IOException(ended, e);
        }
        if (message.available() > 0) {
            throw new IOException(ended);
        }
    }

    private static boolean hasRemaining(ByteBuffer[] parts) {
        for (ByteBuffer part : parts) {
            if (part.hasRemaining()) {
                return true;
            }
        }
        return false;
    }

    private void awaitWritable() throws IOException {
        lock.lock();
        try {
            while (true) {
                requireOpen();
                if (ending.isPresent()) {
                    throw failure(ending.get(), false);
                }
                if (call.isReady()) {
                    return;
                }
                writable.awaitUninterruptibly();
            }
        } finally {
            lock.unlock();
        }
    }

    private void requireOpen() throws IOException {
        lock.lock();
        try {
            if (closed) {
                throw new IOException(peer + ": the connection was closed on this side");
            }
        } finally {
            lock.unlock();
        }
    }

    private IOException failure(Ending end, boolean whileReading) {
        String message = peer + ": " + end.how();
        if (end.cause().isPresent()) {
            return new IOException(message, end.cause().get());
        }
        return whileReading ? new EOFException(message) : new IOException(message);
    }

    @Override
    public void close() {
        List<Incoming> unread;
        lock.lock();
        try {
            if (closed) {
                return;
            }
            closed = true;
            unread = new ArrayList<>(incoming);
            incoming.clear();
            readable.signalAll();
            writable.signalAll();
        } finally {
            lock.unlock();
        }
        sending.lock();
        try {
            call.finish();
        } finally {
            sending.unlock();
        }
        reading.lock();
        try {
            current.ifPresent(unread::add);
            current = Optional.empty();
        } finally {
            reading.unlock();
        }
        for (Incoming message : unread) {
            message.close();
            call.request(1);
        }
    }
}
