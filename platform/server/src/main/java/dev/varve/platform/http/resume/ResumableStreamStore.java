package dev.varve.platform.http.resume;

import java.time.Duration;
import java.util.Comparator;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.LongSupplier;

/**
 * The streams that may be read again, by their ids. Thread-safe; owned by the server, which closes
 * it. What runs for a stream that nobody reads for too long is cancelled.
 */
public final class ResumableStreamStore implements AutoCloseable {
    private static final long SWEEP_MILLIS = 1000;

    private final ResumableStreamLimits limits;
    private final LongSupplier clock;
    private final Map<String, ResumableStream> streams = new ConcurrentHashMap<>();
    private final AtomicLong bytes = new AtomicLong();
    private final AtomicLong abandoned = new AtomicLong();
    private volatile boolean draining;
    private final ScheduledExecutorService watch =
            Executors.newSingleThreadScheduledExecutor(
                    Thread.ofPlatform().daemon().name("varve-streams").factory());

    /**
     * Keeps streams within limits; {@link #watch} has the time looked at.
     *
     * @param clock tells nanoseconds, from any beginning
     */
    public ResumableStreamStore(ResumableStreamLimits limits, LongSupplier clock) {
        this.limits = limits;
        this.clock = clock;
    }

    /** Forgets in time, from now on. */
    public void watch() {
        watch.scheduleWithFixedDelay(
                this::sweep, SWEEP_MILLIS, SWEEP_MILLIS, TimeUnit.MILLISECONDS);
    }

    /**
     * Begins to keep a stream.
     *
     * @param owner whose it is: nobody else finds it
     * @param sign what a reader gets who waits for long
     * @param cancel ends what makes the events; may be called more than once, on any thread
     * @return empty if there is no room for another one
     */
    public synchronized Optional<ResumableStream> open(String owner, byte[] sign, Runnable cancel) {
        sweep();
        while (streams.size() >= limits.streams()) {
            if (!dropEnded()) {
                return Optional.empty();
            }
        }
        String id = "stream-" + UUID.randomUUID().toString().replace("-", "");
        ResumableStream stream = new ResumableStream(id, owner, sign, cancel, this);
        streams.put(id, stream);
        return Optional.of(stream);
    }

    /** A stream, if it is there and its owner asks. */
    public Optional<ResumableStream> find(String id, String owner) {
        return Optional.ofNullable(streams.get(id)).filter(stream -> stream.isOf(owner));
    }

    /** Cancels a stream. Nobody finds it any more; who reads it reads to its end. */
    public void cancel(ResumableStream stream) {
        streams.remove(stream.id());
        stream.leave();
    }

    /** Forgets, and cancels, what nobody has read for too long. */
    public void sweep() {
        long now = clock.getAsLong();
        Duration patience = draining ? Duration.ZERO : limits.unread();
        for (ResumableStream stream : streams.values()) {
            if (stream.isUnreadFor(patience, now)) {
                if (stream.isRunning()) {
                    abandoned.incrementAndGet();
                }
                cancel(stream);
            }
        }
    }

    /** From now on nobody is waited for: what has no reader is cancelled. */
    public void drain() {
        draining = true;
        sweep();
    }

    /** How many streams are kept. */
    public int count() {
        return streams.size();
    }

    /** Bytes of the events of all streams. */
    public long bytes() {
        return bytes.get();
    }

    /** Streams that were cancelled since nobody read them, so far. */
    public long abandoned() {
        return abandoned.get();
    }

    @Override
    public void close() {
        watch.shutdownNow();
        streams.values().forEach(this::cancel);
    }

    ResumableStreamLimits limits() {
        return limits;
    }

    long now() {
        return clock.getAsLong();
    }

    void count(long difference) {
        bytes.addAndGet(difference);
    }

    boolean isFull() {
        return bytes.get() > limits.totalBytes();
    }

    /** Makes room by what has ended and nobody reads; the oldest goes first. */
    synchronized void makeRoom() {
        while (isFull() && dropEnded()) {
            // One after the other.
        }
    }

    private boolean dropEnded() {
        Optional<ResumableStream> oldest =
                streams.values().stream()
                        .filter(ResumableStream::isIdle)
                        .max(Comparator.comparingLong(ResumableStream::unreadNanos));
        oldest.ifPresent(this::cancel);
        return oldest.isPresent();
    }
}
