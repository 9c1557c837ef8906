package dev.varve.platform.http;

import dev.varve.platform.engine.EngineStatus;

import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.concurrent.atomic.AtomicLong;

/** What {@code /metrics} says, in Prometheus' text format 0.0.4. */
final class Metrics {
    final Histogram timeToFirstToken =
            new Histogram(
                    "varve_time_to_first_token_seconds",
                    "Time from the request to its first token.");
    final Histogram interTokenLatency =
            new Histogram(
                    "varve_inter_token_latency_seconds", "Time between two tokens of a request.");
    final Histogram queueTime =
            new Histogram("varve_queue_time_seconds", "Time that a request waited in the queue.");
    final Histogram requestLatency =
            new Histogram(
                    "varve_e2e_request_latency_seconds",
                    "Time from the request to its last token.");

    private record Key(String route, int code, String reason) implements Comparable<Key> {
        @Override
        public int compareTo(Key other) {
            return (route + code + reason).compareTo(other.route + other.code + other.reason);
        }
    }

    private final Map<Key, AtomicLong> requests = new TreeMap<>();
    private final AtomicLong disconnects = new AtomicLong();

    void countRequest(String route, int code, String finishReason) {
        AtomicLong counter;
        synchronized (requests) {
            counter =
                    requests.computeIfAbsent(
                            new Key(route, code, finishReason), key -> new AtomicLong());
        }
        counter.incrementAndGet();
    }

    void countDisconnect() {
        disconnects.incrementAndGet();
    }

    String write(Optional<EngineStatus> status) {
        StringBuilder out = new StringBuilder(8192);
        status.ifPresent(engine -> engine(out, engine));
        header(
                out,
                "varve_requests_total",
                "counter",
                "HTTP requests by route, status and finish reason.");
        synchronized (requests) {
            requests.forEach(
                    (key, count) ->
                            out.append("varve_requests_total{route=\"")
                                    .append(key.route())
                                    .append("\",code=\"")
                                    .append(key.code())
                                    .append("\",finish_reason=\"")
                                    .append(key.reason())
                                    .append("\"} ")
                                    .append(count.get())
                                    .append('\n'));
        }
        value(
                out,
                "varve_client_disconnects_total",
                "counter",
                "Clients that went away before their answer ended.",
                disconnects.get());
        timeToFirstToken.write(out);
        interTokenLatency.write(out);
        queueTime.write(out);
        requestLatency.write(out);
        return out.toString();
    }

    private static void engine(StringBuilder out, EngineStatus engine) {
        value(
                out,
                "varve_requests_waiting",
                "gauge",
                "Requests in the queue.",
                engine.load().waiting());
        value(
                out,
                "varve_requests_running",
                "gauge",
                "Requests in prefill or decode.",
                engine.load().running());
        double used =
                engine.slots().total() == 0
                        ? 0
                        : (double) engine.slots().running() / engine.slots().total();
        header(
                out,
                "varve_kv_cache_usage_ratio",
                "gauge",
                "Share of the KV pool that running sequences hold.");
        out.append("varve_kv_cache_usage_ratio ").append(used).append('\n');
        value(
                out,
                "varve_kv_cache_resident_tokens",
                "gauge",
                "Token slots that finished sequences hold.",
                engine.slots().resident());
        value(
                out,
                "varve_weight_bytes",
                "gauge",
                "Bytes of weights.",
                engine.memory().allWeights());
        value(
                out,
                "varve_kv_bytes",
                "gauge",
                "Bytes of KV pools and recurrent states.",
                engine.memory().kv());
        value(
                out,
                "varve_compute_bytes",
                "gauge",
                "Bytes of compute buffers.",
                engine.memory().compute());
        value(
                out,
                "varve_prompt_tokens_total",
                "counter",
                "Prompt tokens taken in.",
                engine.counts().tokens().prompt());
        value(
                out,
                "varve_cached_prompt_tokens_total",
                "counter",
                "Prompt tokens that needed no prefill.",
                engine.counts().tokens().cachedPrompt());
        value(
                out,
                "varve_generation_tokens_total",
                "counter",
                "Tokens generated.",
                engine.counts().tokens().generated());
        value(
                out,
                "varve_preemptions_total",
                "counter",
                "Sequences put back to the queue for want of room.",
                engine.counts().preemptions());
        value(
                out,
                "varve_replays_total",
                "counter",
                "Sequences computed again because a shard was lost.",
                engine.counts().replays());
        value(out, "varve_steps_total", "counter", "Forward passes.", engine.counts().steps());
        new ShardMetrics(engine.shards()).write(out);
    }

    private static void value(
            StringBuilder out, String name, String type, String help, long value) {
        header(out, name, type, help);
        out.append(name).append(' ').append(value).append('\n');
    }

    static void header(StringBuilder out, String name, String type, String help) {
        out.append("# HELP ")
                .append(name)
                .append(' ')
                .append(help)
                .append("\n# TYPE ")
                .append(name)
                .append(' ')
                .append(type)
                .append('\n');
    }
}
