package dev.varve.api.ggml;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.varve.api.VarveException;

import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import java.io.IOException;
import java.lang.foreign.ValueLayout;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Arrays;
import java.util.Random;

/** Pages of a file, read to the same place of the addresses that are reserved for it. */
class DirectReaderTest {
    private static final int PAGE = DirectReader.PAGE;
    private static final int BYTES = 5 * PAGE + 77;

    @TempDir Path folder;

    private Path path;
    private byte[] content;

    @BeforeEach
    void write() throws IOException {
        content = new byte[BYTES];
        new Random(7).nextBytes(content);
        path = Files.write(folder.resolve("m.gguf"), content);
    }

    private static byte[] bytes(MappedFile file, int begin, int end) {
        return file.slice(begin, end - begin).toArray(ValueLayout.JAVA_BYTE);
    }

    /** Both ways to read, whichever the file system of the test supports. */
    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void onlyTheRequestedPagesAreRead(boolean buffered) {
        try (MappedFile target = MappedFile.openForReading(path);
                DirectReader reader =
                        buffered ? DirectReader.openBuffered(path) : DirectReader.open(path)) {
            assertTrue(!buffered || !reader.isDirect());
            assertEquals(2 * PAGE, reader.read(target, PAGE, 3 * PAGE));

            assertArrayEquals(new byte[PAGE], bytes(target, 0, PAGE));
            assertArrayEquals(
                    Arrays.copyOfRange(content, PAGE, 3 * PAGE), bytes(target, PAGE, 3 * PAGE));
            assertArrayEquals(new byte[PAGE], bytes(target, 3 * PAGE, 4 * PAGE));
        }
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void lastPageEndsWithTheFile(boolean buffered) {
        try (MappedFile target = MappedFile.openForReading(path);
                DirectReader reader =
                        buffered ? DirectReader.openBuffered(path) : DirectReader.open(path)) {
            assertEquals(PAGE + 77, reader.read(target, 4 * PAGE, 6 * PAGE));

            assertArrayEquals(
                    Arrays.copyOfRange(content, 4 * PAGE, BYTES), bytes(target, 4 * PAGE, BYTES));
        }
    }

    @Test
    void shortenedFileHasFewerBytes() throws IOException {
        try (MappedFile target = MappedFile.openForReading(path);
                DirectReader reader = DirectReader.open(path)) {
            try (FileChannel channel = FileChannel.open(path, StandardOpenOption.WRITE)) {
                channel.truncate(2 * PAGE + 5);
            }

            assertEquals(PAGE + 5, reader.read(target, PAGE, 4 * PAGE));
            assertEquals(0, reader.read(target, 3 * PAGE, 4 * PAGE));
        }
    }

    @Test
    void missingFileIsNamed() {
        Path missing = folder.resolve("missing");

        VarveException error = assertThrows(VarveException.class, () -> DirectReader.open(missing));

        assertEquals(VarveException.Kind.UNREADABLE_FILE, error.kind());
        assertTrue(error.getMessage().contains(missing.toString()), error.getMessage());
    }

    @Test
    void folderCannotBeRead() throws IOException {
        try (MappedFile target = MappedFile.openForReading(path);
                DirectReader reader = DirectReader.open(folder)) {
            VarveException error =
                    assertThrows(VarveException.class, () -> reader.read(target, 0, PAGE));

            assertEquals(VarveException.Kind.UNREADABLE_FILE, error.kind());
            assertTrue(error.getMessage().contains("at 0"), error.getMessage());
        }
    }

    @Test
    void otherRangesThanPagesOfTheTargetAreRefused() {
        try (MappedFile target = MappedFile.openForReading(path);
                MappedFile mapped = MappedFile.open(path);
                DirectReader reader = DirectReader.open(path)) {
            assertThrows(IllegalArgumentException.class, () -> reader.read(target, 1, PAGE));
            assertThrows(IllegalArgumentException.class, () -> reader.read(target, PAGE, PAGE));
            assertThrows(IllegalArgumentException.class, () -> reader.read(target, 0, 7 * PAGE));
            assertThrows(IllegalArgumentException.class, () -> reader.read(mapped, 0, PAGE));
        }
    }
}
