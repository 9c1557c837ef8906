package dev.varve.platform.shard.local;

import dev.varve.api.ggml.MappedFile;

import java.util.function.LongConsumer;

/**
 * Reads a large tensor from its file piece by piece before a single upload: on a slow disk reading
 * takes minutes, and without progress the shard would seem to hang.
 */
final class ReadAhead {
    static final long PIECE_BYTES = 16 << 20;

    private ReadAhead() {}

    /**
     * Reads all of a range.
     *
     * @param read receives the bytes of each piece except the last one, which counts after the
     *     upload of the tensor
     * @return bytes that were not reported
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
