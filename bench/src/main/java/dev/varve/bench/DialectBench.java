package dev.varve.bench;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.io.PrintStream;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Locale;

/**
 * Measures how much later a running server sends the first token in other dialects than chat
 * completions: the same short question in all of them, one after the other in each round.
 *
 * <pre>
 * DialectBench [URL] [ROUNDS]
 * </pre>
 */
public final class DialectBench {
    private static final int WARM_UP = 10;

    /** Number of deviations of a rank within which nine of ten lie. */
    private static final double DEVIATIONS = 1.645;

    private static final PrintStream OUT = System.out;

    /** A dialect: its path, its request, and the text that marks its first token. */
    private enum Dialect {
        CHAT(
                "/v1/chat/completions",
                "\"messages\": [%s], \"max_tokens\": 3",
                "\"delta\":{\"content\":\""),
        MESSAGES("/v1/messages", "\"messages\": [%s], \"max_tokens\": 3", "text_delta"),
        RESPONSES("/v1/responses", "\"input\": [%s], \"max_output_tokens\": 3", "_text.delta");

        private static final String QUESTION =
                "{\"role\": \"user\", \"content\": \"What is 7 + 5?\"}";

        private final String path;
        private final String body;
        private final String mark;

        Dialect(String path, String fields, String mark) {
            this.path = path;
            this.mark = mark;
            body = "{\"stream\": true, \"temperature\": 0, " + fields.replace("%s", QUESTION) + "}";
        }
    }

    private final HttpClient client =
            HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();
    private final String url;

    private DialectBench(String url) {
        this.url = url;
    }

    /** Runs the benchmark. */
    public static void main(String... args) throws IOException, InterruptedException {
        String url = args.length > 0 ? args[0] : "http://127.0.0.1:8080";
        int rounds = args.length > 1 ? Integer.parseInt(args[1]) : 100;
        new DialectBench(url).run(rounds);
    }

    private void run(int rounds) throws IOException, InterruptedException {
        Dialect[] dialects = Dialect.values();
        double[][] millis = new double[dialects.length][rounds];
        for (int round = -WARM_UP; round < rounds; round++) {
            for (int turn = 0; turn < dialects.length; turn++) {
                // Being first has an advantage or a cost, so the dialects alternate.
                int which = Math.floorMod(turn + round, dialects.length);
                double time = firstToken(dialects[which]);
                if (round >= 0) {
                    millis[which][round] = time;
                }
            }
        }
        for (Dialect dialect : dialects) {
            OUT.println(describe(dialect, millis[dialect.ordinal()], millis[0]));
        }
    }

    private double firstToken(Dialect dialect) throws IOException, InterruptedException {
        HttpRequest request =
                HttpRequest.newBuilder(URI.create(url + dialect.path))
                        .POST(HttpRequest.BodyPublishers.ofString(dialect.body))
                        .build();
        long begin = System.nanoTime();
        HttpResponse<InputStream> response =
                client.send(request, HttpResponse.BodyHandlers.ofInputStream());
        double time = -1;
        try (BufferedReader lines =
                new BufferedReader(
                        new InputStreamReader(response.body(), StandardCharsets.UTF_8))) {
            for (String line = lines.readLine(); line != null; line = lines.readLine()) {
                if (time < 0 && line.contains(dialect.mark)) {
                    time = (System.nanoTime() - begin) / 1e6;
                }
            }
        }
        if (time < 0) {
            throw new IOException(dialect.path + ": no token, status " + response.statusCode());
        }
        return time;
    }

    private static String describe(Dialect dialect, double[] own, double... chat) {
        double[] later = new double[own.length];
        for (int i = 0; i < own.length; i++) {
            later[i] = own[i] - chat[i];
        }
        Arrays.sort(later);
        double half = DEVIATIONS * Math.sqrt(later.length) / 2;
        int low = Math.max(0, (int) Math.floor(later.length / 2.0 - half));
        int high = Math.min(later.length - 1, (int) Math.ceil(later.length / 2.0 + half));
        return String.format(
                Locale.ROOT,
                "%-9s first token after %.2f ms, %+.2f ms beside chat, 90%% interval [%+.2f,"
                        + " %+.2f]",
                dialect.name().toLowerCase(Locale.ROOT),
                Ratio.median(own),
                Ratio.median(later),
                later[low],
                later[high]);
    }
}
