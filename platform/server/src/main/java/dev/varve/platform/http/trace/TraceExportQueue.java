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
 * Queues traces and sends them on a thread of its own. A trace is dropped and counted if the queue
 * is full.
 */
final class TraceExportQueue implements AutoCloseable {
    /** Capacity of the queue; a trace has about ten spans. */
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

    TraceExportQueue(TraceExporter exporter) {
        this.exporter = exporter;
        sender = Thread.ofPlatform().name("varve-traces").daemon(true).start(this::run);
    }

    /** Queues a trace, or drops it; never blocks. */
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

    /** Returns queued traces to be sent together; waits for the first one. */
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
            // A failure of the exporter affects no requests; the next traces are tried.
            failed.addAndGet(traces.size());
            if (!fails) {
                LOG.log(
                        System.Logger.Level.WARNING,
                        "the export of traces failed, and the traces are lost: " + e.getMessage());
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
