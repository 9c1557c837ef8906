package dev.varve.platform.shard.local;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.varve.api.ggml.MappedFile;

import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.List;

class ReadAheadTest {
    private static final int OFFSET = 4097;

    @TempDir Path folder;

    @ParameterizedTest
    @ValueSource(
            longs = {
                1,
                ReadAhead.PIECE_BYTES,
                ReadAhead.PIECE_BYTES + 1,
                3 * ReadAhead.PIECE_BYTES,
                3 * ReadAhead.PIECE_BYTES + 5
            })
    void everyByteIsReadOnceExceptTheLastPiece(long bytes) throws Exception {
        Path path = folder.resolve("tensor");
        try (FileChannel file =
                FileChannel.open(path, StandardOpenOption.CREATE, StandardOpenOption.WRITE)) {
            file.write(ByteBuffer.allocate(1), OFFSET + bytes - 1);
        }
        List<Long> reports = new ArrayList<>();

        long rest;
        try (MappedFile file = MappedFile.open(path)) {
            rest = ReadAhead.load(file, OFFSET, bytes, reports::add);
        }

        assertEquals((bytes - 1) / ReadAhead.PIECE_BYTES, reports.size());
        long sum = reports.stream().mapToLong(Long::longValue).sum();
        assertEquals(bytes, sum + rest, () -> reports + " and " + rest);
    }
}
