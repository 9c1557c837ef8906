package dev.varve.platform.http.metrics;

import dev.varve.platform.engine.EngineStatus;

import java.io.ByteArrayOutputStream;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.util.Base64;
import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Collectors;

/**
 * Reports the load of a model in a response header, for load balancers: an {@code OrcaLoadReport}
 * in the format that the request names. The metric names are vLLM's.
 *
 * <table>
 * <caption>Formats</caption>
 * <tr><th>requested</th><th>header</th></tr>
 * <tr><td>{@code TEXT}</td><td>{@code TEXT named_metrics.NAME=NUMBER,…}</td></tr>
 * <tr><td>{@code JSON}</td><td>{@code JSON {"named_metrics":{"NAME":NUMBER,…}}}</td></tr>
 * <tr><td>{@code BIN}</td><td>{@code BIN } and the message of protobuf in base64</td></tr>
 * </table>
 */
public final class OrcaLoadReport {
    /** Request header that names the format. */
    public static final String FORMAT = "endpoint-load-metrics-format";

    /** Response header. */
    public static final String HEADER = "endpoint-load-metrics";

    /** {@code map<string, double> named_metrics = 8}, of wire type 2. */
    private static final int NAMED_METRICS = 8 << 3 | 2;

    private static final int KEY = 1 << 3 | 2;
    private static final int VALUE = 2 << 3 | 1;

    private OrcaLoadReport() {}

    /** Returns the value of the header; empty for an unknown format. */
    public static Optional<String> of(EngineStatus engine, String format) {
        Map<String, Double> metrics = new LinkedHashMap<>();
        metrics.put("kv_cache_usage_perc", EngineMetrics.kvUsage(engine));
        metrics.put("num_requests_waiting", (double) engine.load().waiting());
        metrics.put("num_requests_running", (double) engine.load().running());
        return switch (format.strip().toUpperCase(Locale.ROOT)) {
            case "TEXT" -> Optional.of("TEXT " + joined(metrics, "named_metrics.", "="));
            case "JSON" ->
                    Optional.of("JSON {\"named_metrics\":{" + joined(metrics, "\"", "\":") + "}}");
            case "BIN" ->
                    Optional.of("BIN " + Base64.getEncoder().encodeToString(message(metrics)));
            default -> Optional.empty();
        };
    }

    private static String joined(Map<String, Double> metrics, String before, String between) {
        return metrics.entrySet().stream()
                .map(each -> before + each.getKey() + between + each.getValue())
                .collect(Collectors.joining(","));
    }

    private static byte[] message(Map<String, Double> metrics) {
        ByteArrayOutputStream message = new ByteArrayOutputStream();
        metrics.forEach(
                (name, value) -> {
                    byte[] key = name.getBytes(StandardCharsets.US_ASCII);
                    message.write(NAMED_METRICS);
                    // All lengths are below 128: one byte each.
                    message.write(2 + key.length + 1 + Double.BYTES);
                    message.write(KEY);
                    message.write(key.length);
                    message.writeBytes(key);
                    message.write(VALUE);
                    message.writeBytes(
                            ByteBuffer.allocate(Double.BYTES)
                                    .order(ByteOrder.LITTLE_ENDIAN)
                                    .putDouble(value)
                                    .array());
                });
        return message.toByteArray();
    }
}
