package dev.varve.conformance;

import dev.varve.platform.remote.ChildProcessLink;
import dev.varve.platform.remote.ShardLink;
import dev.varve.platform.wire.WireChannel;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Consumer;

/**
 * A link to a process of its own that a test can kill, stop or keep from coming back. Thread-safe.
 */
final class FragileLink implements ShardLink {
    private final ChildProcessLink child;
    private final ReentrantLock lock = new ReentrantLock();
    private final Condition changed = lock.newCondition();
    private final Deque<Consumer<FragileLink>> mishaps = new ArrayDeque<>();
    private final AtomicInteger opened = new AtomicInteger();
    private ShardLink current;

    FragileLink(ChildProcessLink child) {
        this.child = child;
        current = child;
    }

    /** Plans a fault for the next connection; several are used in turn, one for each connection. */
    void plan(Consumer<FragileLink> mishap) {
        lock.lock();
        try {
            mishaps.addLast(mishap);
        } finally {
            lock.unlock();
        }
    }

    /** Makes the next attempts use another link. */
    void divert(ShardLink other) {
        lock.lock();
        try {
            current = other;
        } finally {
            lock.unlock();
        }
    }

    /** Makes the next attempts use their own link again. */
    void heal() {
        divert(child);
    }

    /** Ends the process as an operator's {@code kill -9} would. */
    void kill() {
        child.pid().flatMap(ProcessHandle::of).ifPresent(ProcessHandle::destroyForcibly);
    }

    /** Number of the process. */
    long pid() {
        return child.pid().orElseThrow();
    }

    /** Stops the process without ending it. */
    void freeze() {
        try {
            new ProcessBuilder("kill", "-STOP", child.pid().orElseThrow().toString())
                    .start()
                    .waitFor();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    /** Returns the number of connections that were opened. */
    int opened() {
        return opened.get();
    }

    /** Waits until the {@code count}th connection is open. */
    void awaitOpened(int count) throws InterruptedException {
        lock.lock();
        try {
            long nanos = TimeUnit.SECONDS.toNanos(60);
            while (opened.get() < count) {
                nanos = changed.awaitNanos(nanos);
                if (nanos <= 0) {
                    throw new AssertionError("reached " + opened + " times within 60 s");
                }
            }
        } finally {
            lock.unlock();
        }
    }

    @Override
    public WireChannel open() {
        ShardLink way;
        lock.lock();
        try {
            way = current;
        } finally {
            lock.unlock();
        }
        WireChannel channel = way.open();
        Consumer<FragileLink> mishap;
        lock.lock();
        try {
            opened.incrementAndGet();
            changed.signalAll();
            mishap = mishaps.isEmpty() ? link -> {} : mishaps.removeFirst();
        } finally {
            lock.unlock();
        }
        mishap.accept(this);
        return channel;
    }

    @Override
    public boolean sameHost() {
        return true;
    }

    @Override
    public Optional<String> lastWords() {
        return child.lastWords();
    }

    @Override
    public void close() {
        child.close();
    }
}
