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
 * Stores resumable streams by their ids. Thread-safe; owned by the server, which closes it. Cancels
 * the generation of a stream that has had no reader for too long.
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
     * Makes a store with limits; {@link #watch} starts the expiry of streams.
     *
     * @param clock current time in nanoseconds, from any origin
     */
    public ResumableStreamStore(ResumableStreamLimits limits, LongSupplier clock) {
        this.limits = limits;
        this.clock = clock;
    }

    /** Starts the periodic removal of expired streams. */
    public void watch() {
        watch.scheduleWithFixedDelay(
                this::sweep, SWEEP_MILLIS, SWEEP_MILLIS, TimeUnit.MILLISECONDS);
    }

    /**
     * Opens a stream.
     *
     * @param owner owner of the stream; only the owner finds it
     * @param heartbeat heartbeat for a reader that waits long
     * @param cancel cancels the generation; may be called more than once, on any thread
     * @return the stream; empty if the store is full
     */
    public synchronized Optional<ResumableStream> open(
            String owner, byte[] heartbeat, Runnable cancel) {
        sweep();
        while (streams.size() >= limits.streams()) {
            if (!dropEnded()) {
                return Optional.empty();
            }
        }
        String id = "stream-" + UUID.randomUUID().toString().replace("-", "");
        ResumableStream stream = new ResumableStream(id, owner, heartbeat, cancel, this);
        streams.put(id, stream);
        return Optional.of(stream);
    }

    /** Returns a stream, if it exists and belongs to {@code owner}. */
    public Optional<ResumableStream> find(String id, String owner) {
        return Optional.ofNullable(streams.get(id)).filter(stream -> stream.isOf(owner));
    }

    /** Cancels a stream and removes it from the store; its current reader may read to its end. */
    public void cancel(ResumableStream stream) {
        streams.remove(stream.id());
        stream.cancelGeneration();
    }

    /** Removes and cancels streams that have had no reader for too long. */
    public void sweep() {
        long now = clock.getAsLong();
        Duration timeout = draining ? Duration.ZERO : limits.unread();
        for (ResumableStream stream : streams.values()) {
            if (stream.isUnreadFor(timeout, now)) {
                if (stream.isRunning()) {
                    abandoned.incrementAndGet();
                }
                cancel(stream);
            }
        }
    }

    /** Cancels streams without a reader, now and from now on. */
    public void drain() {
        draining = true;
        sweep();
    }

    /** Returns the number of stored streams. */
    public int count() {
        return streams.size();
    }

    /** Returns the bytes of the events of all streams. */
    public long bytes() {
        return bytes.get();
    }

    /** Returns the number of streams that were cancelled so far because they had no reader. */
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

    /**
     * Removes ended streams without a reader until the store is within its limits, the longest
     * unread first.
     */
    synchronized void evict() {
        while (isFull() && dropEnded()) {
            // dropEnded() removes one stream per call.
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
