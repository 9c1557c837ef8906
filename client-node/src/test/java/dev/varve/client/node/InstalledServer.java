package dev.varve.client.node;

import java.io.BufferedReader;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The server of the assembled installation, on a free port; closing stops it.
 *
 * @param model what it calls its model
 * @param url where it listens
 */
record InstalledServer(Process process, String model, String url) implements AutoCloseable {
    /** The API key that clients must send. */
    static final String KEY = "secret";

    static final Path INSTALLATION =
            Path.of(System.getProperty("varve.test.root"), "dist", "target", "varve");

    private static final Pattern SUCCESS = Pattern.compile("Serving (\\S+) on (\\S+)");

    /**
     * Starts one and waits until it is ready.
     *
     * @param folder for what it writes
     * @param more further arguments
     */
    static InstalledServer start(String model, Path folder, String... more) throws IOException {
        List<String> command = new ArrayList<>();
        command.add(INSTALLATION.resolve("bin").resolve("varve").toString());
        command.addAll(List.of("serve", "--port", "0", "--model", model, "--threads", "2"));
        command.addAll(List.of("--cache-ram", "64M", "--api-key", KEY, "--strict-model"));
        command.addAll(List.of(more));
        Path err = folder.resolve("err.txt");
        ProcessBuilder builder = new ProcessBuilder(command).redirectError(err.toFile());
        builder.environment().put("VARVE_CACHE", folder.resolve("cache").toString());
        // Few warm-up steps: an idle server computes thousands.
        builder.environment()
                .put(
                        "VARVE_JAVA_OPTS",
                        "-XX:TieredStopAtLevel=1 -Ddev.varve.engine.warmup.steps=50");
        builder.environment().put("JAVA_HOME", System.getProperty("java.home"));
        Process process = builder.start();
        BufferedReader lines = process.inputReader(StandardCharsets.UTF_8);
        for (String line = lines.readLine(); line != null; line = lines.readLine()) {
            Matcher success = SUCCESS.matcher(line);
            if (success.matches()) {
                return new InstalledServer(process, success.group(1), success.group(2));
            }
        }
        throw new AssertionError("no server: " + Files.readString(err));
    }

    /** The text behind a path. */
    String get(String path) throws IOException, InterruptedException {
        HttpRequest request =
                HttpRequest.newBuilder(URI.create(url + path))
                        .header("Authorization", "Bearer " + KEY)
                        .build();
        try (HttpClient client = HttpClient.newHttpClient()) {
            return client.send(request, HttpResponse.BodyHandlers.ofString()).body();
        }
    }

    /** How many requests of a route were answered to their end. */
    long answers(String route) throws IOException, InterruptedException {
        String counted = "varve_requests_total{code=\"200\",";
        String of = "route=\"" + route + "\"";
        return get("/metrics")
                .lines()
                .filter(
                        line ->
                                line.startsWith(counted)
                                        && line.contains(of)
                                        && !line.contains("disconnect"))
                .mapToLong(
                        line ->
                                (long)
                                        Double.parseDouble(
                                                line.substring(line.lastIndexOf(' ') + 1)))
                .sum();
    }

    @Override
    public void close() {
        process.destroyForcibly();
        process.onExit().join();
    }
}
