package dev.varve.testkit;

import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.List;
import java.util.OptionalLong;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Forwards connections to a port of this machine, and stops passing data back after {@link #stall}:
 * the other side then looks alive and does not respond.
 */
public final class StallingProxy implements AutoCloseable {
    private final ServerSocket socket;
    private final int target;
    private final List<Socket> open = new CopyOnWriteArrayList<>();
    private final AtomicInteger connections = new AtomicInteger();
    private final AtomicLong asked = new AtomicLong();
    private final Object lock = new Object();
    private boolean stalled;
    private OptionalLong allowance = OptionalLong.empty();
    private int holding;
    private boolean closed;

    /** A proxy in front of a port, on a free one. */
    public StallingProxy(int target) throws IOException {
        this.target = target;
        socket = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
        Thread.ofVirtual().start(this::accept);
    }

    /** Returns the port at which it listens. */
    public int port() {
        return socket.getLocalPort();
    }

    /** Returns the number of connections that were made to it. */
    public int connections() {
        return connections.get();
    }

    /** Returns the number of bytes that were sent to it. */
    public long askedBytes() {
        return asked.get();
    }

    /** Stops passing data back until {@link #resume}. */
    public void stall() {
        synchronized (lock) {
            stalled = true;
        }
    }

    /** Passes back at least so many more bytes, then stops until {@link #resume}. */
    public void stallAfter(long bytes) {
        synchronized (lock) {
            allowance = OptionalLong.of(bytes);
        }
    }

    /** Returns whether data waits to be passed back. */
    public boolean holdsData() {
        synchronized (lock) {
            return holding > 0;
        }
    }

    /** Passes back the data that arrived meanwhile, and all later data. */
    public void resume() {
        synchronized (lock) {
            stalled = false;
            allowance = OptionalLong.empty();
            lock.notifyAll();
        }
    }

    private void accept() {
        while (true) {
            try {
                Socket client = socket.accept();
                connections.incrementAndGet();
                Socket server = new Socket(InetAddress.getLoopbackAddress(), target);
                open.addAll(List.of(client, server));
                Thread.ofVirtual().start(() -> pass(client, server, false));
                Thread.ofVirtual().start(() -> pass(server, client, true));
            } catch (IOException e) {
                if (socket.isClosed()) {
                    return;
                }
            }
        }
    }

    private void pass(Socket from, Socket to, boolean back) {
        byte[] buffer = new byte[1 << 16];
        try (from;
                to) {
            InputStream input = from.getInputStream();
            for (int count = input.read(buffer); count >= 0; count = input.read(buffer)) {
                if (back) {
                    awaitTurn(count);
                } else {
                    asked.addAndGet(count);
                }
                to.getOutputStream().write(buffer, 0, count);
                to.getOutputStream().flush();
            }
        } catch (IOException e) {
            // One side has closed.
            return;
        }
    }

    private void awaitTurn(int count) throws IOException {
        synchronized (lock) {
            holding++;
            while (stalled && !closed) {
                try {
                    lock.wait();
                } catch (InterruptedException e) {
                    throw new IOException(e);
                }
            }
            holding--;
            if (allowance.isPresent()) {
                allowance = OptionalLong.of(allowance.getAsLong() - count);
                stalled = allowance.getAsLong() <= 0;
            }
        }
    }

    @Override
    public void close() throws IOException {
        synchronized (lock) {
            closed = true;
            lock.notifyAll();
        }
        socket.close();
        for (Socket each : open) {
            each.close();
        }
    }
}
