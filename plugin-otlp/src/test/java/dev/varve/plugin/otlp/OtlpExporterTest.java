package dev.varve.plugin.otlp;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.varve.api.telemetry.FinishedSpan;
import dev.varve.api.telemetry.FinishedTrace;
import dev.varve.api.telemetry.TraceExporter;
import dev.varve.api.telemetry.TraceParent;
import dev.varve.api.telemetry.TraceTarget;
import dev.varve.testkit.OtlpCollector;
import dev.varve.testkit.OtlpSpan;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

import java.io.IOException;
import java.net.URI;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** The exporter sends requests that a collector decodes. */
@Timeout(60)
class OtlpExporterTest {
    private static final String TRACE = "4bf92f3577b34da6a3ce929d0e0e4736";
    private static final String SPAN = "00f067aa0ba902b7";

    private final OtlpCollector collector = OtlpCollector.start();

    @AfterEach
    void close() {
        collector.close();
    }

    private static TraceExporter open(String url) throws IOException {
        return new OtlpProvider()
                .open(
                        new TraceTarget(
                                URI.create(url),
                                Duration.ofSeconds(5),
                                Map.of("Authorization", "Basic dmFydmU="),
                                Map.of("service.name", "varve")));
    }

    private static FinishedTrace trace(Optional<TraceParent> parent) {
        FinishedSpan child =
                new FinishedSpan(
                        "prefill",
                        FinishedSpan.Kind.INTERNAL,
                        2_000,
                        3_000,
                        Map.of(),
                        Optional.empty(),
                        List.of());
        return new FinishedTrace(
                new FinishedSpan(
                        "POST /v1/messages",
                        FinishedSpan.Kind.SERVER,
                        1_000,
                        4_000,
                        Map.of(
                                "text",
                                "a",
                                "long",
                                1L,
                                "double",
                                0.5,
                                "flag",
                                true,
                                "list",
                                List.of("x")),
                        Optional.of("status_503"),
                        List.of(child)),
                parent);
    }

    @Test
    void spansKeepTheirTreeTimesAndAttributes() throws Exception {
        try (TraceExporter exporter = open(collector.url())) {
            exporter.export(List.of(trace(Optional.empty())));
        }

        assertEquals(List.of("/v1/traces"), collector.paths());
        assertEquals(List.of("Basic dmFydmU="), collector.keys());
        OtlpSpan root = span("POST /v1/messages");
        OtlpSpan child = span("prefill");
        assertEquals("", root.parentId());
        assertEquals(root.spanId(), child.parentId());
        assertEquals(root.traceId(), child.traceId());
        assertEquals(List.of(2, 1), List.of(root.kind(), child.kind()));
        assertEquals(List.of(1_000L, 4_000L), List.of(root.begin(), root.end()));
        assertEquals(List.of(2, 0), List.of(root.statusCode(), child.statusCode()));
        assertEquals(
                Map.of(
                        "text",
                        "a",
                        "long",
                        1L,
                        "double",
                        0.5,
                        "flag",
                        true,
                        "list",
                        List.of("x"),
                        "error.type",
                        "status_503"),
                root.attributes());
        assertEquals("varve", root.resource().get("service.name"));
    }

    private OtlpSpan span(String name) {
        return collector.spans().stream()
                .filter(span -> span.name().equals(name))
                .findFirst()
                .orElseThrow();
    }

    @Test
    void clientTraceIsContinued() throws Exception {
        try (TraceExporter exporter = open(collector.url())) {
            exporter.export(
                    List.of(trace(Optional.of(new TraceParent(TRACE, SPAN, true, "vendor=1")))));
        }

        OtlpSpan root = span("POST /v1/messages");
        assertEquals(TRACE, root.traceId());
        assertEquals(SPAN, root.parentId());
        assertEquals("vendor=1", root.traceState());
        assertEquals(TRACE, span("prefill").traceId());
    }

    @Test
    void refusedSpansAreDroppedAndTheNextOnesAreSent() throws Exception {
        try (TraceExporter exporter = open(collector.url())) {
            collector.answer(400);
            assertThrows(
                    IOException.class, () -> exporter.export(List.of(trace(Optional.empty()))));
            collector.answer(200);
            exporter.export(List.of(trace(Optional.empty())));
        }

        assertEquals(2, collector.spans().size());
    }

    @ParameterizedTest
    @CsvSource({"/, /v1/traces", "/otel, /otel/v1/traces", "/v1/traces, /v1/traces"})
    void defaultPathIsAdded(String given, String expected) throws Exception {
        try (TraceExporter exporter = open(collector.url() + given)) {
            exporter.export(List.of(trace(Optional.empty())));
        }

        assertEquals(List.of(expected), collector.paths());
    }

    @ParameterizedTest
    @ValueSource(strings = {"localhost:4318", "/v1/traces", "grpc://localhost:4317"})
    void invalidAddressIsRefused(String url) {
        IOException failure = assertThrows(IOException.class, () -> open(url));
        assertTrue(failure.getMessage().contains("http://localhost:4318"), failure.getMessage());
    }
}
