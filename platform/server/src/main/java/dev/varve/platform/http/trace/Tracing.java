package dev.varve.platform.http.trace;

import dev.varve.api.telemetry.FinishedSpan;
import dev.varve.api.telemetry.FinishedTrace;
import dev.varve.api.telemetry.TraceExporter;
import dev.varve.api.telemetry.TraceParent;

import java.util.Optional;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;

/**
 * Decides which requests are traced, and exports their traces. Thread-safe. Another thread sends
 * them, so no request waits for a collector.
 */
public final class Tracing implements AutoCloseable {
    private final Optional<TraceExportQueue> queue;
    private final double share;

    private Tracing(Optional<TraceExportQueue> queue, double share) {
        this.queue = queue;
        this.share = share;
    }

    /** Returns one that traces no requests. */
    public static Tracing off() {
        return new Tracing(Optional.empty(), 0);
    }

    /**
     * Returns one that traces requests.
     *
     * @param exporter sends the traces; closed with this
     * @param share share of the requests that are traced, 0 to 1; a client's {@code traceparent}
     *     takes precedence
     */
    public static Tracing to(TraceExporter exporter, double share) {
        if (!(share >= 0 && share <= 1)) {
            throw new IllegalArgumentException("expected a share from 0 to 1, found " + share);
        }
        return new Tracing(Optional.of(new TraceExportQueue(exporter)), share);
    }

    /** Returns whether requests may be traced. */
    public boolean isOn() {
        return queue.isPresent();
    }

    /** A request that has begun, with its metadata and its client's trace context. */
    public record StartedRequest(RequestContext traceContext, Optional<TraceParent> parent) {
        /** Makes a request that arrives now and is not traced. */
        public StartedRequest() {
            this(new RequestContext(), Optional.empty());
        }
    }

    /**
     * Begins a request that arrives now.
     *
     * @param name name of its route, such as {@code POST /v1/messages}
     * @param traceparent value of the {@code traceparent} header
     * @param tracestate value of the {@code tracestate} header
     */
    public StartedRequest begin(
            String name, Optional<String> traceparent, Optional<String> tracestate) {
        if (queue.isEmpty()) {
            return new StartedRequest();
        }
        long now = System.nanoTime();
        Optional<TraceParent> parent =
                traceparent.flatMap(header -> TraceParent.parse(header, tracestate.orElse("")));
        boolean traced =
                parent.map(TraceParent::sampled)
                        .orElseGet(() -> ThreadLocalRandom.current().nextDouble() < share);
        return new StartedRequest(
                new RequestContext(
                        now,
                        traced
                                ? Optional.of(new OpenSpan(name, FinishedSpan.Kind.SERVER, now))
                                : Optional.empty()),
                parent);
    }

    /** Ends a request and queues its trace, if it is traced. */
    public void end(StartedRequest begun) {
        if (queue.isPresent() && begun.traceContext().span().isPresent()) {
            OpenSpan root = begun.traceContext().span().get();
            long now = System.nanoTime();
            root.end(now);
            long epochOffset = TimeUnit.MILLISECONDS.toNanos(System.currentTimeMillis()) - now;
            queue.get().offer(new FinishedTrace(root.finish(now, epochOffset), begun.parent()));
        }
    }

    /** Returns the counts of traces; empty if tracing is off. */
    public Optional<TraceCounts> counts() {
        return queue.map(TraceExportQueue::counts);
    }

    /** Sends the queued traces, for at most a few seconds. */
    @Override
    public void close() {
        queue.ifPresent(TraceExportQueue::close);
    }
}
