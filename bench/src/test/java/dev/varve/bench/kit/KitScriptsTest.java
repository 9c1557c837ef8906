package dev.varve.bench.kit;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;

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

    /** Packs scripts in place of Java and Varve, which only accept their arguments. */
    private Path kit() throws Exception {
        Path kit = folder.resolve("kit");
        script(
                kit.resolve("java/bin/java"),
                """
                for last; do :; done
                case "$*" in *LargeModelWriter*) : >"$last" ;; esac
                """);
        script(
                kit.resolve("varve/bin/varve"),
                """
                echo "varve $1"
                [ "$1" != check ]
                """);
        Path parts = Files.createDirectory(folder.resolve("parts"));
        Outcome packed =
                bash("-c", "tar -C " + kit + " -cJf " + parts + "/part-1.tar.xz java varve");
        assertEquals(0, packed.status(), packed.output());
        return parts;
    }

    private static void script(Path file, String text) throws IOException {
        Files.createDirectories(file.getParent());
        Files.writeString(file, "#!/bin/sh\n" + text);
        Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rwx------"));
    }

    private Outcome run(Object... options) throws Exception {
        List<Object> words = new ArrayList<>();
        words.addAll(List.of(script("run.sh"), kit(), folder.resolve("results")));
        words.addAll(List.of("--device", "cpu:0"));
        words.addAll(List.of(options));
        return bash(words.toArray());
    }

    private Map<String, String> statuses(String output) {
        Map<String, String> statuses = new LinkedHashMap<>();
        Pattern.compile("^(\\S+): (\\w+) in \\d+ s", Pattern.MULTILINE)
                .matcher(output)
                .results()
                .forEach(each -> statuses.put(each.group(1), each.group(2)));
        return statuses;
    }

    @Test
    void aFailedStepIsTheExitStatus() throws Exception {
        Outcome outcome = run("--only", "devices,check");

        assertEquals(1, outcome.status(), outcome.output());
        assertEquals(
                Map.of("unpack", "ok", "devices", "ok", "check", "failed"),
                statuses(outcome.output()));
    }

    @Test
    void chosenStepsGetTheModelsThatTheyNeedOnly() throws Exception {
        Outcome outcome = run("--only", "paging,drafts-0.8B");

        assertEquals(0, outcome.status(), outcome.output());
        assertEquals(
                Map.of("unpack", "ok", "model-0.8B", "ok", "drafts-0.8B", "ok", "paging", "ok"),
                statuses(outcome.output()));
        assertFalse(outcome.output().contains("target"), outcome.output());
    }

    @Test
    void skippedStepsAreReportedWithoutEarlierOutput() throws Exception {
        Path results = Files.createDirectory(folder.resolve("results"));
        Files.writeString(results.resolve("graphs-off.out"), "an earlier run");

        Outcome outcome = run("--quick");

        Map<String, String> statuses = statuses(outcome.output());
        for (String step : List.of("speed-4B", "drafts-4B", "drafts-35B-A3B", "graphs-off")) {
            assertEquals("skipped", statuses.get(step), outcome.output());
        }
        for (String step : List.of("drafts-0.8B", "model-0.8B-MTP", "drafts-mtp", "restore")) {
            assertEquals("ok", statuses.get(step), outcome.output());
        }
        String json = Files.readString(results.resolve("graphs-off.json"));
        assertTrue(json.contains("\"lines\":[]"), json);
    }

    @Test
    void unknownStepIsRefused() throws Exception {
        Outcome outcome = run("--only", "devices,graphs");

        assertEquals(2, outcome.status(), outcome.output());
        assertTrue(outcome.output().contains("graphs-off, found graphs"), outcome.output());
    }
}
