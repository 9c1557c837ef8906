package dev.varve.platform.http.trace;

import dev.varve.api.telemetry.FinishedTrace;
import dev.varve.api.telemetry.TraceExporter;

import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Traces that wait to be sent, and the thread that sends them. A trace for which there is no room
 * is dropped and counted.
 */
final class TraceQueue implements AutoCloseable {
    /** Traces that may wait; one has some ten spans. */
    static final int MOST = 1024;

    private static final System.Logger LOG = System.getLogger("dev.varve.http");
    private static final int TOGETHER = 64;
    private static final Duration GATHER = Duration.ofMillis(500);
    private static final Duration CLOSE = Duration.ofSeconds(3);

    private final TraceExporter exporter;
    private final BlockingQueue<FinishedTrace> waiting = new ArrayBlockingQueue<>(MOST);
    private final AtomicLong exported = new AtomicLong();
    private final AtomicLong dropped = new AtomicLong();
    private final AtomicLong failed = new AtomicLong();
    private final Thread sender;
    private volatile boolean closed;
    private boolean fails;

    TraceQueue(TraceExporter exporter) {
        this.exporter = exporter;
        sender = Thread.ofPlatform().name("varve-traces").daemon(true).start(this::run);
    }

    /** Returns at once. */
    void offer(FinishedTrace trace) {
        if (closed || !waiting.offer(trace)) {
            dropped.incrementAndGet();
        }
    }

    TraceCounts counts() {
        return new TraceCounts(exported.get(), dropped.get(), failed.get());
    }

    private void run() {
        try {
            while (!closed || !waiting.isEmpty()) {
                send(gather());
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        } finally {
            dropped.addAndGet(waiting.size());
            exporter.close();
        }
    }

    /** Traces of a moment go together. */
    private List<FinishedTrace> gather() throws InterruptedException {
        List<FinishedTrace> traces = new ArrayList<>();
        FinishedTrace first = waiting.poll(GATHER.toMillis(), TimeUnit.MILLISECONDS);
        if (first != null) {
            traces.add(first);
            waiting.drainTo(traces, TOGETHER - 1);
        }
        return traces;
    }

    private void send(List<FinishedTrace> traces) {
        if (traces.isEmpty()) {
            return;
        }
        try {
            exporter.export(traces);
            exported.addAndGet(traces.size());
            fails = false;
        } catch (IOException | RuntimeException | Error e) {
            // Whatever an exporter throws, requests are answered, and the next traces tried.
            failed.addAndGet(traces.size());
            if (!fails) {
                LOG.log(System.Logger.Level.WARNING, "traces are lost: " + e.getMessage());
            }
            fails = true;
        }
    }

    @Override
    public void close() {
        closed = true;
        try {
            if (!sender.join(CLOSE)) {
                sender.interrupt();
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
