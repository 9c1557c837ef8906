package dev.varve.platform.prefix;

import dev.varve.platform.sequence.ChunkHistory;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.IntBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Optional;

/**
 * Header of a stored block or checkpoint: the properties that must match before its bytes may be
 * used, and the chunk boundaries with which it was computed.
 *
 * @param tokens tokens of the block, or tokens after the last block
 * @param chunkHistoryDigest of a block: digest of its chunk boundaries
 * @param chunkHistory of a checkpoint: its chunk boundaries; none for a block
 * @param sizes bytes of its parts, layer by layer
 * @param origin tensors of the shards that wrote it, for diagnostics
 */
record StoredObjectHeader(
        int[] tokens,
        long chunkHistoryDigest,
        ChunkHistory chunkHistory,
        long[] sizes,
        String origin) {
    private static final int MOST_ORIGIN = 1 << 20;

    /** Encodes the header. */
    ByteBuffer encode() {
        byte[] text = origin.getBytes(StandardCharsets.UTF_8);
        int[] numbers = chunkHistory.numbers();
        int size =
                4 * Integer.BYTES
                        + (tokens.length + numbers.length) * Integer.BYTES
                        + Long.BYTES * (1 + sizes.length)
                        + text.length;
        ByteBuffer bytes = ByteBuffer.allocate(size).order(ByteOrder.LITTLE_ENDIAN);
        bytes.putLong(chunkHistoryDigest);
        put(bytes, tokens);
        put(bytes, numbers);
        bytes.putInt(sizes.length);
        Arrays.stream(sizes).forEach(bytes::putLong);
        bytes.putInt(text.length).put(text);
        return bytes.flip();
    }

    private static void put(ByteBuffer bytes, int[] numbers) {
        bytes.putInt(numbers.length);
        Arrays.stream(numbers).forEach(bytes::putInt);
    }

    /**
     * Decodes a header.
     *
     * @return empty if the bytes are not a header
     */
    static Optional<StoredObjectHeader> decode(ByteBuffer from) {
        ByteBuffer bytes = from.slice().order(ByteOrder.LITTLE_ENDIAN);
        if (bytes.remaining() < Long.BYTES) {
            return Optional.empty();
        }
        long digest = bytes.getLong();
        Optional<int[]> tokens = read(bytes);
        Optional<ChunkHistory> chunkHistory =
                tokens.flatMap(before -> read(bytes)).flatMap(ChunkHistory::of);
        Optional<long[]> sizes = chunkHistory.flatMap(before -> readSizes(bytes));
        Optional<String> origin = sizes.flatMap(before -> readText(bytes));
        // Earlier versions appended the pages of a KV Flash pool: such rows differ from those of a
        // cold prefill.
        return origin.filter(text -> !bytes.hasRemaining())
                .map(
                        text ->
                                new StoredObjectHeader(
                                        tokens.get(),
                                        digest,
                                        chunkHistory.get(),
                                        sizes.get(),
                                        text));
    }

    private static Optional<int[]> read(ByteBuffer bytes) {
        int count = count(bytes, Integer.BYTES);
        if (count < 0) {
            return Optional.empty();
        }
        int[] numbers = new int[count];
        IntBuffer view = bytes.asIntBuffer();
        view.get(numbers);
        bytes.position(bytes.position() + count * Integer.BYTES);
        return Optional.of(numbers);
    }

    private static Optional<long[]> readSizes(ByteBuffer bytes) {
        int count = count(bytes, Long.BYTES);
        if (count < 0) {
            return Optional.empty();
        }
        long[] sizes = new long[count];
        for (int i = 0; i < count; i++) {
            sizes[i] = bytes.getLong();
        }
        return Optional.of(sizes);
    }

    private static Optional<String> readText(ByteBuffer bytes) {
        int count = count(bytes, 1);
        if (count < 0 || count > MOST_ORIGIN) {
            return Optional.empty();
        }
        byte[] text = new byte[count];
        bytes.get(text);
        return Optional.of(new String(text, StandardCharsets.UTF_8));
    }

    /** Reads a number of elements with a fixed size each; negative if fewer bytes remain. */
    private static int count(ByteBuffer bytes, int each) {
        if (bytes.remaining() < Integer.BYTES) {
            return -1;
        }
        int count = bytes.getInt();
        return count < 0 || (long) count * each > bytes.remaining() ? -1 : count;
    }

    /** Whether it belongs to these tokens, and to parts of these sizes. */
    boolean fits(int[] ids, long[] bytes) {
        return Arrays.equals(tokens, ids) && Arrays.equals(sizes, bytes);
    }
}
