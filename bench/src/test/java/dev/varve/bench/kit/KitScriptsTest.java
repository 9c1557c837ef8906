package dev.varve.bench.kit;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;

class KitScriptsTest {
    @TempDir Path folder;

    private static Path script(String name) {
        return Path.of("../tools/gpu-kit").resolve(name).toAbsolutePath().normalize();
    }

    private record Outcome(int status, String output) {}

    private static Outcome bash(Object... words) throws IOException, InterruptedException {
        String[] command = Arrays.stream(words).map(Object::toString).toArray(String[]::new);
        ProcessBuilder builder = new ProcessBuilder("bash");
        builder.command().addAll(Arrays.asList(command));
        Process process = builder.redirectErrorStream(true).start();
        process.getOutputStream().close();
        String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        return new Outcome(process.waitFor(), output);
    }

    @ParameterizedTest
    @ValueSource(strings = {"pack.sh", "run.sh"})
    void bashAcceptsTheScript(String name) throws Exception {
        assertEquals(new Outcome(0, ""), bash("-n", script(name)));
    }

    @ParameterizedTest
    @ValueSource(strings = {"pack.sh", "run.sh"})
    void withoutArgumentsTheUsageIsPrinted(String name) throws Exception {
        Outcome outcome = bash(script(name));

        assertTrue(outcome.status() != 0, outcome.toString());
        assertTrue(outcome.output().contains("usage: " + name), outcome.output());
    }

    @Test
    void folderWithoutPartsIsRefused() throws Exception {
        Path results = folder.resolve("results");

        Outcome outcome = bash(script("run.sh"), folder, results, "--device", "cpu:0");

        assertEquals(2, outcome.status(), outcome.output());
        assertTrue(
                Files.readString(results.resolve("summary.txt")).contains("no parts in"),
                outcome.output());
    }

    @Test
    void damagedPartIsReportedAsAnUnpackingError() throws Exception {
        Files.writeString(folder.resolve("part-1-cuda.tar.xz"), "no archive");
        Path results = folder.resolve("results");

        Outcome outcome = bash(script("run.sh"), folder, results, "--device", "cpu:0");

        assertEquals(1, outcome.status(), outcome.output());
        String json = Files.readString(results.resolve("unpack.json"));
        assertTrue(
                json.contains("\"step\":\"unpack\",\"device\":\"cpu:0\",\"status\":\"failed\""),
                json);
    }
}
