package dev.varve.platform.http.trace;

import dev.varve.api.telemetry.FinishedSpan;
import dev.varve.api.telemetry.FinishedTrace;
import dev.varve.api.telemetry.TraceExporter;
import dev.varve.api.telemetry.TraceParent;

import java.util.Optional;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;

/**
 * Which requests are traced, and where their traces go. Thread-safe. Sending is another thread's:
 * no request waits for a collector.
 */
public final class Tracing implements AutoCloseable {
    private final Optional<TraceQueue> queue;
    private final double share;

    private Tracing(Optional<TraceQueue> queue, double share) {
        this.queue = queue;
        this.share = share;
    }

    /** No request is traced. */
    public static Tracing off() {
        return new Tracing(Optional.empty(), 0);
    }

    /**
     * Traces requests.
     *
     * @param exporter sends them, and is closed with this
     * @param share part of the requests that are traced, 0 to 1, of those whose client does not
     *     say; what a client's {@code traceparent} says goes before
     */
    public static Tracing to(TraceExporter exporter, double share) {
        if (!(share >= 0 && share <= 1)) {
            throw new IllegalArgumentException("a share is from 0 to 1, got " + share);
        }
        return new Tracing(Optional.of(new TraceQueue(exporter)), share);
    }

    /** Whether some requests are traced. */
    public boolean isOn() {
        return queue.isPresent();
    }

    /** A request that came, and what is to be told when it has ended. */
    public record Begun(RequestMetadata record, Optional<TraceParent> parent) {
        /** A request that comes now and is not traced. */
        public Begun() {
            this(new RequestMetadata(), Optional.empty());
        }
    }

    /**
     * Takes note of a request that comes now.
     *
     * @param name of its route, such as {@code POST /v1/messages}
     * @param traceparent header of its client
     * @param tracestate likewise
     */
    public Begun begin(String name, Optional<String> traceparent, Optional<String> tracestate) {
        if (queue.isEmpty()) {
            return new Begun();
        }
        long now = System.nanoTime();
        Optional<TraceParent> parent =
                traceparent.flatMap(header -> TraceParent.parse(header, tracestate.orElse("")));
        boolean traced =
                parent.map(TraceParent::sampled)
                        .orElseGet(() -> ThreadLocalRandom.current().nextDouble() < share);
        return new Begun(
                new RequestMetadata(
                        now,
                        traced
                                ? Optional.of(new OpenSpan(name, FinishedSpan.Kind.SERVER, now))
                                : Optional.empty()),
                parent);
    }

    /** A request has ended: its trace is sent, if it has one. */
    public void end(Begun begun) {
        if (queue.isPresent() && begun.record().span().isPresent()) {
            OpenSpan root = begun.record().span().get();
            long now = System.nanoTime();
            root.end(now);
            long epochOffset = TimeUnit.MILLISECONDS.toNanos(System.currentTimeMillis()) - now;
            queue.get().offer(new FinishedTrace(root.finish(now, epochOffset), begun.parent()));
        }
    }

    /** What became of traces; empty where none are made. */
    public Optional<TraceCounts> counts() {
        return queue.map(TraceQueue::counts);
    }

    /** Sends what waits, for at most a few seconds. */
    @Override
    public void close() {
        queue.ifPresent(TraceQueue::close);
    }
}
