package dev.varve.client;

import dev.varve.testkit.MetricsText;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;

/**
 * The server of the assembled installation, on a free port; closing stops it.
 *
 * @param url where it listens
 */
record InstalledServer(Process process, String url) implements AutoCloseable {
    private static final String SUCCESS = "Serving ";

    private static final Path LAUNCHER =
            Path.of(System.getProperty("varve.test.root"), "dist", "target", "varve", "bin")
                    .resolve("varve");

    /**
     * Starts one and waits until it is ready.
     *
     * @param folder for what it writes
     */
    static InstalledServer start(String model, Path folder) throws IOException {
        Path err = folder.resolve("err.txt");
        ProcessBuilder builder =
                new ProcessBuilder(
                                LAUNCHER.toString(),
                                "serve",
                                "--port",
                                "0",
                                "--model",
                                model,
                                "--threads",
                                "2",
                                "--cache-ram",
                                "64M")
                        .redirectError(err.toFile());
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
            if (line.startsWith(SUCCESS)) {
                return new InstalledServer(process, line.substring(line.lastIndexOf(' ') + 1));
            }
        }
        throw new AssertionError("no server: " + Files.readString(err));
    }

    /** The metrics that the server reports. */
    MetricsText metrics() {
        try (InputStream text = URI.create(url + "/metrics").toURL().openStream()) {
            return MetricsText.parse(new String(text.readAllBytes(), StandardCharsets.UTF_8));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    @Override
    public void close() {
        process.destroyForcibly();
        process.onExit().join();
    }
}
