package dev.varve.platform.shard.streaming;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.varve.api.ggml.GgmlType;
import dev.varve.api.ggml.RowReader;

import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;

/** Pages at the edges of ranges have memory as long as one of their ranges. */
class StreamedFileTest {
    private static final int PAGE = (int) StreamedFile.PAGE;

    @TempDir Path folder;

    private Path path;

    @BeforeEach
    void write() throws IOException {
        byte[] content = new byte[4 * PAGE];
        Arrays.fill(content, (byte) 1);
        path = Files.write(folder.resolve("m.gguf"), content);
    }

    /** Returns which pages have the contents of the file; others are zero. */
    private static String pages(StreamedFile file) {
        StringBuilder text = new StringBuilder();
        int length = PAGE / Float.BYTES;
        float[] row = new float[length];
        try (RowReader rows = RowReader.open(file.addresses(), 0, GgmlType.F32, length, 4)) {
            for (int page = 0; page < 4; page++) {
                rows.read(page, row, 0);
                text.append(row[length / 2] == 0 ? '0' : '1');
            }
        }
        return text.toString();
    }

    private static void load(StreamedFile file, long offset, long bytes) {
        file.retain(offset, bytes);
        file.read(StreamedFile.floor(offset), StreamedFile.ceil(offset + bytes));
    }

    @Test
    void sharedPageIsFreedWithItsLastRange() {
        try (StreamedFile file = StreamedFile.open(path)) {
            load(file, 10, PAGE);
            load(file, 10 + PAGE, PAGE);
            assertEquals("1110", pages(file));

            file.release(10, PAGE);
            assertEquals("0110", pages(file));
            file.release(10 + PAGE, PAGE);
            assertEquals("0000", pages(file));
        }
    }

    @Test
    void rangesWithinAPageShareIt() {
        try (StreamedFile file = StreamedFile.open(path)) {
            load(file, PAGE, 100);
            load(file, PAGE + 100, 100);

            file.release(PAGE, 100);
            assertEquals("0100", pages(file));
            file.release(PAGE + 100, 100);
            assertEquals("0000", pages(file));
        }
    }

    @Test
    void pagesBetweenTheEdgesAreFreed() {
        try (StreamedFile file = StreamedFile.open(path)) {
            load(file, 5, 4L * PAGE - 10);
            load(file, 0, 5);
            load(file, 4L * PAGE - 5, 5);

            file.release(5, 4L * PAGE - 10);
            assertEquals("1001", pages(file));
        }
    }
}
