package dev.varve.bench;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;

class InstallationBenchTest {
    @TempDir Path folder;

    /** An installation whose launcher records its name and arguments, and prints a result. */
    private Path installation(String name, String json, int status) throws IOException {
        Path launcher = Files.createDirectories(folder.resolve(name).resolve("bin"));
        Path log = folder.resolve("calls");
        Path script = launcher.resolve("varve");
        Files.writeString(
                script,
                "#!/bin/sh\necho "
                        + name
                        + " \"$@\" >> '"
                        + log
                        + "'\necho '"
                        + json
                        + "'\nexit "
                        + status
                        + "\n");
        Files.setPosixFilePermissions(script, PosixFilePermissions.fromString("rwxr-xr-x"));
        return folder.resolve(name);
    }

    @Test
    void pairsAlternateAndGiveTheRatioOfEachResult() throws Exception {
        Path before = installation("before", "{\"pp\": 100.0, \"tg\": 20.0}", 0);
        Path after = installation("after", "{\"pp\": 90.0, \"tg\": 21.0}", 0);

        List<Ratio> ratios = new InstallationBench(before, after, 3, List.of("-n", "8")).run();

        assertEquals(
                List.of("before", "before", "after", "after", "before", "before", "after").stream()
                        .map(name -> name + " bench -n 8 --json")
                        .toList(),
                Files.readAllLines(folder.resolve("calls")));
        assertEquals(List.of(1.05, 0.9), ratios.stream().map(Ratio::median).toList());
        assertTrue(ratios.getFirst().holds(), ratios.getFirst().describe());
        assertTrue(!ratios.getLast().holds(), ratios.getLast().describe());
    }

    @Test
    void failedRunEndsTheComparison() throws Exception {
        Path before = installation("before", "{}", 3);

        IOException failure =
                assertThrows(
                        IOException.class,
                        () -> new InstallationBench(before, before, 1, List.of()).run());

        assertTrue(failure.getMessage().endsWith("exit status 3"), failure.getMessage());
    }
}
