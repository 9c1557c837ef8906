package dev.varve.platform.prefix;

import dev.varve.platform.sequence.ChunkHistory;
import dev.varve.testkit.GeneratedFile;

import org.junit.jupiter.api.Test;

import java.nio.ByteBuffer;
import java.util.HexFormat;
import java.util.List;

/**
 * Bytes of the headers of stored objects, as a checked-in list: a server reads what earlier
 * versions wrote.
 */
class StoredBytesTest {
    private static final int[] TOKENS = {7, -1, 60};

    @Test
    void eachHeaderHasItsBytes() {
        StoredObjectHeader block =
                new StoredObjectHeader(
                        TOKENS,
                        0x1234_5678_9abc_def0L,
                        ChunkHistory.NONE,
                        new long[] {96, 1L << 40},
                        "ab");
        StoredObjectHeader checkpoint =
                new StoredObjectHeader(
                        TOKENS, 0, ChunkHistory.ofWindows(100, 350), new long[] {96}, "ab");
        FeatureHeader features =
                new FeatureHeader(new FeatureKind(List.of(1, 3), 8), 64, 512, 2, TOKENS);

        GeneratedFile.of(
                        "platform/cache/src/test/resources/dev/varve/platform/prefix/"
                                + "headers.txt")
                .check(
                        line("block", block.encode())
                                + line("checkpoint", checkpoint.encode())
                                + line("features", features.encode()));
    }

    private static String line(String name, ByteBuffer bytes) {
        byte[] copy = new byte[bytes.remaining()];
        bytes.get(copy);
        return name + " " + HexFormat.of().formatHex(copy) + "\n";
    }
}
