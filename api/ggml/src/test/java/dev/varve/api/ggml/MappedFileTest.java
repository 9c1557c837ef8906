package dev.varve.api.ggml;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.varve.api.VarveException;

import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.function.Executable;
import org.junit.jupiter.api.io.TempDir;

import java.io.IOException;
import java.lang.foreign.ValueLayout;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Arrays;
import java.util.Random;

/** Files that become shorter while they are in use, and files that are read instead of mapped. */
class MappedFileTest {
    private static final int BYTES = 5 * 4096 + 77;

    @TempDir Path folder;

    private Path path;
    private byte[] content;

    @BeforeEach
    void write() throws IOException {
        content = new byte[BYTES];
        new Random(7).nextBytes(content);
        path = Files.write(folder.resolve("m.gguf"), content);
    }

    private void shorten(long bytes) throws IOException {
        try (FileChannel channel = FileChannel.open(path, StandardOpenOption.WRITE)) {
            channel.truncate(bytes);
        }
    }

    private static void expectShorter(Executable action) {
        VarveException error = assertThrows(VarveException.class, action);
        assertEquals(VarveException.Kind.CORRUPT_FILE, error.kind());
        String expected = "m.gguf: expected " + BYTES + " bytes, found 4096";
        assertTrue(error.getMessage().contains(expected), error.getMessage());
    }

    @Test
    void truncatedMappedFileIsDetectedBeforeItsPagesAreRead() throws IOException {
        GgmlDevice cpu = Cpu.device();
        try (MappedFile file = MappedFile.open(path);
                GgmlContext context = GgmlContext.open(1, 0);
                DeviceBuffer buffer = cpu.bufferType().allocate(8192)) {
            Tensor tensor = context.newTensor(GgmlType.F32, 1024);
            buffer.place(tensor, 0);
            file.requireWhole();

            shorten(4096);

            expectShorter(file::requireWhole);
            expectShorter(() -> file.load(8192, 4096));
            expectShorter(() -> tensor.upload(file, 8192, 4096));
        }
    }

    @Test
    void grownOrReplacedFileIsAccepted() throws IOException {
        try (MappedFile file = MappedFile.open(path)) {
            Files.write(path, new byte[1], StandardOpenOption.APPEND);
            file.requireWhole();

            Path fresh = Files.write(folder.resolve("new"), new byte[3]);
            Files.move(fresh, path, java.nio.file.StandardCopyOption.REPLACE_EXISTING);

            file.requireWhole();
            assertArrayEquals(content, bytes(file, 0, BYTES));
        }
    }

    @Test
    void interruptedThreadStillGetsTheFileLength() throws IOException {
        try (MappedFile file = MappedFile.open(path)) {
            Thread.currentThread().interrupt();
            file.requireWhole();
            assertTrue(Thread.interrupted());

            file.requireWhole();
        }
    }

    @Test
    void readFileHoldsOnlyTheLoadedRanges() throws IOException {
        try (MappedFile file = MappedFile.openForReading(path)) {
            file.load(4000, 9000);

            assertArrayEquals(Arrays.copyOfRange(content, 4000, 13_000), bytes(file, 4000, 9000));
            assertArrayEquals(new byte[4000], bytes(file, 0, 4000));

            file.releasePages(4000, 9000);
            assertArrayEquals(new byte[4096], bytes(file, 4096, 4096));
            assertArrayEquals(Arrays.copyOfRange(content, 4000, 4096), bytes(file, 4000, 96));
        }
    }

    @Test
    void readFileMayShrinkBehindTheLoadedRanges() throws IOException {
        try (MappedFile file = MappedFile.openForReading(path)) {
            file.load(0, BYTES);

            shorten(4096);

            file.requireWhole();
            assertArrayEquals(content, bytes(file, 0, BYTES));
            expectShorter(() -> file.load(8192, 4096));
        }
    }

    private static byte[] bytes(MappedFile file, long offset, int count) {
        return file.slice(offset, count).toArray(ValueLayout.JAVA_BYTE);
    }
}
