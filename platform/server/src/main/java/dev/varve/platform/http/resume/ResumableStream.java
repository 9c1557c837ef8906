package dev.varve.platform.http.resume;

import dev.varve.platform.http.json.ApiException;

import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.TimeUnit;

/**
 * The last events of one stream, numbered from 1. One thread appends events, and one reader at a
 * time reads them; a later reader replaces an earlier one. Thread-safe.
 */
public final class ResumableStream {
    /** Approximate memory of an event in addition to its text. */
    private static final int EVENT_BYTES = 96;

    private final String id;
    private final String owner;
    private final byte[] heartbeat;
    private final Runnable cancel;
    private final ResumableStreamStore store;
    private final Map<Long, byte[]> events = new HashMap<>();
    private long first = 1;
    private long last;
    private long bytes;
    private Optional<Step.Ended> end = Optional.empty();
    private Optional<Reading> reader = Optional.empty();
    private long unreadSince;
    private boolean cancelled;

    ResumableStream(
            String id,
            String owner,
            byte[] heartbeat,
            Runnable cancel,
            ResumableStreamStore store) {
        this.id = id;
        this.owner = owner;
        this.heartbeat = heartbeat.clone();
        this.cancel = cancel;
        this.store = store;
        unreadSince = store.now();
    }

    /** Result of a read. */
    public sealed interface Step {
        /** The next event, as it is sent. */
        record Event(byte[] text) implements Step {}

        /** No event arrived in time. */
        record Nothing() implements Step {}

        /** The stream ended. */
        record Ended(String finishReason, int tokens) implements Step {}

        /** Another reader replaced this one, or the next event was dropped. */
        record CannotContinue() implements Step {}
    }

    /** Returns the id, which is random and cannot be predicted. */
    public String id() {
        return id;
    }

    /** Returns the heartbeat for a reader that waits long. */
    public byte[] heartbeat() {
        return heartbeat.clone();
    }

    boolean isOf(String caller) {
        return owner.equals(caller);
    }

    /** Appends an event: the lines of server-sent events, with the empty line after them. */
    public void append(byte[] text) {
        synchronized (this) {
            if (cancelled && reader.isEmpty()) {
                return;
            }
            last++;
            byte[] numbered = numbered(text);
            events.put(last, numbered);
            count(numbered.length + EVENT_BYTES);
            notifyAll();
        }
        if (store.isFull()) {
            // Outside this stream's lock, since it locks other streams.
            store.evict();
        }
        dropOldest();
    }

    private byte[] numbered(byte[] text) {
        ByteArrayOutputStream out = new ByteArrayOutputStream(text.length + 64);
        out.writeBytes(("id: " + id + ":" + last + "\n").getBytes(StandardCharsets.US_ASCII));
        out.writeBytes(text);
        return out.toByteArray();
    }

    private synchronized void dropOldest() {
        while (first < last && (bytes > store.limits().streamBytes() || store.isFull())) {
            count(-events.remove(first).length - EVENT_BYTES);
            first++;
        }
    }

    private void count(long difference) {
        bytes += difference;
        store.count(difference);
    }

    /** Ends the stream. */
    public synchronized void end(String finishReason, int tokens) {
        end = Optional.of(new Step.Ended(finishReason, tokens));
        release();
        notifyAll();
    }

    /** Returns whether the stream was cancelled. */
    public synchronized boolean isCancelled() {
        return cancelled;
    }

    /** Returns whether the stream ended with event {@code number}. */
    public synchronized boolean isReadTo(long number) {
        return end.isPresent() && number == last;
    }

    /**
     * Begins to read and replaces the current reader.
     *
     * @param after number of the last event to skip; 0 to read all
     * @param abort closes the connection to the reader when another one replaces it
     * @throws ApiException a 410 if the next event was dropped, a 400 if event {@code after} does
     *     not exist yet
     */
    public synchronized Reading read(long after, Runnable abort) {
        if (after > last) {
            throw ApiException.invalid("after", "after: expected an event number, at most " + last);
        }
        if (after + 1 < first) {
            throw ApiException.status(
                    410,
                    "stream_events_gone",
                    "the server no longer stores the events up to " + (first - 1));
        }
        reader.ifPresent(before -> before.abort.run());
        Reading reading = new Reading(after, abort);
        reader = Optional.of(reading);
        notifyAll();
        return reading;
    }

    /** Cancels the generation; drops the events if there is no reader. */
    void cancelGeneration() {
        cancel.run();
        synchronized (this) {
            cancelled = true;
            release();
        }
    }

    /** Returns whether more events may follow. */
    synchronized boolean isRunning() {
        return end.isEmpty();
    }

    synchronized boolean isUnreadFor(Duration timeout, long now) {
        return reader.isEmpty() && now - unreadSince >= timeout.toNanos();
    }

    /** Returns whether the stream ended and has no reader. */
    synchronized boolean isIdle() {
        return end.isPresent() && reader.isEmpty();
    }

    synchronized long unreadNanos() {
        return store.now() - unreadSince;
    }

    private void release() {
        if (cancelled && reader.isEmpty()) {
            events.clear();
            first = last + 1;
            count(-bytes);
        }
    }

    /** Reads the events for one reader. Not thread-safe. */
    public final class Reading implements AutoCloseable {
        private final Runnable abort;
        private long read;

        private Reading(long after, Runnable abort) {
            read = after;
            this.abort = abort;
        }

        /** Returns the next step; waits for an event at most {@code wait}. */
        public Step next(Duration wait) throws InterruptedException {
            synchronized (ResumableStream.this) {
                long until = System.nanoTime() + wait.toNanos();
                Step step = step();
                for (long rest = wait.toNanos();
                        step instanceof Step.Nothing && rest > 0;
                        rest = until - System.nanoTime()) {
                    TimeUnit.NANOSECONDS.timedWait(ResumableStream.this, rest);
                    step = step();
                }
                return step;
            }
        }

        private Step step() {
            if (!isCurrentReader() || read + 1 < first) {
                return new Step.CannotContinue();
            }
            if (read < last) {
                read++;
                return new Step.Event(events.get(read));
            }
            return end.isPresent() ? end.get() : new Step.Nothing();
        }

        private boolean isCurrentReader() {
            return reader.filter(now -> now == this).isPresent();
        }

        /** Ends reading; the stream is kept for a while. */
        @Override
        public void close() {
            synchronized (ResumableStream.this) {
                if (isCurrentReader()) {
                    reader = Optional.empty();
                    unreadSince = store.now();
                    release();
                }
            }
        }
    }
}
