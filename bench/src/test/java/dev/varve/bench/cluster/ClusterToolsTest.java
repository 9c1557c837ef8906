package dev.varve.bench.cluster;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;

/** The scripts of {@code bench/run.sh cluster}; skipped without Python 3. */
class ClusterToolsTest {
    private static final Path BENCH = Path.of("").toAbsolutePath();

    private record Outcome(int status, String output) {}

    @BeforeEach
    void requirePython() {
        assumeTrue(
                Stream.of(System.getenv("PATH").split(":"))
                        .anyMatch(each -> Files.isExecutable(Path.of(each, "python3"))),
                "python3 is not on the PATH");
    }

    private static Outcome run(String... command) throws Exception {
        ProcessBuilder builder = new ProcessBuilder(List.of(command)).redirectErrorStream(true);
        builder.environment().put("PYTHONDONTWRITEBYTECODE", "1");
        Process process = builder.directory(BENCH.toFile()).start();
        process.getOutputStream().close();
        String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        return new Outcome(process.waitFor(), output);
    }

    @Test
    void testsOfTheScriptsPass() throws Exception {
        Outcome outcome =
                run(
                        "python3",
                        "-m",
                        "unittest",
                        "discover",
                        "-s",
                        "cluster/tests",
                        "-t",
                        "cluster");

        assertEquals(0, outcome.status(), outcome.output());
        assertTrue(outcome.output().endsWith("OK\n"), outcome.output());
    }

    @Test
    void helpListsThePlacements() throws Exception {
        Outcome outcome = run("bash", "run.sh", "cluster", "--help");

        assertEquals(0, outcome.status(), outcome.output());
        assertTrue(outcome.output().contains("round robin + store"), outcome.output());
    }
}
