package dev.varve.contracts;

import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.varve.api.telemetry.FinishedSpan;
import dev.varve.api.telemetry.FinishedTrace;
import dev.varve.api.telemetry.TraceExporter;
import dev.varve.api.telemetry.TraceExporterProvider;
import dev.varve.api.telemetry.TraceTarget;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.URI;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** Contract of trace exporters while there is no collector. */
@Timeout(60)
public abstract class TraceExporterContract {
    private static final Duration TIMEOUT = Duration.ofSeconds(1);

    /** For extending classes. */
    protected TraceExporterContract() {}

    /** Creates a new provider. */
    protected abstract TraceExporterProvider provider();

    /** Returns the address of a collector at a port of this machine. */
    protected abstract URI endpoint(int port);

    private TraceExporter open(int port) throws IOException {
        return provider()
                .open(new TraceTarget(endpoint(port), TIMEOUT, Map.of(), Map.of("a", "b")));
    }

    private static List<FinishedTrace> traces() {
        return List.of(
                new FinishedTrace(
                        new FinishedSpan(
                                "GET /",
                                FinishedSpan.Kind.SERVER,
                                1,
                                2,
                                Map.of(),
                                Optional.empty(),
                                List.of()),
                        Optional.empty()));
    }

    @Test
    void providerConstructorIsCheapAndItsNameIsAWord() {
        ProviderRules.requireCheap(this::provider);
        ProviderRules.requireWord(provider().name());
    }

    @Test
    void openSucceedsWithoutACollector() throws Exception {
        try (TraceExporter exporter = open(1)) {
            IOException failure = assertThrows(IOException.class, () -> exporter.export(traces()));

            assertFalse(failure.getMessage().isBlank());
        }
    }

    @Test
    void unresponsiveCollectorDelaysNoLongerThanTheTimeout() throws Exception {
        try (ServerSocket deaf = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
                TraceExporter exporter = open(deaf.getLocalPort())) {
            long begin = System.nanoTime();

            assertThrows(IOException.class, () -> exporter.export(traces()));

            assertTrue(System.nanoTime() - begin < TIMEOUT.multipliedBy(10).toNanos());
        }
    }
}
