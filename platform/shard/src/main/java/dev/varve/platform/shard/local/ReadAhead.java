package dev.varve.platform.shard.local;

import dev.varve.api.ggml.MappedFile;

import java.util.function.LongConsumer;

/**
 * Reads a large tensor from its file piece by piece before it is uploaded in one go: on a slow disk
 * that takes minutes, in which a shard would look as if it hung.
 */
final class ReadAhead {
    static final long PIECE_BYTES = 16 << 20;

    private ReadAhead() {}

    /**
     * Reads all of a range.
     *
     * @param read hears the bytes of each piece but the last one, which counts once the tensor is
     *     in its place
     * @return bytes that were not told of
     */
    static long load(MappedFile file, long offset, long bytes, LongConsumer read) {
        long at = 0;
        while (bytes - at > PIECE_BYTES) {
            file.load(offset + at, PIECE_BYTES);
            at += PIECE_BYTES;
            read.accept(PIECE_BYTES);
        }
        file.load(offset + at, bytes - at);
        return bytes - at;
    }
}
