package dev.varve.platform.host;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.varve.platform.setting.Setting;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;

class ParentProcessMonitorTest {
    @TempDir Path folder;

    private static InputStream input(String text) {
        return new ByteArrayInputStream(text.getBytes(StandardCharsets.UTF_8));
    }

    private static String refusal(String text) {
        return assertThrows(
                        IllegalArgumentException.class,
                        () -> ParentProcessMonitor.readToken(input(text)))
                .getMessage();
    }

    @Test
    void secretIsTheFirstLine() throws IOException {
        InputStream input = input("secret\nand more");

        assertEquals("secret", ParentProcessMonitor.readToken(input));
        assertEquals("and more", new String(input.readAllBytes(), StandardCharsets.UTF_8));
    }

    @Test
    void inputThatEndsWithinTheLineIsNoSecret() {
        String expected =
                Setting.SUPERVISED
                        + ": expected a secret on the standard input, found the end of input";

        assertEquals(expected, refusal(""));
        assertEquals(expected, refusal("secret"));
    }

    @Test
    void overlongLineIsNotReadOn() {
        String message = refusal("x".repeat(257) + "\n");

        assertEquals(
                Setting.SUPERVISED
                        + ": expected a secret on the standard input, found a longer text",
                message);
        assertEquals(256, ParentProcessMonitor.readToken(input("x".repeat(256) + "\n")).length());
    }

    @Test
    void socketFolderIsDeletedOnlyIfEmpty() throws IOException {
        Path empty = Files.createDirectory(folder.resolve("empty"));
        Path used = Files.createDirectory(folder.resolve("used"));
        Files.createFile(used.resolve("file"));

        ParentProcessMonitor.deleteFolder("unix:" + empty.resolve("socket"));
        ParentProcessMonitor.deleteFolder("unix:" + used.resolve("socket"));
        ParentProcessMonitor.deleteFolder("grpc:" + used.resolve("socket"));

        assertFalse(Files.exists(empty));
        assertTrue(Files.exists(used.resolve("file")));
    }
}
