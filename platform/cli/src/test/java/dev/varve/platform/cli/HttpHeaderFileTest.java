package dev.varve.platform.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;

class HttpHeaderFileTest {
    @TempDir Path folder;

    private Path write(String text) throws IOException {
        return Files.writeString(folder.resolve("headers"), text);
    }

    @Test
    void oneLineIsOneHeader() throws Exception {
        Path file = write("# a key\n\nAuthorization: Bearer a:b=\r\n x-scope:7 \n");

        assertEquals(
                Map.of("Authorization", "Bearer a:b=", "x-scope", "7"),
                HttpHeaderFile.read("--file", file));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {"secret", "two words: secret", ": secret", "a: secr\u0007et", "a: s\u00e4"})
    void invalidHeaderIsRefusedWithItsLineAndNotShown(String line) throws Exception {
        Path file = write("a: b\n" + line + "\n");

        UsageException failure =
                assertThrows(UsageException.class, () -> HttpHeaderFile.read("--file", file));

        assertEquals("--file: " + file + " line 2: expected NAME: VALUE", failure.getMessage());
    }

    @Test
    void fileWithoutHeadersIsRefused() throws Exception {
        Path empty = write("# nothing\n");
        Path missing = folder.resolve("missing");

        assertEquals(
                "--file: " + empty + ": expected NAME: VALUE lines, found none",
                assertThrows(UsageException.class, () -> HttpHeaderFile.read("--file", empty))
                        .getMessage());
        assertTrue(
                assertThrows(UsageException.class, () -> HttpHeaderFile.read("--file", missing))
                        .getMessage()
                        .startsWith("--file: " + missing + " cannot be read"));
    }
}
