package dev.varve.bench;

import dev.varve.platform.http.metrics.GenerationLatencyRecorder;
import dev.varve.platform.http.metrics.GenerationLatencyRecorder.Interval;
import dev.varve.platform.http.metrics.Metrics;

import java.io.IOException;
import java.io.PrintStream;
import java.lang.management.ManagementFactory;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.stream.Stream;

/**
 * Measures the cost of metrics: the nanoseconds to record a token's time on the engine's thread,
 * while a reader reads all metrics ten times a second; and the duration of a scrape of a running
 * server while it streams answers.
 *
 * <pre>
 * MetricsBench                                   the cost of a token
 * MetricsBench URL [streams 8] [scrapes 200]     scrapes of a server
 * </pre>
 */
public final class MetricsBench {
    private static final PrintStream OUT = System.out;
    private static final int ROUNDS = 12;
    private static final int TOKENS = 2_000_000;
    private static final long BETWEEN_SCRAPES_MILLIS = 20;
    private static final long BETWEEN_READS_MILLIS = 100;

    /** Time for which streams run before the first scrape beside them. */
    private static final long UNDER_WAY_MILLIS = 2000;

    private static final String BODY =
            "{\"prompt\": \"Tell me a long story.\", \"max_tokens\": 512, \"stream\": true,"
                    + " \"ignore_eos\": true}";

    private MetricsBench() {}

    /** Runs the benchmark. */
    public static void main(String... arguments) throws Exception {
        if (arguments.length == 0) {
            tokens();
        } else {
            scrapes(
                    URI.create(arguments[0]),
                    arguments.length > 1 ? Integer.parseInt(arguments[1]) : 8,
                    arguments.length > 2 ? Integer.parseInt(arguments[2]) : 200);
        }
    }

    private static void tokens() throws InterruptedException {
        Metrics metrics = new Metrics();
        GenerationLatencyRecorder times = metrics.of("model");
        AtomicBoolean stop = new AtomicBoolean();
        Thread reader = Thread.ofPlatform().daemon().start(() -> read(metrics, stop));
        List<Double> each = new ArrayList<>();
        for (int round = 0; round < ROUNDS; round++) {
            long last = System.nanoTime();
            long begin = cpuNanos();
            for (int token = 0; token < TOKENS; token++) {
                long now = System.nanoTime();
                times.observe(Interval.TOKEN_GAP, now - last);
                last = now;
            }
            each.add((double) (cpuNanos() - begin) / TOKENS);
        }
        stop.set(true);
        reader.join();
        List<Double> warm = each.subList(ROUNDS / 2, ROUNDS).stream().sorted().toList();
        OUT.printf(
                Locale.ROOT,
                "a token's time: %.0f ns (median of %d rounds of %d; %.0f to %.0f), which is"
                        + " %.4f %% of a token of 1 ms%n",
                warm.get(warm.size() / 2),
                warm.size(),
                TOKENS,
                warm.getFirst(),
                warm.getLast(),
                warm.get(warm.size() / 2) / 1e4);
    }

    /** Returns the processor time of this thread, which excludes other threads and processes. */
    private static long cpuNanos() {
        return ManagementFactory.getThreadMXBean().getCurrentThreadCpuTime();
    }

    private static void read(Metrics metrics, AtomicBoolean stop) {
        try {
            while (!stop.get()) {
                metrics.encode(List.of(), Optional.empty());
                Thread.sleep(BETWEEN_READS_MILLIS);
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private static void scrapes(URI server, int streams, int count) throws Exception {
        try (HttpClient http =
                        HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();
                ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor()) {
            scrape(http, server, "without load", count);
            AtomicBoolean stop = new AtomicBoolean();
            List<Future<?>> clients = new ArrayList<>();
            for (int i = 0; i < streams; i++) {
                clients.add(threads.submit(() -> stream(http, server, stop)));
            }
            Thread.sleep(UNDER_WAY_MILLIS);
            scrape(http, server, streams + " streams", count);
            stop.set(true);
            for (Future<?> client : clients) {
                client.get();
            }
        }
    }

    private static Void stream(HttpClient http, URI server, AtomicBoolean stop) throws Exception {
        while (!stop.get()) {
            HttpRequest request =
                    HttpRequest.newBuilder(server.resolve("/v1/completions"))
                            .POST(HttpRequest.BodyPublishers.ofString(BODY))
                            .build();
            try (Stream<String> lines =
                    http.send(request, HttpResponse.BodyHandlers.ofLines()).body()) {
                lines.takeWhile(line -> !stop.get()).count();
            }
        }
        return null;
    }

    private static void scrape(HttpClient http, URI server, String when, int count)
            throws IOException, InterruptedException {
        HttpRequest request = HttpRequest.newBuilder(server.resolve("/metrics")).build();
        List<Long> nanos = new ArrayList<>();
        int bytes = 0;
        for (int i = 0; i < count + count / 4; i++) {
            long begin = System.nanoTime();
            HttpResponse<byte[]> answer =
                    http.send(request, HttpResponse.BodyHandlers.ofByteArray());
            if (i >= count / 4) {
                nanos.add(System.nanoTime() - begin);
            }
            bytes = answer.body().length;
            Thread.sleep(BETWEEN_SCRAPES_MILLIS);
        }
        Collections.sort(nanos);
        OUT.printf(
                Locale.ROOT,
                "%s: a scrape of %d bytes takes %.2f ms (median), %.2f ms (95 %%), %.2f ms"
                        + " (most)%n",
                when,
                bytes,
                nanos.get(count / 2) / 1e6,
                nanos.get(count * 95 / 100) / 1e6,
                nanos.getLast() / 1e6);
    }
}
