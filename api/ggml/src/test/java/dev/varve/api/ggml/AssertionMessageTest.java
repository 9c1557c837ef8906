package dev.varve.api.ggml;

import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;

/** A process that ggml ends says why, whatever function asserted. */
class AssertionMessageTest {
    @TempDir Path folder;

    @Test
    void failedOperatorAssertionIsReportedWithTheRunningStep()
            throws IOException, InterruptedException {
        Process process =
                new ProcessBuilder(
                                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                                "--enable-native-access=ALL-UNNAMED",
                                "-Dvarve.test.natives=" + System.getProperty("varve.test.natives"),
                                "-cp",
                                System.getProperty(
                                        "surefire.test.class.path",
                                        System.getProperty("java.class.path")),
                                Abort.class.getName())
                        .directory(folder.toFile())
                        .redirectErrorStream(true)
                        .start();
        String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);

        assertNotEquals(0, process.waitFor());
        assertTrue(output.contains("varve: ggml aborted while testing its last words: "), output);
        assertTrue(output.contains("GGML_ASSERT"), output);
    }

    /** Calls an operator past the checks. */
    static final class Abort {
        private Abort() {}

        public static void main(String[] arguments) {
            Cpu.device();
            GgmlLibrary.context("testing its last words");
            try (GgmlContext context = GgmlContext.open(4, 0)) {
                Tensor tensor = context.newTensor(GgmlType.F32, 8);
                OpsApi.view4d(
                        context.count(1), tensor.pointer(), 1000, 1, 1, 1, 4000, 4000, 4000, 0);
            }
        }
    }
}
