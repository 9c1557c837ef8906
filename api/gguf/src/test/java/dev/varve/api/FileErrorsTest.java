package dev.varve.api;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.function.Executable;
import org.junit.jupiter.api.io.TempDir;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;

class FileErrorsTest {
    @TempDir Path folder;

    private static String reason(Executable operation) {
        return FileErrors.reason(assertThrows(IOException.class, operation));
    }

    @Test
    void reasonsAreWords() throws IOException {
        Path file = Files.write(folder.resolve("file"), new byte[] {(byte) 0xff});
        Path missing = folder.resolve("missing");

        assertEquals("no such file", reason(() -> Files.readString(missing)));
        assertEquals("not text in UTF-8", reason(() -> Files.readString(file)));
        assertEquals("it exists already", reason(() -> Files.createFile(file)));
        assertEquals("not a folder", reason(() -> Files.list(file)));
        assertEquals("the folder is not empty", reason(() -> Files.delete(folder)));
        assertEquals("it is a folder", reason(() -> Files.readString(folder)));
        assertEquals(
                "the disk is gone",
                FileErrors.reason(new UncheckedIOException(new IOException("the disk is gone"))));
        assertEquals("input or output error", FileErrors.reason(new IOException()));
    }
}
