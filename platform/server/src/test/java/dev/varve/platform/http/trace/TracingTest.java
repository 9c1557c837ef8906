package dev.varve.platform.http.trace;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.varve.api.telemetry.FinishedSpan;
import dev.varve.api.telemetry.FinishedTrace;
import dev.varve.api.telemetry.TraceExporter;
import dev.varve.testkit.Await;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import java.io.IOException;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;

@Timeout(30)
class TracingTest {
    private static final String IDS = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-";

    /** Keeps what it gets. */
    private static final class Kept implements TraceExporter {
        final List<FinishedTrace> traces = new CopyOnWriteArrayList<>();
        final CountDownLatch begun = new CountDownLatch(1);
        volatile CountDownLatch gate = new CountDownLatch(0);
        volatile boolean fails;

        @Override
        public void export(List<FinishedTrace> some) throws IOException {
            begun.countDown();
            try {
                gate.await();
            } catch (InterruptedException e) {
                throw new IOException(e);
            }
            if (fails) {
                throw new IOException("nobody is there");
            }
            traces.addAll(some);
        }

        @Override
        public void close() {
            // Nothing is open.
        }
    }

    private final Kept cacheResources = new Kept();

    private static void request(Tracing tracing, String... headers) {
        Tracing.StartedRequest begun =
                tracing.begin(
                        "GET /",
                        headers.length > 0 ? Optional.of(headers[0]) : Optional.empty(),
                        Optional.empty());
        tracing.end(begun);
    }

    @Test
    void disabledTracingRecordsNothing() {
        Tracing.StartedRequest begun =
                Tracing.off().begin("GET /", Optional.of(IDS + "01"), Optional.empty());

        assertTrue(begun.traceContext().span().isEmpty());
        assertEquals(Optional.empty(), Tracing.off().counts());
    }

    @Test
    void clientSamplingPrecedesTheRatio() {
        try (Tracing all = Tracing.to(cacheResources, 1)) {
            request(all, IDS + "00");
            request(all, "not a parent");
        }
        try (Tracing none = Tracing.to(cacheResources, 0)) {
            request(none, IDS + "01");
            request(none);
        }

        assertEquals(2, cacheResources.traces.size());
        assertTrue(cacheResources.traces.get(0).parent().isEmpty());
        assertEquals(
                "00f067aa0ba902b7", cacheResources.traces.get(1).parent().orElseThrow().spanId());
    }

    @Test
    void noRequestWaitsForACollectorAndDroppedSpansAreCounted() throws Exception {
        cacheResources.gate = new CountDownLatch(1);
        int surplus = 50;
        try (Tracing tracing = Tracing.to(cacheResources, 1)) {
            request(tracing);
            cacheResources.begun.await();
            for (int i = 0; i < TraceExportQueue.MOST + surplus; i++) {
                request(tracing);
            }

            assertEquals(new TraceCounts(0, surplus, 0), tracing.counts().orElseThrow());

            cacheResources.gate.countDown();
            Await.until(
                    "all are sent",
                    () -> tracing.counts().orElseThrow().exported() == TraceExportQueue.MOST + 1);
        }
    }

    @Test
    void rejectedSpansAreCountedAndLaterOnesAreSent() {
        try (Tracing tracing = Tracing.to(cacheResources, 1)) {
            cacheResources.fails = true;
            request(tracing);
            Await.until("it failed", () -> tracing.counts().orElseThrow().failed() == 1);
            cacheResources.fails = false;
            request(tracing);
            Await.until("it is sent", () -> tracing.counts().orElseThrow().exported() == 1);
        }
    }

    @Test
    void unfinishedSpansAreTruncated() {
        OpenSpan root = new OpenSpan("root", FinishedSpan.Kind.SERVER, 10);
        OpenSpan open = root.child("open", 20);
        root.child("ended", 30).end(40);

        FinishedSpan finished = root.finish(100, 1000);
        open.end(500);

        assertEquals(List.of(1010L, 1100L), List.of(finished.beginNanos(), finished.endNanos()));
        assertEquals(1100, finished.children().get(0).endNanos());
        assertEquals(true, finished.children().get(0).attributes().get("varve.cut_off"));
        assertEquals(1040, finished.children().get(1).endNanos());
        assertFalse(finished.children().get(1).attributes().containsKey("varve.cut_off"));
    }
}
