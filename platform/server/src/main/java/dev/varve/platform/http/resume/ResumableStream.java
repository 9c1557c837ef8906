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
 * The events of one stream, numbered from 1, of which the last are kept. One thread appends them,
 * and one reader at a time reads them; who comes later takes over. Thread-safe.
 */
public final class ResumableStream {
    /** What an event takes beside its text, about. */
    private static final int EVENT_BYTES = 96;

    private final String id;
    private final String owner;
    private final byte[] sign;
    private final Runnable cancel;
    private final ResumableStreamStore room;
    private final Map<Long, byte[]> events = new HashMap<>();
    private long first = 1;
    private long last;
    private long bytes;
    private Optional<Step.Ended> end = Optional.empty();
    private Optional<Reading> reader = Optional.empty();
    private long unreadSince;
    private boolean left;

    ResumableStream(
            String id, String owner, byte[] sign, Runnable cancel, ResumableStreamStore room) {
        this.id = id;
        this.owner = owner;
        this.sign = sign.clone();
        this.cancel = cancel;
        this.room = room;
        unreadSince = room.now();
    }

    /** What a reader finds. */
    public sealed interface Step {
        /** The next event, as it is sent. */
        record Event(byte[] text) implements Step {}

        /** Nothing has come yet. */
        record Nothing() implements Step {}

        /** There are no more events. */
        record Ended(String finishReason, int tokens) implements Step {}

        /** Somebody else reads now, or the next event was dropped. */
        record Lost() implements Step {}
    }

    /** Its name, which tells nothing and cannot be guessed. */
    public String id() {
        return id;
    }

    /** What a reader gets who waits for long. */
    public byte[] sign() {
        return sign.clone();
    }

    boolean isOf(String caller) {
        return owner.equals(caller);
    }

    /** Appends an event: the lines of server-sent events, with the empty one behind them. */
    public void append(byte[] text) {
        synchronized (this) {
            if (left && reader.isEmpty()) {
                return;
            }
            last++;
            byte[] numbered = numbered(text);
            events.put(last, numbered);
            count(numbered.length + EVENT_BYTES);
            notifyAll();
        }
        if (room.isFull()) {
            // Not under this stream's lock: it looks at others.
            room.makeRoom();
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
        while (first < last && (bytes > room.limits().streamBytes() || room.isFull())) {
            count(-events.remove(first).length - EVENT_BYTES);
            first++;
        }
    }

    private void count(long difference) {
        bytes += difference;
        room.count(difference);
    }

    /** No more events come. */
    public synchronized void end(String finishReason, int tokens) {
        end = Optional.of(new Step.Ended(finishReason, tokens));
        release();
        notifyAll();
    }

    /** Whether nobody wants further events. */
    public synchronized boolean isCancelled() {
        return left;
    }

    /** Whether it ended, and has no events after one. */
    public synchronized boolean isReadTo(long number) {
        return end.isPresent() && number == last;
    }

    /**
     * Begins to read, in the place of whoever reads now.
     *
     * @param after number of the last event that is not wanted; 0 for all
     * @param abort ends the connection to the reader, when another one takes over
     * @throws ApiException a 410 if the next one was dropped, a 400 if {@code after} has not come
     */
    public synchronized Reading read(long after, Runnable abort) {
        if (after > last) {
            throw ApiException.invalid(
                    "after", "after: expected the number of an event, at most " + last);
        }
        if (after + 1 < first) {
            throw ApiException.status(
                    410,
                    "stream_events_gone",
                    "the events up to " + (first - 1) + " are no longer kept");
        }
        reader.ifPresent(before -> before.abort.run());
        Reading reading = new Reading(after, abort);
        reader = Optional.of(reading);
        notifyAll();
        return reading;
    }

    /** Ends what makes the events; without a reader nothing is kept. */
    void leave() {
        cancel.run();
        synchronized (this) {
            left = true;
            release();
        }
    }

    /** Whether more of it may come. */
    synchronized boolean isRunning() {
        return end.isEmpty();
    }

    synchronized boolean isUnreadFor(Duration patience, long now) {
        return reader.isEmpty() && now - unreadSince >= patience.toNanos();
    }

    /** Whether it ended and nobody reads. */
    synchronized boolean isIdle() {
        return end.isPresent() && reader.isEmpty();
    }

    synchronized long unreadNanos() {
        return room.now() - unreadSince;
    }

    private void release() {
        if (left && reader.isEmpty()) {
            events.clear();
            first = last + 1;
            count(-bytes);
        }
    }

    /** One reader's way through the events. For one thread. */
    public final class Reading implements AutoCloseable {
        private final Runnable abort;
        private long read;

        private Reading(long after, Runnable abort) {
            read = after;
            this.abort = abort;
        }

        /** What comes next; waits for it, but not longer than {@code wait}. */
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
            if (!isReader() || read + 1 < first) {
                return new Step.Lost();
            }
            if (read < last) {
                read++;
                return new Step.Event(events.get(read));
            }
            return end.isPresent() ? end.get() : new Step.Nothing();
        }

        private boolean isReader() {
            return reader.filter(now -> now == this).isPresent();
        }

        /** Leaves; the stream is kept for a while. */
        @Override
        public void close() {
            synchronized (ResumableStream.this) {
                if (isReader()) {
                    reader = Optional.empty();
                    unreadSince = room.now();
                    release();
                }
            }
        }
    }
}
